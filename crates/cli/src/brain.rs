//! The brain behind the commands: opened, brought up to date, with progress for those who wait.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use pi_brain_app::{App, AppError, Depth, Progress, Step};
use pi_brain_brain::NodeRef;
use pi_brain_daemon::Client;
use pi_brain_store::StoreError;

use crate::args::RefreshOptions;
use crate::describe::clean_path;
use crate::failure::{Failure, warn};
use crate::locate::Locations;
use crate::mint::now;

/// Opens the brain without looking for anything new.
pub(crate) fn open(locations: &Locations) -> anyhow::Result<App> {
    Ok(App::open(&locations.brain_folder()?, locations.brain_settings()?)?)
}

/// Opens the brain and takes in what is new, unless the user does not want that.
pub(crate) fn open_fresh(locations: &Locations, options: &RefreshOptions) -> anyhow::Result<App> {
    open_with(locations, options, Depth::Whole)
}

/// Does the same, and finds the links of what is new.
pub(crate) fn open_linked(locations: &Locations, options: &RefreshOptions) -> anyhow::Result<App> {
    open_with(locations, options, Depth::Linked)
}

/// Does the same as far as a search needs it.
pub(crate) fn open_for_search(
    locations: &Locations,
    options: &RefreshOptions,
) -> anyhow::Result<App> {
    open_with(locations, options, Depth::Findable)
}

fn open_with(locations: &Locations, options: &RefreshOptions, depth: Depth) -> anyhow::Result<App> {
    let mut app = open(locations)?;
    if options.no_refresh {
        app.open_tail()?;
        return Ok(app);
    }
    if let Some(daemon) = Client::find(&locations.brain_folder()?)
        && is_kept_fresh(&mut app, &daemon, depth)
    {
        return Ok(app);
    }
    let bar = Bar::default();
    let report = match depth {
        Depth::Findable => app.refresh_for_search(now(), &bar)?,
        Depth::Linked => app.refresh_with_links(now(), &bar)?,
        Depth::Whole | Depth::Kept => app.refresh(now(), &bar)?,
    };
    bar.clear();
    match report {
        None => {
            warn("another pi-brain is taking sessions in; the answer is as new as that has come");
        }
        Some(report) => {
            for (file, why) in &report.unreadable {
                warn(&unreadable(locations, file, why));
            }
        }
    }
    Ok(app)
}

/// Returns whether a daemon has taken everything in that a question needs, or does so now.
///
/// If it has not, for whatever reason, we look ourselves, and say what is wrong.
fn is_kept_fresh(app: &mut App, daemon: &Client, depth: Depth) -> bool {
    let is_fresh = |app: &mut App| app.is_up_to_date(depth, now()).unwrap_or(false);
    is_fresh(app) || (daemon.refresh(depth == Depth::Linked).is_ok() && is_fresh(app))
}

/// Says why a file could not be read. Its name may be anything, also part of the reason.
pub(crate) fn unreadable(locations: &Locations, file: &str, why: &str) -> String {
    let shown = locations.display(Path::new(file));
    let text = if why.is_empty() {
        shown
    } else if why.contains(file) {
        why.replace(file, &shown)
    } else {
        format!("{shown}: {why}")
    };
    clean_path(Path::new(&text))
}

/// Does something that needs the right to write; waits for whoever has it, and says so.
pub(crate) fn when_free<T>(mut work: impl FnMut() -> Result<T, AppError>) -> anyhow::Result<T> {
    let mut has_waited = false;
    loop {
        match work() {
            Err(AppError::Store(StoreError::Locked { holder, .. })) => {
                if !has_waited {
                    warn(&format!("waiting for {holder}"));
                }
                has_waited = true;
                std::thread::sleep(Duration::from_millis(200));
            }
            done => return Ok(done?),
        }
    }
}

/// Finds the node that a NODE argument means: an id or the beginning of one, perhaps with a version.
pub(crate) fn find_node(app: &App, argument: &str) -> anyhow::Result<NodeRef> {
    const SHORTEST: usize = 4;
    let argument = argument.to_lowercase();
    let (prefix, version) = match argument.split_once("-v") {
        Some((prefix, number)) => (prefix, Some(number)),
        None => (&*argument, None),
    };
    let number = version.map(str::parse::<u32>).transpose().ok();
    let is_hex = prefix.bytes().all(|digit| digit.is_ascii_hexdigit());
    let (true, true, Some(version)) = (prefix.len() >= SHORTEST, is_hex, number) else {
        let text = format!(
            "{argument} names no unit of work; say 4 to 16 hex digits of its id, with -v2 behind them for a \
             version. `pi-brain nodes` lists them"
        );
        return Err(Failure::Usage(text).into());
    };
    match &*app.nodes_named(prefix)? {
        [only] => Ok(NodeRef { id: *only, version }),
        [] => {
            let text = format!("no unit of work {prefix}. `pi-brain nodes` lists them");
            Err(Failure::NotFound(text).into())
        }
        several => {
            let list: Vec<String> = several.iter().take(10).map(|id| format!("\n  {id}")).collect();
            let text =
                format!("{prefix} could be any of these; say more of the id:{}", list.concat());
            Err(Failure::Usage(text).into())
        }
    }
}

/// Draws how far long work has come, on stderr and only on a terminal.
#[derive(Default)]
pub(crate) struct Bar(Mutex<Option<ProgressBar>>);

impl Bar {
    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        if let Some(bar) = self.take() {
            bar.finish_and_clear();
        }
    }

    fn take(&self) -> Option<ProgressBar> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take()
    }
}

impl Progress for Bar {
    fn begin(&self, step: Step) {
        self.clear();
        if !std::io::stderr().is_terminal() {
            return;
        }
        let (length, template) = match step {
            Step::Read { bytes, .. } => (
                bytes,
                "reading sessions  {bar:30} {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left",
            ),
            Step::Derive { families } => {
                (families as u64, "finding units of work  {bar:30} {pos}/{len}  {eta} left")
            }
            Step::Index { changes } => {
                (changes as u64, "making them searchable  {bar:30} {percent} %  {eta} left")
            }
        };
        let bar = ProgressBar::new(length);
        bar.set_style(ProgressStyle::with_template(template).expect("the template is well formed"));
        bar.enable_steady_tick(Duration::from_millis(200));
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(bar);
    }

    fn advance(&self, amount: u64) {
        if let Some(bar) = &*self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) {
            bar.inc(amount);
        }
    }
}
