//! What a question asks: its words, and what kind of answer it wants.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::table::{Table, asks_for_table, table};
use super::words::{equivalents, fold, pairs};
use crate::vocabulary::{is_light, is_stop_word, pieces, plain};

/// A question, understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    pub(super) words: Vec<QuestionWord>,
    /// What kind of answer it wants.
    pub asks: Asks,
    /// Whether the order of events matters to it.
    pub is_about_time: bool,
    /// The list that would answer it, if it asks for something that is counted.
    pub table: Option<Table>,
}

/// A word that an answer should have.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct QuestionWord {
    /// As it was written.
    pub(super) text: String,
    pub(super) folded: String,
    /// Words that mean the same, as they are written, and folded.
    pub(super) equivalents: Vec<&'static str>,
    pub(super) folded_equivalents: Vec<String>,
    pub(super) bearing: Bearing,
    /// Whether it looks like the name of something: it has a digit, an underscore, or a capital inside.
    pub(super) is_name: bool,
    /// Whether it begins with a capital although it does not begin the question.
    pub(super) is_capital: bool,
}

/// How much a word says about what is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bearing {
    /// So little that an answer need not have it.
    Light,
    /// Little about the subject, so that an answer may well put it otherwise.
    General,
    /// It names the subject.
    Subject,
}

/// What kind of answer a question wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// A reason.
    Why,
    /// A number, a measure or a time.
    HowMuch,
    /// A length of time, or how often.
    HowLong,
    /// A way to do something.
    How,
    /// Yes or no.
    Whether,
    /// What was worked on.
    WhatWasDone,
    /// Anything else.
    What,
}

impl Question {
    /// Understands a question in English, German, French, Spanish, Portuguese, Japanese or Chinese.
    pub fn parse(text: &str) -> Self {
        let mut words: Vec<QuestionWord> = Vec::new();
        let opening = pieces(text).next().map(|(piece, _)| piece.as_ptr());
        let mut push = |text: &str, folded: String, is_light: bool| {
            if words.iter().all(|word| word.folded != folded) {
                let equivalents = equivalents(&folded);
                let folded_equivalents = equivalents.iter().map(|word| fold(word)).collect();
                let starts_question = opening == Some(text.as_ptr());
                words.push(QuestionWord {
                    bearing: match is_light {
                        true => Bearing::Light,
                        false if GENERAL.contains(&*plain(text)) => Bearing::General,
                        false => Bearing::Subject,
                    },
                    is_name: is_name(text),
                    is_capital: !starts_question && text.starts_with(char::is_uppercase),
                    text: text.to_owned(),
                    folded,
                    equivalents,
                    folded_equivalents,
                });
            }
        };
        for (piece, unspaced) in pieces(text) {
            if unspaced {
                for run in piece.split(is_grammar).filter(|run| run.chars().count() > 1) {
                    pairs(run).for_each(|pair| push(pair, pair.to_owned(), is_asking(pair)));
                }
                continue;
            }
            let word = plain(piece);
            let is_number = piece.starts_with(|first: char| first.is_ascii_digit());
            if !is_stop_word(&word) && (word.len() > 1 || is_number) {
                push(piece, fold(&piece.replace('_', "")), is_light(&word));
            }
        }
        let spoken = plain(text);
        let has = |list: &[&str]| list.iter().any(|words| has_words(&spoken, words));
        let asks = if has(WHY) || WHY_UNSPACED.iter().any(|words| text.contains(words)) {
            Asks::Why
        } else if has(HOW_LONG) {
            Asks::HowLong
        } else if has(HOW_MUCH) || HOW_MUCH_UNSPACED.iter().any(|words| text.contains(words)) {
            Asks::HowMuch
        } else if WHETHER.iter().any(|word| spoken.split_whitespace().next() == Some(word)) {
            Asks::Whether
        } else if has(HOW) {
            Asks::How
        } else if has(WHAT_WAS_DONE) {
            Asks::WhatWasDone
        } else {
            Asks::What
        };
        Self { words, asks, is_about_time: has(TIME), table: table(&spoken) }
    }

    /// Returns the words of the question that have some weight, each with others that mean the same.
    pub fn words_in_other_words(&self) -> impl Iterator<Item = (&str, &[&'static str])> {
        let heavy = self.words.iter().filter(|word| word.bearing != Bearing::Light);
        heavy.map(|word| (&*word.text, &*word.equivalents))
    }

    /// Returns the words that the question is about, as they were written.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| &*word.text)
    }

    /// Returns the words that narrow a list down: those that neither ask for the list nor could stand in any question.
    pub fn subject_words(&self) -> impl Iterator<Item = &str> {
        let is_subject = |word: &&QuestionWord| {
            word.bearing != Bearing::Light && !asks_for_table(&plain(&word.text))
        };
        self.words.iter().filter(is_subject).map(|word| &*word.text)
    }
}

