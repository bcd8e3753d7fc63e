//! `pi-brain redact`: which secrets would be taken out of a text, and where they stand.

use std::io::{self, Read};
use std::path::Path;

use anyhow::Context;
use serde::Serialize;

use super::{print_json, say};
use crate::args::RedactOptions;
use crate::describe::{DIM, FAILURE, clean_path};
use crate::failure::Failure;
use crate::table::how_many;

/// A secret: what it is, and where it stands. Not what it says.
#[derive(Serialize)]
struct Finding {
    line: usize,
    kind: &'static str,
}

pub(crate) fn run(options: &RedactOptions) -> anyhow::Result<()> {
    let bytes = read(&options.file)?;
    let text = String::from_utf8_lossy(&bytes);
    let findings = find(&text);
    if options.json {
        return print_json(&findings);
    }
    for Finding { line, kind } in &findings {
        say!("{DIM}line {line}:{DIM:#} {FAILURE}{kind}{FAILURE:#}")?;
    }
    match findings.len() {
        0 => say!("no secrets found"),
        some => say!("{} would be taken out", how_many(some, "secret", "secrets")),
    }
}

fn find(text: &str) -> Vec<Finding> {
    let (_, redactions) = pi_brain_brain::redact(text);
    let mut line = 1;
    let mut counted = 0;
    let redactions = redactions.into_iter().map(|redaction| {
        let start = redaction.range.start;
        line += text[counted..start].bytes().filter(|byte| *byte == b'\n').count();
        counted = start;
        Finding { line, kind: redaction.kind }
    });
    redactions.collect()
}

fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        io::stdin().lock().read_to_end(&mut bytes).context("reading standard input")?;
        return Ok(bytes);
    }
    match std::fs::read(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(Failure::NotFound(format!("no file {}", clean_path(file))).into())
        }
        read => read.with_context(|| format!("reading {}", clean_path(file))),
    }
}
