//! Reads, writes and understands the session files of the pi coding agent.
//!
//! pi writes each conversation as a tree of entries into a JSONL file. This crate turns such a file into
//! an index ([`Log`]), a tree ([`Tree`]) and the context a model would be given ([`Context`]).
//!
//! It follows real pi to the letter where pi gets it right, and reads on where pi gives up: readers
//! return what is there together with the [`Problem`]s they met. It knows nothing of other sessions'
//! conversations, of databases, of the terminal, or of the clock.

mod json;
mod lines;
mod time;
mod problem;
mod entry;
mod log;
mod tree;
mod branches;
mod source;
mod session;
mod content;
mod own;
mod system;
mod context;
mod tokens;
mod compaction;
mod summary;
mod writer;
mod migrate;
mod folders;
mod listing;
mod forks;
mod stats;
mod error;

pub use branches::{Branch, Branches};
pub use compaction::{CompactionPlan, KEEP_RECENT_TOKENS};
pub use content::{Block, FileLists, blocks, text_of};
pub use context::{Context, ContextMessage, ModelChoice};
pub use entry::{Body, Entry, EntryId, Message, Parent, Reply, Role, Usage};
pub use error::{ReadError, SessionError};
pub use folders::{
    SessionFolder, encode_cwd, find_most_recent, id_in_file_name, newest, read_header,
    read_headers, session_file_name,
};
pub use forks::{Lineage, fork_point};
pub use json::{Member, Raw, quote};
pub use listing::{SessionCounts, SessionInfo, all_messages_text, list_sessions};
pub use log::{CURRENT_VERSION, Header, Log, Position};
pub use migrate::{Migration, current_form, migrate_file};
pub use own::{OWN_FRAME, is_own_answer, is_own_tool};
pub use problem::{Problem, ProblemKind};
pub use session::{Checkpoint, EntryText, Refresh, Session, hex, prefix_check};
pub use stats::{ModelStats, Stats, ToolStats};
pub use summary::{Abandoned, Conversation, SummaryDetails, SummarySource};
pub use time::Millis;
pub use tokens::estimate_tokens;
pub use tree::{EntryMatch, Label, Tree, View, labels};
pub use writer::{
    Mint, NewBranchSummary, NewCompaction, SessionWriter, ensure_quiet, header_line, new_entry_id,
    new_session_id,
};
