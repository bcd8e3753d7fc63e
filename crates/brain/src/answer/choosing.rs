//! Chooses the sentences that answer a question.

use std::collections::{HashMap, HashSet};

use pi_brain_session::Millis;

use super::manner::manner;
use super::question::{Bearing, Question, QuestionWord};
use super::sentences::sentences;
use super::words::{each_word, likeness};
use super::{Commonness, Passage, Voice};
use crate::node::Confidence;

/// The answer to a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// The sentences, in the order in which they are to be read.
    pub quotes: Vec<Quote>,
    /// How sure it is that they answer the question.
    pub confidence: Confidence,
}

/// A sentence of a passage.
#[derive(Clone, Debug, PartialEq)]
pub struct Quote {
    /// The passage, by its position among those that were given.
    pub passage: usize,
    /// The sentence, on one line.
    pub text: String,
    /// How well it fits, from 0 to 1.
    pub relevance: f64,
    /// Whether it still holds.
    pub standing: Standing,
}

/// Whether what was said still holds, as far as one can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing says otherwise.
    Stands,
    /// A later decision in the same project is about the same.
    Superseded,
    /// It lies on a branch that was given up.
    Abandoned,
}

/// What a word counts where it stands not in the sentence itself but near it.
const IN_PASSAGE: f64 = 0.8;
const ANSWERED: f64 = 0.8;
const BEFORE: f64 = 0.7;
const AFTER: f64 = 0.5;
const IN_WORK: f64 = 0.55;
const IN_SESSION: f64 = 0.45;
const IN_PROJECT: f64 = 0.75;
/// What a word counts that almost any question may have, and one that says little about the subject.
const LIGHT: f64 = 0.15;
const GENERAL: f64 = 0.3;
const NEVER_SAID: f64 = 0.75;
/// How far apart in a session two passages can be to be near each other.
const NEAR: u32 = 4;
/// How much better a sentence fits where most was found, and where its unit of work ends: what came of it is said late.
const EVIDENCE: f64 = 0.3;
const LATE: f64 = 0.15;
/// How well a word fits that is known here, and one that is missing.
const KNOWN: f64 = 0.7;
const MISSING: f64 = 0.4;
/// What each known word adds to the share of a question that is covered, and a missing name takes; how many are counted.
const KNOWN_WORD: f64 = 0.12;
const MISSING_NAME: f64 = 0.59;
const MOST_KNOWN: u8 = 4;
const MOST_MISSING: u8 = 2;
/// What speaks for an answer: how well the subject is known, how well the best sentence fits, and each word of the question,
/// since of a long one less can be expected to be there, and who says much about a matter knows that there was one. What the
/// project is called by speaks against it: that is there whatever was said. These are the weights of a regression over
/// questions with and without answers.
const BY_SUBJECT: f64 = 1.1;
const BY_SENTENCE: f64 = 4.2;
const BY_WORD: f64 = 0.25;
const BY_PROJECT: f64 = -4.5;
/// How much that must come to for an answer; and how much of a question one passage must have to answer it in any case.
const ENOUGH: f64 = 3.9;
const WHOLE: f64 = 0.99;
/// How much of a question must be covered for one to be sure of the answer.
const MEDIUM: f64 = 0.72;
const HIGH: f64 = 0.86;
/// What a sentence must reach of the best one.
const WORTH_SAYING: f64 = 0.5;
/// How many sentences of one passage are looked at.
const MOST_SENTENCES: usize = 160;

