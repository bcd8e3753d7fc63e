//! Sessions: what pi wrote, as it stands in its files.
//!
//! No path from a request is opened. A session is looked up among those that are known, and the path is the one that it is known by.

mod entries;
mod export;
mod fork;
mod labels;
mod list;
mod relations;

use std::path::{Path, PathBuf};

use axum::http::StatusCode;
use pi_brain_app::resume_command;
use pi_brain_session::{
    EntryMatch, Session, SessionError, SessionInfo, Tree, View, labels as labels_of,
};
use pi_brain_store::SessionFile;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::Api;
use crate::brains::Brain;
use crate::failure::{Answered, Failure};

pub(super) fn add(api: Api) -> Api {
    let api = list::add(api).get(
        "/api/v1/sessions/{session}",
        "A session: its header, how large it is, and what leads on from it",
        one,
    );
    export::add(fork::add(labels::add(relations::add(entries::add(api)))))
}

/// Which session.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Which {
    /// The session's id, or as much of its beginning as no other has.
    session: String,
    /// The file, where several have one id; only files of known sessions are ever opened.
    file: Option<String>,
}

impl Which {
    pub(super) fn new(session: String, file: Option<String>) -> Self {
        Self { session, file }
    }

    /// Finds the one session that is meant, among those that are known.
    pub(super) fn find(&self, brain: &Brain) -> Answered<SessionFile> {
        let mut found = brain.app.store().sessions()?;
        if let Some(file) = &self.file {
            found.retain(|known| known.path == *file);
        }
        found.retain(|known| !self.session.is_empty() && known.id.starts_with(&self.session));
        if found.iter().any(|known| known.id == self.session) {
            found.retain(|known| known.id == self.session);
        }
        if found.len() > 1 {
            let files: Vec<&str> = found.iter().take(SHOWN).map(|known| &*known.path).collect();
            return Err(Failure::conflict(
                "ambiguous",
                format!("{} sessions could be meant: {}", found.len(), files.join(", ")),
                "name one by its whole id, or by `file`",
            ));
        }
        found.pop().ok_or_else(|| {
            Failure::not_found("no such session", "GET /api/v1/sessions lists what is there")
        })
    }

    /// Reads the file of the session that is meant.
    fn open(&self, brain: &Brain, view: View) -> Answered<(Session, Tree)> {
        let path = PathBuf::from(self.find(brain)?.path);
        let session = Session::open(&path).map_err(|error| unreadable(error, &path))?;
        let tree = session.tree(view);
        Ok((session, tree))
    }
}

/// How many files are named where several could be meant.
const SHOWN: usize = 10;

/// Says why a session that is known cannot be read.
pub(super) fn unreadable(error: SessionError, path: &Path) -> Failure {
    match error {
        SessionError::FileNotFound(_) => Failure::new(
            StatusCode::NOT_FOUND,
            "session_gone",
            format!("the file of this session is not there any more: {}", path.display()),
            "somebody moved or deleted it; the units of work that were made from it are kept",
        ),
        error => error.into(),
    }
}

/// Finds the entry that is meant by an id, the beginning of one, or a label.
fn find_entry(session: &Session, tree: &Tree, named: &str) -> Answered<usize> {
    let hint = "GET /api/v1/sessions/{session}/tree?filter=all lists the entries";
    let several = |by: &str, entries: &[usize]| {
        let all = session.log().entries();
        let ids = entries.iter().take(SHOWN).filter_map(|&at| all[at].id.as_ref());
        let ids: Vec<String> = ids.map(ToString::to_string).collect();
        let text = format!("{} entries {by} {named:?}: {}", entries.len(), ids.join(", "));
        Failure::conflict("ambiguous", text, hint)
    };
    match EntryMatch::find(session.log(), tree, named) {
        EntryMatch::One(at) => Ok(at),
        EntryMatch::Nothing => {
            Err(Failure::not_found(format!("no entry {named:?} in this session"), hint))
        }
        EntryMatch::SeveralIds(entries) => Err(several("have an id that begins with", &entries)),
        EntryMatch::SeveralLabels(entries) => Err(several("are labelled", &entries)),
    }
}

/// A session, as its file tells.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Detail {
    #[serde(flatten)]
    info: SessionInfo,
    /// The version of the file's format.
    version: u32,
    /// The entry after which pi would go on.
    leaf: Option<String>,
    /// How many entries have a label.
    label_count: usize,
    /// The models that answered, those that did so most often first.
    models: Vec<Answering>,
    /// What to type in a shell to go on with it.
    command: String,
}

/// A model that answered.
#[derive(Serialize, JsonSchema)]
struct Answering {
    /// The model.
    model: String,
    /// How many answers are its.
    answers: usize,
}

fn one(brain: &mut Brain, (which,): (Which,)) -> Answered<Detail> {
    let path = PathBuf::from(which.find(brain)?.path);
    let read = SessionInfo::read_with(&path);
    let (info, session, tree) = read.map_err(|error| unreadable(error, &path))?;
    let leaf = tree.leaf().and_then(|leaf| session.log().entries()[leaf].id.as_ref());
    Ok(Detail {
        info,
        version: session.header().version,
        leaf: leaf.map(ToString::to_string),
        label_count: labels_of(session.log()).len(),
        models: models(&session),
        command: resume_command(&path, session.header().cwd.as_deref()),
    })
}

fn models(session: &Session) -> Vec<Answering> {
    let mut counts: Vec<Answering> = Vec::new();
    for entry in session.log().entries() {
        let reply = entry.message().and_then(|message| message.reply.as_ref());
        let Some(model) = reply.and_then(|reply| reply.model.as_deref()) else { continue };
        match counts.iter_mut().find(|known| known.model == model) {
            Some(known) => known.answers += 1,
            None => counts.push(Answering { model: model.to_owned(), answers: 1 }),
        }
    }
    counts.sort_by_key(|known| std::cmp::Reverse(known.answers));
    counts
}
