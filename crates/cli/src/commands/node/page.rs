//! A unit of work as people read it.

use std::io::{self, Write};
use std::path::Path;

use pi_brain_app::{App, Link, NodeView};
use pi_brain_brain::{Node, word};
use pi_brain_session::Millis;
use serde_json::Value;

use super::evidence::Quotes;
use crate::commands::edges::why;
use crate::commands::unit::{SessionWords, about, wrap};
use crate::describe::{ANSWER, BOLD, DIM, FAILURE, clean, one_line};
use crate::locate::Locations;
use crate::mint::now;
use crate::table::{Column, count, dollars, draw, fit, how_many, room};
use crate::when;

pub(super) fn write(
    locations: &Locations,
    app: &App,
    view: &NodeView,
    with_evidence: bool,
) -> anyhow::Result<()> {
    let words = SessionWords::new(app)?;
    let quotes = if with_evidence { Quotes::open(locations, view)? } else { None };
    let mut out = anstream::stdout().lock();
    let page = Page { locations, words, view, quotes };
    page.write_head(&mut out)?;
    page.write_content(&mut out)?;
    page.write_neighbours(&mut out)?;
    page.write_history(&mut out)?;
    Ok(())
}

struct Page<'a> {
    locations: &'a Locations,
    words: SessionWords,
    view: &'a NodeView,
    /// What statements rest on, where that is wanted.
    quotes: Option<Quotes<'a>>,
}

