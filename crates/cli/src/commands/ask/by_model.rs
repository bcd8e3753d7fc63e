//! The answer of a model, after the one that the sessions give. Whatever goes wrong with it, that one stands.

use std::cell::RefCell;
use std::io::Write;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use jiff::Zoned;
use pi_brain_agent::{AgentError, Event, Spent, Watch};
use pi_brain_app::{Analyst, Answer, ModelAnswer};

use super::write_text;
use crate::args::AskOptions;
use crate::describe::{BOLD, DIM, clean, one_line};
use crate::failure::warn;
use crate::locate::Locations;
use crate::signals::stop_on_signals;

/// A model's answer, and what it took.
pub(super) struct Told {
    pub(super) answer: Answer,
    invented: usize,
    spent: Spent,
}

/// Lets the model answer that the settings name, if they name one and nobody objects. Why there is no answer is said on
/// standard error.
pub(super) fn ask_model(
    locations: &Locations,
    options: &AskOptions,
    question: &str,
    found: &Answer,
    screen: &Screen,
) -> anyhow::Result<Option<Told>> {
    let settings = locations.brain_settings()?;
    if options.no_model || !Analyst::shall_answer(&settings, found) {
        return Ok(None);
    }
    let stop = stop_on_signals()?;
    let owner = format!("ask {}", std::process::id());
    let on_event = |event: Event<'_>| screen.show(event);
    let watch = Watch { stop: &stop, on_event: &on_event };
    let answered = Analyst::open(&locations.brain_folder()?, &settings, &owner, Zoned::now)
        .and_then(|mut analyst| analyst.answer(question, found, &watch));
    screen.end();
    let reason = match answered {
        Ok(ModelAnswer::Answered { answer, invented, spent }) => {
            return Ok(Some(Told { answer, invented, spent }));
        }
        Ok(ModelAnswer::NotAsked) => return Ok(None),
        Ok(ModelAnswer::Failed { error, spent }) => {
            let reason = match error {
                AgentError::Aborted => "the model was stopped".to_owned(),
                error => error.to_string(),
            };
            let took = spent.tokens();
            if took > 0 { format!("{reason} (it took {took} tokens)") } else { reason }
        }
        Ok(ModelAnswer::OverDay { left }) => {
            let dollars = left.dollars.map(|dollars| format!(" and ${dollars:.4}"));
            let (tokens, dollars) = (left.tokens, dollars.unwrap_or_default());
            format!(
                "an answer may take more than the {tokens} tokens{dollars} that are left of today's budget"
            )
        }
        Err(error) => format!("the model cannot be asked: {:#}", anyhow::Error::from(error)),
    };
    warn(&one_line(&format!("{reason}; the answer from your sessions stands")));
    Ok(None)
}

impl Told {
    /// Writes what has not been shown while it came.
    pub(super) fn write(&self, was_shown: bool) -> anyhow::Result<()> {
        let mut out = anstream::stdout().lock();
        if !was_shown {
            writeln!(out, "\n{BOLD}{HEADING}{BOLD:#}")?;
            write_text(&mut out, &self.answer.answer)?;
        }
        let model = one_line(self.spent.model.as_deref().unwrap_or("the model"));
        let mut took = format!(
            "{model} read {} tokens and wrote {}",
            self.spent.tokens_in, self.spent.tokens_out
        );
        if let Some(dollars) = self.spent.dollars {
            took = format!("{took}, for ${dollars:.4}");
        }
        if self.invented > 0 {
            took = format!("{took}; {} of its numbers named no source", self.invented);
        }
        writeln!(out, "\n{DIM}{took}{DIM:#}")?;
        Ok(())
    }
}

const HEADING: &str = "What a model makes of it:";

/// Where an answer is shown while it comes.
pub(super) enum Screen {
    /// Nowhere: it is told when it is whole.
    Blank,
    /// On a terminal.
    Terminal(RefCell<Shown>),
}

/// What there is to see.
pub(super) struct Shown {
    /// Turns as long as there is nothing else to see.
    waiting: ProgressBar,
    has_begun: bool,
}

impl Screen {
    pub(super) fn terminal() -> Self {
        let style = ProgressStyle::with_template("{spinner} {msg}");
        let waiting =
            ProgressBar::new_spinner().with_style(style.expect("the template is well formed"));
        Self::Terminal(RefCell::new(Shown { waiting, has_begun: false }))
    }

    fn show(&self, event: Event<'_>) {
        let Self::Terminal(shown) = self else { return };
        let mut shown = shown.borrow_mut();
        let mut out = anstream::stdout().lock();
        // Whoever looks at a terminal that cannot be written to sees nothing, whatever is done about it.
        let _ = match event {
            Event::Asking { .. } => {
                shown.waiting.set_message("a model is asked, too; Ctrl-C leaves it at that");
                shown.waiting.enable_steady_tick(Duration::from_millis(200));
                Ok(())
            }
            Event::Answering { text, .. } if !text.is_empty() => {
                shown.begin(&mut out).and_then(|()| write!(out, "{}", clean(text)))
            }
            Event::Anew if shown.has_begun => {
                writeln!(out, "\n{DIM}(it begins anew){DIM:#}")
            }
            _ => Ok(()),
        };
        let _ = out.flush();
    }

    fn end(&self) {
        let Self::Terminal(shown) = self else { return };
        let shown = shown.borrow();
        shown.waiting.finish_and_clear();
        if shown.has_begun {
            let _ = writeln!(anstream::stdout());
        }
    }
}

impl Shown {
    fn begin(&mut self, out: &mut impl Write) -> std::io::Result<()> {
        if self.has_begun {
            return Ok(());
        }
        self.has_begun = true;
        self.waiting.finish_and_clear();
        writeln!(out, "\n{BOLD}{HEADING}{BOLD:#}")
    }
}
