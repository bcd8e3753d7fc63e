//! Which list answers a question.

use super::question::has_words;

/// What is counted, and needs no text to be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Money and tokens.
    Cost,
    /// What touched a file.
    Files,
    /// What went wrong.
    Errors,
    /// The models that answered.
    Models,
    /// The projects that were worked on.
    Projects,
}

/// Decides which list a question asks for. Only plain ways to ask for one are taken: what a service costs may have been said
/// in a conversation, and then no list knows it.
pub(super) fn table(spoken: &str) -> Option<Table> {
    let has = |list: &[&str]| list.iter().any(|words| has_words(spoken, words));
    let did_cost = has(&["cost", "costs"])
        && has(&["did", "have", "has", "was", "total"])
        && !has(&["would", "will", "per month", "a month", "decide"]);
    if did_cost
        || has(&[
            "did we spend",
            "did i spend",
            "have i spent",
            "have we spent",
            "we spend on",
            "i spend on",
            "spending",
            "was kostete",
        ])
        || has(&[
            "how many tokens",
            "habe ich ausgegeben",
            "haben wir ausgegeben",
            "avons nous depense",
            "ai je depense",
        ])
    {
        return Some(Table::Cost);
    }
    if has(&[
        "which models",
        "what models",
        "which model did",
        "models did",
        "welche modelle",
        "quels modeles",
        "que modelos",
        "quais modelos",
    ]) {
        return Some(Table::Models);
    }
    if has(&[
        "which projects",
        "what projects",
        "welche projekte",
        "quels projets",
        "que proyectos",
        "quais projetos",
    ]) {
        return Some(Table::Projects);
    }
    if has(&[
        "which errors",
        "what errors",
        "most common error",
        "most common errors",
        "most frequent errors",
        "welche fehler",
        "quelles erreurs",
        "que errores",
        "quais erros",
    ]) {
        return Some(Table::Errors);
    }
    let touches = [
        "touch",
        "touched",
        "changed",
        "change",
        "edited",
        "edit",
        "modified",
        "modify",
        "wrote",
        "geandert",
        "angefasst",
        "modifie",
        "cambio",
        "alterou",
    ];
    (has(&touches) && file_in(spoken).is_some()).then_some(Table::Files)
}

/// Returns the path of a file that a question names.
pub fn file_in(question: &str) -> Option<&str> {
    question
        .split_whitespace()
        .map(|word| {
            word.trim_matches(|letter: char| {
                !letter.is_alphanumeric() && letter != '/' && letter != '~' && letter != '.'
            })
        })
        .map(|word| word.trim_end_matches('.'))
        .find(|word| {
            let name = word.rsplit('/').next().unwrap_or(word);
            let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
            let is_ending =
                (1..=5).contains(&ending.len()) && ending.chars().all(char::is_alphanumeric);
            let is_number = name.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
            is_ending && !is_number && !word.contains("://")
        })
}

/// Words that ask for a list and say nothing about what should be in it.
pub(super) fn asks_for_table(plain: &str) -> bool {
    const ASKING: &[&str] = &[
        "cost",
        "costs",
        "spend",
        "spent",
        "spending",
        "money",
        "token",
        "tokens",
        "dollars",
        "total",
        "project",
        "projects",
        "model",
        "models",
        "error",
        "errors",
        "common",
        "frequent",
        "most",
        "kostete",
        "ausgegeben",
        "modelle",
        "projekte",
        "fehler",
        "depense",
        "modeles",
        "projets",
        "erreurs",
        "modelos",
        "proyectos",
        "errores",
        "projetos",
        "erros",
        "work",
        "worked",
    ];
    ASKING.contains(&plain)
}
