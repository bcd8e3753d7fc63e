//! `pi-brain node`: one unit of work.

mod evidence;
mod page;

use pi_brain_app::{App, Placed};
use pi_brain_brain::{ChangeType, NodeDiff, NodeRef};
use pi_brain_session::{EntryId, Millis, View};
use serde_json::{Value, json};

use super::unit::about;
use super::{print_json, say};
use crate::args::{
    FeedbackOptions, FlagOptions, HideOptions, NodeAtOptions, NodeCommand, NodeDiffOptions,
    NodeOptions, NodeShowOptions,
};
use crate::brain::{find_node, open, open_fresh, when_free};
use crate::describe::{ANSWER, BOLD, DIM, FAILURE, clean, one_line};
use crate::failure::Failure;
use crate::locate::{Locations, by_listed_name, find_entry};
use crate::mint::now;
use crate::table::{Column, draw, fit, room};
use crate::when;

pub(crate) fn run(locations: &Locations, command: NodeCommand) -> anyhow::Result<()> {
    match command {
        NodeCommand::Show(options) => show(locations, &options),
        NodeCommand::At(options) => at(locations, &options),
        NodeCommand::Versions(options) => versions(locations, &options),
        NodeCommand::Diff(options) => diff(locations, &options),
        NodeCommand::Feedback(options) => feedback(locations, &options),
        NodeCommand::Flag(options) => flag(locations, &options),
        NodeCommand::Hide(options) => hide(locations, &options, true),
        NodeCommand::Unhide(options) => hide(locations, &options, false),
    }
}

fn show(locations: &Locations, options: &NodeShowOptions) -> anyhow::Result<()> {
    let NodeShowOptions { what, evidence } = options;
    let app = open_fresh(locations, &what.refresh)?;
    let node = find_node(&app, &what.node)?;
    if what.json {
        return print_json(&app.node(node)?);
    }
    page::write(locations, &app, &app.view(node)?, *evidence)
}

fn at(locations: &Locations, options: &NodeAtOptions) -> anyhow::Result<()> {
    let app = open_fresh(locations, &options.refresh)?;
    let path = locations.find_session(&options.session)?;
    let (session, tree) = locations.read(&path, View::Repaired)?;
    let at = find_entry(&session, &tree, &options.entry)?;
    let entry = &session.log().entries()[at];
    let listed = by_listed_name(&locations.sessions.files(), path);
    let placed = app.place(&listed, entry.line)?;
    let id = entry.id.as_ref().map_or("", EntryId::as_str);
    let Some(placed) = placed else {
        let text = format!(
            "{} was not taken in as far as line {}; `pi-brain ingest` does that, and `pi-brain forget` lists what \
             is left out",
            locations.display(&listed),
            entry.line
        );
        return Err(Failure::NotFound(text).into());
    };
    if options.json {
        return print_json(&json!({
            "session": placed.session.id,
            "file": placed.session.path,
            "entry": id,
            "line": entry.line,
            "time": placed.time,
            "node": placed.node.as_ref().map(|node| node.id),
            "state": state(&placed),
        }));
    }
    let program = locations.program();
    let place = format!("{} {DIM}(line {}){DIM:#}", one_line(id), entry.line);
    match &placed.node {
        Some(node) => {
            let (kind, outcome) = (one_line(&node.node_type), one_line(&node.outcome));
            say!("{place} belongs to {BOLD}{}{BOLD:#}  {kind}, {outcome}", node.id)?;
            say!("  {}", fit(&about(node), room(2)))?;
            say!("\n{DIM}{program} node show {}    everything about it{DIM:#}", node.id)
        }
        None if placed.speaks => {
            say!(
                "{place} belongs to open work: it becomes a unit of work when nothing happens for 10 minutes"
            )
        }
        None => say!("{place} belongs to no unit of work: nothing is said around it"),
    }
}

fn state(placed: &Placed) -> &'static str {
    match &placed.node {
        Some(_) => "node",
        None if placed.speaks => "open",
        None => "silent",
    }
}

fn versions(locations: &Locations, options: &NodeOptions) -> anyhow::Result<()> {
    let app = open_fresh(locations, &options.refresh)?;
    let node = find_node(&app, &options.node)?;
    let versions = app.store().versions(node.id)?;
    if options.json {
        return print_json(&versions);
    }
    let columns = [
        Column::Text("VERSION"),
        Column::Text("MADE"),
        Column::Text("BECAUSE"),
        Column::Text("BY"),
    ];
    let row = |version: &pi_brain_store::VersionRow| {
        let made = Millis::parse(&version.analyzed_at);
        vec![
            format!("{}-v{}", node.id, version.version),
            made.map_or_else(|| one_line(&version.analyzed_at), when::date_and_time),
            page::because(&version.trigger),
            one_line(&version.analyzer),
        ]
    };
    say!("{}", draw(&columns, &versions.iter().map(row).collect::<Vec<_>>()))
}