/// Words for what is done with anything, and for how it is; without accents.
static GENERAL: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    "able above according actually add added adding although anyway apart around ask asked attempt available avoid away bad begin      below better big bigger biggest break brought bring broke broken call called caveat check checked clear close compare complain      complained correct current currently deal describe differ different drop dropped easy else enough exist exists explain fall fell      few final finally fit follow forget forgot full fully further great handle handled handles hard has help high higher hit hold      holds idea important include involve issue kind knew know known large larger leave leaves left less likely little lot low lower      main manage managed matter mention mentioned more most move moved moving new newer next nobody notice noticed old older ones onto      original ourselves own part pass passed people perform place planned point prefer prevent prevented probably put quick quickly      quite rather real really recent recently recommend recommended remain remaining remember require required rest rid right run      running same saw second see seem seen settle settled several short side similar simple single small solve solved somebody someone      soon sort speak start started stay stayed step stuff succeed sudden suddenly suggest suggested supposed sure talk through time      together top total touch trouble trust under understand until usual various went whole whether whom wish within write written wrote      although against round finish finished allow allowed accept accepted agree agreed answer deliberately explicitly exact fire      beim bleibt bleiben blieb brauchen eigentlich eingerichtet genommen geben gibt ging gehen kam kommen kommt konnen lag lauft laufen      lief leute liegt machen macht mehr mussen nehmen neue neuen nimmt soll sollen sollte stand steht umstellen wieviel wollten woran      zahlen zeit raus rein runter weg los zuruck      arrive aller change choisi doit dit encore faire faut falloir mettre mis peut plus prend prendre pris remplacer reste servir temps      toujours trop utilise utilisons va venir veut voulait      dejamos elegimos eligio funciona hace hacer hicimos hubo llego pone poner pudo puede pusimos puso queda quedo salio tenemos tiene      todavia usa usan vamos      acabou colocamos deu deixamos escolhemos faz fazer ficou fizemos funciona pode precisa quer resolvemos temos usa vai virou"
        .split_whitespace()
        .collect()
});

fn is_name(word: &str) -> bool {
    let inside = word.chars().skip(1);
    word.contains(|letter: char| letter.is_ascii_digit() || letter == '_')
        || inside.into_iter().any(char::is_uppercase)
}

/// Returns a word as words are compared: small letters, no accents.
pub fn plain_word(word: &str) -> String {
    plain(word)
}

/// Characters of Japanese that are mostly grammar; those between them are words.
fn is_grammar(letter: char) -> bool {
    "はがをにのでとかもへやねよたてだなれさしすせそまみめりるい的了吗呢吧和在是有我们你他哪为什么没怎这那都也还就被把"
        .contains(letter)
}

fn is_asking(pair: &str) -> bool {
    ["原因", "理由", "时候", "何故", "いつ", "どう", "なぜ", "前面"].contains(&pair)
}

const WHY: &[&str] = &[
    "why", "reason", "cause", "caused", "how come", "warum", "wieso", "weshalb", "grund",
    "pourquoi", "por que", "porque",
];
const WHY_UNSPACED: &[&str] = &["なぜ", "原因", "理由", "为什么", "為什麼"];
const HOW_MUCH: &[&str] = &[
    "how much",
    "how many",
    "how long",
    "how often",
    "how fast",
    "how big",
    "how large",
    "when",
    "which version",
    "cost",
    "wann",
    "wie viel",
    "wie viele",
    "wie lange",
    "wie oft",
    "wie schnell",
    "combien",
    "quand",
    "cuanto",
    "cuando",
    "quanto",
    "quando",
    "cidr",
    "port",
];
const HOW_MUCH_UNSPACED: &[&str] = &["いつ", "何回", "いくら", "多少", "什么时候", "何时", "几"];
const HOW_LONG: &[&str] = &[
    "how long",
    "how fast",
    "how slow",
    "how often",
    "how quick",
    "how quickly",
    "wie lange",
    "wie schnell",
    "wie oft",
    "combien de temps",
    "cuanto tiempo",
    "cuanto tarda",
    "quanto tempo",
];
const HOW: &[&str] = &[
    "how do",
    "how did",
    "how can",
    "how to",
    "how does",
    "wie haben",
    "wie kann",
    "comment",
    "como",
];
const WHETHER: &[&str] = &[
    "did",
    "does",
    "do",
    "is",
    "are",
    "was",
    "were",
    "has",
    "have",
    "can",
    "could",
    "may",
    "should",
    "hat",
    "haben",
    "ist",
    "sind",
    "war",
    "waren",
    "kann",
    "darf",
    "funktioniert",
    "est-ce",
    "avons-nous",
    "hay",
    "funciona",
    "funcionou",
];
const WHAT_WAS_DONE: &[&str] = &[
    "what did we do",
    "what did i do",
    "what have we done",
    "what have i done",
    "did we work on",
    "did i work on",
    "what happened",
    "was haben wir gemacht",
    "was habe ich gemacht",
    "was ist passiert",
    "qu'avons-nous fait",
    "qu'est-ce qu'on a fait",
    "que hicimos",
    "o que fizemos",
];
const TIME: &[&str] = &[
    "when", "last", "first", "at first", "since", "history", "timeline", "before", "after", "wann",
    "zuletzt", "zuerst", "quand", "dernier", "premier", "cuando", "ultima", "primera", "quando",
];

/// Says whether words stand in a text, in a row and whole.
pub(super) fn has_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let is_free = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
        is_free(text[..at].chars().next_back()) && is_free(text[at + words.len()..].chars().next())
    })
}
