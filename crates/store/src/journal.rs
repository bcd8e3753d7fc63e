//! The journal: every action of the user and every amount a model cost, one line each, never changed.
//!
//! The database knows what the journal says, and forgets it when it is made anew; the journal is read again then.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use pi_brain_brain::{Analyzer, EdgeId, EdgeType, FlagType, NodeId};
use pi_brain_session::Millis;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Result, StoreError};
use crate::folder::private;

/// A line of the journal.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct JournalLine {
    /// When it happened.
    pub time: Millis,
    /// What happened.
    #[serde(flatten)]
    pub action: Action,
}

/// What a user can do, and what a model can cost.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(tag = "action", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Action {
    /// Something in a node is corrected.
    Feedback {
        /// The node.
        node: NodeId,
        /// Where in the node.
        path: String,
        /// What it should say.
        value: Value,
    },
    /// A note is put on a node.
    Flag {
        /// The node.
        node: NodeId,
        /// What kind of note.
        kind: FlagType,
        /// What it says.
        message: String,
    },
    /// Two nodes are linked.
    AddEdge {
        /// Where the edge starts.
        source: NodeId,
        /// Where it ends.
        target: NodeId,
        /// The type of edge.
        #[serde(rename = "type")]
        kind: EdgeType,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// A link that a user drew is taken away.
    RemoveEdge {
        /// The edge.
        edge: EdgeId,
    },
    /// A node is not shown any more, or shown again.
    Hide {
        /// The node.
        node: NodeId,
        /// Whether it is hidden from now on.
        hidden: bool,
    },
    /// Session files are left out from now on, and all that came of them goes.
    Forget {
        /// The file.
        file: String,
    },
    /// A file that was forgotten may be read again.
    Remember {
        /// The file.
        file: String,
    },
    /// A model was asked for us.
    Spend(ModelSpend),
    /// What a newer version wrote; kept, and not understood.
    #[serde(other)]
    Unknown,
}

/// What a model took for us.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelSpend {
    /// Tells it from all others: what is told twice counts once.
    pub lease: String,
    /// What for.
    pub purpose: Purpose,
    /// The unit of work that it was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeId>,
    /// The run that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// How the model was asked.
    pub analyzer: Analyzer,
    /// The model, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How many requests were answered.
    pub requests: u32,
    /// Tokens that it read.
    pub tokens_in: u64,
    /// Tokens that it wrote.
    pub tokens_out: u64,
    /// Dollars, if they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dollars: Option<f64>,
    /// What came of it.
    pub outcome: SpendOutcome,
}

/// What a model was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// To read a unit of work.
    Analysis,
    /// To answer a question.
    Answer,
}

/// What came of asking a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SpendOutcome {
    /// What was wanted.
    Done,
    /// Nothing.
    Failed,
    /// Nobody knows: whoever asked was killed. What it could have taken at most is counted.
    Lost,
}

/// The journal of a data folder.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
}

impl Journal {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Appends a line; it is on disk when this returns.
    pub(crate) fn append(&self, line: &JournalLine) -> Result<()> {
        let failed = |source| StoreError::Write { path: self.path.clone(), source };
        let mut text = serde_json::to_string(line).expect("a line of the journal has a JSON form");
        text.push('\n');
        let mut options = private();
        let mut file =
            options.read(true).append(true).create(true).open(&self.path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        // A line that a full disk tore is none: the next one must not be glued to it.
        let written = end_torn_line(&mut file, length)
            .and_then(|torn| file.write_all(if torn { "\n" } else { "" }.as_bytes()))
            .and_then(|()| file.write_all(text.as_bytes()))
            .and_then(|()| file.sync_all());
        written.map_err(|source| {
            let _ = file.set_len(length);
            failed(source)
        })
    }

    /// Reads the lines behind `position`, with the position behind each. Lines that say nothing are passed over.
    pub(crate) fn read(&self, position: u64) -> Result<Vec<(u64, JournalLine)>> {
        let failed = |source| StoreError::Read { path: self.path.clone(), source };
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(failed(source)),
        };
        // A journal that somebody cut short is read from the start: replaying a line twice changes nothing.
        let length = file.metadata().map_err(failed)?.len();
        let mut position = if position > length { 0 } else { position };
        file.seek(SeekFrom::Start(position)).map_err(failed)?;
        let mut reader = BufReader::new(file);
        let mut lines = Vec::new();
        let mut text = Vec::new();
        while reader.read_until(b'\n', &mut text).map_err(failed)? > 0 {
            if !text.ends_with(b"\n") {
                break;
            }
            position += text.len() as u64;
            lines.extend(serde_json::from_slice(&text).ok().map(|line| (position, line)));
            text.clear();
        }
        Ok(lines)
    }
}

fn end_torn_line(file: &mut File, length: u64) -> io::Result<bool> {
    if length == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::Start(length - 1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}
