//! What was decided, why, and what else could have been done.
//!
//! Decisions are taken from three places: the section of a summary that lists them; what the user says to a proposal, or
//! wants instead of what is there; and what a model chooses over something else, with a reason, unless the user objects.

use super::speech::{Act, Signs, chooses, chooses_way, lays_down, reason_in, sentences};
use super::talk::{Speaker, Talk, Turn};
use super::text::{one_line, words};
use crate::node::Decision;

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

/// Signs that a model leaves a choice to the user.
static PROPOSALS: Signs = Signs::new(
    "option|two ways|ways:|zwei wege|deux solutions|dos opciones|duas opções|二つ|两种|plan:|plan is|i recommend|i'd |i would|i suggest|i propose|my outline|either|alternativ|\
    shall i|should i|do you want|(a)|a)|1.|ich schlage vor|vorschlag|ich würde|soll ich|möglichkeiten|\
    je propose|je recommande|on peut|dois-je|propongo|recomiendo|algunas ideas|podemos|proponho|sugiro|\
    recomendo|entonces|提案|案|しましょうか|建议|方案|可以|costs|usd|instead of|rather than|not possible|cannot|can't|\
    won't",
);

/// Signs that the user chooses.
static CHOICES: Signs = Signs::new(
    "go with|go to|use |let's|lets |take |stay on|stay with|keep |stick|switch to|move to|instead|rather|\
    after all|not worth|revert|drop|then|is a must|must |only |no extra|without|i take|we take|prefer|accept|redirect|ship |\
    for now|skip|leave it|closed|no |nimm|nehmen wir|lieber|statt|bleib|nur |dort |ohne |sonst |bitte|dann |on prend|plutôt|\
    au lieu|on garde|par lots|c'est |sans |donc|mejor|en vez|nos quedamos|usa |usamos|sin |cada |me gusta|redirección|quita|\
    entonces|melhor|em vez|fica|sem |só |pula|então|で送って|にして|ではなく|やめ|使って|用 |改用|就用|选|不用|先",
);

/// Signs that need no proposal.
static SETTLED: Signs = Signs::new(
    "take that|take the|go with|use that|go for|leave it fixed|stay on|stay with|stick with|par lots|\
    nehmen wir|bleibt zu|bleiben bei|on garde|nos quedamos|ficamos com|にします|就用",
);

/// Words that say nothing about what is wanted.
static BARE: Signs = Signs::new(
    "no |nope|stop |wait|not |what |i |want |that|thats|it |is |a |please|nein|stopp|non |nicht|das |bitte|não|para ",
);

/// A reply of the user's, with what stands around it.
struct Reply<'a> {
    turn: &'a Turn,
    /// What the model had said.
    proposal: &'a Turn,
    /// What the user had wanted before.
    request: Option<&'a Turn>,
    /// What the model said to it.
    answer: Option<&'a Turn>,
}

/// Reads the decisions in what the user replies.
fn chosen(talk: &Talk) -> Vec<Decided> {
    let turns = talk.turns();
    let mut found = Vec::new();
    for (at, turn) in turns.iter().enumerate().filter(|(_, turn)| turn.speaker == Speaker::User) {
        let said = |turn: &&Turn| turn.speaker == Speaker::Model && !turn.text.is_empty();
        let Some(proposal) = turns[..at].iter().rev().find(said) else {
            // Who comes back to an earlier place may begin with what to do instead.
            found.extend(preferred(turn));
            continue;
        };
        let request = turns[..at].iter().rev().find(|turn| turn.speaker == Speaker::User);
        let until_next = turns[at + 1..].iter().take_while(|next| next.speaker != Speaker::User);
        let answer = until_next.take(LOOKED_AHEAD).find(said);
        found.extend(Reply { turn, proposal, request, answer }.decision());
    }
    found
}

/// So many turns after a reply are looked at for words about it.
const LOOKED_AHEAD: usize = 2;
/// The name of an option is one of the first few words.
const OPTION_WORDS: usize = 4;
/// A reply that is so much more like something else chooses nothing.
const FAR_FROM: f32 = -2.0;

