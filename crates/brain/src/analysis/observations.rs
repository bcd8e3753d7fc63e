//! How the models did, and which ways of asking worked.

use super::talk::{Speaker, Talk};
use crate::line::one_line;
use crate::node::{FlagType, Frequency, ManualFlag, ModelQuirk, Severity, ToolError};

/// So many of each are listed.
const MOST: usize = 10;
/// So long is one, in characters.
const LENGTH: usize = 200;

/// Returns requests that were done as they stand.
pub(super) fn prompting_wins(talk: &Talk, was_clear: bool, one_shot: bool) -> Vec<String> {
    let first = talk.by(Speaker::User).next().filter(|_| was_clear && one_shot);
    let praised = talk.by(Speaker::User).next_back().is_some_and(|turn| turn.reading().praises());
    first
        .filter(|_| praised)
        .map(|turn| format!("Done at once: “{}”", one_line(&turn.text, LENGTH)))
        .into_iter()
        .collect()
}

/// Returns what the user had to put right.
pub(super) fn prompting_failures(talk: &Talk) -> Vec<String> {
    let corrections = talk.later_replies().filter(|(before, turn)| {
        before.is_some() && turn.reading().refuses() && !turn.reading().praises()
    });
    corrections
        .map(|(_, turn)| format!("Had to be put right: “{}”", one_line(&turn.text, LENGTH)))
        .take(MOST)
        .collect()
}

/// Returns what models did again and again, and what the user flagged.
pub(super) fn quirks(
    errors: &[(ToolError, u64)],
    flags: &[ManualFlag],
    model: &str,
) -> Vec<ModelQuirk> {
    let repeated = errors
        .iter()
        .filter(|(error, count)| *count >= 2 && !error.model.is_empty())
        .map(|(error, count)| ModelQuirk {
            model: error.model.clone(),
            observation: one_line(
                &format!(
                    "`{}` failed {count} times in the same way: {} ({})",
                    error.tool, error.error_type, error.context
                ),
                LENGTH,
            ),
            frequency: match count {
                0..=1 => Frequency::Once,
                2 => Frequency::Sometimes,
                3..=4 => Frequency::Often,
                _ => Frequency::Always,
            },
            workaround: error.was_retried.then(|| "A later try worked.".to_owned()),
            severity: if error.was_retried { Severity::Low } else { Severity::Medium },
        });
    let flagged =
        flags.iter().filter(|flag| flag.flag_type == FlagType::Quirk).map(|flag| ModelQuirk {
            model: model.to_owned(),
            observation: one_line(&flag.message, LENGTH),
            frequency: Frequency::Once,
            workaround: None,
            severity: Severity::Medium,
        });
    repeated.chain(flagged).take(MOST).collect()
}
