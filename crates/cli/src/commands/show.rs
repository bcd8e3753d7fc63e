//! `pi-brain session show`: a conversation to read.

use std::io::{self, Write};

use pi_brain_session::{
    Block, Body, Branches, Entry, EntryId, Raw, Role, Session, Tree, View, blocks,
};
use serde_json::value::RawValue;

use super::print_json;
use super::transcript::{write_head, write_lines};
use crate::args::ShowOptions;
use crate::describe::{ANSWER, DIM, FAILURE, NOTE, USER, clean, key_argument, one_line};
use crate::failure::Failure;
use crate::locate::{Locations, find_entry};
use crate::pager::Output;
use crate::table::{bytes, count, dollars};
use crate::when;

pub(crate) fn run(locations: &Locations, options: &ShowOptions) -> anyhow::Result<()> {
    let (session, tree) = locations.open(&options.read.session, View::Repaired)?;
    let find = |entry: &String| find_entry(&session, &tree, entry);
    let start = options.at.as_ref().map(find).transpose()?;
    let chosen = options.leaf.as_ref().map(find).transpose()?;
    let mut path = chosen.or(tree.leaf()).map_or_else(Vec::new, |leaf| tree.branch(leaf));
    if let Some(start) = start.filter(|start| !path.contains(start)) {
        if let (Some(leaf), Some(at)) = (&options.leaf, &options.at) {
            let text =
                format!("{at} is not on the way to {leaf}; leave out --leaf to see its branch");
            return Err(Failure::Usage(text).into());
        }
        // The entry is on another branch: show that one.
        path = tree.branch(end_of_branch(&tree, start));
    }
    if options.read.json {
        let from = start.and_then(|start| path.iter().position(|&at| at == start)).unwrap_or(0);
        return print_entries(&session, &path[from..]);
    }
    let transcript = Transcript {
        session: &session,
        tree: &tree,
        branches: Branches::new(session.log(), &tree),
        full: options.full,
        thinking: options.thinking,
    };
    let wants_pager = !options.no_pager;
    let line = start.map(|start| transcript.line_of(&path, start)).transpose()?;
    let mut out = Output::open(wants_pager, line);
    // Without a pager there is nothing to scroll: begin at the entry.
    let from = match (&out, start) {
        (Output::Direct(_), Some(start)) => path.iter().position(|&at| at == start).unwrap_or(0),
        _ => 0,
    };
    let written = transcript.write(&mut out, &path[from..], from == 0);
    out.finish()?;
    Ok(written?)
}

/// Follows the newest children down to where a branch ends.
fn end_of_branch(tree: &Tree, from: usize) -> usize {
    let mut at = from;
    while let Some(&next) = tree.children(at).last() {
        at = next;
    }
    at
}

fn print_entries(session: &Session, path: &[usize]) -> anyhow::Result<()> {
    let mut entries = Vec::new();
    for &at in path {
        entries.push(RawValue::from_string(session.entry_raw(at)?.into_json())?);
    }
    print_json(&entries)
}

struct Transcript<'a> {
    session: &'a Session,
    tree: &'a Tree,
    branches: Branches,
    full: bool,
    thinking: bool,
}