impl Reply<'_> {
    /// Reads which of the options that the model had listed the user takes.
    fn option(&self) -> Option<Decided> {
        let first = sentences(&self.turn.text).into_iter().next()?.to_lowercase();
        if self.turn.reading().act == Act::Question || first.ends_with('?') {
            return None;
        }
        let (name, option) = words(&first).take(OPTION_WORDS).find_map(|word| {
            let is_name = word.chars().count() == 1 && word != "i";
            let option = is_name.then(|| option_named(&self.proposal.text, &word)).flatten();
            option.map(|option| (word, option))
        })?;
        let what = one_line(&option.replace("**", ""), WHAT_LENGTH);
        let what = what.trim_start_matches(['-', '*', '(', ' ']);
        let is_mark = |character: char| " ).:*".contains(character);
        let what = what.get(name.len()..).map_or(what, |rest| rest.trim_start_matches(is_mark));
        let answer = self.answer.and_then(|turn| sentences(&turn.text).first().copied());
        let why = [&*self.turn.text, answer.unwrap_or_default()].join(" ");
        Some(decided(what, &why, rejected(&first), self.entries()))
    }

    fn entries(&self) -> Vec<String> {
        let turns = [Some(self.turn), Some(self.proposal), self.answer];
        turns.into_iter().flatten().map(|turn| turn.entry.clone()).collect()
    }

    fn decision(&self) -> Option<Decided> {
        const LONGEST: usize = 600;
        const SHORT: usize = 40;
        let text = &*self.turn.text;
        let said = text.to_lowercase();
        if let Some(option) = self.option() {
            return Some(option);
        }
        let is_question = said.trim_end().ends_with(['?', '？']);
        if text.chars().count() > LONGEST || is_question || !self.decides(&said) {
            return None;
        }
        let parts = sentences(text);
        // Of equals the first one is taken.
        let decisive = parts
            .iter()
            .copied()
            .reduce(|best, next| if chooses_way(next) > chooses_way(best) { next } else { best })?;
        let lower = decisive.to_lowercase();
        let (what, reason) = match reason_in(&lower).filter(|_| lower.len() == decisive.len()) {
            Some(at) => decisive.split_at(at),
            None => decisive.split_once(", ").unwrap_or((decisive, "")),
        };
        let rest = parts.iter().copied().filter(|part| *part != decisive);
        let offered = sentences(&self.proposal.text);
        let mut why: Vec<&str> =
            [reason].into_iter().chain(rest).filter(|part| !part.is_empty()).collect();
        why.extend(self.answer.and_then(|turn| sentences(&turn.text).first().copied()));
        if why.is_empty() || self.turn.reading().gives_up() || said.chars().count() < SHORT {
            why.extend(offered.last().copied());
        }
        let recommended = recommendation(&self.proposal.text);
        // What a proposal says right after what it comes to is mostly why.
        let says = |part: &&str| {
            recommended
                .as_ref()
                .is_some_and(|it| one_line(&part.replace("**", ""), WHAT_LENGTH / 2) == *it)
        };
        why.extend(
            offered
                .iter()
                .skip_while(|part| !says(part))
                .nth(1)
                .filter(|_| self.turn.reading().consents()),
        );
        let what = what.trim_end_matches(['.', ',', ' ']);
        let what = match (&recommended, self.request) {
            (_, Some(request)) if self.turn.reading().gives_up() => {
                format!("{what} (“{}”)", one_line(&request.text, WHAT_LENGTH / 2))
            }
            (Some(proposed), _)
                if self.turn.reading().consents() && !self.turn.reading().refuses() =>
            {
                format!("{what} ({})", proposed.trim_end_matches('.'))
            }
            _ => what.to_owned(),
        };
        let mut alternatives = rejected(&said);
        if self.turn.reading().refuses() {
            let last = || offered.last().map(|last| one_line(last, WHAT_LENGTH));
            alternatives.extend(recommended.or_else(last));
        }
        Some(decided(&what, &why.join(" "), alternatives, self.entries()))
    }

    /// Returns whether the user decides something here, and does not just praise, ask or go on.
    fn decides(&self, said: &str) -> bool {
        const BRIEF: usize = 60;
        const SUBSTANCE: usize = 20;
        let reading = self.turn.reading();
        // A rule is no choice, and an objection alone is none either.
        let is_rule = lays_down(said) && !reading.consents() && !OVER.are_in(said);
        let is_other =
            reading.act != Act::Choice && reading.chooses_way < FAR_FROM && !reading.consents();
        let only_objects = said.starts_with("but ") || words(said).all(|word| BARE.are_in(&word));
        if is_rule || is_other || only_objects {
            return false;
        }
        let offered = self.proposal.text.to_lowercase();
        let asks = offered.trim_end().ends_with(['?', '？']);
        // A model that goes on working has left no choice to anybody.
        let yields = asks || !self.proposal.works;
        let is_offer = yields && (PROPOSALS.are_in(&offered) || asks);
        let is_choice = CHOICES.are_in(said);
        let is_plan = PLANS.are_in(&offered);
        let first = said.split([',', ' ', '.', '，']).next().unwrap_or_default();
        let names_offer = is_offer
            && said.chars().count() < BRIEF
            && first.chars().count() >= 3
            && offered.contains(&format!("`{first}"));
        (is_offer && reading.consents() && is_plan)
            || SETTLED.are_in(said)
            || (is_offer && is_choice)
            || (reading.refuses() && is_choice && said.chars().count() > SUBSTANCE)
            || (yields && is_choice && reason_in(said).is_some())
            || names_offer
            || (reading.gives_up() && is_choice)
    }
}

