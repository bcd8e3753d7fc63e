//! What a list of sessions says of each, from what was just read.

use std::path::PathBuf;

use pi_brain_forest::{Reading, SessionText};
use pi_brain_session::{Branches, Entry, Role, SessionCounts};
use pi_brain_store::SessionDigest;

use crate::gist::Gist;
use crate::plain::fit;

/// Sums up a session that was read, or read on.
pub(crate) fn digest(reading: &Reading) -> SessionDigest {
    let log = reading.log();
    let SessionCounts { messages, last_activity, usage } = SessionCounts::of(log);
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    SessionDigest {
        first_words: first_words(reading),
        entries: count(log.entries().len()),
        messages: count(messages),
        branches: count(Branches::new(log, reading.tree()).list.len()),
        tokens: usage.total_tokens,
        cost: usage.cost,
        last_said: last_activity,
    }
}

/// Reads how the first thing that a person said begins. It may have been read long ago, so it is looked up in the file.
fn first_words(reading: &Reading) -> Option<String> {
    const COLUMNS: usize = 200;
    /// Who says nothing in so many messages says nothing that is worth a title.
    const TRIED: usize = 5;
    let text = SessionText::File(PathBuf::from(reading.file()));
    let spoken = reading.log().entries().iter().filter(|entry| entry.role() == Some(&Role::User));
    let words = |entry: &Entry| {
        let bytes = text.read(entry.span.clone()).ok()?;
        let (entry, raw) = Entry::parse(&bytes, entry.line, entry.span.start)?;
        Some(Gist::of_raw(&entry, raw).words).filter(|words| !words.is_empty())
    };
    spoken.take(TRIED).find_map(words).map(|words| fit(&words, COLUMNS))
}
