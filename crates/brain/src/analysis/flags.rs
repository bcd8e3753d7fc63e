//! What the user flagged by hand.

use crate::node::{FlagType, ManualFlag};

/// Collects flags.
#[derive(Debug, Default)]
pub(super) struct Flags(Vec<ManualFlag>);

impl Flags {
    pub(super) fn hear(&mut self, entry: &str, flag_type: FlagType, message: String) {
        self.0.push(ManualFlag { flag_type, message, entry_id: entry.to_owned() });
    }

    pub(super) fn finish(self) -> Vec<ManualFlag> {
        self.0
    }
}
