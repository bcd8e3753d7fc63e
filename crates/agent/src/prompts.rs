//! What models are told to do.

use std::io;
use std::path::Path;

use pi_brain_session::hex;
use sha2::{Digest, Sha256};

use crate::error::{AgentError, Result};

/// The instructions for a model, and the version that they go by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompts {
    /// To judge a unit of work, or a part of one.
    pub(crate) analyse: String,
    /// To put the judgements of parts together.
    pub(crate) merge: String,
    /// To answer once more.
    pub(crate) repair: String,
    /// To answer a question.
    pub(crate) answer: String,
    version: String,
}

impl Prompts {
    /// Returns the prompts that come with this build.
    pub fn built_in() -> Self {
        Self::new(
            include_str!("../prompts/analyse.md"),
            include_str!("../prompts/merge.md"),
            include_str!("../prompts/repair.md"),
            include_str!("../prompts/answer.md"),
        )
    }

    /// Returns the prompts with those of `folder` in their place: `analyse.md`, `merge.md`, `repair.md`, `answer.md`, as far as
    /// they are there.
    pub fn with_overrides(folder: &Path) -> Result<Self> {
        let built_in = Self::built_in();
        let read = |name: &str, otherwise: String| {
            let path = folder.join(name);
            match std::fs::read_to_string(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(otherwise),
                read => read.map_err(|source| AgentError::ReadPrompt { path, source }),
            }
        };
        Ok(Self::new(
            &read("analyse.md", built_in.analyse)?,
            &read("merge.md", built_in.merge)?,
            &read("repair.md", built_in.repair)?,
            &read("answer.md", built_in.answer)?,
        ))
    }

    fn new(analyse: &str, merge: &str, repair: &str, answer: &str) -> Self {
        let texts = [analyse, merge, repair].map(without_comments);
        // The version tells nodes apart that were judged in another way, so how questions are answered is no part of it.
        let mut hash = Sha256::new();
        for text in &texts {
            // How lines are broken makes no other prompt.
            hash.update(text.split_whitespace().collect::<Vec<_>>().join(" "));
            hash.update([0]);
        }
        let digits = hex(&hash.finalize()[..4]);
        let version = format!("v{}-{digits}", number(analyse).unwrap_or(1));
        let [analyse, merge, repair] = texts;
        Self { analyse, merge, repair, answer: without_comments(answer), version }
    }

    /// Returns the version of those that units of work are judged by, such as `v1-3fa92b1c`: a number that the first prompt
    /// gives itself in a comment, and a hash of what they say.
    pub fn version(&self) -> &str {
        &self.version
    }
}

/// Reads the number in a comment at the beginning, such as `<!-- v2 … -->`.
fn number(text: &str) -> Option<u32> {
    let comment = text.trim_start().strip_prefix("<!--")?.trim_start().strip_prefix('v')?;
    let end = comment.find(|letter: char| !letter.is_ascii_digit())?;
    comment[..end].parse().ok()
}

fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("<!--") {
        kept += before;
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    (kept + rest).trim().to_owned()
}

#[cfg(test)]
mod tests;
