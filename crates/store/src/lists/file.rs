//! Which nodes have touched a file.

use rusqlite::OptionalExtension;
use schemars::JsonSchema;
use serde::Serialize;

use super::{NODE_COLUMNS, NodeRow, node_row};
use crate::derived::json;
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
        // What a path must end with can be told without knowing the project.
        let names = || wanted.names.iter().chain(&wanted.ending);
        let last = |name: &str| name.rsplit('/').next().unwrap_or(name).to_owned();
        let lasts: Vec<String> = names().map(|name| last(name)).collect();
        let sql = "SELECT node, read, modified FROM files_touched
            WHERE EXISTS (SELECT 1 FROM json_each(?1) WHERE instr(read, value) OR instr(modified, value))";
        let candidates: Vec<(i64, String, String)> = self.database.read(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement
                .query_map([json(&lasts)], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            rows.collect()
        })?;
        let ends_so = |path: &&str| lasts.iter().any(|last| path.ends_with(last));
        let mut touches = self.database.read(|connection| {
            let sql = format!("{NODE_COLUMNS} WHERE id = ?1 AND id NOT IN hidden");
            let mut statement = connection.prepare_cached(&sql)?;
            let mut touches = Vec::new();
            for (node, read, modified) in &candidates {
                let Some(node) = statement.query_row([node], node_row).optional()? else {
                    continue;
                };
                let paths = |list: &'_ str, modified: bool| {
                    let node = &node;
                    let whole = |path: &str| whole(&node.project, path);
                    let paths = list.lines().filter(ends_so).map(whole);
                    let touch = |path| FileTouch { path, modified, node: node.clone() };
                    paths.filter(|path| wanted.is(path)).map(touch).collect::<Vec<_>>()
                };
                touches.extend(paths(read, false));
                touches.extend(paths(modified, true));
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
