//! What can go wrong, by what a caller may do about it.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// A result of this crate.
pub type Result<T> = std::result::Result<T, AgentError>;

/// Why there is no answer, or none that can be used.
///
/// Texts of servers and programs are redacted: some repeat the key that they refuse.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// Too much was asked in too short a time. The same can be asked again later.
    #[error("the model's provider wants fewer requests: {message}")]
    RateLimited {
        /// What the provider says.
        message: String,
        /// How long it wants to be left alone, if it says so.
        retry_after: Option<Duration>,
    },
    /// No answer came in time.
    #[error("no answer within {} seconds", after.as_secs_f64())]
    TimedOut {
        /// How long was waited.
        after: Duration,
    },
    /// An answer came that is of no use, and asking once more did not help.
    #[error("the model's answer cannot be used: {reason}")]
    BadOutput {
        /// What is wrong with it.
        reason: String,
    },
    /// The program that would ask the model is not there.
    #[error("there is no program {}: install pi, or name it in the settings", program.display())]
    ProgramMissing {
        /// What was looked for.
        program: PathBuf,
    },
    /// The provider will not answer this: a wrong key, an unknown model, a filter. Asking again does not help.
    #[error("the model's provider refused: {message}")]
    Refused {
        /// What it says.
        message: String,
    },
    /// The provider could not be reached, broke off, or failed itself. The same can be asked again later.
    #[error("no answer from the model's provider: {message}")]
    Network {
        /// What happened.
        message: String,
    },
    /// The next request may take more than what is left.
    #[error("the next request may take {needed}, and {left} is left of what was allowed")]
    OverAllowance {
        /// What it may take.
        needed: String,
        /// What is left.
        left: String,
    },
    /// The caller wanted it to end.
    #[error("stopped")]
    Aborted,
    /// There is nothing to ask about.
    #[error("nothing was said in this unit of work")]
    NothingSaid,
    /// A program could not be run.
    #[error("could not run {}", program.display())]
    Run {
        /// Which one.
        program: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The API key could not be had.
    #[error("no API key: {reason}")]
    NoKey {
        /// Why not.
        reason: String,
    },
    /// A prompt could not be read.
    #[error("could not read the prompt {}", path.display())]
    ReadPrompt {
        /// Its file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl AgentError {
    /// Sorts what a provider says by its HTTP status, or by its words where a program hides the status.
    pub(crate) fn from_provider(status: Option<u16>, message: &str) -> Self {
        let message = short(message);
        match status.or_else(|| status_in(&message)) {
            Some(429) => Self::RateLimited { message, retry_after: None },
            Some(400..=407 | 409..=428 | 430..=499) => Self::Refused { message },
            Some(_) => Self::Network { message },
            None => Self::from_words(message),
        }
    }

    fn from_words(message: String) -> Self {
        let lower = message.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        if has(&["rate limit", "too many requests", "overloaded", "quota"]) {
            Self::RateLimited { message, retry_after: None }
        } else if has(&[
            "api key",
            "unauthorized",
            "forbidden",
            "not found",
            "content filter",
            "unknown model",
        ]) {
            Self::Refused { message }
        } else {
            Self::Network { message }
        }
    }
}

/// Returns the HTTP status in a message: a number at its beginning, or after a word that says what it is. Any other
/// number may count something else.
fn status_in(message: &str) -> Option<u16> {
    const BEFORE: [&str; 5] = ["", "error", "status", "code", "http"];
    let lower = message.to_lowercase();
    let is_digit = |letter: char| letter.is_ascii_digit();
    let mut end = 0;
    while let Some(start) = lower[end..].find(is_digit).map(|at| end + at) {
        end = lower[start..].find(|letter| !is_digit(letter)).map_or(lower.len(), |at| start + at);
        let before = lower[..start].trim_end_matches(|letter: char| " :=(\"'/".contains(letter));
        let word =
            before.rsplit(|letter: char| !letter.is_ascii_alphabetic()).next().unwrap_or_default();
        let says_status = BEFORE.contains(&word) && (!word.is_empty() || before.is_empty());
        match lower[start..end].parse() {
            Ok(status @ 400..=599) if says_status => return Some(status),
            _ => {}
        }
    }
    None
}

/// Makes a message short, one line, and free of secrets.
pub(crate) fn short(message: &str) -> String {
    const LIMIT: usize = 500;
    let (message, _) = pi_brain_brain::redact(message);
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests;
