//! What is wrong with a session file. A problem costs at most a line; it never stops the reading.

use serde::{Deserialize, Serialize};

/// Something odd on one line of a session file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// The line, counted from 1.
    pub line: u64,
    /// What is odd about it.
    pub kind: ProblemKind,
}

/// What can be odd about a line, and what was made of it.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Deserialize,
    Serialize,
    thiserror::Error,
)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the messages say it")]
pub enum ProblemKind {
    #[error("the file starts with a byte order mark, which new versions of pi refuse")]
    ByteOrderMark,
    #[error("not JSON; the line is left out")]
    NotJson,
    #[error("the last line is torn; it is left out until the rest arrives")]
    TornTail,
    #[error("the last line has no line break; old versions of pi would glue the next entry to it")]
    NoFinalNewline,
    #[error("JSON, but no object; the line is left out")]
    NotAnObject,
    #[error("two or more entries are glued together on one line; all were read, pi reads none")]
    GluedEntries,
    #[error("a torn entry is glued to a whole one; the whole one was read, pi loses both")]
    GluedToTorn,
    #[error("longer than 512 MiB; the line is left out")]
    TooLong,
    #[error("stands before the session header; pi refuses such a file")]
    BeforeHeader,
    #[error("a second session header; it is left out")]
    SecondHeader,
    #[error("a session header without an id; it is left out")]
    HeaderWithoutId,
    #[error("bytes that are not UTF-8; they are read as U+FFFD")]
    NotUtf8,
    #[error("the entry has no id")]
    NoId,
    #[error("the id stands on an earlier line too; pi sees only the last one")]
    DuplicateId,
    #[error("the parent is not in the file")]
    UnknownParent,
    #[error(
        "the parent is not in the file, as in forks by pi before 0.79.2; attached to the line before"
    )]
    Reattached,
    #[error("the entry is its own parent; taken as a root, pi hangs on it")]
    SelfParent,
    #[error("the chain of parents runs in a circle; cut here, pi hangs on it")]
    Cycle,
    #[error("a message without content; pi leaves such a file out of its list")]
    NoContent,
}
