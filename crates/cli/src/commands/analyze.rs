//! `pi-brain analyze`: has a model read units of work, within the budget, and says what it takes.

use std::collections::HashSet;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use jiff::Zoned;
use pi_brain_agent::{Event, Spent, Watch};
use pi_brain_app::{Analyst, App, Outlook, Settings, Worked};
use pi_brain_session::Millis;
use pi_brain_store::{Left, NodeFilter, Wish};
use serde_json::{Value, json};

use super::{print_json, say};
use crate::args::{AnalyzeOptions, RefreshOptions};
use crate::brain::{find_node, open_fresh};
use crate::describe::{BOLD, DIM};
use crate::failure::{Failure, warn};
use crate::locate::Locations;
use crate::mint::now;
use crate::signals::stop_on_signals;
use crate::table::{count, dollars, how_many};
use crate::when;

/// How often to look whether somebody else is done with a job of ours.
const PAUSE: Duration = Duration::from_millis(200);

pub(crate) fn run(locations: &Locations, options: &AnalyzeOptions) -> anyhow::Result<()> {
    let settings = locations.brain_settings()?;
    let app = open_fresh(locations, &RefreshOptions { no_refresh: false })?;
    let folder = locations.brain_folder()?;
    let desk = Desk { folder: &folder, settings: &settings };
    let analyst = desk.open()?;
    let wishes = wanted(locations, &app, &analyst, &settings, options)?;
    drop(app);
    if wishes.is_empty() {
        if options.json {
            return print_json(&Summary::default().to_json());
        }
        return say!(
            "Nothing to read: a model has read all of it with the present prompts. `--again` has it read once more."
        );
    }
    let bar = bar(wishes.len(), "reckoning  {bar:30} {pos}/{len}");
    let outlook = analyst.outlook(&wishes, || bar.inc(1))?;
    bar.finish_and_clear();
    if options.dry_run {
        return tell_outlook(&outlook, &analyst.left()?, options.json);
    }
    if !options.json {
        say!("{}", expected(&outlook))?;
    }
    let summary = desk.work(&analyst, &wishes)?;
    if options.json {
        print_json(&summary.to_json())?;
    } else {
        tell_summary(&summary)?;
    }
    if summary.failed.is_empty() {
        return Ok(());
    }
    let failed = how_many(summary.failed.len(), "unit of work", "units of work");
    let text =
        format!("{failed} could not be read; `pi-brain daemon queue` lists what is tried again");
    Err(Failure::SomeFailed(text).into())
}

/// Returns what the user wants to have read.
fn wanted(
    locations: &Locations,
    app: &App,
    analyst: &Analyst,
    settings: &Settings,
    options: &AnalyzeOptions,
) -> anyhow::Result<Vec<Wish>> {
    let since = options.since.map(|since| since.start(&Zoned::now()));
    let filter = |session: Option<String>| NodeFilter {
        session,
        project: options.project.clone(),
        after: since,
        ..NodeFilter::default()
    };
    let mut wishes = Vec::new();
    if options.what.is_empty() {
        let days = settings.analysis.as_ref().map_or(0, |analysis| analysis.days);
        let recent = Millis(now().0 - i64::from(days) * 24 * 60 * 60 * 1000);
        let after = if options.all { since } else { since.or(Some(recent)) };
        wishes = analyst.wishes(&NodeFilter { after, ..filter(None) }, options.again)?;
    }
    for what in &options.what {
        let node = what.to_str().and_then(|text| find_node(app, text).ok());
        if let Some(node) = node {
            let all = analyst.wishes(&NodeFilter::default(), options.again)?;
            wishes.extend(all.into_iter().filter(|wish| wish.node == Some(node.id)));
            continue;
        }
        let path = locations.find_session(what)?;
        let sessions = app.store().sessions()?;
        let session = sessions.into_iter().find(|session| Path::new(&session.path) == path);
        if let Some(session) = session {
            wishes.extend(analyst.wishes(&filter(Some(session.id)), options.again)?);
        }
    }
    let mut seen = HashSet::new();
    wishes.retain(|wish| seen.insert(wish.node));
    wishes.truncate(options.limit.unwrap_or(usize::MAX));
    Ok(wishes)
}

