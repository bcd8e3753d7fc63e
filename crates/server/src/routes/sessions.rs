//! Sessions: what pi wrote, as it stands in its files.
//!
//! No path from a request is opened. A session is looked up among those that are known, and the path is the one that it is known by.

mod entries;
mod export;
mod labels;
mod relations;

use std::path::{Path, PathBuf};

use axum::http::StatusCode;
use pi_brain_session::{
    EntryMatch, Millis, Session, SessionError, SessionInfo, Tree, View, labels as labels_of,
};
use pi_brain_store::{SessionFile, SessionRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::Api;
use crate::brains::Brain;
use crate::failure::{Answered, Failure};
use crate::params::{Listed, Paging};

pub(super) fn add(api: Api) -> Api {
    let api = api.get("/api/v1/sessions", "All sessions, what happened last first", list).get(
        "/api/v1/sessions/{session}",
        "A session: its header, and how large it is",
        one,
    );
    export::add(labels::add(relations::add(entries::add(api))))
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

/// Which sessions.
#[derive(Deserialize, JsonSchema)]
struct Among {
    /// Only those whose working directory contains this, in upper or lower case.
    project: Option<String>,
    /// Only those in which something happened at this time or later.
    after: Option<Millis>,
    /// Only those in which something happened last before this time.
    before: Option<Millis>,
    /// Only those whose name contains this, in upper or lower case, or whose id begins with it.
    q: Option<String>,
}

fn list(brain: &mut Brain, (among, paging): (Among, Paging)) -> Answered<Listed<SessionRow>> {
    let mut rows = brain.app.store().session_rows()?;
    let lower = |text: &Option<String>| text.as_ref().map(|text| text.to_lowercase());
    let (project, q) = (lower(&among.project), lower(&among.q));
    rows.retain(|row| {
        let is_named = |q: &String| {
            row.id.to_lowercase().starts_with(q)
                || row.name.as_ref().is_some_and(|name| name.to_lowercase().contains(q))
        };
        among.after.is_none_or(|after| row.latest() >= Some(after))
            && among.before.is_none_or(|before| row.latest() < Some(before))
            && project.as_ref().is_none_or(|project| row.project.to_lowercase().contains(project))
            && q.as_ref().is_none_or(is_named)
    });
    paging.cut(rows, |row| row.file.clone())
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
    })
}
