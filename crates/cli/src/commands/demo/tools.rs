//! What pi's tools are given, and what they give back.

use std::path::Path;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::message::Block;
use super::story::Call;

/// A call and its result, ready to be written.
pub(super) struct Run {
    pub(super) arguments: Value,
    pub(super) content: Vec<Block<'static>>,
    pub(super) details: Option<Value>,
}

impl Run {
    pub(super) fn of(call: &Call<'_>) -> anyhow::Result<Self> {
        match call.tool {
            "bash" => Ok(Self::bash(call)),
            "read" => Self::read(call),
            "write" => Ok(Self::write(call)),
            _ => Self::edit(call),
        }
    }

    fn plain(arguments: Value, text: String) -> Self {
        Self { arguments, content: vec![Block::text(text)], details: None }
    }

    fn bash(call: &Call<'_>) -> Self {
        let output = match (call.body, call.failed) {
            ("", None) => "(no output)".to_owned(),
            ("", Some(code)) => format!("(no output)\n\nCommand exited with code {code}"),
            (body, None) => format!("{body}\n"),
            (body, Some(code)) => format!("{body}\n\n\nCommand exited with code {code}"),
        };
        Self::plain(json!({ "command": call.subject.replace('⏎', "\n") }), output)
    }

    fn read(call: &Call<'_>) -> anyhow::Result<Self> {
        let arguments = match call.subject.split_once(' ') {
            Some((path, offset)) => json!({ "path": path, "offset": offset.parse::<u32>()? }),
            None => json!({ "path": call.subject }),
        };
        if Path::new(call.subject).extension().is_some_and(|ending| ending == "png") {
            let content = vec![Block::text("Read image file [image/png]"), Block::picture()];
            return Ok(Self { arguments, content, details: None });
        }
        let end = if call.failed.is_some() { "" } else { "\n" };
        Ok(Self::plain(arguments, format!("{}{end}", call.body)))
    }

    fn write(call: &Call<'_>) -> Self {
        let arguments = json!({ "path": call.subject, "content": format!("{}\n", call.body) });
        Self::plain(arguments, format!("Successfully wrote to {}", call.subject))
    }

    fn edit(call: &Call<'_>) -> anyhow::Result<Self> {
        let (path, first_line) = call.subject.split_once(' ').context("`edit` takes a line")?;
        let mut edits = Vec::new();
        let mut diffs = Vec::new();
        let body = format!("{first_line}\n{}", call.body);
        for part in body.split("\n&& ") {
            let (line, change) = part.split_once('\n').context("an edit says what it changes")?;
            let removal = || Some((change.strip_suffix("\n=>")?, ""));
            let (old, new) =
                change.split_once("\n=>\n").or_else(removal).context("an edit has a line `=>`")?;
            ensure!(old != new, "an edit changes something");
            edits.push(json!({ "oldText": old, "newText": new }));
            diffs.push(diff(line.trim().parse()?, old, new));
        }
        let arguments = json!({ "path": path, "edits": edits });
        if call.failed.is_some() {
            let which = if edits.len() == 1 { "the exact text" } else { "edits[0]" };
            let text = format!(
                "Could not find {which} in {path}. The old text must match exactly including all \
                 whitespace and newlines."
            );
            return Ok(Self::plain(arguments, text));
        }
        let text = format!("Successfully replaced {} block(s) in {path}.", edits.len());
        let first = first_line.trim().parse::<usize>()?;
        let details = json!({ "diff": diffs.join("\n ...\n"), "firstChangedLine": first });
        Ok(Self { details: Some(details), ..Self::plain(arguments, text) })
    }
}

/// Shows a change as pi does: a sign, the number of the line, the line.
fn diff(first_line: usize, old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let head = old.iter().zip(&new).take_while(same).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(same).count();
    let rows = |sign: char, lines: &[&str], from: usize| -> Vec<String> {
        let number =
            |(at, line): (usize, &&str)| format!("{sign}{:>3} {line}", first_line + from + at);
        lines.iter().enumerate().map(number).collect()
    };
    let rows = [
        rows(' ', &old[..head], 0),
        rows('-', &old[head..old.len() - tail], head),
        rows('+', &new[head..new.len() - tail], head),
        rows(' ', &new[new.len() - tail..], new.len() - tail),
    ];
    rows.concat().join("\n")
}
