//! Labels: the one thing here that is written into a session.

use std::path::Path;

use pi_brain_app::{Draft, Writing};
use pi_brain_daemon::SystemMint;
use pi_brain_session::{EntryId, Session, View, labels as labels_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Which, find_entry, unreadable};
use crate::api::Api;
use crate::brains::Brain;
use crate::failure::{Answered, Failure};

const LABELS: &str = "/api/v1/sessions/{session}/labels";

pub(super) fn add(api: Api) -> Api {
    api.get(LABELS, "The labels of a session", list).post(
        LABELS,
        "Labels an entry, or takes its label away, by a line at the end of the file; refused while pi may have it open",
        write,
    )
}

/// An entry with a label.
#[derive(Serialize, JsonSchema)]
struct Labelled {
    /// The entry.
    entry: String,
    /// The line of the file, counted from 1; none if the entry is not there.
    line: Option<u64>,
    /// Its label.
    label: String,
    /// When it was given, as written.
    timestamp: Option<String>,
}

/// The labels of a session.
#[derive(Serialize, JsonSchema)]
struct Labels {
    /// In the order in which the entries were first labelled.
    items: Vec<Labelled>,
}

fn list(brain: &mut Brain, (which,): (Which,)) -> Answered<Labels> {
    let (session, tree) = which.open(brain, View::Repaired)?;
    let log = session.log();
    let items = labels_of(log).into_iter().map(|(entry, label)| Labelled {
        line: tree.find(entry.as_str()).map(|at| log.entries()[at].line),
        entry: entry.to_string(),
        label: label.text.into(),
        timestamp: label.timestamp.map(Into::into),
    });
    Ok(Labels { items: items.collect() })
}

/// What to write.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wish {
    /// The entry: its id, the beginning of one, or the label that it has.
    entry: String,
    /// The label; without one, that which the entry has is taken away.
    label: Option<String>,
    /// Whether it is written although pi may have the file open.
    #[serde(default)]
    force: bool,
}

/// What an entry is labelled from now on.
#[derive(Serialize, JsonSchema)]
struct LabelView {
    /// The entry.
    entry: String,
    /// Its label from now on.
    label: Option<String>,
    /// Whether anything had to be written.
    written: bool,
}

fn write(
    brain: &mut Brain,
    (which,): (Which,),
    Wish { entry, label, force }: Wish,
) -> Answered<LabelView> {
    const LONGEST: usize = 1000;
    let label = label.as_deref().map(str::trim).filter(|label| !label.is_empty());
    if label.is_some_and(|label| label.len() > LONGEST) {
        return Err(Failure::bad_request(format!("a label has at most {LONGEST} bytes")));
    }
    let known = which.find(brain)?;
    let path = Path::new(&known.path);
    let writing = Writing {
        path,
        data_folder: Some(brain.app.folder().path()),
        force,
        fallback_cwd: &known.project,
    };
    let opened = Draft::open(&writing, Brain::now(), SystemMint);
    let (mut draft, tree) = opened.map_err(|error| unreadable(error, path))?;
    let session: &Session = draft.session();
    let at = find_entry(session, &tree, &entry)?;
    let named = || Failure::bad_request("this entry has no id, so nothing can refer to it");
    let target: EntryId = session.log().entries()[at].id.clone().ok_or_else(named)?;
    let before = labels_of(session.log()).into_iter().find(|(labelled, _)| *labelled == target);
    let is_new = before.map(|(_, label)| label.text).as_deref() != label;
    if is_new {
        draft.writer.append_label_change(&target, label)?;
        draft.remember();
    }
    let label = label.map(str::to_owned);
    Ok(LabelView { entry: target.to_string(), label, written: is_new })
}
