//! What was decided, why, and what else could have been done.
//!
//! Decisions are taken from three places: the section of a summary that lists them; what the user says to a proposal, or
//! wants instead of what is there; and what a model chooses over something else, with a reason, unless the user objects.

pub(super) mod exchange;
mod reply;

use std::collections::HashSet;

use super::speech::{Signs, chooses, reason_in, sentences};
use super::talk::{Speaker, Talk, Turn};
use super::text::words;
use super::traits::Traits;
use crate::line::one_line;
use crate::node::Decision;
use exchange::OVER;
use reply::Reply;

/// So many decisions are listed; whoever decides more decides nothing.
const MOST: usize = 12;
/// So long are the words of one, in characters.
const WHAT_LENGTH: usize = 240;
const WHY_LENGTH: usize = 300;

/// A decision, and the entries that show it.
#[derive(Debug)]
pub(super) struct Decided {
    pub(super) decision: Decision,
    pub(super) entries: Vec<String>,
}

/// Finds the decisions in what was said.
pub(super) fn decisions(talk: &Talk) -> Vec<Decided> {
    let mut found: Vec<Decided> = Vec::new();
    for turn in talk.by(Speaker::Summary) {
        found.extend(listed(turn));
    }
    found.extend(chosen(talk));
    for (at, turn) in talk.turns().iter().enumerate() {
        let next = talk.turns()[at + 1..].iter().find(|next| next.speaker == Speaker::User);
        let is_refused = next.is_some_and(|next| next.reading().refuses());
        if turn.speaker == Speaker::Model && !is_refused {
            found.extend(preferred(turn));
        }
    }
    let mut kept: Vec<Decided> = Vec::new();
    for decided in found {
        let is_known = kept.iter().any(|known| is_same(&known.decision, &decided.decision));
        if !is_known && kept.len() < MOST {
            kept.push(decided);
        }
    }
    kept
}

fn is_same(one: &Decision, other: &Decision) -> bool {
    one.what.to_lowercase() == other.what.to_lowercase()
}

/// The headings under which summaries list decisions.
const HEADINGS: [&str; 2] = ["key decisions", "decisions"];

/// Reads the decisions that a summary lists, written `- **what**: why`.
fn listed(summary: &Turn) -> Vec<Decided> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in summary.text.lines() {
        let heading = line.trim_start_matches('#');
        if heading.len() < line.len() {
            inside = HEADINGS.contains(&&*heading.trim().to_lowercase());
            continue;
        }
        let item = line.trim_start_matches(['-', '*', ' ']);
        let is_item = line.starts_with(['-', '*']) && item.chars().any(char::is_alphanumeric);
        if !inside || !is_item || matches!(&*item.to_lowercase(), "none" | "(none)") {
            continue;
        }
        let bare = item.replace("**", "");
        let (what, why) =
            bare.split_once(": ").or_else(|| bare.split_once(" – ")).unwrap_or((&bare, ""));
        found.push(decided(what, why, Vec::new(), vec![summary.entry.clone()]));
    }
    found
}

/// Reads the decisions in what the user replies.
fn chosen(talk: &Talk) -> Vec<Decided> {
    let replied: HashSet<&str> = replies(talk).map(|reply| &*reply.turn.entry).collect();
    // Who comes back to an earlier place may begin with what to do instead.
    let first = talk.by(Speaker::User).filter(|turn| !replied.contains(&*turn.entry));
    first.filter_map(preferred).chain(replies(talk).filter_map(|reply| reply.decision())).collect()
}

/// Returns what the user says to something that the model has said.
fn replies(talk: &Talk) -> impl Iterator<Item = Reply<'_>> {
    let turns = talk.turns();
    let users = turns.iter().enumerate().filter(|(_, turn)| turn.speaker == Speaker::User);
    users.filter_map(|(at, turn)| {
        let said = |turn: &&Turn| turn.speaker == Speaker::Model && !turn.text.is_empty();
        let (asked, request) = turns[..at]
            .iter()
            .enumerate()
            .rfind(|(_, turn)| turn.speaker == Speaker::User)
            .map_or((0, None), |(at, turn)| (at, Some(turn)));
        let proposal = turns[..at].iter().rev().find(said)?;
        let offers = turns[asked..at].iter().filter(said).collect();
        let until_next = turns[at + 1..].iter().take_while(|next| next.speaker != Speaker::User);
        let answer = until_next.take(LOOKED_AHEAD).find(said);
        Some(Reply { turn, proposal, offers, request, answer })
    })
}