impl Page<'_> {
    fn write_head(&self, out: &mut impl Write) -> io::Result<()> {
        let NodeView { node, is_hidden, session, .. } = self.view;
        let hidden = if *is_hidden { "  hidden" } else { "" };
        writeln!(out, "{BOLD}{}{BOLD:#}{FAILURE}{hidden}{FAILURE:#}", node.reference())?;
        let classification = &node.classification;
        let mut what = vec![word(&classification.node_type), word(&node.content.outcome)];
        what.extend(classification.language.as_deref().map(one_line));
        what.extend(classification.frameworks.iter().flatten().map(|name| one_line(name)));
        if classification.is_new_project {
            what.push("first session of the project".to_owned());
        }
        write_fact(out, "what", &what.join(", "))?;
        write_fact(out, "when", &when_and_how_long(node))?;
        let project = self.locations.display(Path::new(&classification.project));
        let computer = one_line(&node.source.computer);
        write_fact(out, "where", &format!("{project} {DIM}on {computer}{DIM:#}"))?;
        let metadata = &node.metadata;
        let entries = how_many(
            usize::try_from(node.source.segment.entry_count).unwrap_or(usize::MAX),
            "entry",
            "entries",
        );
        let tokens = count(metadata.tokens_used);
        let size = format!("{entries}, {tokens} tokens in and out, {}", dollars(metadata.cost));
        write_fact(out, "size", &size)?;
        match session {
            Some(session) => {
                let file = self.locations.shell_word(Path::new(&session.path));
                let name = self.words.of(self.locations, session);
                let entry = one_line(&node.source.segment.start_entry_id);
                let program = self.locations.program();
                write_fact(out, "read it", &format!("{program} session show {name} --at {entry}"))?;
                write_fact(out, "go on", &format!("pi --session {file}"))
            }
            None => {
                let file = self.locations.display(Path::new(&node.source.session_file));
                write_fact(out, "session", &format!("{file} {DIM}(gone){DIM:#}"))
            }
        }
    }

    fn write_content(&self, out: &mut impl Write) -> io::Result<()> {
        let Node { content, lessons, observations, semantic, ext, .. } = &self.view.node;
        if let Some(goal) = ext.as_ref().and_then(|ext| ext.goal.as_deref()) {
            write_text(out, "Goal", goal)?;
            self.write_evidence(out, "ext.goal")?;
        }
        write_text(out, "Summary", &content.summary)?;
        self.write_evidence(out, "content.outcome")?;
        let decisions = content.key_decisions.iter().enumerate().map(|(at, made)| {
            let why = if made.why.is_empty() { "" } else { " — " };
            (format!("{}{why}{}", made.what, made.why), format!("content.keyDecisions[{at}]"))
        });
        self.write_statements(out, "Decisions", decisions)?;
        let learnt = lessons.by_level().into_iter().flat_map(|(level, lessons)| {
            let level = word(&level);
            lessons.iter().enumerate().map(move |(at, lesson)| {
                (format!("{level}: {}", lesson.summary), format!("lessons.{level}[{at}]"))
            })
        });
        self.write_statements(out, "Lessons", learnt)?;
        match ext {
            Some(ext) => {
                write_list(out, "Files changed", ext.files_modified.iter().cloned())?;
                let only_read = |file: &&String| !ext.files_modified.contains(file);
                write_list(out, "Files read", ext.files_read.iter().filter(only_read).cloned())?;
            }
            None => write_list(out, "Files", content.files_touched.iter().cloned())?,
        }
        let calls = |tool: &String| match ext.as_ref().and_then(|ext| ext.tool_counts.get(tool)) {
            Some(calls) => format!("{} ×{calls}", one_line(tool)),
            None => one_line(tool),
        };
        write_line(out, "Tools", content.tools_used.iter().map(calls))?;
        if !content.errors_seen.is_empty() {
            write_title(out, "Errors")?;
            for (at, error) in content.errors_seen.iter().enumerate() {
                let (style, mark, state) = if error.resolved {
                    (ANSWER, "✓", "")
                } else {
                    (FAILURE, "✗", "not resolved: ")
                };
                let (kind, message) = (one_line(&error.error_type), one_line(&error.message));
                let text =
                    if message.starts_with(&kind) { message } else { format!("{kind}: {message}") };
                writeln!(
                    out,
                    "  {style}{mark}{style:#} {}",
                    fit(&format!("{state}{text}"), room(4))
                )?;
                self.write_evidence(out, &format!("content.errorsSeen[{at}]"))?;
            }
        }
        if !observations.models_used.is_empty() {
            write_title(out, "Models")?;
            for used in &observations.models_used {
                writeln!(
                    out,
                    "  {}/{}  {} in, {} out, {}",
                    one_line(&used.provider),
                    one_line(&used.model),
                    count(used.tokens_input),
                    count(used.tokens_output),
                    dollars(used.cost)
                )?;
            }
        }
        let tags = semantic.tags.iter().chain(&semantic.topics);
        write_line(out, "Tags", tags.map(|tag| one_line(tag)))
    }

    /// Writes statements, and below each what it rests on, where that is wanted.
    fn write_statements(
        &self,
        out: &mut impl Write,
        title: &str,
        statements: impl Iterator<Item = (String, String)>,
    ) -> io::Result<()> {
        for (number, (statement, path)) in statements.enumerate() {
            if number == 0 {
                write_title(out, title)?;
            }
            writeln!(out, "  {}", fit(&one_line(&statement), room(2)))?;
            self.write_evidence(out, &path)?;
        }
        Ok(())
    }

    fn write_evidence(&self, out: &mut impl Write, path: &str) -> io::Result<()> {
        self.quotes.as_ref().map_or(Ok(()), |quotes| quotes.write(out, path))
    }

    fn write_neighbours(&self, out: &mut impl Write) -> io::Result<()> {
        let boundaries = self.view.segment.iter().flat_map(|segment| &segment.boundaries);
        write_list(out, "Opened by", boundaries.map(boundary))?;
        if self.view.links.is_empty() {
            return Ok(());
        }
        write_title(out, "Linked with")?;
        let columns = [
            Column::Text(""),
            Column::Text("TYPE"),
            Column::Text("NODE"),
            Column::Text("WHEN"),
            Column::Rest("ABOUT"),
        ];
        let row = |link: &Link| {
            let started = link.other.as_ref().map(|node| when::date(node.started));
            let other = link.other.as_ref().map_or_else(|| "(gone)".to_owned(), about);
            let reason = why(&link.edge);
            let other =
                if reason.is_empty() { other } else { format!("{} — {reason}", fit(&other, 60)) };
            vec![
                format!("  {}", if link.is_outgoing { "→" } else { "←" }),
                link.edge.kind.as_str().to_owned(),
                link.other_id().to_string(),
                started.unwrap_or_default(),
                other,
            ]
        };
        let rows: Vec<_> = self.view.links.iter().map(row).collect();
        writeln!(out, "{}", draw(&columns, &rows))
    }

    fn write_history(&self, out: &mut impl Write) -> io::Result<()> {
        let NodeView { node, flags, versions, .. } = self.view;
        let by_hand = flags.iter().map(|flag| format!("{}: {}", flag.kind, flag.message));
        let in_session = node.ext.iter().flat_map(|ext| &ext.signals.manual_flags);
        let in_session =
            in_session.map(|flag| format!("{}: {}", word(&flag.flag_type), flag.message));
        write_list(out, "Notes", in_session.chain(by_hand))?;
        let corrections = node.ext.iter().flat_map(|ext| &ext.feedback);
        write_list(
            out,
            "Corrected by you",
            corrections.map(|correction| format!("{} = {}", correction.path, correction.value)),
        )?;
        if versions.len() > 1 {
            write_title(out, "Versions")?;
            for version in versions {
                let made = Millis::parse(&version.analyzed_at).map(when::date_and_time);
                let mark = if version.version == node.version { "  (this one)" } else { "" };
                let (made, because) = (made.unwrap_or_default(), because(&version.trigger));
                writeln!(out, "  v{}  {made}  {because}{DIM}{mark}{DIM:#}", version.version)?;
            }
        }
        Ok(())
    }
}

