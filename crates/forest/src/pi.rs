//! pi's sessions on the forest: what an entry is there, and the way back.

mod content;
mod reading;
mod families;
mod draft;
mod joining;
mod adrift;
mod import;
mod removal;
mod cost;
mod relatives;
mod export;

pub(crate) use content::message_of_line;
pub use cost::{FamilyCost, FamilyEvents};
pub use export::{ExportOptions, ExportedSession, SessionReader};
pub use import::{ImportReport, ImportedSession, News};
pub use reading::Reading;
pub use relatives::find_relatives;
