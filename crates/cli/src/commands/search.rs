//! `pi-brain search`: messages and units of work, grouped by unit of work.

use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anstyle::Style;
use jiff::Zoned;
use pi_brain_app::{App, FoundItem, FoundKind, FoundRow, Wanted};
use pi_brain_search::{Snippet, Speaker};
use pi_brain_session::Millis;
use serde_json::json;

use super::print_json;
use super::sessions::progress_bar;
use super::unit::{SessionWords, about, project_name, short_id, wrap};
use crate::args::SearchOptions;
use crate::brain::{open_for_search, open_fresh, unreadable};
use crate::describe::{ANSWER, BOLD, DIM, FAILURE, NOTE, USER, clean, one_line};
use crate::failure::{Failure, warn};
use crate::locate::Locations;
use crate::mint::now;
use crate::table::{fit, how_many, room};
use crate::when;

pub(crate) fn run(locations: &Locations, options: &SearchOptions) -> anyhow::Result<()> {
    // What is looked for in the files themselves has to be taken in.
    let open = if options.deep { open_fresh } else { open_for_search };
    let app = open(locations, &options.refresh)?;
    let query = options.words.join(" ");
    let found = find(locations, &app, &query, options)?;
    if options.json {
        let results: Vec<_> = found.results.iter().map(FoundRow::from).collect();
        return print_json(&json!({
            "results": results,
            "total": found.total,
            "tookMs": found.took.as_secs_f64() * 1000.0,
        }));
    }
    if found.results.is_empty() {
        return Err(nothing(&query, options, found.total).into());
    }
    Page { locations, app: &app, words: SessionWords::new(&app)?, now: now() }
        .write(&found, options)
}

/// What was found, and in what time.
struct Answer {
    results: Vec<FoundItem>,
    total: u64,
    took: Duration,
}

fn find(
    locations: &Locations,
    app: &App,
    query: &str,
    options: &SearchOptions,
) -> anyhow::Result<Answer> {
    let started = Instant::now();
    let here = std::env::current_dir().ok();
    let project = here.as_deref().and_then(Path::to_str);
    let now = Zoned::now();
    let SearchOptions { limit, offset, .. } = *options;
    let wanted = Wanted { query, limit, offset, now: &now, project };
    let found = app.search(&wanted)?;
    let (mut results, mut total) = (found.results, found.total);
    if options.deep {
        let bar = progress_bar(app.store().sessions()?.len());
        let deep = app.search_files(&wanted, &results, &|_| bar.inc(1))?;
        bar.finish_and_clear();
        for (file, why) in &deep.unreadable {
            warn(&unreadable(locations, &file.to_string_lossy(), why));
        }
        total += deep.results.len() as u64;
        results.extend(deep.results);
    }
    Ok(Answer { results, total, took: started.elapsed() })
}

fn nothing(query: &str, options: &SearchOptions, total: u64) -> Failure {
    let query = one_line(query);
    if total > 0 {
        return Failure::NotFound(format!("there are only {total} results for {query}"));
    }
    let mut advice = Vec::new();
    if query.split_whitespace().any(|word| word.contains(':')) {
        advice.push("leave out a filter");
    }
    if query.contains('"') {
        advice.push("leave out the quotes");
    }
    if !options.deep {
        advice.push("add --deep, which also looks through long tool output");
    }
    if options.refresh.no_refresh {
        advice.push("leave out --no-refresh");
    }
    let advice = match &*advice {
        [] => "try other words".to_owned(),
        advice => format!("try other words, or {}", advice.join(", or ")),
    };
    Failure::NotFound(format!("nothing found for {query}; {advice}"))
}

/// The results as people read them.
struct Page<'a> {
    locations: &'a Locations,
    app: &'a App,
    words: SessionWords,
    now: Millis,
}

