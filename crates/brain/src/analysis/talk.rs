//! What was said, turn by turn, cut to what can be kept.

use std::cell::OnceCell;

use super::speech::Reading;
use super::text::paragraphs;

/// So much of a turn is kept, in characters: its beginning and its end say most.
const TURN_LENGTH: usize = 2400;
/// So many turns are kept, the first half and the latest.
const MOST_TURNS: usize = 600;

/// Everything that was said, in order.
#[derive(Debug, Default)]
pub(super) struct Talk {
    turns: Vec<Turn>,
}

/// What somebody said at once.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) entry: String,
    pub(super) speaker: Speaker,
    /// Line breaks are kept, other white space is not.
    pub(super) text: String,
    /// Whether tools were called with it.
    pub(super) works: bool,
    reading: OnceCell<Reading>,
}

impl Turn {
    /// Returns what it does, as an answer to what was said before.
    pub(super) fn reading(&self) -> &Reading {
        self.reading.get_or_init(|| Reading::of(&self.text))
    }
}

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    User,
    Model,
    /// A compaction or a branch summary, telling of what came before.
    Summary,
}

impl Talk {
    pub(super) fn hear(&mut self, entry: &str, speaker: Speaker, text: &str, works: bool) {
        let text = paragraphs(text, TURN_LENGTH);
        if text.is_empty() && !works {
            return;
        }
        if self.turns.len() == MOST_TURNS {
            self.turns.remove(MOST_TURNS / 2);
        }
        self.turns.push(Turn {
            entry: entry.to_owned(),
            speaker,
            text,
            works,
            reading: OnceCell::new(),
        });
    }

    pub(super) fn turns(&self) -> &[Turn] {
        &self.turns
    }

    pub(super) fn by(&self, speaker: Speaker) -> impl DoubleEndedIterator<Item = &Turn> {
        self.turns.iter().filter(move |turn| turn.speaker == speaker)
    }

    /// Returns the replies after the user's first words: those open the work, only later ones can judge it.
    pub(super) fn later_replies(&self) -> impl Iterator<Item = (Option<&Turn>, &Turn)> {
        self.replies().skip(1)
    }

    /// Returns a user's turns, each with what the model had said last before it.
    pub(super) fn replies(&self) -> impl Iterator<Item = (Option<&Turn>, &Turn)> {
        let mut said: Option<&Turn> = None;
        self.turns.iter().filter_map(move |turn| match turn.speaker {
            Speaker::User => Some((said, turn)),
            Speaker::Model => {
                // A turn that only calls tools takes back nothing of what was said.
                if !turn.text.is_empty() {
                    said = Some(turn);
                }
                None
            }
            Speaker::Summary => None,
        })
    }
}
