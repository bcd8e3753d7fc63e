//! The brain behind the commands: opened, brought up to date, with progress for those who wait.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use pi_brain_app::{App, AppError, Depth, Meant, Progress, Step, unreadable_file};
use pi_brain_brain::NodeRef;
use pi_brain_daemon::{Freshness, bring_up_to_date};
use pi_brain_store::StoreError;

use crate::args::RefreshOptions;
use crate::describe::one_line;
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
    let bar = Bar::default();
    let freshness = bring_up_to_date(&mut app, &locations.brain_folder()?, depth, now, &bar)?;
    bar.clear();
    match freshness {
        Freshness::KeptByDaemon => {}
        Freshness::Behind => {
            warn("another pi-brain is taking sessions in; the answer is as new as that has come");
        }
        Freshness::TakenIn(report) => {
            for (file, why) in &report.unreadable {
                warn(&unreadable(locations, file, why));
            }
        }
    }
    Ok(app)
}

/// Says why a file could not be read. Its name may be anything, also part of the reason.
pub(crate) fn unreadable(locations: &Locations, file: &str, why: &str) -> String {
    unreadable_file(file, why, locations.home())
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
    let meant = app.find_node(argument)?;
    let argument = one_line(argument);
    let failure = match meant {
        Meant::Node(node) => return Ok(node),
        Meant::Nothing => Failure::Usage(format!(
            "{argument} names no unit of work; say 4 to 16 hex digits of its id, with -v2 behind them for a \
             version. `pi-brain nodes` lists them"
        )),
        Meant::Unknown => {
            Failure::NotFound(format!("no unit of work {argument}. `pi-brain nodes` lists them"))
        }
        Meant::Several(several) => {
            let list: Vec<String> = several.iter().take(10).map(|id| format!("\n  {id}")).collect();
            let list = list.concat();
            Failure::Usage(format!("{argument} could be any of these; say more of the id:{list}"))
        }
    };
    Err(failure.into())
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
