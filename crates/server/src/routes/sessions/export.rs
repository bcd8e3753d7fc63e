//! Whole sessions, as files to keep.

use std::fs::File;
use std::io;

use axum::http::StatusCode;
use pi_brain_app::{session_title, write_transcript};
use pi_brain_page::{ExportError, ExportOptions};
use pi_brain_session::{Session, SessionError, Tree, View, read_header};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Which, find_entry, unreadable};
use crate::api::Api;
use crate::brains::Brain;
use crate::download::{Download, LINES};
use crate::failure::{Answered, Failure};

pub(super) fn add(api: Api) -> Api {
    api.download(
        "/api/v1/sessions/{session}/export",
        "A session as a file: its lines as they are, a conversation in Markdown, or all of it as a page",
        &[LINES, MARKDOWN, HTML],
        export,
    )
}

const MARKDOWN: &str = "text/markdown; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";

/// How a session is written.
#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    /// The file, byte for byte.
    #[default]
    Jsonl,
    /// What was said on one branch.
    Markdown,
    /// All of it as one file of HTML that shows itself.
    Html,
}

/// What to export.
#[derive(Deserialize, JsonSchema)]
struct Wanted {
    /// How it is written.
    #[serde(default)]
    format: Format,
    /// For Markdown and HTML, the entry at the end; where pi would go on, if none is said.
    leaf: Option<String>,
    /// For HTML, whether secrets are taken out.
    #[serde(default)]
    redact: bool,
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
        Format::Markdown | Format::Html => {
            let session = Session::open(&path).map_err(|error| unreadable(error, &path))?;
            let tree = session.tree(View::Repaired);
            let named = wanted.leaf.as_deref();
            let leaf = named.map(|leaf| find_entry(&session, &tree, leaf)).transpose()?;
            match wanted.format {
                Format::Html => page(&known.id, session, tree, leaf, wanted.redact)?,
                _ => conversation(&known.id, session, &tree, leaf),
            }
        }
    })
}

fn conversation(id: &str, session: Session, tree: &Tree, leaf: Option<usize>) -> Download {
    let path = leaf.or(tree.leaf()).map_or_else(Vec::new, |leaf| tree.branch(leaf));
    let name = format!("pi-session-{id}.md");
    Download::new(&name, MARKDOWN, move |out| write_transcript(&session, &path, out))
}

fn page(
    id: &str,
    session: Session,
    tree: Tree,
    leaf: Option<usize>,
    is_redacted: bool,
) -> Answered<Download> {
    if !pi_brain_page::is_built() {
        return Err(Failure::new(
            StatusCode::NOT_IMPLEMENTED,
            "no_page",
            "this program was built without its page",
            "`make build` builds both; `format=markdown` works without",
        ));
    }
    let options = ExportOptions {
        leaf,
        is_redacted,
        title: session_title(&session)?,
        written: Brain::now().to_string(),
    };
    let name = format!("pi-session-{id}.html");
    Ok(Download::new(&name, HTML, move |out| {
        pi_brain_page::export(&session, &tree, &options, out).map_err(|error| match error {
            ExportError::Io(error) => error,
            error @ ExportError::NoViewer => io::Error::other(error),
        })
    }))
}
