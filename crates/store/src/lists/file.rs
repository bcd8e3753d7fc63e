//! Which nodes have touched a file.

use schemars::JsonSchema;
use serde::Serialize;

use super::{NODE_COLUMNS, NodeRow, node_row};
use crate::error::Result;
use crate::store::Store;

/// Which file is meant: any of the names, or one that ends so.
#[derive(Clone, Debug, Default)]
pub struct FileWanted {
    /// Whole paths by which it may go: from the root, or from `~`.
    pub names: Vec<String>,
    /// The last folders and the name, if files elsewhere are meant, too.
    pub ending: Option<String>,
}

/// A node that has touched a file.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileTouch {
    /// The file, from the root if its project is known.
    pub path: String,
    /// Whether it was changed; otherwise it was read.
    pub modified: bool,
    /// The node.
    pub node: NodeRow,
}

impl Store {
    /// Lists what has touched a file, the newest first.
    pub fn touches(&self, wanted: &FileWanted) -> Result<Vec<FileTouch>> {
        // What a path of the table must end with can be told without knowing the project.
        let names = || wanted.names.iter().chain(&wanted.ending);
        let last = |name: &str| name.rsplit('/').next().unwrap_or(name).to_owned();
        let lasts: Vec<String> = names().map(|name| last(name)).collect();
        let values = |list: &[String]| serde_json::to_string(list).expect("texts have a JSON form");
        let sql = "SELECT path, modified, node FROM file_touched
            WHERE EXISTS (SELECT 1 FROM json_each(?1) WHERE substr(file_touched.path, -length(value)) = value)";
        let candidates: Vec<(String, bool, i64)> = self.database.read(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement
                .query_map([values(&lasts)], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            rows.collect()
        })?;
        let mut touches = self.database.read(|connection| {
            let sql = format!("{NODE_COLUMNS} WHERE id = ?1 AND id NOT IN hidden");
            let mut statement = connection.prepare_cached(&sql)?;
            let mut touches = Vec::new();
            for (path, modified, node) in candidates {
                for node in statement.query_map([node], node_row)? {
                    let node = node?;
                    let path = whole(&node.project, &path);
                    touches.extend(wanted.is(&path).then_some(FileTouch { path, modified, node }));
                }
            }
            Ok(touches)
        })?;
        touches.sort_by(|one, other| {
            let order = |touch: &FileTouch| (std::cmp::Reverse(touch.node.started), touch.node.id);
            order(one).cmp(&order(other)).then_with(|| one.path.cmp(&other.path))
        });
        Ok(touches)
    }
}

impl FileWanted {
    fn is(&self, path: &str) -> bool {
        let ends_so = |ending: &String| {
            let rest = path.strip_suffix(&**ending);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        self.names.iter().any(|name| name == path) || self.ending.as_ref().is_some_and(ends_so)
    }
}

/// Writes a path from the root: those of the table start in their project, unless they lie elsewhere.
fn whole(project: &str, path: &str) -> String {
    if project.is_empty() || path.starts_with(['/', '~']) {
        return path.to_owned();
    }
    format!("{}/{path}", project.trim_end_matches('/'))
}