/// Chooses at most `most` sentences that answer a question; `None` if nothing fits.
pub fn choose(
    question: &Question,
    passages: &[Passage],
    commonness: &Commonness,
    most: usize,
) -> Option<Chosen> {
    let weights = weights(question, commonness);
    let whole: f64 = weights.iter().sum();
    if whole <= 0.0 || most == 0 {
        return None;
    }
    let read: Vec<Read<'_>> = passages.iter().map(|passage| Read::new(question, passage)).collect();
    let contexts = Contexts::new(&read, passages);
    let mut candidates = Vec::new();
    let mut knowledge = Knowledge::default();
    for (at, (reading, passage)) in read.iter().zip(passages).enumerate() {
        let context = contexts.of(at, &read, passages);
        let is_opening = contexts.is_opening(passage);
        let place = (1.0 + EVIDENCE * passage.evidence) * (1.0 + LATE * contexts.lateness(passage));
        let in_project = weighed_share(&reading.project, &weights, whole);
        knowledge.in_project = knowledge.in_project.max(in_project);
        let in_passage = weighed_share(&reading.fits, &weights, whole);
        knowledge.in_passage = knowledge.in_passage.max(in_passage);
        for sentence in &reading.sentences {
            let near = sentence.fits.iter().zip(&reading.fits).zip(&context);
            let fits: Vec<f64> = near
                .map(|((here, passage), context)| here.max(passage * IN_PASSAGE).max(*context))
                .collect();
            let covered = weighed_share(&fits, &weights, whole);
            knowledge.of_subject =
                knowledge.of_subject.max(covered + acquaintance(question, &fits, commonness));
            let around = weighed_share(&context, &weights, whole);
            let relevance = covered
                * manner(question, passage, sentence, is_opening)
                * f64::midpoint(1.0, around)
                * place;
            knowledge.in_sentence = knowledge.in_sentence.max(relevance);
            candidates.push(Candidate { passage: at, sentence, covered, relevance });
        }
    }
    if !knowledge.is_enough(question) {
        return None;
    }
    let covered = candidates.iter().map(|candidate| candidate.covered).fold(0.0, f64::max);
    let picked = pick(candidates, passages, most);
    let standings = standings(&picked, passages);
    let mut quotes: Vec<Quote> = picked
        .iter()
        .zip(standings)
        .map(|(candidate, standing)| Quote {
            passage: candidate.passage,
            text: candidate.sentence.text.split_whitespace().collect::<Vec<_>>().join(" "),
            relevance: candidate.relevance.clamp(0.0, 1.0),
            standing,
        })
        .collect();
    if question.is_about_time {
        quotes.sort_by_key(|quote| passages[quote.passage].time);
    } else {
        quotes.sort_by_key(|quote| quote.standing == Standing::Superseded);
    }
    let confidence = match covered {
        covered if covered >= HIGH => Confidence::High,
        covered if covered >= MEDIUM => Confidence::Medium,
        _ => Confidence::Low,
    };
    Some(Chosen { quotes, confidence })
}

fn weighed_share(fits: &[f64], weights: &[f64], whole: f64) -> f64 {
    fits.iter().zip(weights).map(|(fit, weight)| fit * weight).sum::<f64>() / whole
}

/// How much is known of what a question asks.
#[derive(Default)]
struct Knowledge {
    /// How much of the subject one place has.
    of_subject: f64,
    /// How well the best sentence fits.
    in_sentence: f64,
    /// How much of the question one passage has.
    in_passage: f64,
    /// How much of the question the name of a project has.
    in_project: f64,
}

impl Knowledge {
    fn is_enough(&self, question: &Question) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "a question has some dozen words")]
        let words = question.words.len() as f64;
        let sum = self.of_subject * BY_SUBJECT
            + self.in_sentence * BY_SENTENCE
            + words * BY_WORD
            + self.in_project * BY_PROJECT;
        sum >= ENOUGH || self.in_passage >= WHOLE
    }
}

/// Returns how much better or worse known the subject of a question is than the share of its words tells: several of its
/// words in one place are no accident, while what it calls by a name has to be there.
fn acquaintance(question: &Question, fits: &[f64], commonness: &Commonness) -> f64 {
    let (mut known, mut missing) = (0_u8, 0_u8);
    for (at, (word, fit)) in question.words.iter().zip(fits).enumerate() {
        let is_unheard = commonness.with_word.get(at).is_none_or(|with| *with == 0);
        let names = word.is_name || (word.is_capital && is_unheard);
        if word.bearing != Bearing::Subject {
            continue;
        }
        known += u8::from(*fit >= KNOWN && known < MOST_KNOWN);
        missing += u8::from(*fit < MISSING && names && missing < MOST_MISSING);
    }
    f64::from(known) * KNOWN_WORD - f64::from(missing) * MISSING_NAME
}

/// Returns what each word of a question counts: the rarer, the more.
#[expect(clippy::cast_precision_loss, reason = "a document more or less does not matter")]
fn weights(question: &Question, commonness: &Commonness) -> Vec<f64> {
    let all = (commonness.documents.max(1) as f64 + 1.0).ln();
    let weight = |(at, word): (usize, &QuestionWord)| {
        let with = commonness.with_word.get(at).copied().unwrap_or(0) as f64;
        let rarity = (1.0 + commonness.documents as f64 / (with + 1.0)).ln() / all;
        // What nobody has ever said may be another word for what was said, unless it is a name.
        let most = if with > 0.0 || word.is_name { 1.0 } else { NEVER_SAID };
        let rarity = rarity.clamp(0.1, most);
        match word.bearing {
            Bearing::Light => rarity * LIGHT,
            Bearing::General => rarity * GENERAL,
            Bearing::Subject => rarity,
        }
    };
    question.words.iter().enumerate().map(weight).collect()
}

/// A passage, read with a question in mind.
struct Read<'a> {
    sentences: Vec<Sentence<'a>>,
    /// How well each word of the question fits the best word of the passage.
    fits: Vec<f64>,
    /// The same for the project's folder and for what the work is about.
    project: Vec<f64>,
    about: Vec<f64>,
}

