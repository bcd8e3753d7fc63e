//! Forks: a new session from a part of an old one, which stays as it is.

use std::path::PathBuf;

use pi_brain_app::{Forked, Forking, fork, resume_command};
use pi_brain_daemon::SystemMint;
use pi_brain_session::{Session, View};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Which, find_entry, unreadable};
use crate::api::Api;
use crate::brains::Brain;
use crate::failure::Answered;

pub(super) fn add(api: Api) -> Api {
    api.post(
        "/api/v1/sessions/{session}/fork",
        "Copies the way to an entry into a new session file; the old one stays as it is",
        write,
    )
}

/// From where.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wish {
    /// The entry: its id, the beginning of one, or its label.
    entry: String,
    /// Whether a person's message stays; without that the new session ends before it, to say something else there.
    #[serde(default)]
    clone: bool,
}

/// The new session.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ForkView {
    /// Its id.
    id: String,
    /// Its file.
    file: String,
    /// How many entries it begins with.
    entry_count: usize,
    /// What the person said that it ends before, as pi would put it back into its editor.
    text: Option<String>,
    /// What to type in a shell to go on with it.
    command: String,
}

fn write(brain: &mut Brain, (which,): (Which,), Wish { entry, clone }: Wish) -> Answered<ForkView> {
    let known = which.find(brain)?;
    let path = PathBuf::from(&known.path);
    let failed = |error| unreadable(error, &path);
    let session = Session::open(&path).map_err(failed)?;
    let tree = session.tree(View::AsPi);
    let forking = Forking {
        entry: find_entry(&session, &tree, &entry)?,
        is_clone: clone,
        fallback_cwd: &known.project,
        data_folder: Some(brain.app.folder().path()),
    };
    let Forked { path: new, id, cwd, entry_count, text } =
        fork(session, &tree, &forking, SystemMint).map_err(failed)?;
    let command = resume_command(&new, cwd.as_deref());
    Ok(ForkView { id, file: new.to_string_lossy().into_owned(), entry_count, text, command })
}
