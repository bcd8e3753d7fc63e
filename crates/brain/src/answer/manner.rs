//! How much a sentence counts by the way it is said.

use super::choosing::Sentence;
use super::question::{Asks, Question};
use super::{Passage, Voice};

/// Returns how much a sentence counts by the way it is said, and where.
pub(super) fn manner(
    question: &Question,
    passage: &Passage,
    sentence: &Sentence<'_>,
    is_opening: bool,
) -> f64 {
    let mut counts = match passage.voice {
        Voice::Model | Voice::Note => 1.0,
        Voice::Person => 0.97,
        Voice::Summary => 0.9,
        Voice::Tool => 0.6,
    };
    if sentence.is_question {
        counts *= 0.7;
    } else if question.asks != Asks::How
        && ANNOUNCING.iter().any(|words| sentence.text.starts_with(words))
    {
        counts *= 0.75;
    }
    // A few words agree or thank; what was found out takes more.
    counts *= match sentence.words.len() {
        0..4 => 0.75,
        4..10 => 1.0,
        _ => 1.15,
    };
    // What opens a unit of work says what is wanted, not what came of it.
    if is_opening {
        counts *= if question.asks == Asks::WhatWasDone { 1.3 } else { 0.8 };
    }
    if passage.is_decision {
        // What a person settles counts more than what a model proposed.
        counts *= if passage.voice == Voice::Person { 1.3 } else { 1.1 };
    }
    let lower = sentence.text.to_lowercase();
    if IGNORANCE.iter().any(|words| lower.contains(words)) {
        counts *= 0.6;
    }
    if passage.is_abandoned {
        counts *= 0.9;
    }
    if CONCLUSIONS.iter().any(|word| sentence.words.contains(*word)) {
        counts *= 1.1;
    }
    let is_number = || {
        sentence.text.contains(|letter: char| letter.is_ascii_digit())
            || sentence.words.iter().any(|word| is_time(word))
    };
    counts
        * match question.asks {
            Asks::Why if REASONS.iter().any(|reason| sentence.words.contains(*reason)) => 1.2,
            Asks::HowLong if has_duration(sentence.text) => 1.4,
            Asks::HowMuch if is_number() => 1.2,
            Asks::HowMuch | Asks::HowLong => 0.9,
            _ => 1.0,
        }
}

/// How sentences begin that say what will be done next.
const ANNOUNCING: &[&str] = &[
    "I'll ",
    "I will ",
    "I look ",
    "I check ",
    "Let me ",
    "I'm going ",
    "Checking ",
    "Looking ",
    "Reading ",
    "Running ",
    "Starting ",
    "Now ",
    "First ",
    "Ich schaue",
    "Ich sehe",
    "Ich lese",
    "Ich prüfe",
    "Ich werde",
    "Erst ",
    "Zuerst ",
    "Je vais",
    "Je regarde",
    "Je lis",
    "Je cherche",
    "Je vérifie",
    "D'abord",
    "Voy a",
    "Miro ",
    "Reviso ",
    "Primero ",
    "Vou ",
    "Vejo ",
    "Olho ",
    "Primeiro ",
    "Guardo ",
    "Controllo ",
    "まず",
    "先看",
    "我先",
    "我来",
    "让我",
];

/// Says whether a number with a unit of time stands in a text.
fn has_duration(text: &str) -> bool {
    const UNITS: [&str; 34] = [
        "ms", "s", "sec", "secs", "second", "seconds", "min", "mins", "minute", "minutes", "h",
        "hour", "hours", "day", "days", "week", "weeks", "sekunden", "minuten", "stunden", "tage",
        "secondes", "heures", "jours", "segundos", "minutos", "horas", "dias", "días", "秒", "分",
        "分钟", "小时", "時間",
    ];
    let mut rest = text;
    while let Some(at) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let number = &rest[at..];
        let end =
            number.find(|letter: char| !letter.is_ascii_digit() && letter != '.' && letter != ',');
        let behind = &number[end.unwrap_or(number.len())..];
        let unit = behind.strip_prefix(' ').unwrap_or(behind);
        let end = unit.find(|letter: char| !letter.is_alphabetic()).unwrap_or(unit.len());
        if UNITS.contains(&&*unit[..end].to_lowercase()) {
            return true;
        }
        rest = behind;
    }
    false
}

/// Says whether a folded word names a month or a day.
fn is_time(word: &str) -> bool {
    const TIMES: [&str; 34] = [
        "januari",
        "februari",
        "march",
        "april",
        "may",
        "june",
        "juli",
        "august",
        "september",
        "october",
        "november",
        "december",
        "monday",
        "mondai",
        "tuesdai",
        "wednesdai",
        "thursdai",
        "fridai",
        "tomorrow",
        "yesterdai",
        "januar",
        "februar",
        "marz",
        "mai",
        "juni",
        "oktober",
        "dezember",
        "janvier",
        "fevrier",
        "enero",
        "febrero",
        "mayo",
        "octubr",
        "diciembr",
    ];
    TIMES.contains(&word)
}

/// Words by which people say that they know no answer either.
const IGNORANCE: [&str; 20] = [
    "cannot tell",
    "can't tell",
    "couldn't tell",
    "don't know",
    "do not know",
    "dont know",
    "no idea",
    "can't say",
    "cannot say",
    "remember nothing",
    "keine ahnung",
    "weiß nicht",
    "weiß ich nicht",
    "je ne sais pas",
    "aucune idée",
    "no sé",
    "ni idea",
    "não sei",
    "わかりません",
    "不知道",
];

/// Words by which people say what they have found out, folded.
const CONCLUSIONS: [&str; 12] = [
    "caus", "culprit", "finding", "turned", "ursach", "schuld", "grund", "raison", "causa",
    "coupabl", "原因", "理由",
];

/// Words that announce a reason, folded.
const REASONS: [&str; 22] = [
    "becaus", "sinc", "so", "reason", "caus", "therefor", "cannot", "weil", "denn", "deshalb",
    "damit", "ursach", "grund", "car", "parc", "porqu", "pois", "otherwis", "due", "ので", "から",
    "因为",
];
