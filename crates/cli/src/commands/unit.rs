//! How units of work and the sessions around them are named where people read of them.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use pi_brain_app::App;
use pi_brain_brain::NodeId;
use pi_brain_store::{NodeRow, SessionFile};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::sessions::id_length;
use crate::describe::one_line;
use crate::locate::Locations;

/// Returns the last folders of a project's path, which tell projects apart in most cases.
pub(super) fn project_name(locations: &Locations, path: &str) -> String {
    const FOLDERS: usize = 2;
    let shown = locations.display(Path::new(path));
    let folders: Vec<&str> =
        shown.trim_start_matches("~/").split('/').filter(|folder| !folder.is_empty()).collect();
    match folders.len() {
        0 => "no project".to_owned(),
        all => one_line(&folders[all.saturating_sub(FOLDERS)..].join("/")),
    }
}

/// Says in one line what a unit of work is about.
pub(super) fn about(node: &NodeRow) -> String {
    let goal = node.goal.as_deref().filter(|goal| !goal.trim().is_empty());
    match one_line(goal.unwrap_or(&node.summary)) {
        words if words.is_empty() => "(nothing was said)".to_owned(),
        words => words,
    }
}

/// Returns as much of a node's id as names it.
pub(super) fn short_id(app: &App, id: NodeId) -> anyhow::Result<String> {
    let whole = id.to_string();
    for length in [8, 12] {
        if app.nodes_named(&whole[..length])?.len() <= 1 {
            return Ok(whole[..length].to_owned());
        }
    }
    Ok(whole)
}

/// Breaks a text into lines that fit into so many columns: between words, and within those that are too long.
pub(super) fn wrap(text: &str, columns: usize) -> Vec<Range<usize>> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    let (mut at, mut used) = (0, 0);
    for word in text.split_inclusive(char::is_whitespace) {
        let mut end = at + word.len();
        let width = word.trim_end().width();
        if width > columns {
            for character in word.chars() {
                let width = character.width().unwrap_or(0);
                end = at + character.len_utf8();
                match lines.last_mut() {
                    Some(line) if used + width <= columns => (line.end, used) = (end, used + width),
                    _ => {
                        lines.push(at..end);
                        used = width;
                    }
                }
                at = end;
            }
            continue;
        }
        match lines.last_mut() {
            Some(line) if used + width <= columns => (line.end, used) = (end, used + word.width()),
            _ => {
                lines.push(at..end);
                used = word.width();
            }
        }
        at = end;
    }
    lines
}

/// The names by which commands find sessions: as short as they can be.
pub(super) struct SessionWords {
    length: usize,
    /// How many files have an id.
    files: HashMap<String, usize>,
}

impl SessionWords {
    pub(super) fn new(app: &App) -> anyhow::Result<Self> {
        let mut files: HashMap<String, usize> = HashMap::new();
        for session in app.store().sessions()? {
            *files.entry(session.id).or_default() += 1;
        }
        let length = id_length(files.keys().map(String::as_str));
        Ok(Self { length, files })
    }

    /// Returns the beginning of a session's id if that names its file, else the file.
    pub(super) fn of(&self, locations: &Locations, session: &SessionFile) -> String {
        let path = Path::new(&session.path);
        let is_plain =
            |id: &str| id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let is_one = self.files.get(&session.id) == Some(&1)
            && path.starts_with(locations.sessions.path())
            && is_plain(&session.id);
        if is_one {
            session.id.chars().take(self.length).collect()
        } else {
            locations.shell_word(path)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn texts_are_broken_between_words_and_long_words_within() {
        let check = |text: &str, columns: usize, lines: &[&str]| {
            let found: Vec<&str> =
                wrap(text, columns).into_iter().map(|line| text[line].trim_end()).collect();
            assert_eq!(found, lines, "{text:?} in {columns}");
        };
        check("", 5, &[]);
        check("one two, three", 8, &["one two,", "three"]);
        check("one two", 3, &["one", "two"]);
        check("abcdefgh ij", 3, &["abc", "def", "gh", "ij"]);
        check("日本語 日本", 4, &["日本", "語", "日本"]);
    }
}
