//! Sessions as people write them: what was said and done, step by step, and what an attentive reader says of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Context;
use jiff::Timestamp;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A session and its labels.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Script {
    /// The file's name without ending.
    #[serde(skip)]
    pub(crate) name: String,
    pub(crate) project: String,
    #[serde(deserialize_with = "time")]
    pub(crate) started: Timestamp,
    /// Written `provider/model`.
    pub(crate) model: String,
    /// The script that this session was forked from.
    pub(crate) parent: Option<String>,
    /// How many steps of the parent are copied.
    #[serde(default)]
    pub(crate) parent_step: usize,
    #[serde(rename = "step")]
    pub(crate) steps: Vec<Step>,
    #[serde(rename = "unit")]
    pub(crate) units: Vec<Unit>,
}

fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}

/// Something that happens. Which of the fields is there tells what.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Step {
    pub(crate) user: Option<String>,
    pub(crate) assistant: Option<String>,
    pub(crate) thinking: Option<String>,
    pub(crate) calls: Vec<Call>,
    pub(crate) aborted: bool,
    pub(crate) failed: Option<String>,
    pub(crate) result: Option<String>,
    pub(crate) error: bool,
    pub(crate) compaction: Option<String>,
    pub(crate) branch_summary: Option<String>,
    /// The step that a branch summary goes on from.
    pub(crate) to: Option<usize>,
    pub(crate) jump: Option<usize>,
    pub(crate) wait_minutes: Option<i64>,
    pub(crate) shell: Option<String>,
    pub(crate) output: String,
    pub(crate) model: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) flag: Option<String>,
    pub(crate) message: String,
    pub(crate) handoff: Option<String>,
}

/// A call of a tool.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Call {
    pub(crate) tool: String,
    #[serde(flatten)]
    pub(crate) arguments: BTreeMap<String, Value>,
}

/// What a reader says of a unit of work.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Unit {
    pub(crate) from: usize,
    pub(crate) to: usize,
    #[serde(rename = "type")]
    pub(crate) node_type: String,
    /// Types that a reader could choose as well.
    #[serde(default)]
    pub(crate) also: Vec<String>,
    pub(crate) outcome: String,
    /// Outcomes that another reader has chosen or could choose as well.
    #[serde(default)]
    pub(crate) also_outcome: Vec<String>,
    pub(crate) files: Vec<String>,
    pub(crate) modified: Vec<String>,
    pub(crate) tools: Vec<String>,
    pub(crate) errors: Vec<SeenError>,
    pub(crate) decisions: Vec<Decided>,
    pub(crate) lessons: Vec<Learnt>,
    /// Steps in which another reader saw something settled.
    #[serde(default)]
    pub(crate) settled: Vec<usize>,
    /// Pieces of the text of errors that another reader lists besides.
    #[serde(default)]
    pub(crate) also_errors: Vec<String>,
    /// The errors of the list above that no other reader takes for any.
    #[serde(default)]
    pub(crate) disputed: Vec<String>,
    /// Words that a summary must contain.
    pub(crate) goal: Vec<String>,
}

impl Unit {
    /// Makes a unit of the first steps, of which only the type and the outcome are known.
    pub(crate) fn judged(to: usize, node_type: &str, outcome: &str) -> Self {
        Self {
            from: 1,
            to,
            node_type: node_type.to_owned(),
            outcome: outcome.to_owned(),
            ..Self::default()
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SeenError {
    /// A piece of its text.
    pub(crate) has: String,
    pub(crate) resolved: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Decided {
    /// Words that any wording of it contains.
    pub(crate) about: Vec<String>,
    /// A word of the reason.
    pub(crate) why: Option<String>,
    /// The step in which it was decided, where the reader says so.
    #[serde(default)]
    pub(crate) at: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Learnt {
    pub(crate) level: String,
    pub(crate) about: Vec<String>,
}

/// A question, with the steps that answer it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    pub(crate) ask: String,
    /// Written `script:step`.
    #[serde(default)]
    pub(crate) answers: Vec<String>,
    /// Whether nothing answers it.
    #[serde(default)]
    pub(crate) none: bool,
}

/// What a reader says of two units of work that may have to do with each other.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Judged {
    /// The earlier one, written `script:step`, by its first step.
    pub(crate) one: String,
    /// The later one.
    pub(crate) other: String,
    /// Whether somebody who looks at one of them wants to know of the other.
    pub(crate) related: bool,
    /// Why, in a few words.
    #[serde(rename = "why")]
    _why: String,
}

#[derive(Default, Deserialize)]
struct Edges {
    #[serde(default)]
    edge: Vec<Judged>,
}

#[derive(Deserialize)]
struct Questions {
    question: Vec<Question>,
}

/// Sessions and questions that belong together, as one person's do.
#[derive(Debug)]
pub(crate) struct World {
    /// The folder's name.
    pub(crate) name: String,
    pub(crate) scripts: Vec<Script>,
    pub(crate) questions: Vec<Question>,
    pub(crate) judged: Vec<Judged>,
}

impl World {
    /// Reads the world of a folder; where the folder has others in it, each of them is a world.
    pub(crate) fn read_all(folder: &Path) -> anyhow::Result<Vec<Self>> {
        let list = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
        let mut paths = list.map(|file| Ok(file?.path())).collect::<std::io::Result<Vec<_>>>()?;
        paths.retain(|path| path.is_dir());
        paths.sort();
        if paths.is_empty() {
            return Ok(vec![Self::read(folder)?]);
        }
        paths.iter().map(|path| Self::read(path)).collect()
    }

    /// Returns how many units of work were labelled.
    pub(crate) fn units(&self) -> usize {
        self.scripts.iter().map(|script| script.units.len()).sum()
    }

    fn read(folder: &Path) -> anyhow::Result<Self> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut world =
            Self { name, scripts: Vec::new(), questions: Vec::new(), judged: Vec::new() };
        let list = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
        let mut paths = list.map(|file| Ok(file?.path())).collect::<std::io::Result<Vec<_>>>()?;
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|it| it == "toml")) {
            let failed = || path.display().to_string();
            let text = fs::read_to_string(path).with_context(failed)?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if name == "questions" {
                world.questions = toml::from_str::<Questions>(&text).with_context(failed)?.question;
            } else if name == "edges" {
                world.judged = toml::from_str::<Edges>(&text).with_context(failed)?.edge;
            } else {
                let script: Script = toml::from_str(&text).with_context(failed)?;
                world.scripts.push(Script { name, ..script });
            }
        }
        Ok(world)
    }
}
