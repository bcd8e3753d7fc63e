//! What the user asked for.

use super::speech::only_goes_on;
use super::text::words;
use crate::line::one_line;

/// So much of it is shown, in characters.
const SHOWN_LENGTH: usize = 300;

/// Words that ask for something to be done.
const VERBS: &str = "add allow analyse analyze apply build bump change check clean commit compare configure \
    convert copy create debug delete deploy describe disable document drop enable explain export \
    extract find fix generate get give implement import improve install investigate let list \
    make merge migrate move need needs optimise optimize port put reduce refactor remove rename \
    replace review rewrite run set show simplify speed split summarise summarize support take \
    test try turn update upgrade use want wants write";

/// So many words make up an object that says what to do it to.
const OBJECT_WORDS: usize = 3;

/// What the user wants, by the first words; where these only say to go on, by what was said before.
#[derive(Debug, Default)]
pub(super) struct Goal {
    first: Option<(String, String)>,
    /// What a summary of the work before says that it is about.
    before: Option<String>,
    /// What the user said next.
    next: Option<String>,
}

impl Goal {
    pub(super) fn hear(&mut self, entry: &str, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        match self.first {
            None => self.first = Some((entry.to_owned(), text.to_owned())),
            Some(_) if self.next.is_none() => self.next = Some(one_line(text, SHOWN_LENGTH)),
            Some(_) => {}
        }
    }

    /// Takes in a summary of what came before: its goal is still the goal.
    pub(super) fn hear_summary(&mut self, text: &str) {
        let mut lines = text.lines().skip_while(|line| !is_heading_of_goal(line)).skip(1);
        let goal = lines.by_ref().map(str::trim).find(|line| !line.is_empty());
        self.before =
            goal.filter(|line| !line.starts_with('#')).map(|line| one_line(line, SHOWN_LENGTH));
    }

    /// Returns the words; empty if the user said nothing.
    pub(super) fn text(&self) -> &str {
        self.first.as_ref().map_or("", |(_, text)| text)
    }

    /// Returns what the work is about: the words, and what they only mean together with.
    pub(super) fn told(&self) -> String {
        let first = self.text();
        if !first.is_empty() && !only_goes_on(first) && self.before.is_none() {
            return first.to_owned();
        }
        let next = self.next.as_deref().filter(|_| only_goes_on(first) && self.before.is_none());
        let before = self
            .before
            .as_deref()
            .map(|before| format!("{}:", before.trim_end_matches(['.', ':'])));
        let parts = [before.as_deref(), Some(first), next];
        parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// Returns the entry that holds them.
    pub(super) fn entry(&self) -> Option<&str> {
        self.first.as_ref().map(|(entry, _)| &**entry)
    }

    /// Returns the words on one line, cut to what can be shown.
    pub(super) fn shown(&self) -> Option<String> {
        let shown = one_line(self.text(), SHOWN_LENGTH);
        (!shown.is_empty()).then_some(shown)
    }

    /// Returns whether the words ask for something definite: they name a file or an identifier, or say what to do
    /// to what.
    pub(super) fn is_clear(&self) -> bool {
        let text = self.text();
        text.split_whitespace().any(is_specific) || has_verb_and_object(text)
    }
}

fn is_heading_of_goal(line: &str) -> bool {
    line.starts_with('#') && line.trim_start_matches('#').trim().eq_ignore_ascii_case("goal")
}

/// Returns whether a word is the name of a file or of something in a program.
fn is_specific(word: &str) -> bool {
    let is_quoted = word.contains('`');
    let word = word.trim_matches(|character: char| {
        !character.is_alphanumeric() && !"/._~()".contains(character)
    });
    let word = word.trim_end_matches(['.', ',', ':', ';']);
    let name = word.trim_end_matches("()");
    let is_call = name.len() < word.len() && !name.is_empty();
    let has_inner = |sign: char| {
        name.split(sign)
            .collect::<Vec<_>>()
            .windows(2)
            .any(|pair| !pair[0].is_empty() && !pair[1].is_empty())
    };
    let is_file = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        let looks_like_ending = (1..=5).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && ending.bytes().any(|byte| byte.is_ascii_alphabetic());
        looks_like_ending && (stem.len() > 1 || stem.is_empty())
    });
    let is_path = name.starts_with(['/', '~', '.']) && name.len() > 2 && name.contains('/');
    let changes_case = name
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    is_quoted
        || is_call
        || is_file
        || is_path
        || has_inner('_')
        || has_inner('/')
        || name.contains("::")
        || changes_case
}

fn has_verb_and_object(text: &str) -> bool {
    let words: Vec<String> = words(text).collect();
    let verb = words.iter().position(|word| VERBS.split(' ').any(|verb| verb == word));
    verb.is_some_and(|at| words.len() - at > OBJECT_WORDS)
}
