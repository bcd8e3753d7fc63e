//! `pi-brain search`: messages and units of work, grouped by unit of work.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use anstyle::Style;
use jiff::Zoned;
use pi_brain_app::{App, FoundItem, FoundKind, Wanted};
use pi_brain_search::{Snippet, Speaker};
use pi_brain_session::Millis;
use serde_json::json;

use super::print_json;
use super::sessions::progress_bar;
use super::unit::{SessionWords, about, project_name};
use crate::args::SearchOptions;
use crate::brain::open_fresh;
use crate::describe::{ANSWER, BOLD, DIM, FAILURE, NOTE, USER, clean, one_line};
use crate::failure::{Failure, warn};
use crate::locate::Locations;
use crate::mint::now;
use crate::table::{fit, how_many, room};
use crate::when;

pub(crate) fn run(locations: &Locations, options: &SearchOptions) -> anyhow::Result<()> {
    let app = open_fresh(locations, &options.refresh)?;
    let query = options.words.join(" ");
    let found = find(&app, &query, options)?;
    if options.json {
        let results: Vec<_> = found.results.iter().map(as_json).collect();
        return print_json(&json!({
            "results": results,
            "total": found.total,
            "tookMs": found.took.as_secs_f64() * 1000.0,
        }));
    }
    if found.results.is_empty() {
        return Err(nothing(&query, options, found.total).into());
    }
    Page { locations, words: SessionWords::new(&app)?, now: now() }.write(&found, options)
}

/// What was found, and in what time.
struct Answer {
    results: Vec<FoundItem>,
    total: u64,
    took: Duration,
}

fn find(app: &App, query: &str, options: &SearchOptions) -> anyhow::Result<Answer> {
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
            warn(&format!("{}: {why}", file.display()));
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

fn as_json(item: &FoundItem) -> serde_json::Value {
    let (kind, branch) = match item.what {
        FoundKind::Message { abandoned, .. } => {
            ("message", Some(if abandoned { "abandoned" } else { "active" }))
        }
        FoundKind::Node => ("node", None),
    };
    json!({
        "kind": kind,
        "score": item.score,
        "node": item.node.as_ref().map(|node| node.id),
        "session": item.session.as_ref().map(|session| &session.id),
        "entry": item.entry,
        "file": item.session.as_ref().map(|session| &session.path),
        "line": item.line,
        "project": item.project,
        "time": item.time,
        "branch": branch,
        "snippet": item.snippet.text,
    })
}

/// The results as people read them.
struct Page<'a> {
    locations: &'a Locations,
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
                writeln!(out, "{BOLD}{project}{BOLD:#}  {age}  {kind}  {DIM}{}{DIM:#}", node.id)?;
                about(node)
            }
            None => {
                writeln!(out, "{BOLD}{project}{BOLD:#}  {age}  open work")?;
                String::new()
            }
        };
        if !headline.is_empty() {
            writeln!(out, "  {}", fit(&headline, room(2)))?;
        }
        let mut told: Vec<&str> = Vec::new();
        for item in group {
            let text = &*item.snippet.text;
            let is_told = told.contains(&text)
                || (item.what == FoundKind::Node && headline.starts_with(text.trim_end_matches('…')));
            if !is_told {
                told.push(text);
                self.write_hit(out, item)?;
            }
        }
        match &first.session {
            Some(session) => {
                let file = self.locations.shell_word(Path::new(&session.path));
                writeln!(out, "  {DIM}pi --session {file}{DIM:#}")?;
            }
            None => writeln!(out, "  {DIM}(its session file is gone){DIM:#}")?,
        }
        writeln!(out)?;
        Ok(())
    }

    fn write_hit(&self, out: &mut impl Write, item: &FoundItem) -> anyhow::Result<()> {
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
        write!(out, "    {style}{who:<9}{style:#}  ")?;
        if abandoned {
            write!(out, "{FAILURE}abandoned{FAILURE:#}  ")?;
        }
        write_snippet(out, &item.snippet)?;
        writeln!(out)?;
        if let Some(session) = item.session.as_ref().filter(|_| item.what != FoundKind::Node) {
            let program = self.locations.program();
            let name = self.words.of(self.locations, session);
            let entry = one_line(&item.entry);
            if !entry.is_empty() {
                writeln!(out, "               {DIM}{program} session show {name} --at {entry}{DIM:#}")?;
            }
        }
        Ok(())
    }
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

/// Writes a snippet with the words that were looked for in bold.
fn write_snippet(out: &mut impl Write, snippet: &Snippet) -> std::io::Result<()> {
    const MARK: Style = Style::new().bold().underline();
    let visible = |text: &str| clean(text).replace(['\n', '\t'], " ");
    let mut at = 0;
    for mark in &snippet.marks {
        let (before, marked) = (&snippet.text[at..mark.start], &snippet.text[mark.clone()]);
        write!(out, "{}{MARK}{}{MARK:#}", visible(before), visible(marked))?;
        at = mark.end;
    }
    write!(out, "{}", visible(&snippet.text[at..]))
}