fn expected(outlook: &Outlook) -> String {
    let estimate = outlook.estimate;
    let cost = match outlook.dollars {
        Some(cost) => format!(", about {}", dollars(cost)),
        None => ", at a price that nobody knows".to_owned(),
    };
    format!(
        "{BOLD}{}{BOLD:#}: {}, about {} tokens in and {} out{cost}",
        how_many(outlook.nodes, "unit of work", "units of work"),
        how_many(estimate.requests as usize, "request", "requests"),
        count(estimate.tokens_in),
        count(estimate.tokens_out)
    )
}

fn tell_outlook(outlook: &Outlook, left: &Left, as_json: bool) -> anyhow::Result<()> {
    let estimate = outlook.estimate;
    if as_json {
        return print_json(&json!({
            "nodes": outlook.nodes,
            "unreadable": outlook.unreadable,
            "requests": estimate.requests,
            "tokensIn": estimate.tokens_in,
            "tokensOut": estimate.tokens_out,
            "mostTokensIn": estimate.most_tokens_in,
            "mostTokensOut": estimate.most_tokens_out,
            "dollars": outlook.dollars,
            "leftToday": left,
        }));
    }
    say!("{}", expected(outlook))?;
    say!(
        "  at most {} in and {} out, if every answer is as long as can be and has to be asked for twice",
        count(estimate.most_tokens_in),
        count(estimate.most_tokens_out)
    )?;
    if outlook.unreadable > 0 {
        say!("  {} cannot be read any more: the session is gone", outlook.unreadable)?;
    }
    let money = left.dollars.map(|left| format!(" and {}", dollars(left))).unwrap_or_default();
    say!("  {DIM}left of today's budget: {} tokens{money}{DIM:#}", count(left.tokens))
}

/// What came of it.
#[derive(Default)]
struct Summary {
    done: usize,
    unchanged: usize,
    skipped: usize,
    failed: Vec<Value>,
    spent: Spent,
    over_budget: bool,
    stopped: bool,
    left_over: u64,
}

impl Summary {
    fn take(&mut self, worked: Worked) {
        let more = match worked {
            Worked::Done { is_new, spent, .. } => {
                if is_new {
                    self.done += 1;
                } else {
                    self.unchanged += 1;
                }
                spent
            }
            Worked::Failed { node, error, again, spent } => {
                warn(&match again {
                    Some(again) => {
                        format!("{node}: {error}; tried again at {}", when::date_and_time(again))
                    }
                    None => format!("{node}: {error}"),
                });
                self.failed.push(json!({ "node": node, "error": error, "again": again }));
                spent
            }
            Worked::Skipped { .. } => {
                self.skipped += 1;
                return;
            }
            Worked::OverDay { .. } | Worked::OverRun { .. } => {
                self.over_budget = true;
                return;
            }
            Worked::Stopped => {
                self.stopped = true;
                return;
            }
            Worked::Nothing => return,
        };
        self.spent.tokens_in += more.tokens_in;
        self.spent.tokens_out += more.tokens_out;
        self.spent.requests += more.requests;
        if let Some(cost) = more.dollars {
            *self.spent.dollars.get_or_insert_default() += cost;
        }
    }

    fn to_json(&self) -> Value {
        json!({
            "done": self.done,
            "unchanged": self.unchanged,
            "skipped": self.skipped,
            "failed": self.failed,
            "requests": self.spent.requests,
            "tokensIn": self.spent.tokens_in,
            "tokensOut": self.spent.tokens_out,
            "dollars": self.spent.dollars,
            "overBudget": self.over_budget,
            "stopped": self.stopped,
            "left": self.left_over,
        })
    }
}