/// Returns the exchanges in what was said, by the entry of the reply, for examples to be made of them.
pub(super) fn exchanges(talk: &Talk) -> impl Iterator<Item = (&str, Traits)> {
    replies(talk).map(|reply| (&*reply.turn.entry, reply.exchange().traits()))
}

/// So many turns after a reply are looked at for words about it.
const LOOKED_AHEAD: usize = 2;

/// Whoever says what was found instead tells of the past, and decides nothing.
static TELLS: Signs = Signs::new("was |were |ms instead|now instead|got |returns|takes");

/// Fewer words do not say what was chosen.
const FEWEST_WORDS: usize = 3;

/// Reads a decision from a sentence in which somebody chooses one thing over another and says why.
fn preferred(turn: &Turn) -> Option<Decided> {
    // Most turns choose nothing over anything, which one look at the whole tells.
    if !OVER.are_in(&turn.text.to_lowercase()) {
        return None;
    }
    let parts = sentences(&turn.text);
    let chooses_here = |part: &&str| {
        let lower = part.to_lowercase();
        // Items of a list tell what was found.
        OVER.are_in(&lower)
            && !part.starts_with(|first: char| first.is_ascii_digit())
            && chooses(part) > 0.0
            && !part.ends_with(['?', '？'])
            && !TELLS.are_in(&lower)
    };
    let at = parts.iter().position(chooses_here)?;
    let sentence = parts[at];
    let lower = sentence.to_lowercase();
    let reason = reason_in(&lower).filter(|_| lower.len() == sentence.len());
    let before = at.checked_sub(1).map(|before| parts[before]);
    let (what, why) = match reason {
        Some(reason) => (sentence[..reason].to_owned(), sentence[reason..].to_owned()),
        // A user who says what to do instead need not say that it is for a reason.
        None if turn.speaker == Speaker::User => {
            let (what, why) = sentence.split_once(", ")?;
            if words(what).count() < FEWEST_WORDS {
                return None;
            }
            (what.to_owned(), why.to_owned())
        }
        None => (sentence.to_owned(), parts.get(at + 1).copied().unwrap_or_default().to_owned()),
    };
    let what = match before.filter(|_| REFERS_BACK.are_in(&lower)) {
        Some(before) => format!("{before} {what}"),
        None => what,
    };
    Some(decided(&what, &why, rejected(&lower), vec![turn.entry.clone()]))
}

/// Returns what is said to be left for something else.
fn rejected(lower: &str) -> Vec<String> {
    static SIGNS: Signs =
        Signs::new("rather than |instead of |statt |au lieu de |plutôt que |en vez de |em vez de ");
    let rest = SIGNS.first_in(lower).and_then(|found| lower.get(found.end..));
    let rest = rest.map(|rest| rest.split([',', '.', ';', ':']).next().unwrap_or_default());
    rest.map(|rest| one_line(rest, 80)).filter(|rest| !rest.is_empty()).into_iter().collect()
}

fn decided(what: &str, why: &str, alternatives: Vec<String>, entries: Vec<String>) -> Decided {
    let trim = |text: &str| text.trim().trim_end_matches([',', ';', ':', ' ']).to_owned();
    Decided {
        decision: Decision {
            what: one_line(&trim(what), WHAT_LENGTH),
            why: one_line(&trim(why), WHY_LENGTH),
            alternatives_considered: alternatives,
        },
        entries,
    }
}

static REFERS_BACK: Signs = Signs::new("i prefer that|i prefer this|das ist");

#[cfg(test)]
mod tests;
