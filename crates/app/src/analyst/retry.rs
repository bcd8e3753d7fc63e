//! What becomes of a job whose model did not answer as it should: it depends on why.

use std::time::Duration;

use pi_brain_agent::AgentError;
use pi_brain_session::Millis;
use pi_brain_store::Undone;

use super::after;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);

/// Decides what becomes of a job that went wrong so many times before.
pub(super) fn undone(error: &AgentError, attempts: u32, now: Millis) -> Undone {
    let text = error.to_string();
    let (trouble, tries, wait) = match error {
        AgentError::RateLimited { retry_after, .. } => {
            ("rate-limit", 8, retry_after.unwrap_or_else(|| doubled(MINUTE, attempts)).max(SECOND))
        }
        AgentError::Network { .. } => ("network", 6, doubled(MINUTE / 2, attempts)),
        AgentError::TimedOut { .. } => ("timeout", 3, doubled(5 * MINUTE, attempts)),
        AgentError::BadOutput { .. } => ("bad-output", 2, MINUTE),
        // Nothing is wrong with the job; the program may be installed any time.
        AgentError::ProgramMissing { .. } | AgentError::Run { .. } => {
            ("program", 6, doubled(10 * MINUTE, attempts))
        }
        AgentError::NoKey { .. } => ("key", 3, doubled(10 * MINUTE, attempts)),
        AgentError::Refused { .. } => ("refused", 1, HOUR),
        AgentError::NothingSaid => ("nothing-said", 1, HOUR),
        AgentError::ReadPrompt { .. } => ("prompt", 3, 10 * MINUTE),
        // What was set aside was not enough, and would not be another time.
        AgentError::OverAllowance { .. } => ("allowance", 1, HOUR),
        AgentError::Aborted => return Undone::Postponed { due: now, reason: text },
    };
    if attempts + 1 >= tries {
        return Undone::Dead { trouble: trouble.to_owned(), error: text };
    }
    Undone::Again { due: after(now, wait), trouble: trouble.to_owned(), error: text }
}

fn doubled(wait: Duration, attempts: u32) -> Duration {
    wait.saturating_mul(2_u32.saturating_pow(attempts)).min(HOUR)
}

#[cfg(test)]
mod tests;
