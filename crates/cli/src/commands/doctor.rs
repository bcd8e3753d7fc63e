//! `pi-brain doctor`: what is found, what is missing, and what to do.

use pi_brain_app::{Diagnosis, Finding, State};

use super::{print_json, say};
use crate::args::DoctorOptions;
use crate::describe::{ANSWER, DIM, FAILURE, LABEL, one_line};
use crate::failure::Failure;
use crate::locate::Locations;
use crate::table::how_many;

pub(crate) fn run(locations: &Locations, options: &DoctorOptions) -> anyhow::Result<()> {
    let folder = locations.brain_folder()?;
    let settings = locations.brain_settings_of(&folder);
    let diagnosis = Diagnosis::of(&folder, settings, locations.home());
    if options.json {
        print_json(&diagnosis)?;
    } else {
        diagnosis.findings.iter().try_for_each(write)?;
    }
    if diagnosis.in_order {
        return Ok(());
    }
    let problems = diagnosis.findings.iter().filter(|finding| finding.state == State::Problem);
    let many = how_many(problems.count(), "thing is", "things are");
    Err(Failure::NotInOrder(format!("{many} not in order")).into())
}

fn write(finding: &Finding) -> anyhow::Result<()> {
    let (style, mark) = match finding.state {
        State::Fine => (ANSWER, "✓"),
        State::Note => (LABEL, "!"),
        State::Problem => (FAILURE, "✗"),
    };
    let Finding { area, text, remedy, .. } = finding;
    say!("{style}{mark}{style:#} {area:<12} {}", one_line(text))?;
    match remedy {
        Some(remedy) => say!("  {:<12} {DIM}{remedy}{DIM:#}", ""),
        None => Ok(()),
    }
}
