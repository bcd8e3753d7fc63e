//! What all conversations to read have in common, wherever they come from.

use std::io::{self, Write};

use anstyle::Style;
use pi_brain_session::Millis;

use crate::describe::{DIM, one_line};
use crate::table::how_many;
use crate::when;

/// Writes the line above a message: who speaks, when, and its name.
pub(super) fn write_head(
    out: &mut impl Write,
    who: &str,
    time: Option<Millis>,
    name: &str,
    style: Style,
) -> io::Result<()> {
    let time = time.map(when::date_and_time).unwrap_or_default();
    let name = one_line(name);
    writeln!(out, "\n{style}▌ {who}{style:#}  {DIM}{time}  {name}{DIM:#}")
}

/// Writes tool output set in, and only its first lines unless all of it is wanted.
pub(super) fn write_lines(
    out: &mut impl Write,
    text: &str,
    full: bool,
    style: Style,
) -> io::Result<()> {
    const SHOWN: usize = 8;
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let shown = if full || lines.len() <= SHOWN + 2 { lines.len() } else { SHOWN };
    for line in &lines[..shown] {
        writeln!(out, "{style}  {line}{style:#}")?;
    }
    match lines.len() - shown {
        0 => Ok(()),
        hidden => writeln!(
            out,
            "{DIM}  … {} (--full){DIM:#}",
            how_many(hidden, "more line", "more lines")
        ),
    }
}
