//! Everything in numbers.

use std::fs;
use std::path::Path;

use jiff::tz::TimeZone;
use pi_brain_session::Millis;
use pi_brain_store::{DataFolder, Numbers, QUARTER, SpendingFilter};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::error::Result;

/// How much there is of everything.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Stats {
    /// What is known.
    #[serde(flatten)]
    pub numbers: Numbers,
    /// Answers of models by the hour of the day, where the person is.
    pub hours: [u64; 24],
    /// What it takes on disk.
    pub disk: Disk,
}

/// How many bytes there are of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Disk {
    /// The database.
    pub database: u64,
    /// The text index.
    pub index: u64,
    /// The files of nodes.
    pub nodes: u64,
}

impl App {
    /// Counts everything.
    pub fn stats(&self, zone: &TimeZone) -> Result<Stats> {
        let mut hours = [0; 24];
        for (quarter, spent) in self.store.spending_by_quarter(&SpendingFilter::default())? {
            let time = zone.to_datetime(Millis(quarter.saturating_mul(QUARTER)).to_timestamp());
            hours[usize::try_from(time.hour()).unwrap_or(0)] += spent.answers;
        }
        Ok(Stats { numbers: self.store.numbers()?, hours, disk: Disk::of(&self.folder) })
    }
}

impl Disk {
    fn of(folder: &DataFolder) -> Self {
        let log = folder.database().with_extension("db-wal");
        Self {
            database: size(&folder.database()) + size(&log),
            index: size(&folder.index()),
            nodes: size(&folder.nodes()),
        }
    }
}

/// Returns the size of a file, or of all files in a folder. What is not there has none.
fn size(path: &Path) -> u64 {
    let mut sum = 0;
    let mut open = vec![path.to_owned()];
    while let Some(path) = open.pop() {
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        if metadata.is_dir() {
            let entries = fs::read_dir(&path).into_iter().flatten().flatten();
            open.extend(entries.map(|entry| entry.path()));
        } else {
            sum += metadata.len();
        }
    }
    sum
}
