//! `pi-brain session export`: a session as one file of HTML that shows itself.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use pi_brain_app::session_title;
use pi_brain_page::{ExportOptions, export};
use pi_brain_session::{Session, Tree, View};
use tempfile::NamedTempFile;

use super::say;
use crate::args::SessionExportOptions;
use crate::describe::BOLD;
use crate::failure::Failure;
use crate::locate::{Locations, find_entry};
use crate::mint::now;
use crate::when;

pub(crate) fn run(locations: &Locations, options: &SessionExportOptions) -> anyhow::Result<()> {
    let (session, tree) = locations.open(&options.session, View::Repaired)?;
    let leaf = options.leaf.as_deref();
    let leaf = leaf.map(|leaf| find_entry(&session, &tree, leaf)).transpose()?;
    let page = ExportOptions {
        leaf,
        is_redacted: options.redact,
        title: session_title(&session)?,
        written: when::date_and_time(now()),
    };
    if options.output.as_deref() == Some(Path::new("-")) {
        let mut out = BufWriter::new(io::stdout().lock());
        export(&session, &tree, &page, &mut out)?;
        return Ok(out.flush()?);
    }
    let file = match &options.output {
        Some(file) => file.clone(),
        None => unused_name(&session)?,
    };
    write_file(&session, &tree, &page, &file)?;
    say!("{BOLD}{}{BOLD:#}", locations.display(&file))
}

/// Returns a name for the file. What is there already is nobody's to overwrite who did not name it.
fn unused_name(session: &Session) -> anyhow::Result<PathBuf> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let id: String = session.header().id.chars().filter(|&letter| plain(letter)).collect();
    let file = PathBuf::from(format!("pi-session-{id}.html"));
    if file.exists() {
        let text = format!("{} is there already. Name a file: -o FILE", file.display());
        return Err(Failure::Usage(text).into());
    }
    Ok(file)
}

/// Writes the whole file or none of it.
fn write_file(
    session: &Session,
    tree: &Tree,
    options: &ExportOptions,
    file: &Path,
) -> anyhow::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let context = || format!("{} could not be written", file.display());
    let mut temporary =
        NamedTempFile::new_in(folder.unwrap_or(Path::new("."))).with_context(context)?;
    let mut out = BufWriter::new(&mut temporary);
    export(session, tree, options, &mut out)?;
    out.flush().with_context(context)?;
    drop(out);
    temporary.persist(file).with_context(context)?;
    Ok(())
}
