//! A session as one file that shows itself: its entries, and the page's own viewer for them.
//!
//! What stands in a session is hostile. It is written as data that a browser does not run, in which nothing can end the element
//! around it, and the file says that only the viewer, known by its hash, may run at all and that nothing may be asked of any
//! host.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pi_brain_brain::redact;
use pi_brain_session::{Session, Tree};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::files::viewer_file;

/// How a session is exported.
#[derive(Clone, Debug, Default)]
pub struct ExportOptions {
    /// The entry whose path is shown at first; where pi would go on, if none is said.
    pub leaf: Option<usize>,
    /// Whether secrets are taken out.
    pub is_redacted: bool,
    /// What the page is called.
    pub title: String,
    /// When it is written, for people.
    pub written: String,
}

/// Why a session could not be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// This program was built without the viewer.
    #[error(
        "this program was built without its web page, which exports are shown with; `make build` builds both"
    )]
    NoViewer,
    /// The session could not be read, or the file not written.
    #[error("the session could not be exported")]
    Io(#[from] io::Error),
}

/// Writes a session as one file of HTML. Entries are written one by one, so that no more than one of them is held.
pub fn export(
    session: &Session,
    tree: &Tree,
    options: &ExportOptions,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let viewer = Viewer::find().ok_or(ExportError::NoViewer)?;
    let clean = |text: &str| {
        if options.is_redacted { redact(text).0.into_owned() } else { text.to_owned() }
    };
    let title = clean(&options.title);
    writeln!(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
    writeln!(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">", viewer.policy())?;
    writeln!(
        out,
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<div id=\"page\"></div>",
        escape(&title),
        viewer.style
    )?;
    out.write_all(b"<script type=\"application/json\" id=\"session\">")?;
    write_session(session, tree, options, &title, &mut Harmless(&mut *out))?;
    writeln!(out, "</script>\n<script>{}</script>\n</body>\n</html>", viewer.script)?;
    Ok(())
}

/// What shows an exported session.
struct Viewer {
    script: String,
    style: String,
}

impl Viewer {
    fn find() -> Option<Self> {
        // Inside a script element a browser looks for these two, whatever language the script is in.
        let script = viewer_file("viewer.js")?.replace("</script", "<\\/script");
        let script = script.replace("<!--", "<\\!--");
        Some(Self { script, style: viewer_file("viewer.css")? })
    }

    /// Says what a browser may do with the file: run and use these two, show images that are in it, and nothing else.
    fn policy(&self) -> String {
        let hash = |text: &str| STANDARD.encode(Sha256::digest(text.as_bytes()));
        format!(
            "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'",
            hash(&self.script),
            hash(&self.style)
        )
    }
}

/// What is told about the session as a whole, before its entries.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct About<'a> {
    title: &'a str,
    file: &'a str,
    header: Option<Box<RawValue>>,
    /// The line of the entry whose path is shown at first.
    leaf: Option<u64>,
    is_redacted: bool,
    generated: &'a str,
    /// What is odd about the file: a line, and what was made of it.
    problems: Vec<(u64, String)>,
}

/// Writes the session as one JSON object: what is told about it, and for each entry its line, the line that it follows and what
/// stands there. Ids do not tell what an entry follows: old files have none, and damaged ones the same twice.
fn write_session(
    session: &Session,
    tree: &Tree,
    options: &ExportOptions,
    title: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    let entries = session.log().entries();
    // What only pi can read is left out, and so is what cannot be searched for secrets.
    let readable = |json: String| {
        let json = if options.is_redacted { without_secrets(&json) } else { Some(json) };
        json.and_then(|json| RawValue::from_string(json).ok())
    };
    let line_of = |at: usize| entries[at].line;
    let problems = session.problems(tree).into_iter();
    let file = session.path().and_then(Path::file_name).map(OsStr::to_string_lossy);
    let about = About {
        title,
        file: &file.unwrap_or_default(),
        header: readable(session.header().raw.clone()),
        leaf: options.leaf.or(tree.leaf()).map(line_of),
        is_redacted: options.is_redacted,
        generated: &options.written,
        problems: problems.map(|problem| (problem.line, problem.kind.to_string())).collect(),
    };
    let about = serde_json::to_string(&about)?;
    write!(out, "{},\"entries\":[", about.strip_suffix('}').unwrap_or(&about))?;
    for (at, entry) in entries.iter().enumerate() {
        out.write_all(if at == 0 { b"\n" } else { b",\n" })?;
        let text = readable(session.entry_raw(at)?.into_json());
        serde_json::to_writer(&mut *out, &(entry.line, tree.parent(at).map(line_of), text))?;
    }
    out.write_all(b"\n]}")
}

/// Takes the secrets out of every text in some JSON; nothing is left of what cannot be read, because nobody knows what is in it.
fn without_secrets(json: &str) -> Option<String> {
    let mut whole: Value = serde_json::from_str(json).ok()?;
    let mut open = vec![&mut whole];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => *text = redact(text).0.into_owned(),
            Value::Array(values) => open.extend(values),
            Value::Object(members) => {
                let is_image = members.get("type").is_some_and(|kind| kind == "image");
                let of_image = |name: &str| is_image && name == "data";
                open.extend(
                    members.iter_mut().filter(|(name, _)| !of_image(name)).map(|(_, value)| value),
                );
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    serde_json::to_string(&whole).ok()
}

/// Writes JSON so that it can stand in HTML: the sign that opens and closes elements occurs only in its texts, where it can be
/// written in another way.
struct Harmless<W>(W);

impl<W: Write> Write for Harmless<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|&byte| byte == b'<') {
            self.0.write_all(&rest[..at])?;
            self.0.write_all(b"\\u003c")?;
            rest = &rest[at + 1..];
        }
        self.0.write_all(rest)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests;
