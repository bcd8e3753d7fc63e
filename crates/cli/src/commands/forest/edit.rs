//! `pi-brain forest edit`, `split` and `join`: changes of texts.

use pi_brain_forest::{Edited, Following, NodeId};
use serde_json::json;
use unicode_segmentation::UnicodeSegmentation;

use super::place::{find_node, name, names, quoted};
use super::words::describe;
use super::{change, read_stdin};
use crate::args::{CutPosition, EditOptions, JoinOptions, SplitOptions};
use crate::commands::{print_json, say};
use crate::describe::one_line;
use crate::failure::Failure;
use crate::mint::now;
use crate::table::{fit, how_many, room};

pub(super) fn edit(options: &EditOptions) -> anyhow::Result<()> {
    let text = match options.text.as_deref() {
        Some("-") | None => read_text()?,
        Some(text) => text.to_owned(),
    };
    let following = if options.keep_bookmarks { Following::Stay } else { Following::Follow };
    let (node, edited) = change(|forest| {
        let node = find_node(forest, &options.node)?;
        let edited = forest.edit(node, &text, following, now())?;
        forest.go_to(edited.node.into())?;
        Ok((node, edited))
    })?;
    if options.output.json {
        return print_json(&json!({
            "node": edited.node,
            "created": edited.created,
            "inPlace": edited.in_place,
            "movedBookmarks": edited.moved_bookmarks,
        }));
    }
    tell(node, &edited)
}

/// Reads the new text; editors and `echo` put a line end behind it, which nobody means.
fn read_text() -> anyhow::Result<String> {
    let text = read_stdin("the new TEXT")?;
    let without = text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n'));
    Ok(without.map(str::to_owned).unwrap_or(text))
}

fn tell(node: NodeId, edited: &Edited) -> anyhow::Result<()> {
    let (old, new) = (name(node), name(edited.node));
    if edited.in_place {
        say!("{old} has the new text; the old one is kept with it")?;
    } else if !edited.created.is_empty() {
        let count = how_many(edited.created.len(), "new message", "new messages");
        let list = names(&edited.created);
        say!("{new} ends the new text: {count} ({list}); what followed {old} still follows it")?;
    } else if edited.node == node {
        say!("{old} says this already; nothing was changed")?;
    } else {
        say!("{new} says this already")?;
    }
    if !edited.moved_bookmarks.is_empty() {
        let list = quoted(edited.moved_bookmarks.iter().map(String::as_str));
        say!("went to {new}: {list} (--keep-bookmarks leaves them)")?;
    }
    Ok(())
}

pub(super) fn split(options: &SplitOptions) -> anyhow::Result<()> {
    let halves = change(|forest| {
        let node = find_node(forest, &options.node)?;
        let text = forest.message(node)?.joined_text();
        let left = forest.split(node, position(node, &text, options)?, now())?;
        let right = forest.right_half(left, &text)?;
        Ok([(left, describe(forest, left)?.words), (right, describe(forest, right)?.words)])
    })?;
    if options.output.json {
        let [(left, _), (right, _)] = halves;
        return print_json(&json!({ "left": left, "right": right }));
    }
    for (half, words) in halves {
        let half = name(half);
        say!("{half}  {}", fit(&words, room(half.len() + 2)))?;
    }
    Ok(())
}

/// Finds the byte before which to cut.
fn position(node: NodeId, text: &str, options: &SplitOptions) -> anyhow::Result<usize> {
    if let Some(CutPosition(characters)) = options.at {
        let mut borders = text.grapheme_indices(true).map(|(at, _)| at);
        let length = || how_many(text.graphemes(true).count(), "character", "characters");
        let beyond = || {
            let text = format!("{} has only {}; nothing was cut", name(node), length());
            Failure::Usage(text).into()
        };
        return borders.nth(characters).ok_or_else(beyond);
    }
    let (words, behind) = match (&options.before, &options.after) {
        (Some(words), _) => (words, 0),
        (None, Some(words)) => (words, words.len()),
        (None, None) => unreachable!("the arguments require one of the three"),
    };
    let mut found = text.match_indices(words.as_str()).map(|(at, _)| at);
    let shown = one_line(words);
    match (found.next(), found.next()) {
        _ if words.is_empty() => {
            Err(Failure::Usage("say before or after which words".to_owned()).into())
        }
        (Some(at), None) => Ok(at + behind),
        (Some(_), Some(_)) => {
            let text = format!("“{shown}” stands in {} more than once; say more of it", name(node));
            Err(Failure::Usage(text).into())
        }
        (None, _) => {
            let text = format!("{} does not say “{shown}”; nothing was cut", name(node));
            Err(Failure::NotFound(text).into())
        }
    }
}

pub(super) fn join(options: &JoinOptions) -> anyhow::Result<()> {
    let (whole, words) = change(|forest| {
        let half = find_node(forest, &options.node)?;
        let whole = forest.join(forest.left_half(half)?, now())?;
        Ok((whole, describe(forest, whole)?.words))
    })?;
    if options.output.json {
        return print_json(&json!({ "node": whole }));
    }
    let whole = name(whole);
    say!("{whole}  {}", fit(&words, room(whole.len() + 2)))
}
