//! Takes labelled sessions in as anybody's, and scores what is said of them.
//!
//! What rules are tuned on shows its misses. The sessions that are held out were written and labelled by people who had not
//! seen the rules; their misses are not shown, so that nobody tunes on them.

mod script;
mod session;
mod ending;
mod score;
mod learn;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::ensure;
use clap::Parser;
use jiff::tz::TimeZone;
use pi_brain_app::{AnswerSource, App, Asked, Settings, Silent, Source};
use pi_brain_brain::{EdgeCreator, Node, NodeId, NodeRef};
use pi_brain_session::{Millis, SessionFolder};
use pi_brain_store::{NodeFilter, Order};

use score::{Aspect, Scores};
use script::World;
use session::Written;

/// Scores what pi-brain understands
#[derive(Parser)]
struct Arguments {
    /// The folder with the labelled sessions
    #[arg(long, default_value = "quality/corpus")]
    corpus: PathBuf,
    /// Score only this part; with another one than `held-out` nothing is seen of what is held out
    #[arg(long, value_name = "FOLDER")]
    part: Option<String>,
    /// Show what was wrong, except in what is held out
    #[arg(long)]
    misses: bool,
    /// Fit what kinds and outcomes are judged by to what may be learnt from, instead
    #[arg(long)]
    learn: bool,
}

/// A part of the corpus.
struct Section {
    title: &'static str,
    folder: &'static str,
    is_held_out: bool,
}

const fn section(title: &'static str, folder: &'static str, is_held_out: bool) -> Section {
    Section { title, folder, is_held_out }
}

const SECTIONS: [Section; 6] = [
    section("Tuned on", "tuned", false),
    section("Learnt from", "learnt", false),
    section("Fresh", "fresh", false),
    section("Held out, first author", "held-out", true),
    section("Held out, second author", "newest", true),
    section("Held out, third author", "unseen", true),
];

/// When the sessions are looked at: long after the last of them has ended.
const NOW: Millis = Millis(1_790_000_000_000);

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    if arguments.learn {
        print!("{}", learn::learn(&arguments.corpus)?);
        return Ok(());
    }
    let mut page = String::new();
    let mut held_out = Scored::default();
    let is_wanted = |part: &&Section| arguments.part.as_deref().is_none_or(|it| it == part.folder);
    for part in SECTIONS.iter().filter(is_wanted) {
        let mut scored = Scored::default();
        for world in &World::read_all(&arguments.corpus.join(part.folder))? {
            scored.sessions += world.scripts.len();
            scored.units += world.units();
            score(world, &mut scored.scores)?;
        }
        scored.show(part.title, &mut page)?;
        let unjudged = &scored.scores.unjudged;
        if !unjudged.is_empty() {
            let folder = part.folder;
            writeln!(page, "\nLinks to judge in {folder}/edges.toml:\n{}", unjudged.join("\n"))?;
        }
        if part.is_held_out {
            held_out.add(&scored);
        } else if arguments.misses {
            writeln!(page, "\n{}", scored.scores.misses.join("\n"))?;
        }
    }
    if arguments.part.is_none() {
        held_out.show("All that is held out", &mut page)?;
    }
    print!("{page}");
    Ok(())
}

/// What was scored, and how it went.
#[derive(Default)]
struct Scored {
    sessions: usize,
    units: usize,
    scores: Scores,
}

impl Scored {
    fn add(&mut self, other: &Self) {
        self.sessions += other.sessions;
        self.units += other.units;
        self.scores.add(&other.scores);
    }

    fn show(&self, title: &str, page: &mut String) -> std::fmt::Result {
        let Self { sessions, units, scores } = self;
        writeln!(page, "\n## {title}: {sessions} sessions, {units} units of work\n")?;
        writeln!(page, "|  | right | of | share |\n| --- | ---: | ---: | ---: |")?;
        for (aspect, tally) in &scores.tallies {
            let share = percent(tally.right, tally.all);
            writeln!(page, "| {} | {} | {} | {share} |", aspect.name(), tally.right, tally.all)?;
        }
        Ok(())
    }
}

fn percent(right: usize, all: usize) -> String {
    if all == 0 {
        return "–".to_owned();
    }
    format!("{} %", (right * 1000 / all + 5) / 10)
}

