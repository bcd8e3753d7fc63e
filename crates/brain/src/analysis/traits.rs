//! What a unit of work is like, as traits that examples have, too: who said which words where, what was run, how it ended.

use std::sync::LazyLock;

use super::examples::{ByHash, join, words};
use super::files::Files;
use super::kind::{Work, changed_kinds};
use super::language::ending;
use super::outcome::Ending;
use super::speech::sentences;
use super::talk::{Speaker, Talk};
use crate::boundary::Cause;
use crate::thesaurus;

/// Where a trait was seen: what a word means depends on who said it, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// What the user asked for first.
    Request,
    /// What the user said later.
    Later,
    /// All that the model said.
    Told,
    /// The user's last words, which nobody answered.
    LastWords,
    /// The user's last words, which the model answered.
    AnsweredWords,
    /// The model's last words.
    Conclusion,
    /// The first sentence of these.
    Opening,
    /// The last sentence of these.
    Close,
    /// Programs that were run.
    Programs,
    /// What was done, and how it stopped.
    Facts,
    /// What the user replies, in an exchange of a few turns.
    Reply,
    /// What the model had said before that.
    Proposal,
    /// The last sentence of it.
    Offer,
    /// The first sentence of what the model says next.
    Answer,
}

impl Part {
    /// All parts, in order.
    pub const ALL: [Self; 14] = [
        Self::Request,
        Self::Later,
        Self::Told,
        Self::LastWords,
        Self::AnsweredWords,
        Self::Conclusion,
        Self::Opening,
        Self::Close,
        Self::Programs,
        Self::Facts,
        Self::Reply,
        Self::Proposal,
        Self::Offer,
        Self::Answer,
    ];
}

/// Traits, each a number that stands for a word, a pair of words or a fact in its part.
#[derive(Clone, Debug, Default)]
pub struct Traits {
    parts: Vec<(Part, Vec<u64>)>,
}

/// So many words of a part are looked at.
const REQUEST: usize = 100;
const LATER: usize = 150;
const TOLD: usize = 200;
const LAST_WORDS: usize = 60;
const CONCLUSION: usize = 100;
const SENTENCE: usize = 40;
/// Shorter words of a model conclude nothing, in characters.
const SUBSTANCE: usize = 12;

/// What is known of a unit of work when all of it was heard.
pub(super) struct Scene<'a> {
    pub(super) work: &'a Work<'a>,
    pub(super) talk: &'a Talk,
    pub(super) ending: &'a Ending,
    /// Whether an error was left as it was.
    pub(super) left_error: bool,
    pub(super) ended_by: Option<Cause>,
}