/// A sentence, read with a question in mind.
pub(super) struct Sentence<'a> {
    pub(super) text: &'a str,
    /// How well each word of the question fits its best word.
    fits: Vec<f64>,
    /// Its words, folded.
    pub(super) words: HashSet<String>,
    pub(super) is_question: bool,
}

impl<'a> Read<'a> {
    fn new(question: &Question, passage: &'a Passage) -> Self {
        let mut fits = vec![0.0; question.words.len()];
        let mut read = Vec::new();
        for text in sentences(&passage.text).into_iter().take(MOST_SENTENCES) {
            let mut words = HashSet::new();
            let here = fits_of(question, text, Some(&mut words));
            raise(&mut fits, &here, 1.0);
            let is_question = text.ends_with(['?', '？']);
            read.push(Sentence { text, fits: here, words, is_question });
        }
        let folder = passage.project.rsplit('/').next().unwrap_or_default();
        let project = fits_of(question, folder, None);
        let about = fits_of(question, &passage.about, None);
        Self { sentences: read, fits, project, about }
    }
}

/// Returns how well each word of a question fits the best word of a text.
fn fits_of(question: &Question, text: &str, mut words: Option<&mut HashSet<String>>) -> Vec<f64> {
    let mut fits = vec![0.0_f64; question.words.len()];
    each_word(text, |word| {
        for (fit, wanted) in fits.iter_mut().zip(&question.words) {
            if *fit < 1.0 {
                *fit = fit.max(likeness(&wanted.folded, word)).max(equivalent(wanted, word));
            }
        }
        if let Some(words) = &mut words {
            words.insert(word.to_owned());
        }
    });
    fits
}

/// Returns how well another word for what is wanted fits.
fn equivalent(wanted: &QuestionWord, word: &str) -> f64 {
    const EQUIVALENT: f64 = 0.75;
    if wanted.folded_equivalents.iter().any(|equivalent| equivalent == word) {
        EQUIVALENT
    } else {
        0.0
    }
}

fn raise(fits: &mut [f64], others: &[f64], share: f64) {
    for (fit, other) in fits.iter_mut().zip(others) {
        *fit = fit.max(other * share);
    }
}

/// What stands around passages.
struct Contexts {
    /// How well the question's words fit anything in a unit of work.
    works: HashMap<u64, Vec<f64>>,
    /// The first and the last positions of what people and models say in a unit of work.
    turns: HashMap<u64, (u32, u32)>,
    /// The passages of each session, in their order.
    sessions: HashMap<u32, Vec<usize>>,
}