fn score(world: &World, scores: &mut Scores) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let sessions = folder.path().join("sessions");
    let written = session::write_all(&world.scripts, &sessions)?;
    let app = take_in(&folder.path().join("data"), &sessions)?;
    let nodes = nodes_by_start(&app)?;
    for script in &world.scripts {
        let written = &written[&script.name];
        for unit in &script.units {
            let start = written.entries[unit.from - 1..unit.to].iter().flatten().next();
            let node = start.and_then(|start| nodes.get(start));
            scores.compare(script, unit, written, node);
        }
    }
    for question in &world.questions {
        let sources = sources(&app, &question.ask)?;
        let found: Vec<&String> = sources.iter().map(|source| &source.entry).collect();
        let said = || {
            let excerpts = sources.iter().map(|source| format!("\n  - {}", source.excerpt));
            format!("{}{}", question.ask, excerpts.collect::<String>())
        };
        if question.none {
            scores.note(Aspect::Refused, found.is_empty(), said);
            continue;
        }
        let is_answer = |answer: &String| {
            let (script, step) = answer.rsplit_once(':').unwrap_or_default();
            let step: usize = step.parse().unwrap_or_default();
            let entries = written.get(script).map(|written| &written.entries);
            let entry = entries.and_then(|entries| entries.get(step.checked_sub(1)?)?.as_ref());
            entry.is_some_and(|entry| found.contains(&entry))
        };
        scores.note(Aspect::Answered, question.answers.iter().any(is_answer), said);
    }
    compare_links(world, &written, &app, &nodes, scores)?;
    for _ in world.units()..nodes.len() {
        scores.note(Aspect::Units, false, || "a unit that nobody has labelled".to_owned());
    }
    Ok(())
}

/// Compares the links that were found by content with what a reader says of each pair. What nobody has judged is wrong,
/// and listed in any case, so that somebody can.
fn compare_links(
    world: &World,
    written: &HashMap<String, Written>,
    app: &App,
    nodes: &HashMap<String, Node>,
    scores: &mut Scores,
) -> anyhow::Result<()> {
    let mut names: HashMap<NodeId, String> = HashMap::new();
    for script in &world.scripts {
        for unit in &script.units {
            let entries = &written[&script.name].entries[unit.from - 1..unit.to];
            let node = entries.iter().flatten().next().and_then(|start| nodes.get(start));
            names.extend(node.map(|node| (node.id, format!("{}:{}", script.name, unit.from))));
        }
    }
    let links = app.store().edges_of(None)?;
    for link in links.iter().filter(|link| link.created_by == EdgeCreator::Daemon) {
        let ends = [link.source_node_id, link.target_node_id].map(|id| names.get(&id));
        let [Some(one), Some(other)] = ends else { continue };
        let judged = world
            .judged
            .iter()
            .find(|judged| [(one, other), (other, one)].contains(&(&judged.one, &judged.other)));
        let is_right = judged.is_some_and(|judged| judged.related);
        scores.note(Aspect::Edges, is_right, || {
            let reason = link.ext.as_ref().map_or("", |ext| &*ext.reason);
            format!("{one} {other}: {}: {reason}", link.kind.as_str())
        });
        if judged.is_none() {
            scores.unjudged.push(format!("{one} {other}"));
        }
    }
    Ok(())
}

fn take_in(data: &Path, sessions: &Path) -> anyhow::Result<App> {
    let folder = SessionFolder::ByProject(sessions.to_owned());
    let source = Source { folder, computer: "desk".to_owned() };
    let settings = Settings::read(&data.join("config.toml"), source, data)?;
    let mut app = App::open(data, settings)?;
    let report = app.ingest("quality", NOW, &Silent)?;
    ensure!(report.unreadable.is_empty(), "could not read {:?}", report.unreadable);
    Ok(app)
}

/// Returns what a question is answered from; nothing if nothing fits.
fn sources(app: &App, question: &str) -> anyhow::Result<Vec<AnswerSource>> {
    const LOOKED_AT: usize = 5;
    let now = NOW.to_timestamp().to_zoned(TimeZone::UTC);
    let asked = Asked { question, limit: LOOKED_AT, now: &now, project: None, session: None };
    Ok(app.ask(&asked)?.sources)
}

fn nodes_by_start(app: &App) -> anyhow::Result<HashMap<String, Node>> {
    let (rows, _) = app.store().nodes(&NodeFilter::default(), Order::Newest, usize::MAX, 0)?;
    let mut nodes = HashMap::new();
    for row in rows {
        let node = app.node(NodeRef { id: row.id, version: None })?;
        nodes.insert(row.start_entry, node);
    }
    Ok(nodes)
}
