//! Whole sessions, as files to keep.

use std::fs::File;
use std::io;

use pi_brain_app::write_transcript;
use pi_brain_session::{Session, SessionError, View, read_header};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Which, find_entry, unreadable};
use crate::api::Api;
use crate::brains::Brain;
use crate::download::Download;
use crate::failure::Answered;

pub(super) fn add(api: Api) -> Api {
    api.download(
        "/api/v1/sessions/{session}/export",
        "A session as a file: its lines as they are, or a conversation in Markdown",
        LINES,
        export,
    )
}

/// A JSON value on each line.
const LINES: &str = "application/x-ndjson";

/// How a session is written.
#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    /// The file, byte for byte.
    #[default]
    Jsonl,
    /// What was said on one branch.
    Markdown,
}

/// What to export.
#[derive(Deserialize, JsonSchema)]
struct Wanted {
    /// How it is written.
    #[serde(default)]
    format: Format,
    /// For Markdown, the entry at the end; where pi would go on, if none is said.
    leaf: Option<String>,
}

fn export(brain: &mut Brain, (which, wanted): (Which, Wanted)) -> Answered<Download> {
    let known = which.find(brain)?;
    let path = std::path::PathBuf::from(&known.path);
    Ok(match wanted.format {
        Format::Jsonl => {
            if !path.exists() {
                return Err(unreadable(SessionError::FileNotFound(path.clone()), &path));
            }
            // A file that only has the name of a known session is none.
            if read_header(&path).is_none() {
                return Err(SessionError::NotASession(path).into());
            }
            let mut file = File::open(&path)?;
            let name = format!("pi-session-{}.jsonl", known.id);
            Download::new(&name, LINES, move |out| io::copy(&mut file, out).map(drop))
        }
        Format::Markdown => {
            let session = Session::open(&path).map_err(|error| unreadable(error, &path))?;
            let tree = session.tree(View::Repaired);
            let named = wanted.leaf.as_deref();
            let chosen = named.map(|leaf| find_entry(&session, &tree, leaf)).transpose()?;
            let path = chosen.or(tree.leaf()).map_or_else(Vec::new, |leaf| tree.branch(leaf));
            let name = format!("pi-session-{}.md", known.id);
            Download::new(&name, "text/markdown; charset=utf-8", move |out| {
                write_transcript(&session, &path, out)
            })
        }
    })
}
