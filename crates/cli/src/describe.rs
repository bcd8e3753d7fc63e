//! One line for an entry: who, and the first words, in the colours of a terminal.

use std::io;

use anstyle::{AnsiColor, Style};
use pi_brain_app::Gist;
pub(crate) use pi_brain_app::{answer_text, clean, clean_path, key_argument, one_line};
use pi_brain_session::Session;

/// What an entry is called in lists, and how it begins.
pub(crate) struct Description {
    pub(crate) who: &'static str,
    pub(crate) words: String,
    pub(crate) style: Style,
}

pub(crate) fn describe(session: &Session, at: usize) -> io::Result<Description> {
    Gist::of(session, at).map(Into::into)
}

impl From<Gist> for Description {
    fn from(gist: Gist) -> Self {
        let Gist { who, words, is_failure } = gist;
        let style = match who {
            _ if is_failure => FAILURE,
            "user" | "shell" => USER,
            "assistant" => ANSWER,
            "compaction" | "summary" | "extension" => NOTE,
            _ => DIM,
        };
        Self { who, words, style }
    }
}

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const USER: Style = AnsiColor::Cyan.on_default().bold();
pub(crate) const ANSWER: Style = AnsiColor::Green.on_default();
pub(crate) const NOTE: Style = AnsiColor::Magenta.on_default();
pub(crate) const FAILURE: Style = AnsiColor::Red.on_default();
pub(crate) const LABEL: Style = AnsiColor::Yellow.on_default().bold();