impl Page<'_> {
    fn write(&self, found: &Answer, options: &SearchOptions) -> anyhow::Result<()> {
        let mut out = anstream::stdout().lock();
        for group in groups(&found.results) {
            self.write_group(&mut out, &group)?;
        }
        let shown = found.results.len() as u64;
        let milliseconds = found.took.as_secs_f64() * 1000.0;
        let total = usize::try_from(found.total).unwrap_or(usize::MAX);
        write!(out, "{DIM}{} in {milliseconds:.0} ms", how_many(total, "result", "results"))?;
        let next = options.offset as u64 + shown;
        if next < found.total && !options.deep {
            let first = options.offset + 1;
            write!(out, "; these are {first} to {next}, --offset {next} shows more")?;
        }
        writeln!(out, "{DIM:#}")?;
        Ok(())
    }

    fn write_group(&self, out: &mut impl Write, group: &[&FoundItem]) -> anyhow::Result<()> {
        let first = group[0];
        let project = project_name(self.locations, &first.project);
        let began = first.node.as_ref().map(|node| node.started).or(first.time);
        let age = began.map(|time| when::ago(time, self.now)).unwrap_or_default();
        let headline = match &first.node {
            Some(node) => {
                let kind = format!("{}, {}", one_line(&node.node_type), one_line(&node.outcome));
                writeln!(
                    out,
                    "{BOLD}{project}{BOLD:#}  {age}  {kind}  {DIM}{}{DIM:#}",
                    short_id(self.app, node.id)?
                )?;
                about(node)
            }
            None => {
                writeln!(out, "{BOLD}{project}{BOLD:#}  {age}  {}", self.state(first)?)?;
                String::new()
            }
        };
        if !headline.is_empty() {
            writeln!(out, "  {}", fit(&headline, room(2)))?;
        }
        let has_messages = group.iter().any(|item| item.what != FoundKind::Node);
        let mut told: Vec<&str> = Vec::new();
        for item in group {
            let text = &*item.snippet.text;
            // What the unit of work is about stands above already.
            let is_told = told.contains(&text) || (item.what == FoundKind::Node && has_messages);
            if !is_told {
                told.push(text);
                write_hit(out, item)?;
            }
        }
        self.write_ways(out, group)
    }

    /// Says why something belongs to no unit of work.
    fn state(&self, item: &FoundItem) -> anyhow::Result<&'static str> {
        let Some((session, line)) = item.session.as_ref().zip(item.line) else {
            return Ok("no unit of work");
        };
        let placed = self.app.place(Path::new(&session.path), line.into())?;
        let is_open = placed.is_some_and(|placed| placed.speaks);
        Ok(if is_open { "open work" } else { "between units of work" })
    }

    /// Says how to get to what was found: once for each session file.
    fn write_ways(&self, out: &mut impl Write, group: &[&FoundItem]) -> anyhow::Result<()> {
        let (nodes, messages): (Vec<&FoundItem>, _) =
            group.iter().partition(|item| item.what == FoundKind::Node);
        let mut told = Vec::new();
        for item in messages.into_iter().chain(nodes) {
            let Some(session) = &item.session else { continue };
            if told.contains(&session.no) {
                continue;
            }
            told.push(session.no);
            let (program, name) =
                (self.locations.program(), self.words.of(self.locations, session));
            let at = match one_line(&item.entry) {
                entry if entry.is_empty() => String::new(),
                entry => format!(" --at {entry}"),
            };
            let file = self.locations.shell_word(Path::new(&session.path));
            writeln!(out, "  {DIM}{program} session show {name}{at}{DIM:#}")?;
            writeln!(out, "  {DIM}pi --session {file}{DIM:#}")?;
        }
        if told.is_empty() {
            writeln!(out, "  {DIM}(the session file is gone){DIM:#}")?;
        }
        writeln!(out)?;
        Ok(())
    }
}

fn write_hit(out: &mut impl Write, item: &FoundItem) -> io::Result<()> {
    const INDENT: usize = 4;
    let (who, style, abandoned) = match item.what {
        FoundKind::Node => ("about", NOTE, false),
        FoundKind::Message { speaker, abandoned } => {
            let (who, style) = match speaker {
                Speaker::User => ("you", USER),
                Speaker::Assistant => ("assistant", ANSWER),
                Speaker::Tool => ("tool", DIM),
                Speaker::Summary => ("summary", NOTE),
                Speaker::Extension => ("extension", NOTE),
            };
            (who, style, abandoned)
        }
    };
    let entry = one_line(&item.entry);
    write!(out, "{:INDENT$}{style}{who}{style:#} {DIM}{entry}{DIM:#}", "")?;
    if abandoned {
        write!(out, " {FAILURE}abandoned{FAILURE:#}")?;
    }
    writeln!(out)?;
    write_snippet(out, &item.snippet, INDENT + 2)
}

/// Puts together what belongs to one unit of work, or to the open work of one session; the best comes first.
fn groups(results: &[FoundItem]) -> Vec<Vec<&FoundItem>> {
    let name = |item: &FoundItem| match &item.node {
        Some(node) => (Some(node.id), None),
        None => (None, item.session.as_ref().map(|session| session.no)),
    };
    let mut groups: Vec<Vec<&FoundItem>> = Vec::new();
    for item in results {
        match groups.iter_mut().find(|group| name(group[0]) == name(item)) {
            Some(group) => group.push(item),
            None => groups.push(vec![item]),
        }
    }
    groups
}

/// Writes a snippet with the words that were looked for in bold, so far from the left.
fn write_snippet(out: &mut impl Write, snippet: &Snippet, indent: usize) -> io::Result<()> {
    const MARK: Style = Style::new().bold().underline();
    let visible = |text: &str| clean(text).replace(['\n', '\t'], " ");
    let (mut text, mut marks, mut at) = (String::new(), Vec::new(), 0);
    for mark in &snippet.marks {
        text += &visible(&snippet.text[at..mark.start]);
        let start = text.len();
        text += &visible(&snippet.text[mark.clone()]);
        marks.push(start..text.len());
        at = mark.end;
    }
    text += &visible(&snippet.text[at..]);
    for line in wrap(&text, room(indent)) {
        write!(out, "{:indent$}", "")?;
        let mut at = line.start;
        for mark in marks.iter().filter(|mark| mark.start < line.end && mark.end > line.start) {
            let (start, end) = (mark.start.max(line.start), mark.end.min(line.end));
            write!(out, "{}{MARK}{}{MARK:#}", &text[at..start], &text[start..end])?;
            at = end;
        }
        writeln!(out, "{}", text[at..line.end].trim_end())?;
    }
    Ok(())
}
