//! What the user decides in a reply, in the words that were said.

use super::super::speech::{Act, Signs, chooses_way, only_reacts, reason_in, sentences};
use super::super::talk::Turn;
use super::super::text::words;
use super::exchange::{Exchange, Said, subjects};
use super::{Decided, WHAT_LENGTH, WHY_LENGTH, decided, rejected};
use crate::line::one_line;

/// A reply of the user's, with what stands around it.
pub(super) struct Reply<'a> {
    pub(super) turn: &'a Turn,
    /// What the model had said last.
    pub(super) proposal: &'a Turn,
    /// All that the model had said since the user spoke before.
    pub(super) offers: Vec<&'a Turn>,
    /// What the user had wanted before.
    pub(super) request: Option<&'a Turn>,
    /// What the model said to it.
    pub(super) answer: Option<&'a Turn>,
}

/// A longer reply tells more than a decision, in characters.
const LONGEST: usize = 600;
/// Fewer words that name something do not say what was agreed to.
const FEW_SUBJECTS: usize = 2;
/// The name of an option is one of the first few words.
const OPTION_WORDS: usize = 4;

/// What stands before an option that is not taken, and what is said of it.
const NOT_THAT: [&str; 4] = ["not", "nicht", "pas", "não"];
static WRONG: Signs = Signs::new("wrong|falsch|faux|errado");

/// So clearly must a reply settle something: a list of decisions that holds what is none is read by nobody. With authors left
/// out, 80 in 100 replies above it do settle something, and 60 in 100 that do are above it.
const CLEAR: f32 = 0.04;

impl<'a> Reply<'a> {
    /// Reads what is decided here, if anything is.
    pub(super) fn decision(&self) -> Option<Decided> {
        if let Some(option) = self.option() {
            return Some(option);
        }
        let is_understood = self.turn.reading().is_understood;
        let is_short = self.turn.text.chars().count() <= LONGEST;
        (is_understood && is_short && self.exchange().settles() > CLEAR)
            .then(|| self.told())
            .flatten()
    }

    pub(super) fn exchange(&self) -> Exchange<'_> {
        fn said(turn: &Turn) -> Said<'_> {
            Said { text: &turn.text, works: turn.works }
        }
        Exchange {
            proposal: said(self.proposal),
            reply: &self.turn.text,
            answer: self.answer.map(said),
        }
    }

    /// Reads which of the options that the model had listed the user takes.
    fn option(&self) -> Option<Decided> {
        let first = sentences(&self.turn.text).into_iter().next()?.to_lowercase();
        if self.turn.reading().act == Act::Question || first.ends_with('?') {
            return None;
        }
        let (at, name, option) =
            words(&first).take(OPTION_WORDS).enumerate().find_map(|(at, word)| {
                let is_name = word.chars().count() == 1 && word != "i";
                let option = is_name.then(|| option_named(&self.proposal.text, &word)).flatten();
                option.map(|option| (at, word, option))
            })?;
        let before = at.checked_sub(1).and_then(|before| words(&first).nth(before));
        if before.is_some_and(|before| NOT_THAT.contains(&&*before)) || WRONG.are_in(&first) {
            return None;
        }
        let what = one_line(&option.replace("**", ""), WHAT_LENGTH);
        let what = what.trim_start_matches(['-', '*', '(', ' ']);
        let is_mark = |character: char| " ).:*".contains(character);
        let what = what.get(name.len()..).map_or(what, |rest| rest.trim_start_matches(is_mark));
        let why = [&*self.turn.text, self.answered().unwrap_or_default()].join(" ");
        Some(decided(what, &why, rejected(&first), self.entries(self.proposal)))
    }

    /// Tells what is decided: in the sentence that says it most clearly, with all else that was said as the reason.
    fn told(&self) -> Option<Decided> {
        let parts = sentences(&self.turn.text);
        let is_said = |part: &&str| !part.ends_with(['?', '？']);
        let said: Vec<&str> = parts.iter().copied().filter(is_said).collect();
        // A yes or a no opens what is decided, and of equals the first one is taken.
        let telling = said.iter().copied().filter(|part| !only_reacts(part));
        let decisive = telling
            .reduce(|best, next| if chooses_way(next) > chooses_way(best) { next } else { best })
            .or_else(|| said.first().copied())?;
        let lower = decisive.to_lowercase();
        let reason_at = reason_in(&lower).filter(|_| lower.len() == decisive.len());
        let split = match reason_at {
            Some(at) => Some(decisive.split_at(at)),
            None => decisive.split_once(", "),
        };
        // A yes or a no before the comma does not say to what.
        let says_something =
            |(what, _): &(&str, &str)| !subjects(what).is_empty() && !only_reacts(what);
        let (what, reason) = split.filter(says_something).unwrap_or((decisive, ""));
        let what = what.trim_end_matches(['.', ',', ' ']);
        let offer = self.offer();
        // Whoever agrees and says no more than that agrees to a plan, which its first step tells.
        let is_bare = subjects(what).len() < FEW_SUBJECTS;
        let recommended =
            recommendation(&offer.text).or_else(|| first_step(&offer.text).filter(|_| is_bare));
        let reading = self.turn.reading();
        let what = match (&recommended, self.request) {
            (_, Some(request)) if reading.gives_up() => {
                format!("{what} (“{}”)", one_line(&request.text, WHAT_LENGTH / 2))
            }
            (Some(proposed), _) if reading.consents() && !reading.refuses() => {
                let room = WHAT_LENGTH.saturating_sub(what.chars().count()).max(WHAT_LENGTH / 2);
                let proposed = one_line(&proposed.replace("**", ""), room);
                format!("{what} ({})", proposed.trim_end_matches('.'))
            }
            _ => what.to_owned(),
        };
        let rest = parts.iter().copied().filter(|part| *part != decisive);
        let mut why = Reasons::default();
        [reason].into_iter().chain(rest).chain(self.answered()).for_each(|part| why.add(part));
        let is_new = |part: &&str| Some(*part) != recommended || !what.ends_with(')');
        self.offered(offer, recommended).into_iter().filter(is_new).for_each(|part| why.add(part));
        let mut alternatives = rejected(&self.turn.text.to_lowercase());
        if reading.refuses() {
            let offered = recommended.or_else(|| sentences(&offer.text).last().copied());
            alternatives.extend(offered.map(|offered| one_line(offered, WHAT_LENGTH)));
        }
        Some(decided(&what, &why.text, alternatives, self.entries(offer)))
    }

    /// Returns what the reply is about: often not what the model said last, after the work, but what it had proposed before.
    fn offer(&self) -> &'a Turn {
        let said = subjects(&self.turn.text);
        let likeness = |offer: &Turn| subjects(&offer.text).intersection(&said).count();
        let mut best = (self.proposal, likeness(self.proposal));
        for offer in self.offers.iter().rev() {
            let likeness = likeness(offer);
            if likeness > best.1 {
                best = (*offer, likeness);
            }
        }
        if best.1 > 0 || !self.turn.reading().consents() {
            return best.0;
        }
        // A bare yes is said to what was recommended.
        let mut latest = self.offers.iter().rev();
        latest.find(|offer| recommendation(&offer.text).is_some()).copied().unwrap_or(best.0)
    }

    /// Returns what the model says to it first.
    fn answered(&self) -> Option<&str> {
        self.answer.and_then(|turn| sentences(&turn.text).first().copied())
    }

    /// Returns the sentences of the proposal that the reply is about, the most telling first: the one that speaks of the
    /// same things or says what the proposal comes to, and those beside it, which mostly say why.
    fn offered(&self, offer: &'a Turn, recommended: Option<&str>) -> Vec<&'a str> {
        let offered = sentences(&offer.text);
        let said = subjects(&self.turn.text);
        let consents = self.turn.reading().consents();
        let likeness = |part: &&str| {
            let is_recommended = consents && recommended == Some(*part);
            subjects(part).intersection(&said).count() + usize::from(is_recommended)
        };
        let mut best = (offered.len().saturating_sub(1), 0);
        for (at, likeness) in offered.iter().map(likeness).enumerate() {
            if likeness > best.1 {
                best = (at, likeness);
            }
        }
        let best = best.0;
        // Whoever consents does so for what the proposal opens with: what was found.
        let opening = (consents && best > 1).then_some(0);
        let beside = [Some(best), opening, best.checked_add(1), best.checked_sub(1)];
        beside.into_iter().flatten().filter_map(|at| offered.get(at).copied()).collect()
    }

    fn entries(&self, offer: &Turn) -> Vec<String> {
        let turns = [Some(self.turn), Some(offer), self.answer];
        turns.into_iter().flatten().map(|turn| turn.entry.clone()).collect()
    }
}

