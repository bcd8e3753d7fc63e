//! Sessions of pi into the forest, and out of it.

use std::path::{Path, PathBuf};

use pi_brain_app::{ImportView, remember_own_write, resume_command, write_new};
use pi_brain_daemon::SystemMint;
use pi_brain_forest::{ExportOptions, ExportedSession, Place, Reading};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{change, message_at, open};
use crate::api::Api;
use crate::brains::Brain;
use crate::download::{Download, LINES};
use crate::failure::{Answered, Failure};
use crate::routes::sessions::{Which, unreadable};

pub(super) fn add(api: Api) -> Api {
    api.post("/api/v1/forest/import", "Brings a known session into the forest", import)
        .download(
            EXPORT,
            "A conversation, or a whole tree, as a new session that pi goes on with",
            &[LINES],
            export,
        )
        .post(EXPORT, "Writes such a session to where pi finds it", write)
}

const EXPORT: &str = "/api/v1/forest/export";

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
#[serde(deny_unknown_fields)]
struct ToExport {
    /// A message, for the conversation that leads to it; a root, for the whole tree.
    place: Place,
    /// The working directory of the new session; that of the sessions in the tree, if it has any.
    cwd: Option<String>,
}

impl ToExport {
    fn session(self, brain: &Brain) -> Answered<ExportedSession> {
        let forest = open(brain)?;
        let root = forest.root(self.place.root())?;
        let cwd = self.cwd.as_deref();
        if cwd.is_none() && root.family.is_none() {
            let text =
                "there is no session in this tree whose working directory it could take; say `cwd`";
            return Err(Failure::bad_request(text));
        }
        if let Some(relative) = cwd.filter(|cwd| !Path::new(cwd).is_absolute()) {
            let text = format!("{relative:?} is no working directory: it has to begin with /");
            return Err(Failure::bad_request(text));
        }
        Ok(match forest.place(self.place)? {
            Place::Root(root) => forest.export_family(root, cwd, &mut SystemMint)?,
            place @ Place::Node(_) => {
                let options = ExportOptions { session: None, cwd };
                forest.export_leaf(message_at(&forest, place)?, options, &mut SystemMint)?
            }
        })
    }
}

fn export(brain: &mut Brain, (wish,): (ToExport,)) -> Answered<Download> {
    let exported = wish.session(brain)?;
    let text = exported.text;
    Ok(Download::new(&exported.file_name, LINES, move |out| out.write_all(text.as_bytes())))
}

/// A session that was written.
#[derive(Serialize, JsonSchema)]
struct WrittenSession {
    /// Its file.
    file: PathBuf,
    /// Its id.
    id: String,
    /// Its working directory.
    cwd: String,
    /// How to go on with it.
    command: String,
}

/// Writes a new file where pi on this machine has its sessions; nothing that is there is touched.
fn write(brain: &mut Brain, (): (), wish: ToExport) -> Answered<WrittenSession> {
    let exported = wish.session(brain)?;
    let usual = brain.app.settings().sources.folders.first();
    let usual = usual.ok_or_else(|| Failure::internal("no folder with sessions is known"))?;
    let file = usual.folder.for_cwd(&exported.cwd).join(&exported.file_name);
    let length = write_new(&file, &mut exported.text.as_bytes())?;
    // What is forgotten costs a wait, or a force; the session itself is written.
    let _ = remember_own_write(brain.app.folder().path(), &file, length);
    let command = resume_command(&file, Some(&exported.cwd));
    Ok(WrittenSession { file, id: exported.id, cwd: exported.cwd, command })
}
