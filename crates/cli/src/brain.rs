//! The brain behind the commands: opened, brought up to date, with progress for those who wait.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use pi_brain_app::{App, Progress, Step};

use crate::args::RefreshOptions;
use crate::failure::warn;
use crate::locate::Locations;
use crate::mint::now;

/// Opens the brain without looking for anything new.
pub(crate) fn open(locations: &Locations) -> anyhow::Result<App> {
    Ok(App::open(&locations.brain_folder()?, locations.sources()?)?)
}

/// Opens the brain and takes in what is new, unless the user does not want that.
pub(crate) fn open_fresh(locations: &Locations, options: &RefreshOptions) -> anyhow::Result<App> {
    let mut app = open(locations)?;
    if options.no_refresh {
        app.open_tail()?;
        return Ok(app);
    }
    let bar = Bar::default();
    let report = app.refresh(now(), &bar)?;
    bar.clear();
    match report {
        None => {
            warn("another pi-brain is taking sessions in; the answer is as new as that has come")
        }
        Some(report) => {
            for (file, why) in &report.unreadable {
                warn(&format!("{file}: {why}"));
            }
        }
    }
    Ok(app)
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
