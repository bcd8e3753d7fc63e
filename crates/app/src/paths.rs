//! Paths as people are shown them.

use std::path::Path;

use crate::plain::clean;

/// Takes out of a path what could play tricks, and line breaks, but leaves its blanks as they are.
pub fn clean_path(path: &Path) -> String {
    clean(&path.to_string_lossy()).replace(['\n', '\t'], "\u{fffd}")
}

/// Writes a path as a person would, with `~` for the home folder.
pub fn display_path(path: &Path, home: &Path) -> String {
    match path.strip_prefix(home) {
        Ok(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Ok(rest) => format!("~/{}", clean_path(rest)),
        Err(_) => clean_path(path),
    }
}

/// Writes a path so that a shell reads it as one word; there is no `~` within quotes.
pub fn shell_path(path: &Path, home: &Path) -> String {
    let is_plain = |character: char| {
        character.is_alphanumeric() || matches!(character, '/' | '.' | '_' | '-' | '~')
    };
    let shown = display_path(path, home);
    if !shown.is_empty() && shown.chars().all(is_plain) {
        return shown;
    }
    format!("'{}'", clean_path(path).replace('\'', r"'\''"))
}

/// Says why a file could not be read. Its name may be anything, also part of the reason.
pub fn unreadable_file(file: &str, why: &str, home: &Path) -> String {
    let shown = display_path(Path::new(file), home);
    let text = if why.is_empty() {
        shown
    } else if why.contains(file) {
        why.replace(file, &shown)
    } else {
        format!("{shown}: {why}")
    };
    clean_path(Path::new(&text))
}