/// Sentences in a row, as many as there is room for.
#[derive(Default)]
struct Reasons {
    text: String,
}

impl Reasons {
    fn add(&mut self, part: &str) {
        let part = part.trim();
        let has_room = self.text.chars().count() + part.chars().count() < WHY_LENGTH;
        if part.is_empty() || !(has_room || self.text.is_empty()) {
            return;
        }
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(part);
    }
}

/// Returns the line in which a proposal tells an option, by its letter or number. Questions may have numbers, too, and their
/// answers then begin with them.
fn option_named<'a>(proposal: &'a str, name: &str) -> Option<&'a str> {
    let is_named = |line: &&str| {
        let line = line.trim_start_matches(['-', '*', '(', ' ']).to_lowercase();
        let line = line.strip_prefix("option ").unwrap_or(&line);
        let is_called =
            line.strip_prefix(name).is_some_and(|rest| rest.starts_with([')', '.', ':', '*']));
        is_called && !line.ends_with(['?', '？'])
    };
    let lines = || proposal.lines().map(str::trim);
    lines().find(is_named).or_else(|| sentences(proposal).into_iter().find(is_named))
}

/// Returns the sentence in which a proposal says what it comes to.
fn recommendation(proposal: &str) -> Option<&str> {
    sentences(proposal).into_iter().find(|part| recommends(part))
}

/// Returns the first step of what is proposed.
fn first_step(proposal: &str) -> Option<&str> {
    let is_first = |part: &&str| part.starts_with("1.") || part.starts_with("1)");
    sentences(proposal).into_iter().find(is_first).filter(|part| !part.ends_with(['?', '？']))
}

fn recommends(text: &str) -> bool {
    static SIGNS: Signs = Signs::new(
        "i recommend|i'd |i would|i suggest|i propose|recommend|ich schlage|ich würde|je propose|propongo|\
        recomiendo|proponho|sugiro|提案|建议",
    );
    static ADVISES_AGAINST: Signs =
        Signs::new("i would not|i wouldn't|i'd not|ich würde nicht|je ne recommande pas");
    let lower = text.to_lowercase();
    SIGNS.are_in(&lower) && !ADVISES_AGAINST.are_in(&lower)
}