impl Scene<'_> {
    pub(super) fn traits(&self) -> Traits {
        let mut traits = Traits::default();
        traits.note(Part::Request, &first(REQUEST, words(self.work.goal)));
        let replies: Vec<&str> =
            self.talk.by(Speaker::User).skip(1).map(|turn| &*turn.text).collect();
        traits.note(Part::Later, &last_of(LATER, &replies));
        let told: Vec<&str> = self.talk.by(Speaker::Model).map(|turn| &*turn.text).collect();
        traits.note(Part::Told, &last_of(TOLD, &told));
        if let Some(last) = replies.last() {
            traits.note_last_words(last, self.ending.is_unanswered());
        }
        let concludes = |text: &&&str| text.chars().count() >= SUBSTANCE;
        if let Some(conclusion) = told.iter().rev().find(concludes) {
            traits.note_conclusion(conclusion);
        }
        let programs = self.work.calls.programs().iter();
        traits.parts.push((Part::Programs, programs.map(|name| named(name)).collect()));
        traits.parts.push((Part::Facts, self.facts().iter().map(|fact| named(fact)).collect()));
        traits.finish()
    }

    fn facts(&self) -> Vec<String> {
        let Files { read, modified, created, .. } = self.work.files;
        let mut facts: Vec<String> = self.ending.facts().map(str::to_owned).collect();
        let mut note_if = |is_so: bool, fact: &str| facts.extend(is_so.then(|| fact.to_owned()));
        note_if(modified.is_empty(), "changed nothing");
        note_if(self.work.calls.in_order().is_empty(), "only talked");
        note_if(!created.is_empty(), "wrote a new file");
        note_if(self.work.had_errors, "had errors");
        note_if(self.left_error, "left an error");
        let turns = self.talk.by(Speaker::User).count();
        note_if(turns == 1, "asked once");
        note_if(turns == 2, "asked twice");
        note_if(turns >= 4, "asked often");
        let last = self.talk.by(Speaker::User).next_back();
        note_if(turns > 1 && last.is_some_and(|turn| turn.text.len() < 25), "last words are few");
        note_if(self.ended_by == Some(Cause::Resume), "then a pause");
        note_if(matches!(self.ended_by, Some(Cause::Branch | Cause::TreeJump)), "then elsewhere");
        note_if(self.ended_by == Some(Cause::Compaction), "then a summary");
        facts.extend(self.work.calls.in_order().iter().map(|tool| format!("used {tool}")));
        facts.extend(modified.keys().map(|path| format!("changed .{}", ending(path))));
        facts.extend(changed_kinds(&modified.keys()).into_iter().map(str::to_owned));
        facts.extend(read.keys().map(|path| format!("read .{}", ending(path))));
        facts
    }
}

impl Traits {
    /// Returns the traits of a request by itself.
    pub fn of_request(text: &str) -> Self {
        let mut traits = Self::default();
        traits.note(Part::Request, &first(REQUEST, words(text)));
        traits.finish()
    }

    /// Returns the traits of a model's last words by themselves.
    pub fn of_conclusion(text: &str) -> Self {
        let mut traits = Self::default();
        traits.note_conclusion(text);
        traits.finish()
    }

    /// Returns the traits of a user's last words by themselves.
    pub fn of_last_words(text: &str, are_unanswered: bool) -> Self {
        let mut traits = Self::default();
        traits.note_last_words(text, are_unanswered);
        traits.finish()
    }

    /// Returns the traits of a reply by itself.
    pub fn of_reply(text: &str) -> Self {
        let mut traits = Self::default();
        traits.note(Part::Reply, &first(LAST_WORDS, words(text)));
        traits.finish()
    }

    /// Returns the traits of a reply, with what stands around it and what is known of the exchange.
    pub(super) fn of_exchange(reply: &str, proposal: &str, answer: &str, facts: &[String]) -> Self {
        let mut traits = Self::default();
        traits.note(Part::Reply, &first(LAST_WORDS, words(reply)));
        traits.note(Part::Proposal, &last_of(CONCLUSION, &[proposal]));
        if let Some(offer) = sentences(proposal).last() {
            traits.note(Part::Offer, &first(SENTENCE, words(offer)));
        }
        if let Some(opening) = sentences(answer).first() {
            traits.note(Part::Answer, &first(SENTENCE, words(opening)));
        }
        traits.parts.push((Part::Facts, facts.iter().map(|fact| named(fact)).collect()));
        traits.finish()
    }

    /// Returns the traits of each part, each once, in order.
    pub fn parts(&self) -> impl Iterator<Item = (Part, &[u64])> {
        self.parts.iter().map(|(part, traits)| (*part, &**traits))
    }

    fn note_last_words(&mut self, text: &str, are_unanswered: bool) {
        let part = if are_unanswered { Part::LastWords } else { Part::AnsweredWords };
        self.note(part, &first(LAST_WORDS, words(text)));
    }

    fn note_conclusion(&mut self, text: &str) {
        self.note(Part::Conclusion, &last_of(CONCLUSION, &[text]));
        let parts = sentences(text);
        for (part, sentence) in [(Part::Opening, parts.first()), (Part::Close, parts.last())] {
            if let Some(sentence) = sentence {
                self.note(part, &first(SENTENCE, words(sentence)));
            }
        }
    }

