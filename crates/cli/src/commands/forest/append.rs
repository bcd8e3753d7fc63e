//! `pi-brain forest append`: messages after a place.

use pi_brain_forest::{Appended, ForestError, Matching, NewMessage, Place, SourceInfo};
use pi_brain_forest::{Message, Role};
use serde_json::{Value, json};

use super::place::{find, name, names};
use super::{KeptForest, change, nothing_yet, read_input, read_stdin};
use crate::args::AppendOptions;
use crate::commands::{print_json, say};
use crate::failure::Failure;
use crate::mint::now;
use crate::table::how_many;

pub(super) fn run(options: &AppendOptions) -> anyhow::Result<()> {
    // Whoever writes to our standard input may take their time: nobody else has to wait for them.
    let (messages, left_out) = messages(options)?;
    let matching = if options.trim { Matching::Trimmed } else { Matching::Exact };
    let appended = change(|forest| {
        let at = start(forest, options.place.as_deref())?;
        let mut appended = forest.append(at, messages, matching, now())?;
        forest.go_to(appended.end)?;
        appended.blank += left_out;
        Ok(appended)
    })?;
    if options.output.json {
        return print_json(&json!({
            "end": appended.end,
            "created": appended.created,
            "matched": appended.matched,
            "blank": appended.blank,
        }));
    }
    tell(&appended)
}

/// Finds where to go on: at the place that was named, else where the user is, else at the only root.
fn start(forest: &KeptForest, named: Option<&str>) -> anyhow::Result<Place> {
    if let Some(named) = named {
        return find(forest, named);
    }
    if let Some(current) = forest.current()? {
        return Ok(forest.place(current)?);
    }
    match &*forest.roots()? {
        [] => Err(nothing_yet()),
        [only] => Ok(only.id.into()),
        _ => {
            let text = "say after which PLACE; `pi-brain forest roots` lists the trees";
            Err(Failure::Usage(text.to_owned()).into())
        }
    }
}

/// Returns what is to be said, and how many messages say nothing.
fn messages(options: &AppendOptions) -> anyhow::Result<(Vec<NewMessage>, usize)> {
    if !options.said.0.is_empty() {
        let typed = options.said.0.iter().map(|(role, text)| {
            let source = (*role == Role::User).then_some(SourceInfo::User);
            NewMessage { source, ..NewMessage::new(Message::text(*role, text)) }
        });
        return Ok((typed.collect(), 0));
    }
    let text = match &options.file {
        Some(file) => read_input(file)?,
        None => read_stdin("something with --user or --assistant, or JSON with --file")?,
    };
    let values = values(&text)?;
    let count = values.len();
    let mut messages = Vec::with_capacity(count);
    for (value, index) in values.into_iter().zip(1..) {
        let message = NewMessage::from_json(value)
            .map_err(|source| ForestError::InvalidMessage { index, source })?;
        messages.extend(message);
    }
    let left_out = count - messages.len();
    Ok((messages, left_out))
}

/// Reads JSON values: one after the other, or in arrays.
fn values(text: &str) -> anyhow::Result<Vec<Value>> {
    let mut values = Vec::new();
    for value in serde_json::Deserializer::from_str(text).into_iter() {
        match value
            .map_err(|error| Failure::Usage(format!("the messages are not JSON: {error}")))?
        {
            Value::Array(list) => values.extend(list),
            value => values.push(value),
        }
    }
    if values.is_empty() {
        return Err(Failure::Usage("there is no message to append".to_owned()).into());
    }
    Ok(values)
}

fn tell(appended: &Appended) -> anyhow::Result<()> {
    let mut parts = Vec::new();
    if !appended.created.is_empty() {
        let count = how_many(appended.created.len(), "new message", "new messages");
        parts.push(format!("{count} ({})", names(&appended.created)));
    }
    if appended.matched > 0 {
        let there = if appended.matched == 1 { "was" } else { "were" };
        parts.push(format!("{} {there} there already", appended.matched));
    }
    if appended.blank > 0 {
        parts.push(format!("{} left out, saying nothing", appended.blank));
    }
    if parts.is_empty() {
        parts.push("nothing to say".to_owned());
    }
    say!("{}; now at {}", parts.join(", "), name(appended.end))
}