/// Returns the line in which a proposal tells an option, by its letter or number.
fn option_named<'a>(proposal: &'a str, name: &str) -> Option<&'a str> {
    let is_named = |line: &&str| {
        let line = line.trim_start_matches(['-', '*', '(', ' ']).to_lowercase();
        let line = line.strip_prefix("option ").unwrap_or(&line);
        line.strip_prefix(name).is_some_and(|rest| rest.starts_with([')', '.', ':', '*']))
    };
    let lines = || proposal.lines().map(str::trim);
    lines().find(is_named).or_else(|| sentences(proposal).into_iter().find(is_named))
}

/// Returns the sentence in which a proposal says what it comes to.
fn recommendation(proposal: &str) -> Option<String> {
    static SIGNS: Signs = Signs::new(
        "i recommend|i'd |i would|i suggest|i propose|recommend|ich schlage|ich würde|je propose|propongo|\
        recomiendo|proponho|sugiro|提案|建议",
    );
    let parts = sentences(proposal);
    let says = parts.iter().find(|part| SIGNS.are_in(&part.to_lowercase()));
    let item = || parts.iter().find(|part| part.starts_with("1.") || part.starts_with("1)"));
    says.or_else(item).map(|part| one_line(&part.replace("**", ""), WHAT_LENGTH / 2))
}

/// Signs of a choice in what a model says.
static OVER: Signs = Signs::new(
    "rather than|instead of|i prefer|over a |in favour of|in favor of|statt |anstatt|anstelle|lieber|\
    plutôt que|au lieu de|en vez de|en lugar de|em vez de|ao invés de|ではなく|よりも|而不是|而不用",
);

/// Whoever says what was found instead tells of the past, and decides nothing.
static TELLS: Signs = Signs::new("was |were |ms instead|now instead|got |returns|takes");

/// Fewer words do not say what was chosen.
const FEWEST_WORDS: usize = 3;

/// Reads a decision from a sentence in which somebody chooses one thing over another and says why.
fn preferred(turn: &Turn) -> Option<Decided> {
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

static PLANS: Signs = Signs::new("plan:|plan is|my outline|计划");

static REFERS_BACK: Signs = Signs::new("i prefer that|i prefer this|das ist");