fn when_and_how_long(node: &Node) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole minutes will do"
    )]
    let whole = |minutes: f64| when::minutes(minutes.max(0.0).round() as u64);
    let started = node.metadata.timestamp;
    let took = whole(node.metadata.duration_minutes);
    let at_work = node.ext.as_ref().map(|ext| whole(ext.active_minutes));
    let at_work = at_work.filter(|at_work| *at_work != took);
    let at_work = at_work.map(|at_work| format!(", {at_work} of it at work")).unwrap_or_default();
    let age = match (now().0 - started.0) / 86_400_000 {
        0..7 => format!(" ({})", when::ago(started, now())),
        _ => String::new(),
    };
    format!("{}{age}, {took}{at_work}", when::date_and_time(started))
}

/// Says what opened a segment.
fn boundary(boundary: &Value) -> String {
    let metadata = &boundary["metadata"];
    let text = |key: &str| metadata[key].as_str().map(one_line).filter(|text| !text.is_empty());
    match boundary["type"].as_str().unwrap_or_default() {
        "fork" => match text("parentSession") {
            Some(parent) => format!("a fork of {parent}"),
            None => "a fork".to_owned(),
        },
        "branch" => format!("another branch; left behind: {}", text("summary").unwrap_or_default()),
        "tree_jump" => "a jump to another place of the tree".to_owned(),
        "compaction" => format!("a compaction: {}", text("summary").unwrap_or_default()),
        "resume" => {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "whole minutes"
            )]
            let gap = metadata["gapMinutes"].as_f64().unwrap_or(0.0).max(0.0) as u64;
            format!("a pause of {}", when::minutes(gap))
        }
        "handoff" => match text("handoffTarget") {
            Some(target) => format!("a hand-off to {target}"),
            None => "a hand-off".to_owned(),
        },
        other => one_line(other),
    }
}

/// Says why a version was made.
pub(super) fn because(trigger: &str) -> String {
    match trigger {
        "initial" => "first analysis".to_owned(),
        "prompt_update" => "the analysis got better".to_owned(),
        "connection_found" => "a connection was found".to_owned(),
        "user_feedback" => "you corrected it".to_owned(),
        "schema_migration" => "the format changed".to_owned(),
        "segment_extended" => "the work went on".to_owned(),
        other => one_line(other),
    }
}

fn write_fact(out: &mut impl Write, name: &str, fact: &str) -> io::Result<()> {
    writeln!(out, "  {DIM}{name:<8}{DIM:#} {fact}")
}

fn write_title(out: &mut impl Write, title: &str) -> io::Result<()> {
    writeln!(out, "\n{BOLD}{title}{BOLD:#}")
}

fn write_text(out: &mut impl Write, title: &str, text: &str) -> io::Result<()> {
    if text.trim().is_empty() {
        return Ok(());
    }
    write_title(out, title)?;
    for line in clean(text.trim()).lines() {
        for piece in wrap(line, room(2)) {
            writeln!(out, "  {}", line[piece].trim_end())?;
        }
    }
    Ok(())
}

fn write_list(
    out: &mut impl Write,
    title: &str,
    items: impl Iterator<Item = String>,
) -> io::Result<()> {
    let mut items = items.peekable();
    if items.peek().is_some() {
        write_title(out, title)?;
    }
    items.try_for_each(|item| writeln!(out, "  {}", fit(&one_line(&item), room(2))))
}

fn write_line(
    out: &mut impl Write,
    title: &str,
    items: impl Iterator<Item = String>,
) -> io::Result<()> {
    let items: Vec<String> = items.collect();
    if items.is_empty() {
        return Ok(());
    }
    write_title(out, title)?;
    writeln!(out, "  {}", items.join(", "))
}