fn diff(locations: &Locations, options: &NodeDiffOptions) -> anyhow::Result<()> {
    let app = open_fresh(locations, &options.refresh)?;
    let node = find_node(&app, &options.node)?;
    let (old, new) = match (options.old, options.new) {
        (Some(old), Some(new)) => (old, new),
        _ => last_two(&app, node)?,
    };
    let diff = app.diff(node.id, old, new)?;
    if options.json {
        return print_json(&diff);
    }
    write_diff(&diff)
}

/// Returns the version that is named, or else the last one, with the one before it.
fn last_two(app: &App, node: NodeRef) -> anyhow::Result<(u32, u32)> {
    let versions = app.store().versions(node.id)?;
    let last = node.version.or(versions.last().map(|version| version.version));
    match last.filter(|&last| last > 1) {
        Some(last) => Ok((last - 1, last)),
        None => {
            let text = format!("{} has no version before that one to compare with", node.id);
            Err(Failure::NotFound(text).into())
        }
    }
}

fn write_diff(diff: &NodeDiff) -> anyhow::Result<()> {
    let NodeDiff { node_id, from_version, to_version, changes } = diff;
    say!("{BOLD}{node_id}{BOLD:#}  from version {from_version} to {to_version}")?;
    if changes.is_empty() {
        return say!("  nothing differs");
    }
    for change in changes {
        let sign = match change.change {
            ChangeType::Added => '+',
            ChangeType::Removed => '-',
            ChangeType::Changed => '~',
        };
        say!("\n{sign} {BOLD}{}{BOLD:#}", one_line(&change.path))?;
        for (value, sign, style) in
            [(&change.old_value, '-', FAILURE), (&change.new_value, '+', ANSWER)]
        {
            for line in value.iter().flat_map(lines_of) {
                say!("  {style}{sign} {line}{style:#}")?;
            }
        }
    }
    Ok(())
}

/// Writes a value as lines: a text as it is, everything else as JSON.
fn lines_of(value: &Value) -> Vec<String> {
    let text = match value {
        Value::String(text) => clean(text),
        other => clean(&serde_json::to_string_pretty(other).unwrap_or_default()),
    };
    text.lines().map(str::to_owned).collect()
}

/// Finds the node that is to be changed, which is always its current version.
fn current(app: &App, argument: &str) -> anyhow::Result<NodeRef> {
    let node = find_node(app, argument)?;
    if node.version.is_some() {
        let text = format!("versions never change; leave out the -v: {}", node.id);
        return Err(Failure::Usage(text).into());
    }
    Ok(node)
}

fn feedback(locations: &Locations, options: &FeedbackOptions) -> anyhow::Result<()> {
    let mut app = open(locations)?;
    let node = current(&app, &options.node)?;
    let before = app.node(node)?.version;
    let value = serde_json::from_str(&options.value).unwrap_or_else(|_| json!(options.value));
    let corrected = when_free(|| app.correct(now(), node.id, &options.path, value.clone()))?;
    let path = one_line(&options.path);
    if corrected.version == before {
        return say!("{} says so already at {path}", corrected.reference());
    }
    say!("{} now says {} at {path}", corrected.reference(), one_line(&value.to_string()))
}

fn flag(locations: &Locations, options: &FlagOptions) -> anyhow::Result<()> {
    let mut app = open(locations)?;
    let node = current(&app, &options.node)?;
    if options.message.trim().is_empty() {
        return Err(Failure::Usage("the note is empty".to_owned()).into());
    }
    let kind = options.kind.into();
    when_free(|| app.flag(now(), node.id, kind, &options.message))?;
    say!("{} has the note: {}", node.id, one_line(&options.message))
}

fn hide(locations: &Locations, options: &HideOptions, hidden: bool) -> anyhow::Result<()> {
    let mut app = open(locations)?;
    let node = current(&app, &options.node)?;
    when_free(|| app.hide(now(), node.id, hidden))?;
    if hidden {
        say!(
            "{} is left out of lists and search; what was said in it can still be found",
            node.id
        )?;
        say!("{DIM}{} node unhide {}    shows it again{DIM:#}", locations.program(), node.id)
    } else {
        say!("{} is shown again", node.id)
    }
}
