//! Numbers as people read them.

/// Writes a large number with a letter: 950, 12.3k, 4.5M.
#[expect(clippy::cast_precision_loss, reason = "one digit after the point is all that is shown")]
pub fn count(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        1000..1_000_000 => format!("{:.1}k", number as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1}M", number as f64 / 1e6),
        _ => format!("{:.1}G", number as f64 / 1e9),
    }
}

/// Writes a number of bytes: 512 B, 12.3 kB.
pub fn bytes(number: u64) -> String {
    match number {
        0..1000 => format!("{number} B"),
        _ => format!("{}B", count(number).replace('k', " k").replace('M', " M").replace('G', " G")),
    }
}

/// Says how many of something there are.
pub fn how_many(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
