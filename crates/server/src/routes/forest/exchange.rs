//! Sessions of pi into the forest, and out of it.

use std::path::PathBuf;

use pi_brain_app::ImportView;
use pi_brain_daemon::SystemMint;
use pi_brain_forest::{ExportOptions, Place, Reading};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{change, message_at, open};
use crate::api::Api;
use crate::brains::Brain;
use crate::download::Download;
use crate::failure::{Answered, Failure};
use crate::routes::sessions::{Which, unreadable};

pub(super) fn add(api: Api) -> Api {
    api.post("/api/v1/forest/import", "Brings a known session into the forest", import).download(
        "/api/v1/forest/export",
        "A conversation, or a whole tree, as a new session that pi goes on with",
        LINES,
        export,
    )
}

/// A JSON value on each line.
const LINES: &str = "application/x-ndjson";

/// What to bring in.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ToImport {
    /// The session's id, or as much of its beginning as no other has.
    session: String,
    /// The file, where several have one id.
    file: Option<String>,
    /// Whether all sessions of its family come, too.
    #[serde(default)]
    family: bool,
}

fn import(brain: &mut Brain, (): (), wish: ToImport) -> Answered<ImportView> {
    let named = Which::new(wish.session, wish.file).find(brain)?;
    let mut files = vec![PathBuf::from(&named.path)];
    if wish.family {
        let known = brain.app.store().sessions()?;
        let family = known.into_iter().filter(|one| one.root == named.root);
        files = family.map(|one| PathBuf::from(one.path)).collect();
        files.sort();
    }
    let (readings, failed) = Reading::open_all(&files, |_| ());
    // Relatives that cannot be read are left out; the one that was named has to be there.
    for (path, error) in failed {
        if path.as_os_str() == &*named.path {
            return Err(unreadable(error, &path));
        }
    }
    change(brain, |forest| {
        let report = forest.import(readings, Brain::now())?;
        let (view, _) = ImportView::new(forest, &report)?;
        Ok(view)
    })
}

/// What to write out.
#[derive(Deserialize, JsonSchema)]
struct ToExport {
    /// A message, for the conversation that leads to it; a root, for the whole tree.
    place: Place,
    /// The working directory of the new session; that of the sessions in the tree, if it has any.
    cwd: Option<String>,
}

fn export(brain: &mut Brain, (wish,): (ToExport,)) -> Answered<Download> {
    let forest = open(brain)?;
    let root = forest.root(wish.place.root())?;
    let cwd = wish.cwd.as_deref();
    if cwd.is_none() && root.family.is_none() {
        let text =
            "there is no session in this tree whose working directory it could take; say `cwd`";
        return Err(Failure::bad_request(text));
    }
    let exported = match forest.place(wish.place)? {
        Place::Root(root) => forest.export_family(root, cwd, &mut SystemMint)?,
        place @ Place::Node(_) => {
            let options = ExportOptions { session: None, cwd };
            forest.export_leaf(message_at(&forest, place)?, options, &mut SystemMint)?
        }
    };
    let text = exported.text;
    Ok(Download::new(&exported.file_name, LINES, move |out| out.write_all(text.as_bytes())))
}
