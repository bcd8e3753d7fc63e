//! Where we read a file differently from pi on purpose, each case with its reason.

/// A session file that we and some versions of pi read differently.
#[derive(Debug)]
pub struct Exception {
    /// The name of the file among the samples.
    pub file: &'static str,
    /// The versions of pi that read it differently.
    pub versions: &'static [&'static str],
    /// What they make of it that we do not.
    pub fields: &'static [&'static str],
    /// Why.
    pub reason: &'static str,
}

const EVERY: &[&str] = &["0.73.1", "0.87.1", "1.5.0"];
const OLD: &[&str] = &["0.73.1"];
const NEW: &[&str] = &["0.87.1", "1.5.0"];

const ALL: &[&str] = &[
    "header", "cwd", "name", "leafId", "entries", "tree", "branch", "labels", "context", "listed",
];
/// What differs when pi throws the file's content away and shows an empty session in its place.
const EMPTIED: &[&str] = &["header", "cwd", "entries", "tree", "branch", "labels", "context"];
/// What differs when we read more lines than pi.
const MORE_LINES: &[&str] = &["entries", "tree", "branch", "context", "listed"];
const MORE_LINES_AND_LEAF: &[&str] = &["leafId", "entries", "tree", "branch", "context", "listed"];

macro_rules! exceptions {
    ($($file:literal $versions:ident $fields:expr, $reason:expr;)*) => {
        &[$(Exception { file: $file, versions: $versions, fields: $fields, reason: $reason }),*]
    };
}

const OVERWRITES: &str = "pi 0.73.1 overwrites what it does not take for a session; we refuse it";
const REFUSES: &str = "pi refuses the file; we read what is there";
const GLUED: &str = "pi drops a line with more than one value; we read the entries on it";
const SCALARS: &str =
    "pi makes nameless nodes of values that are no objects; we report and drop them";
const UNLISTED: &str = "an exception on odd content keeps pi from listing the file; we list it";
const THROWS: &str = "pi throws; we read on";
const BEFORE_EDITS: &str = "pi 0.73.1 knows no context edits";
const BEFORE_SYSTEM: &str = "pi 0.73.1 knows no system messages in compactions";
const BEFORE_NULL: &str = "pi 0.73.1 does not put empty content in the place of a missing one";

/// All of them.
pub const EXCEPTIONS: &[Exception] = exceptions! {
    "header-torn" OLD EMPTIED, OVERWRITES;
    "blank-only" OLD EMPTIED, OVERWRITES;
    "not-a-session" OLD EMPTIED, OVERWRITES;
    "not-json" OLD EMPTIED, OVERWRITES;
    "header-without-id" OLD &["header", "cwd", "entries", "tree", "branch", "labels", "context", "listed"], OVERWRITES;
    "header-id-number" OLD &["header", "cwd", "entries", "tree", "branch", "labels", "context", "listed"], OVERWRITES;
    "entry-before-header" OLD &["header", "cwd", "leafId", "entries", "tree", "branch", "context", "listed"], OVERWRITES;
    "glued-header" OLD &["header", "cwd", "leafId", "entries", "tree", "branch", "context", "listed"], OVERWRITES;
    "empty" EVERY EMPTIED, "pi writes a header into an empty file when it opens it; reading never writes";
    "header-without-id" NEW &["listed"], "pi lists the file but refuses to open it; we do neither";
    "header-id-number" NEW &["listed"], "pi lists the file but refuses to open it; we do neither";
    "entry-before-header" NEW ALL, REFUSES;
    "glued-header" NEW ALL, REFUSES;
    "bom" NEW ALL, REFUSES;

    "glued-lines" EVERY MORE_LINES, GLUED;
    "glued-three" EVERY MORE_LINES_AND_LEAF, GLUED;
    "glued-torn" EVERY MORE_LINES, GLUED;
    "glued-tail" EVERY MORE_LINES_AND_LEAF, GLUED;
    "nul-middle" EVERY MORE_LINES, "pi drops a line that zeros were written into; we read the entry behind them";
    "bom-middle" EVERY MORE_LINES, "pi drops a line that starts with a byte order mark; we read the entry behind it";
    "carriage-returns" NEW &["listed"], "pi's listing splits at bare CR, its reader does not; we never do";

    "number-line" OLD ALL, "pi 0.73.1 crashes on a line `null`; we report and drop it";
    "number-line" NEW &["entries", "tree"], SCALARS;
    "scalar-lines" EVERY &["entries", "tree"], SCALARS;
    "scalar-last" EVERY &["leafId", "entries", "tree", "branch", "context"], SCALARS;

    "cycle-elsewhere" EVERY &["tree"], "entries in a circle vanish from pi's tree; we cut the circle and show them";
    "entry-without-id-last" EVERY &["branch"], "pi cannot find a leaf that has no id; we can";
    "entry-without-both" EVERY &["tree"], "to pi, \"no parent\" names the entry with no id; to us it is a root";
    "parent-wrong-type" EVERY &["entries"], "ids that are no text count as missing";
    "id-number" EVERY &["entries", "tree"], "ids that are no text count as missing";
    "label-wrong-types" EVERY &["tree", "labels"], "labels that are no text are none";
    "header-cwd-number" OLD &["cwd"], "pi 0.73.1 takes any value for a working directory";
    "header-cwd-untidy" OLD &["cwd"], "pi 0.73.1 does not resolve `..`";
    "header-cwd-relative" OLD &["cwd"], "pi 0.73.1 does not resolve relative paths";

    "session-info-name-number" EVERY &["listed"], UNLISTED;
    "content-number" EVERY &["listed"], UNLISTED;
    "content-null-block" EVERY &["listed"], UNLISTED;
    "null-content" NEW &["listed"], UNLISTED;
    "content-null-in-all-roles" NEW &["listed"], UNLISTED;
    "null-content" OLD &["context", "listed"], BEFORE_NULL;
    "content-null-in-all-roles" OLD &["context", "listed"], BEFORE_NULL;
    "assistant-without-content" OLD &["context"], BEFORE_NULL;
    "custom-message-content" OLD &["context"], BEFORE_NULL;
    "message-missing" EVERY &["context", "listed"], THROWS;
    "message-null" EVERY &["context", "listed"], THROWS;
    "context-edit-without-replacement" NEW &["context"], THROWS;
    "context-edit-without-content" NEW &["context"], "pi takes the content away and puts none in its place";

    "context-edit" OLD &["context"], BEFORE_EDITS;
    "context-edit-roles" OLD &["context"], BEFORE_EDITS;
    "context-edit-blocks" OLD &["context"], BEFORE_EDITS;
    "context-edit-null" OLD &["context"], BEFORE_EDITS;
    "context-edit-of-summaries" OLD &["context"], BEFORE_EDITS;
    "context-edit-compaction-null" OLD &["context"], BEFORE_EDITS;
    "context-edit-before-compaction" OLD &["context"], BEFORE_EDITS;
    "context-edit-undone" OLD &["context"], BEFORE_EDITS;
    "compaction-system-message" OLD &["context"], BEFORE_SYSTEM;
    "system-messages-around-compaction" OLD &["context"], BEFORE_SYSTEM;
    "system-message-kept-first" OLD &["context"], BEFORE_SYSTEM;
};