fn tell_summary(summary: &Summary) -> anyhow::Result<()> {
    let read = how_many(summary.done, "unit of work has", "units of work have");
    say!("{BOLD}{read}{BOLD:#} a new version by the model")?;
    if summary.unchanged > 0 {
        say!("  {} said the same as before", summary.unchanged)?;
    }
    say!("  {}", took(&summary.spent))?;
    if summary.stopped {
        say!("  stopped; what was not read can be read another time")?;
    }
    if summary.over_budget {
        say!(
            "  the budget is used up: {} left for another time {DIM}([budget] in config.toml){DIM:#}",
            summary.left_over
        )?;
    }
    Ok(())
}

fn took(spent: &Spent) -> String {
    let cost = spent.dollars.map(|cost| format!(", {}", dollars(cost))).unwrap_or_default();
    format!("{} tokens in, {} out{cost}", count(spent.tokens_in), count(spent.tokens_out))
}

/// What the workers share.
struct Desk<'a> {
    folder: &'a Path,
    settings: &'a Settings,
}

impl Desk<'_> {
    fn open(&self) -> pi_brain_app::Result<Analyst> {
        let owner = format!("analyze {}", std::process::id());
        Analyst::open(self.folder, self.settings, &owner, Zoned::now)
    }

    /// Has everything read, several at the same time; Ctrl-C ends it, and what was begun is put back.
    fn work(&self, analyst: &Analyst, wishes: &[Wish]) -> anyhow::Result<Summary> {
        let stop = stop_on_signals()?;
        let run = format!("analyze {}", uuid::Uuid::new_v4());
        analyst.enqueue(wishes, &run)?;
        let bar = bar(wishes.len(), "reading  {bar:30} {pos}/{len}  {msg}");
        let summary = Mutex::new(Summary::default());
        let workers = self.settings.daemon.workers.min(wishes.len());
        let worked = thread::scope(|scope| {
            let (run, stop, bar, summary) = (&*run, &*stop, &bar, &summary);
            let work = || move || self.work_through(run, stop, bar, summary);
            let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work())).collect();
            threads.into_iter().try_for_each(|thread| {
                thread.join().unwrap_or_else(|_| anyhow::bail!("a worker has crashed"))
            })
        });
        bar.finish_and_clear();
        let mut summary = summary.into_inner().unwrap_or_else(PoisonError::into_inner);
        summary.stopped |= stop.load(Ordering::Relaxed);
        summary.left_over = analyst.waiting(&run)?;
        if summary.stopped || summary.over_budget || worked.is_err() {
            analyst.drop_run(&run)?;
        }
        worked.map(|()| summary)
    }

    fn work_through(
        &self,
        run: &str,
        stop: &AtomicBool,
        bar: &ProgressBar,
        summary: &Mutex<Summary>,
    ) -> anyhow::Result<()> {
        let mut analyst = self.open()?;
        let watch = Watch { stop, on_event: &|_: Event<'_>| {} };
        while !stop.load(Ordering::Relaxed) {
            let worked = analyst.work(Some(run), &watch)?;
            match worked {
                // A daemon may be at one of ours.
                Worked::Nothing if analyst.is_running(run)? => thread::sleep(PAUSE),
                Worked::Nothing => return Ok(()),
                worked => {
                    let is_over = matches!(worked, Worked::OverDay { .. } | Worked::OverRun { .. });
                    let mut summary = summary.lock().unwrap_or_else(PoisonError::into_inner);
                    summary.take(worked);
                    bar.set_message(took(&summary.spent));
                    bar.inc(1);
                    if is_over {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }
}

/// Draws how far it has come, on stderr and only on a terminal.
fn bar(length: usize, template: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length as u64);
    bar.set_style(ProgressStyle::with_template(template).expect("the template is well formed"));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