    /// Takes in the words of a part, each two that stand side by side, and what the words mean.
    fn note(&mut self, part: Part, words: &[u64]) {
        let pairs = words.windows(2).map(|pair| join(pair[0], pair[1]));
        let meant = words.iter().flat_map(|word| meanings(*word)).copied();
        self.parts.push((part, words.iter().copied().chain(pairs).chain(meant).collect()));
    }

    fn finish(mut self) -> Self {
        for (part, traits) in &mut self.parts {
            for known in traits.iter_mut() {
                *known = join(*known, *part as u64);
            }
            traits.sort_unstable();
            traits.dedup();
        }
        self.parts.retain(|(_, traits)| !traits.is_empty());
        self
    }
}

/// Returns what stands for the meanings of a word: others with the same meaning have it, too.
fn meanings(word: u64) -> &'static [u64] {
    static MEANINGS: LazyLock<ByHash<Vec<u64>>> = LazyLock::new(|| {
        let mut meanings: ByHash<Vec<u64>> = ByHash::default();
        for (group, number) in thesaurus::groups().zip(0..) {
            for word in group {
                // Of a script without spaces there may be several, each of which means less than the word.
                if let [word] = words(word)[..] {
                    meanings.entry(word).or_default().push(join(MEANING, number));
                }
            }
        }
        meanings
    });
    MEANINGS.get(&word).map_or(&[], Vec::as_slice)
}

/// Stands before the number of a meaning.
const MEANING: u64 = 0x3a;

fn named(name: &str) -> u64 {
    name.bytes().fold(0, |hash, byte| join(hash, u64::from(byte)))
}

fn first(most: usize, mut words: Vec<u64>) -> Vec<u64> {
    words.truncate(most);
    words
}

/// Returns the last words of some texts.
fn last_of(most: usize, texts: &[&str]) -> Vec<u64> {
    let mut found: Vec<Vec<u64>> = Vec::new();
    let mut count = 0;
    for text in texts.iter().rev() {
        if count >= most {
            break;
        }
        let mut words = words(text);
        words.drain(..words.len().saturating_sub(most - count));
        count += words.len();
        found.push(words);
    }
    found.reverse();
    found.concat()
}

#[cfg(test)]
mod tests {
    use super::{Part, Traits};

    #[test]
    fn a_word_is_another_trait_in_another_part() {
        let [asked, said] = [Traits::of_request("ab cd"), Traits::of_last_words("ab cd", true)];
        let only = |traits: &Traits| traits.parts().next().map(|(part, all)| (part, all.to_vec()));
        let (Some((Part::Request, asked)), Some((Part::LastWords, said))) =
            (only(&asked), only(&said))
        else {
            panic!("other parts than expected");
        };
        assert_eq!((asked.len(), said.len()), (3, 3), "two words and a pair");
        assert!(asked.iter().all(|known| !said.contains(known)));
    }

    #[test]
    fn words_that_mean_the_same_share_a_trait() {
        let [one, other] =
            ["notebook", "laptop"].map(|word| Traits::of_request(word).parts[0].1.clone());
        assert!(one != other && one.iter().any(|known| other.contains(known)), "{one:?} {other:?}");
    }

    #[test]
    fn the_end_of_long_words_counts() {
        let long = format!("{}all is done", "word ".repeat(500));
        let of = |text: &str| Traits::of_conclusion(text).parts.clone();
        let [(Part::Conclusion, last), ..] = &of(&long)[..] else { panic!("no conclusion") };
        let [(Part::Conclusion, short), ..] = &of("all is done")[..] else { panic!("none") };
        assert!(short.iter().all(|known| last.contains(known)));
    }

    #[test]
    fn nothing_has_no_traits() {
        assert_eq!(Traits::of_request("").parts().count(), 0);
    }
}
