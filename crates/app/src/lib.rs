//! The services that every surface shares: refresh, ingest, search, show, feedback, rebuild.
//!
//! An [`App`] is an open data folder. It takes session files in (scan, read into the forest, derive units of work, feed
//! the text index), answers, and does what the user wants. It knows nothing of the terminal or of HTTP, and gets
//! the time from its callers.

mod error;
mod settings;
mod progress;
mod report;
mod scan;
mod digest;
mod ingest;
mod text;
mod derive;
mod indexing;
mod fresh;
mod app;
mod search;
mod deep;
mod analyst;
mod ask;
mod show;
mod briefing;
mod spending;
mod stats;
mod week;
mod connected;
mod drawing;
mod activity;
mod actions;
mod backup;
mod doctor;
mod plain;
mod paths;
mod figures;
mod gist;
mod markdown;
mod own_writes;
mod new_file;
mod draft;
mod fork;
mod resume;
mod views;
mod transcript;

pub use activity::{DayRow, Rhythm};
pub use analyst::{AnalysisState, Analyst, Clock, ModelAnswer, Outlook, Worked};
pub use app::{App, Depth};
pub use ask::{Answer, AnswerSource, Asked, RelatedNode};
pub use backup::Backup;
pub use briefing::{BriefDecision, BriefLesson, BriefWork, Briefing};
pub use connected::{Connected, Direction, Reached};
pub use deep::FoundInFiles;
pub use doctor::{BrainHealth, Checkup, Diagnosis, Finding, JournalHealth, SourceHealth, State};
pub use draft::{Draft, Writing};
pub use drawing::{Drawn, DrawnCluster, DrawnEdge, DrawnNode, Window};
pub use error::{AppError, Result};
pub use figures::{bytes, count, how_many};
pub use fork::{Forked, Forking, fork, said};
pub use gist::{
    Gist, answer_text, call_argument, custom_text, entry_words, is_person, key_argument,
    member_text,
};
pub use markdown::{markdown_block, markdown_code, markdown_inline};
pub use new_file::write_new;
pub use own_writes::{check_quiet, remember_own_write};
pub use paths::{clean_path, display_path, shell_path, unreadable_file};
pub use plain::{clean, fit, one_line};
pub use progress::{Progress, Silent, Step};
pub use report::Report;
pub use resume::resume_command;
pub use search::{Found, FoundItem, FoundKind, FoundRow, Wanted};
pub use settings::{
    AnalysisBy, AnalysisSettings, Budget, DEFAULT_SETTINGS, DaemonSettings, ExplainedSetting,
    Schedules, SettingValue, Settings, SettingsFile, Source, Sources,
};
pub use show::{Link, Meant, NodeView, Placed};
pub use spending::{Cost, CostBy, CostKey, CostRow};
pub use stats::{Disk, Stats};
pub use transcript::{session_title, write_transcript};
pub use views::{
    BookmarkKind, BookmarkView, BranchView, CostView, Family, FamilyMessage, FamilySession,
    ImportNews, ImportView, ImportedTree, ImportedView, JoinedView, MessageGist, MessageView,
    Occurrence, Restorable, RootView, SessionTree, SideFacts, TreeEntry, TreeFilter, TreeSummary,
    branch_views,
};
pub use week::{DayNumbers, Numbers, Week};
