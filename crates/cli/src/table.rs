//! Columns that line up, and numbers people can read.

use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Row, Table, Width};

/// A column: its title, and whether it holds numbers.
pub(crate) enum Column {
    Text(&'static str),
    Number(&'static str),
    /// Takes what the others leave, and is cut short if need be.
    Rest(&'static str),
}

/// Draws a table as wide as the terminal (or 120 columns where there is none), one line for each row.
pub(crate) fn draw(columns: &[Column], rows: Vec<Vec<String>>) -> String {
    let width = terminal_width();
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
    table.set_truncation_indicator("…");
    let title = |column: &Column| match column {
        Column::Text(title) | Column::Number(title) | Column::Rest(title) => Cell::new(title),
    };
    let mut head = Row::from(columns.iter().map(title).collect::<Vec<_>>());
    head.max_height(1);
    table.set_header(head);
    for cells in rows {
        let mut row = Row::from(cells);
        row.max_height(1);
        table.add_row(row);
    }
    for (column, kind) in table.column_iter_mut().zip(columns) {
        match kind {
            Column::Text(_) => {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
            Column::Number(_) => {
                column.set_cell_alignment(CellAlignment::Right);
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
            Column::Rest(_) => {
                column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(20)));
            }
        }
    }
    let text: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    text.join("\n")
}

pub(crate) fn terminal_width() -> usize {
    terminal_size::terminal_size().map_or(120, |(width, _)| usize::from(width.0))
}

/// Cuts a text to so many columns of a terminal.
pub(crate) fn fit(text: &str, columns: usize) -> String {
    use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut used = 1;
    let fits = |character: &char| {
        used += character.width().unwrap_or(0);
        used <= columns
    };
    text.chars().take_while(fits).chain(['…']).collect()
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

/// Writes a large number with a letter: 950, 12.3k, 4.5M.
#[expect(clippy::cast_precision_loss, reason = "one digit after the point is all that is shown")]
pub(crate) fn count(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        1000..1_000_000 => format!("{:.1}k", number as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1}M", number as f64 / 1e6),
        _ => format!("{:.1}G", number as f64 / 1e9),
    }
}

pub(crate) fn bytes(number: u64) -> String {
    match number {
        0..1000 => format!("{number} B"),
        _ => format!("{}B", count(number).replace('k', " k").replace('M', " M").replace('G', " G")),
    }
}

/// Says how many of something there are.
pub(crate) fn how_many(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
