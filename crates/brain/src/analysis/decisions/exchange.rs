//! Whether a reply of the user's settles something, by the reply and by what stands around it.
//!
//! What people decide is often half a sentence, and its words alone tell little: *the second one* settles something, if two
//! were offered. So a reply is judged together with what the model had said and with what it says next, by exchanges that
//! people have read.

use std::collections::BTreeSet;

use super::super::judgement::Judgement;
use super::super::speech::{Signs, always_in, chooses_way, negates, reason_in, sentences};
use super::super::traits::Traits;
use crate::vocabulary::{is_light, is_stop_word, pieces, plain};

/// What somebody said, and whether tools were called with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Said<'a> {
    pub(super) text: &'a str,
    pub(super) works: bool,
}

/// A reply of the user's between what the model said before and after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange<'a> {
    pub(super) proposal: Said<'a>,
    pub(super) reply: &'a str,
    pub(super) answer: Option<Said<'a>>,
}

/// Signs that a model leaves a choice to the user.
static PROPOSALS: Signs = Signs::new(
    "option|two ways|ways:|ways out|zwei wege|deux solutions|dos opciones|duas opções|二つ|两种|plan:|plan is|recommend|i'd |i would|suggest|propos|my outline|\
    or |either|alternativ|could|shall i|should i|do you want|(a)|a)|1.|ich schlage vor|vorschlag|ich würde|soll ich|möglich|oder |\
    je recommande|on peut|dois-je|soit |ou |propongo|recomiendo|algunas ideas|podemos|¿|proponho|sugiro|dá para|recomendo|entonces|\
    oppure|possiamo|kunnen|albo|提案|案|しましょうか|または|方法|建议|方案|可以|或者",
);

/// Signs that the user chooses.
static CHOICES: Signs = Signs::new(
    "go with|go to|use |let's|lets |take |stay |keep |stick|switch to|move to|instead|rather|after all|not worth|revert|drop|then|\
    it is|is a must|must |only |without|i take|we take|prefer|accept|ship |for now|skip|leave it|no |enough|nimm|nehmen|lieber|\
    statt|bleib|nur |ohne |reicht|dann |on prend|plutôt|au lieu|on garde|sans |donc|alors|mejor|en vez|nos quedamos|usa |sin |basta|\
    entonces|melhor|em vez|fica|vamos de|sem |só |então|niente|にして|でお願い|ではなく|やめ|使って|用|吧|就|不要|先",
);

/// Signs that somebody has not made up their mind.
static DOUBTS: Signs = Signs::new(
    "probably|maybe|perhaps|might|not sure|hm |hmm|let me think|think about it|sleep on it|some day|wonder|tempting|funny|\
    sounds interesting|will ask|bring it up|vielleicht|mal sehen|weiß nicht|überlege|peut-être|je ne sais|quizá|tal vez|no sé|talvez|\
    não sei|forse|misschien|かも|考えて|多分|也许|可能|考虑",
);

/// Signs of a choice between two things.
pub(super) static OVER: Signs = Signs::new(
    "rather than|instead of|i prefer|decided against|over a |in favour of|in favor of|statt |anstatt|anstelle|lieber|\
    plutôt que|au lieu de|en vez de|en lugar de|em vez de|ao invés de|ではなく|よりも|而不是|而不用",
);

static JUDGEMENT: Judgement<1> = Judgement::new(include_bytes!("../judgement/exchanges.bin"));

