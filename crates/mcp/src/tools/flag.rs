//! `brain_flag`: a note on a unit of work.

use pi_brain_app::Depth;
use pi_brain_brain::FlagType;
use schemars::JsonSchema;
use serde::Deserialize;

use super::find_node;
use crate::brain::{Brain, now, when_free};
use crate::error::{McpError, Result};
use crate::page::{Item, Page};

/// So many characters of a note are kept.
const NOTE: usize = 2_000;

/// The arguments of `brain_flag`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct FlagArguments {
    /// The id of the unit of work that the note is about, for example "3fa9c0d1e2b34567".
    id: String,
    /// What kind of note it is: a quirk (a model did something odd), a fail (it went wrong), a win (it went well), or a note
    /// (anything else to remember).
    kind: FlagKind,
    /// What should be remembered, in one or two sentences, for example "Asking for a plan first avoided the rewrite."
    message: String,
}

// The variants have no docs of their own: then the schema is a plain list of words, which every provider of models takes.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum FlagKind {
    Quirk,
    Fail,
    Win,
    Note,
}

impl FlagKind {
    fn name(self) -> (FlagType, &'static str) {
        match self {
            Self::Quirk => (FlagType::Quirk, "quirk"),
            Self::Fail => (FlagType::Fail, "fail"),
            Self::Win => (FlagType::Win, "win"),
            Self::Note => (FlagType::Note, "note"),
        }
    }
}

pub(crate) fn flag(brain: &Brain, arguments: &FlagArguments) -> Result<String> {
    let message: String = arguments.message.trim().chars().take(NOTE).collect();
    if message.is_empty() {
        return Err(McpError::EmptyNote);
    }
    let mut open = brain.open(Depth::Whole)?;
    let node = find_node(&open.app, &arguments.id)?;
    if node.version.is_some() {
        return Err(McpError::NoteOnVersion);
    }
    let (kind, name) = arguments.kind.name();
    when_free(|| open.app.flag(now(), node.id, kind, &message))?;
    let mut page = Page::of(&open, None);
    let mut stored = Item::new(format_args!("Stored on node {} as {name}:", node.id));
    stored.quote(&message, NOTE);
    page.add(&stored);
    Ok(page.finish(0, ""))
}