impl Transcript<'_> {
    fn write(&self, out: &mut impl Write, path: &[usize], with_title: bool) -> io::Result<()> {
        if with_title {
            self.write_title(out)?;
        }
        for &at in path {
            self.write_entry(out, at)?;
        }
        Ok(())
    }

    /// Returns the line, counted from 1, on which an entry will stand.
    fn line_of(&self, path: &[usize], wanted: usize) -> io::Result<usize> {
        let before = path.iter().position(|&at| at == wanted).unwrap_or(0);
        let mut text = Vec::new();
        self.write(&mut text, &path[..before], true)?;
        Ok(text.split(|&byte| byte == b'\n').count())
    }

    fn write_title(&self, out: &mut impl Write) -> io::Result<()> {
        let header = self.session.header();
        let title = one_line(self.session.log().name().unwrap_or("Session"));
        writeln!(out, "{USER}{title}{USER:#} {DIM}{}{DIM:#}", one_line(&header.id))?;
        let created = header.created().map(when::date_and_time).unwrap_or_default();
        let cwd = one_line(header.cwd.as_deref().unwrap_or_default());
        writeln!(out, "{DIM}{created} in {cwd}{DIM:#}")?;
        if let Some(parent) = &header.parent_session {
            writeln!(out, "{DIM}forked from {}{DIM:#}", one_line(parent))?;
        }
        Ok(())
    }

    fn write_entry(&self, out: &mut impl Write, at: usize) -> io::Result<()> {
        let entry = &self.session.log().entries()[at];
        let text = self.session.entry_raw(at)?;
        let raw = text.raw();
        let field = |key: &str| one_line(&raw.get_str(key).unwrap_or_default());
        let text_field = |key: &str| clean(&raw.get_str(key).unwrap_or_default());
        match &entry.body {
            Body::Message(_) => {
                if let Some(message) = raw.get("message") {
                    self.write_message(out, entry, message)?;
                }
            }
            Body::ModelChange { .. } => {
                writeln!(out, "\n{DIM}model: {}/{}{DIM:#}", field("provider"), field("modelId"))?;
            }
            Body::ThinkingLevelChange { .. } => {
                writeln!(out, "{DIM}thinking level: {}{DIM:#}", field("thinkingLevel"))?;
            }
            Body::Compaction { .. } => {
                let tokens = one_line(&raw.get("tokensBefore").map(Raw::text).unwrap_or_default());
                write_entry_head(out, entry, &format!("compaction of {tokens} tokens"), NOTE)?;
                writeln!(out, "{NOTE}{}{NOTE:#}", text_field("summary"))?;
            }
            Body::BranchSummary { .. } => {
                write_entry_head(out, entry, &format!("came back from {}", field("fromId")), NOTE)?;
                writeln!(out, "{NOTE}{}{NOTE:#}", text_field("summary"))?;
            }
            Body::CustomMessage { display: true, .. } => {
                write_entry_head(out, entry, &field("customType"), NOTE)?;
                self.write_content(out, raw.get("content"), NOTE)?;
            }
            Body::Other { kind } => {
                write_entry_head(out, entry, &format!("unknown entry: {}", one_line(kind)), DIM)?;
            }
            _ => {}
        }
        self.write_other_ways(out, at)
    }

    /// Says where the conversation also went another way.
    fn write_other_ways(&self, out: &mut impl Write, at: usize) -> io::Result<()> {
        if !self.branches.is_point(at) {
            return Ok(());
        }
        let entries = self.session.log().entries();
        let ways = self.tree.children(at).iter().filter_map(|&child| entries[child].id.as_ref());
        let list: Vec<String> = ways.map(|id| one_line(id.as_str())).collect();
        writeln!(out, "{DIM}⑂ goes on in several ways: {}{DIM:#}", list.join(", "))
    }

    fn write_message(
        &self,
        out: &mut impl Write,
        entry: &Entry,
        message: Raw<'_>,
    ) -> io::Result<()> {
        let field = |key: &str| one_line(&message.get_str(key).unwrap_or_default());
        let text_field = |key: &str| clean(&message.get_str(key).unwrap_or_default());
        let content = message.get("content");
        match entry.role() {
            Some(Role::User) => {
                write_entry_head(out, entry, "you", USER)?;
                self.write_content(out, content, anstyle::Style::new())
            }
            Some(Role::Assistant) => {
                let usage = entry.usage.as_deref().copied().unwrap_or_default();
                let cost = format!(
                    "{}, {} tokens, {}",
                    field("model"),
                    count(usage.total_tokens),
                    dollars(usage.cost)
                );
                write_entry_head(out, entry, &cost, ANSWER)?;
                self.write_content(out, content, anstyle::Style::new())?;
                match message.get_str("errorMessage") {
                    Some(error) => writeln!(
                        out,
                        "{FAILURE}{}: {}{FAILURE:#}",
                        field("stopReason"),
                        clean(&error)
                    ),
                    None => Ok(()),
                }
            }
            Some(Role::ToolResult) => {
                let failed = entry.message().is_some_and(|message| message.is_error);
                let style = if failed { FAILURE } else { DIM };
                let mark = if failed { "✗" } else { "✓" };
                writeln!(out, "{style}{mark} {}{style:#}", field("toolName"))?;
                self.write_output(out, content, style)
            }
            Some(Role::BashExecution) => {
                write_entry_head(out, entry, "you ran", USER)?;
                writeln!(out, "$ {}", text_field("command"))?;
                write_lines(out, &text_field("output"), self.full, DIM)
            }
            Some(Role::Custom) => {
                if message.get("display").and_then(Raw::as_bool) == Some(false) {
                    return Ok(());
                }
                write_entry_head(out, entry, &field("customType"), NOTE)?;
                self.write_content(out, content, NOTE)
            }
            Some(Role::System) | None => Ok(()),
            Some(Role::Other(role)) => {
                write_entry_head(out, entry, &one_line(role), DIM)?;
                self.write_content(out, content, DIM)
            }
        }
    }

    fn write_content(
        &self,
        out: &mut impl Write,
        content: Option<Raw<'_>>,
        style: anstyle::Style,
    ) -> io::Result<()> {
        for block in content.into_iter().flat_map(blocks) {
            match block {
                Block::Text(text) => writeln!(out, "{style}{}{style:#}", clean(text.trim_end()))?,
                Block::Thinking(text) if self.thinking => {
                    writeln!(out, "{DIM}{}{DIM:#}", clean(text.trim_end()))?;
                }
                Block::Thinking(_) => {}
                Block::ToolCall { name, arguments, .. } => {
                    let argument = if self.full {
                        arguments.map(Raw::text).unwrap_or_default().into_owned()
                    } else {
                        key_argument(arguments)
                    };
                    writeln!(out, "{ANSWER}→ {}{ANSWER:#} {}", one_line(&name), clean(&argument))?;
                }
                Block::Image { mime_type, size } => {
                    let kind = one_line(&mime_type.unwrap_or_default());
                    writeln!(out, "{DIM}[{kind}, {}]{DIM:#}", bytes(size as u64))?;
                }
                Block::Other(raw) => writeln!(out, "{DIM}{}{DIM:#}", clean(&raw.text()))?,
            }
        }
        Ok(())
    }

    fn write_output(
        &self,
        out: &mut impl Write,
        content: Option<Raw<'_>>,
        style: anstyle::Style,
    ) -> io::Result<()> {
        for block in content.into_iter().flat_map(blocks) {
            match block {
                Block::Text(text) => write_lines(out, &clean(&text), self.full, style)?,
                Block::Image { size, .. } => {
                    writeln!(out, "{DIM}  [image, {}]{DIM:#}", bytes(size as u64))?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn write_entry_head(
    out: &mut impl Write,
    entry: &Entry,
    who: &str,
    style: anstyle::Style,
) -> io::Result<()> {
    let id = entry.id.as_ref().map_or("", EntryId::as_str);
    write_head(out, who, entry.timestamp, id, style)
}
