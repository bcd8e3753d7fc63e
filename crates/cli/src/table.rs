//! Columns that line up, and numbers people can read.

use std::io::{self, IsTerminal};

pub(crate) use pi_brain_app::{bytes, count, fit, how_many};
use unicode_width::UnicodeWidthStr;

/// A column: its title, and whether it holds numbers.
pub(crate) enum Column {
    Text(&'static str),
    Number(&'static str),
    /// Takes what the others leave, and is cut short if need be.
    Rest(&'static str),
}

impl Column {
    fn title(&self) -> &'static str {
        match self {
            Self::Text(title) | Self::Number(title) | Self::Rest(title) => title,
        }
    }
}

/// Draws a table, one line for each row; on a terminal it is as wide as that.
pub(crate) fn draw(columns: &[Column], rows: &[Vec<String>]) -> String {
    const GAP: usize = 2;
    let content =
        |number: usize| rows.iter().map(move |row| row[number].width()).max().unwrap_or(0);
    let mut widths: Vec<usize> = (0..columns.len())
        .map(|number| content(number).max(columns[number].title().width()))
        .collect();
    if let Some(rest) = columns.iter().position(|column| matches!(column, Column::Rest(_))) {
        let others: usize = widths.iter().sum::<usize>() - widths[rest] + GAP * (columns.len() - 1);
        widths[rest] = widths[rest].min(room(others));
    }
    let line = |cells: Vec<&str>| {
        let cells = cells.iter().zip(&widths).zip(columns).map(|((cell, &width), column)| {
            let cell = fit(cell, width);
            let blank = " ".repeat(width.saturating_sub(cell.width()));
            match column {
                Column::Number(_) => format!("{blank}{cell}"),
                Column::Text(_) | Column::Rest(_) => format!("{cell}{blank}"),
            }
        });
        cells.collect::<Vec<_>>().join(&" ".repeat(GAP)).trim_end().to_owned()
    };
    let head = line(columns.iter().map(Column::title).collect());
    let body = rows.iter().map(|row| line(row.iter().map(String::as_str).collect()));
    [head].into_iter().chain(body).collect::<Vec<_>>().join("\n")
}

/// Returns how many columns are left for a text where so many are used on its line.
///
/// Programs and files have no width: there a text is cut only so that it stays a line to look at.
pub(crate) fn room(used: usize) -> usize {
    const NARROWEST: usize = 20;
    const ELSEWHERE: usize = 200;
    let size = || terminal_size::terminal_size().filter(|_| io::stdout().is_terminal());
    size().map_or(ELSEWHERE, |(width, _)| usize::from(width.0).saturating_sub(used).max(NARROWEST))
}

pub(crate) fn dollars(cost: f64) -> String {
    if cost == 0.0 {
        "–".to_owned()
    } else if cost < 0.01 {
        "<$0.01".to_owned()
    } else {
        format!("${cost:.2}")
    }
}
