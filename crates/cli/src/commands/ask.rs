//! `pi-brain ask`: an answer in sentences from sessions, each with the line it stands on; then a model's, if one is chosen.

mod by_model;

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use jiff::Zoned;
use pi_brain_app::{Answer, AnswerSource, Asked};
use pi_brain_brain::{Confidence, Standing};
use pi_brain_session::Millis;

use super::print_json;
use super::unit::{SessionWords, project_name, wrap};
use crate::args::AskOptions;
use crate::brain::open_for_search;
use crate::describe::{BOLD, DIM, FAILURE, one_line};
use crate::failure::Failure;
use crate::locate::Locations;
use crate::mint::now;
use crate::table::room;
use crate::when;
use by_model::{Screen, ask_model};

pub(crate) fn run(locations: &Locations, options: &AskOptions) -> anyhow::Result<()> {
    let app = open_for_search(locations, &options.refresh)?;
    let question = options.words.join(" ");
    let here = std::env::current_dir().ok();
    let asked = Asked {
        question: &question,
        limit: options.limit,
        now: &Zoned::now(),
        project: here.as_deref().and_then(Path::to_str),
    };
    let found = app.ask(&asked)?;
    let shown = |answer: Answer| if options.redact { answer.without_secrets() } else { answer };
    let answer = shown(found);
    if options.json {
        let told = ask_model(locations, options, &question, &answer, &Screen::Blank)?;
        return print_json(&told.map_or(answer, |told| shown(told.answer)));
    }
    if answer.is_nothing() {
        let text = format!(
            "nothing in the sessions answers {}; `pi-brain search` finds single words",
            one_line(&question)
        );
        return Err(Failure::NotFound(text).into());
    }
    Page { locations, words: SessionWords::new(&app)?, now: now() }.write(&answer)?;
    let is_terminal = io::stdout().is_terminal();
    let screen = if is_terminal { Screen::terminal() } else { Screen::Blank };
    match ask_model(locations, options, &question, &answer, &screen)? {
        Some(told) => told.write(is_terminal),
        None => Ok(()),
    }
}

/// Writes an answer in lines that fit.
fn write_text(out: &mut impl Write, answer: &str) -> io::Result<()> {
    for line in answer.lines().map(one_line) {
        for piece in wrap(&line, room(0)) {
            writeln!(out, "{}", line[piece].trim_end())?;
        }
    }
    Ok(())
}

/// The answer as people read it.
struct Page<'a> {
    locations: &'a Locations,
    words: SessionWords,
    now: Millis,
}

impl Page<'_> {
    fn write(&self, answer: &Answer) -> anyhow::Result<()> {
        let mut out = anstream::stdout().lock();
        write_text(&mut out, &answer.answer)?;
        let sure = match answer.confidence {
            Confidence::High => "quite sure: everything that the question names is there",
            Confidence::Medium => "fairly sure: most of what the question names is there",
            Confidence::Low => "not sure: only part of what the question names is there",
        };
        writeln!(out, "\n{DIM}{sure}{DIM:#}\n")?;
        for (number, source) in (1..).zip(&answer.sources) {
            self.write_source(&mut out, number, source)?;
        }
        Ok(())
    }

    fn write_source(
        &self,
        out: &mut impl Write,
        number: usize,
        source: &AnswerSource,
    ) -> anyhow::Result<()> {
        let project = project_name(self.locations, &source.project);
        let age = source.time.map(|time| when::ago(time, self.now)).unwrap_or_default();
        write!(out, "[{number}] {BOLD}{project}{BOLD:#}  {age}")?;
        match source.standing {
            Standing::Stands => {}
            Standing::Superseded => write!(out, "  {FAILURE}superseded{FAILURE:#}")?,
            Standing::Abandoned => write!(out, "  {FAILURE}abandoned{FAILURE:#}")?,
        }
        writeln!(out)?;
        let Some(session) = &source.session_file else {
            writeln!(out, "    {DIM}(the session file is gone){DIM:#}")?;
            return Ok(());
        };
        let (program, name) = (self.locations.program(), self.words.of(self.locations, session));
        let at = match one_line(&source.entry) {
            entry if entry.is_empty() => String::new(),
            entry => format!(" --at {entry}"),
        };
        let line = source.line.map(|line| format!("  (line {line})")).unwrap_or_default();
        writeln!(out, "    {DIM}{program} session show {name}{at}{line}{DIM:#}")?;
        Ok(())
    }
}
