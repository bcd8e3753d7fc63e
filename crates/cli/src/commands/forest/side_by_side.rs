//! Two columns of text on a wide terminal.

use std::fmt;
use std::io::{self, IsTerminal, Write};

use anstyle::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::describe::DIM;

/// A line of text in one style.
pub(super) struct Line {
    style: Style,
    text: String,
    width: usize,
}

impl Line {
    pub(super) fn new(style: Style, text: String) -> Self {
        Self { style, width: text.width(), text }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let style = self.style;
        write!(formatter, "{style}{}{style:#}", self.text)
    }
}

const BETWEEN: &str = " │ ";

/// Returns how wide each of two columns can be, if the terminal is wide enough for both.
pub(super) fn width_of_each() -> Option<usize> {
    const NARROWEST: usize = 56;
    let (width, _) = terminal_size::terminal_size().filter(|_| io::stdout().is_terminal())?;
    let each = (usize::from(width.0).saturating_sub(BETWEEN.width())) / 2;
    (each >= NARROWEST).then_some(each)
}

/// Writes two lists of lines beside each other.
pub(super) fn write_pairs(
    out: &mut impl Write,
    left: &[Line],
    right: &[Line],
    width: usize,
) -> io::Result<()> {
    for number in 0..left.len().max(right.len()) {
        let blank = |line: Option<&Line>| width.saturating_sub(line.map_or(0, |line| line.width));
        let one = left.get(number);
        if let Some(line) = one {
            write!(out, "{line}")?;
        }
        write!(out, "{}{DIM}{BETWEEN}{DIM:#}", " ".repeat(blank(one)))?;
        match right.get(number) {
            Some(line) => writeln!(out, "{line}")?,
            None => writeln!(out)?,
        }
    }
    Ok(())
}

/// Breaks a text into lines of so many columns, between words where it can.
pub(super) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let paragraph = paragraph.replace('\t', "    ");
        let mut line = String::new();
        for word in paragraph.split_inclusive(' ') {
            if line.width() + word.trim_end().width() > columns && !line.is_empty() {
                lines.push(std::mem::take(&mut line).trim_end().to_owned());
            }
            for character in word.chars() {
                let width = character.width().unwrap_or(0);
                if line.width() + width > columns && !character.is_whitespace() {
                    lines.push(std::mem::take(&mut line));
                }
                line.push(character);
            }
        }
        lines.push(line.trim_end().to_owned());
    }
    lines
}