impl Exchange<'_> {
    /// Returns how clearly the reply settles something; below zero if it does something else.
    pub(super) fn settles(&self) -> f32 {
        let [settles] = JUDGEMENT.weigh(&self.traits());
        settles
    }

    /// Returns what examples of exchanges have, too.
    pub(super) fn traits(&self) -> Traits {
        let answer = self.answer.map_or("", |answer| answer.text);
        Traits::of_exchange(self.reply, self.proposal.text, answer, &self.facts())
    }

    fn facts(&self) -> Vec<String> {
        let reply = self.reply.to_lowercase();
        let offered = self.proposal.text.to_lowercase();
        let parts = sentences(self.reply);
        let clearest = parts.iter().map(|part| chooses_way(part)).fold(f32::MIN, f32::max);
        let has_clauses =
            parts.len() > 1 || [", ", "，", "、", ": "].iter().any(|sign| reply.contains(sign));
        let said = subjects(self.reply);
        let facts = [
            (has_clauses, "clauses"),
            (reason_in(&reply).is_some(), "a reason"),
            (reply.contains(['?', '？']), "a question"),
            (negates(&reply), "a no"),
            (CHOICES.are_in(&reply), "a choice"),
            (OVER.are_in(&reply), "one over another"),
            (always_in(&reply), "a rule"),
            (DOUBTS.are_in(&reply), "doubts"),
            (offered.trim_end().ends_with(['?', '？']), "was asked"),
            (PROPOSALS.are_in(&offered), "something proposed"),
            (self.proposal.works, "work before"),
            (self.answer.is_some_and(|answer| answer.works), "work after"),
            (self.answer.is_none(), "no answer"),
        ];
        let mut facts: Vec<String> = facts
            .into_iter()
            .filter(|(is_so, _)| *is_so)
            .map(|(_, fact)| fact.to_owned())
            .collect();
        facts.push(format!("chooses {:.0}", clearest.clamp(-4.0, 4.0)));
        facts.push(format!("shares {} with before", shared(&said, self.proposal.text)));
        let after = self.answer.map_or(0, |answer| shared(&said, answer.text));
        facts.push(format!("shares {after} with after"));
        facts
    }
}

/// Reads a line of the examples: whether something is settled, and the traits.
pub fn read(line: &str) -> Option<(bool, Traits)> {
    let said = |text| match str::strip_prefix(text, '*') {
        Some(text) => Said { text, works: true },
        None => Said { text, works: false },
    };
    let mut parts = line.split('\t');
    let settles = parts.next()? == "yes";
    let proposal = said(parts.next()?);
    let reply = parts.next()?;
    let answer = parts.next().filter(|answer| !answer.is_empty()).map(said);
    Some((settles, Exchange { proposal, reply, answer }.traits()))
}

/// Returns how much a text speaks of what was said.
fn shared(said: &BTreeSet<String>, text: &str) -> u8 {
    const MOST: u8 = 3;
    let mut count = 0;
    let mut left = said.clone();
    for word in words_that_name(text) {
        if left.is_empty() || count == MOST {
            break;
        }
        count += u8::from(left.remove(&word));
    }
    count
}

/// Returns the words of a text that name something.
pub(super) fn subjects(text: &str) -> BTreeSet<String> {
    words_that_name(text).collect()
}

/// Yields the words of a text that name something; pairs of characters where a script has no spaces.
fn words_that_name(text: &str) -> impl Iterator<Item = String> {
    const SHORTEST: usize = 4;
    pieces(text).flat_map(|(piece, unspaced)| {
        let letters: Vec<char> = if unspaced { piece.chars().collect() } else { Vec::new() };
        let pairs: Vec<String> = letters.windows(2).map(|pair| pair.iter().collect()).collect();
        let has_digit = piece.contains(|letter: char| letter.is_ascii_digit());
        let names = !unspaced && (has_digit || piece.chars().count() >= SHORTEST);
        let word = names.then(|| plain(piece));
        let word = word.filter(|word| !is_stop_word(word) && !is_light(word));
        pairs.into_iter().chain(word)
    })
}

#[cfg(test)]
mod tests {
    use super::{Exchange, Said};

    #[test]
    fn the_same_words_settle_something_or_not_by_what_stands_around_them() {
        let said = |text| Said { text, works: false };
        let settles = |proposal, reply, answer| {
            Exchange { proposal: said(proposal), reply, answer: Some(said(answer)) }.settles() > 0.0
        };
        let offer = "We can keep the sessions in Redis, or in signed cookies.";
        assert!(settles(offer, "cookies, the box has 256 MB", "Signed cookies then."));
        assert!(!settles(
            offer,
            "what happens to cookies when the key changes?",
            "They become invalid."
        ));
        assert!(!settles("All tests pass.", "great, thank you", "You're welcome."));
    }
}