impl Contexts {
    fn new(read: &[Read<'_>], passages: &[Passage]) -> Self {
        let mut works: HashMap<u64, Vec<f64>> = HashMap::new();
        let mut sessions: HashMap<u32, Vec<usize>> = HashMap::new();
        let mut turns: HashMap<u64, (u32, u32)> = HashMap::new();
        for (at, (reading, passage)) in read.iter().zip(passages).enumerate() {
            let fits = works.entry(passage.work).or_insert_with(|| vec![0.0; reading.fits.len()]);
            raise(fits, &reading.fits, 1.0);
            raise(fits, &reading.about, 1.0);
            sessions.entry(passage.session).or_default().push(at);
            if matches!(passage.voice, Voice::Person | Voice::Model) {
                let position = passage.position;
                let (first, last) = turns.entry(passage.work).or_insert((position, position));
                (*first, *last) = (position.min(*first), position.max(*last));
            }
        }
        for order in sessions.values_mut() {
            order.sort_by_key(|at| passages[*at].position);
        }
        Self { works, turns, sessions }
    }

    /// Says whether a person opens a unit of work with a passage, as far as that was read.
    fn is_opening(&self, passage: &Passage) -> bool {
        passage.voice == Voice::Person
            && self
                .turns
                .get(&passage.work)
                .is_some_and(|(first, last)| first < last && passage.position == *first)
    }

    /// Returns how late in its unit of work a passage comes, from 0 to 1, as far as that was read.
    fn lateness(&self, passage: &Passage) -> f64 {
        match self.turns.get(&passage.work) {
            Some((first, last)) if first < last => {
                let behind = passage.position.clamp(*first, *last) - first;
                f64::from(behind) / f64::from(last - first)
            }
            _ => 0.5,
        }
    }

    /// Returns how well each word of the question fits what stands around a passage.
    fn of(&self, at: usize, read: &[Read<'_>], passages: &[Passage]) -> Vec<f64> {
        let passage = &passages[at];
        let mut fits: Vec<f64> = read[at].project.iter().map(|fit| fit * IN_PROJECT).collect();
        if let Some(work) = self.works.get(&passage.work) {
            raise(&mut fits, work, IN_WORK);
        }
        let session = self.sessions.get(&passage.session).map_or(&[][..], Vec::as_slice);
        let answered = before(at, session, passages);
        for &other in session {
            let position = passages[other].position;
            let share = match position.abs_diff(passage.position) {
                _ if Some(other) == answered => ANSWERED,
                far if far > NEAR => IN_SESSION,
                _ if position < passage.position => BEFORE,
                _ => AFTER,
            };
            if other != at {
                raise(&mut fits, &read[other].fits, share);
            }
        }
        fits
    }
}

/// Returns what a person or a model answers to: what the other of them has said right before.
fn before(at: usize, session: &[usize], passages: &[Passage]) -> Option<usize> {
    let is_said = |voice: Voice| matches!(voice, Voice::Person | Voice::Model);
    let passage = &passages[at];
    let is_before = |other: &&usize| {
        let other = &passages[**other];
        is_said(other.voice) && other.position < passage.position
    };
    let last = session.iter().rev().find(is_before).copied()?;
    (is_said(passage.voice) && passages[last].voice != passage.voice).then_some(last)
}

/// A sentence that may be part of the answer.
struct Candidate<'a> {
    passage: usize,
    sentence: &'a Sentence<'a>,
    covered: f64,
    relevance: f64,
}

/// Takes the best sentences, one of each entry, none that says what another has said.
fn pick<'a>(
    mut candidates: Vec<Candidate<'a>>,
    passages: &[Passage],
    most: usize,
) -> Vec<Candidate<'a>> {
    candidates.sort_by(|one, other| {
        other.relevance.total_cmp(&one.relevance).then(one.passage.cmp(&other.passage))
    });
    let least = candidates.first().map_or(0.0, |best| best.relevance * WORTH_SAYING);
    let mut picked: Vec<Candidate<'_>> = Vec::new();
    for candidate in candidates {
        if candidate.relevance < least {
            break;
        }
        let says = |other: &Candidate<'_>| {
            is_of_same_entry(other, &candidate, passages)
                || is_alike(other.sentence, candidate.sentence)
        };
        match picked.iter().position(says) {
            Some(known) if is_repeated(&picked[known], &candidate, passages) => {
                let relevance = picked[known].relevance;
                picked[known] = Candidate { relevance, ..candidate };
            }
            None if picked.len() < most => picked.push(candidate),
            _ => {}
        }
    }
    picked
}

/// Says whether a sentence only repeats another one, which was said before it: agents say again what they were told, also what
/// they were told by us.
fn is_repeated(one: &Candidate<'_>, other: &Candidate<'_>, passages: &[Passage]) -> bool {
    one.sentence.words == other.sentence.words
        && time_of(other, passages).is_some_and(|time| time_of(one, passages) > Some(time))
}

/// Says whether two sentences are from one entry, be it from what was said and from what a tool was given. Notes are of no
/// entry.
fn is_of_same_entry(one: &Candidate<'_>, other: &Candidate<'_>, passages: &[Passage]) -> bool {
    let place = |candidate: &Candidate<'_>| {
        let Passage { session, position, voice, .. } = passages[candidate.passage];
        (voice != Voice::Note).then_some((session, position))
    };
    one.passage == other.passage || place(one).is_some_and(|here| place(other) == Some(here))
}

fn is_alike(one: &Sentence<'_>, other: &Sentence<'_>) -> bool {
    let shared = one.words.intersection(&other.words).count();
    let all = one.words.len() + other.words.len() - shared;
    shared * 10 > all * 7
}

/// Tells decisions that a later one has replaced from those that stand.
fn standings(picked: &[Candidate<'_>], passages: &[Passage]) -> Vec<Standing> {
    let is_replaced = |one: &Candidate<'_>| {
        let (passage, time) = (&passages[one.passage], time_of(one, passages));
        passage.is_decision
            && picked.iter().any(|other| {
                let later = &passages[other.passage];
                later.is_decision
                    && later.project == passage.project
                    && later.work != passage.work
                    && !later.is_abandoned
                    && time_of(other, passages) > time
                    && shares_subject(one.sentence, other.sentence)
            })
    };
    let standing = |one: &Candidate<'_>| {
        if passages[one.passage].is_abandoned {
            Standing::Abandoned
        } else if is_replaced(one) {
            Standing::Superseded
        } else {
            Standing::Stands
        }
    };
    picked.iter().map(standing).collect()
}

fn time_of(candidate: &Candidate<'_>, passages: &[Passage]) -> Option<Millis> {
    passages[candidate.passage].time
}

/// Says whether both sentences have a word of the question that is not in passing.
fn shares_subject(one: &Sentence<'_>, other: &Sentence<'_>) -> bool {
    one.fits.iter().zip(&other.fits).any(|(one, other)| *one >= 1.0 && *other >= 1.0)
}
