//! Finds in a text what a query looks for, with the same tokens as the index.

use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem;
use tantivy::tokenizer::{TokenStream, Tokenizer};

use crate::query::{Query, Wanted};
use crate::tokens::{Identifiers, push_lower_case};

/// A query, made ready to be looked for in texts.
pub(crate) struct Matcher {
    /// The numbers of the tokens that matter.
    tokens: HashMap<String, usize>,
    forms: Vec<Form>,
    /// What each word or phrase counts: phrases more than words.
    pub(crate) weights: Vec<u32>,
    /// The words and phrases as they were written, in lower case.
    written: Vec<String>,
}

/// Tokens that follow each other, and the word or phrase they stand for.
struct Form {
    group: usize,
    /// Numbers of tokens, with their distance from the first.
    tokens: Vec<(usize, usize)>,
}

/// A place in a text where a word or phrase was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) range: Range<usize>,
    pub(crate) group: usize,
}

impl Matcher {
    /// Takes the words and phrases of a query; `variants` are other forms of a word.
    pub(crate) fn new(query: &Query, variants: bool) -> Self {
        let mut matcher = Self {
            tokens: HashMap::new(),
            forms: Vec::new(),
            weights: Vec::new(),
            written: Vec::new(),
        };
        let words = query.words.iter().map(|word| (word, 1));
        for (wanted, weight) in query.phrases.iter().map(|phrase| (phrase, 3)).chain(words) {
            matcher.take(wanted, weight, variants);
        }
        matcher
    }

    /// Takes what a query excludes.
    pub(crate) fn excluded(query: &Query) -> Self {
        let excluded = Query { words: query.excluded.clone(), ..Query::default() };
        Self::new(&excluded, false)
    }

    fn take(&mut self, wanted: &Wanted, weight: u32, variants: bool) {
        let group = self.weights.len();
        self.weights.push(weight);
        let mut written = String::new();
        push_lower_case(&mut written, wanted.text.trim());
        self.written.push(written);
        let others = wanted.variants.iter().filter(|_| variants);
        let single = wanted.whole.iter().chain(others);
        let single: Vec<Vec<(usize, String)>> =
            single.map(|text| vec![(0, text.clone())]).collect();
        for form in single.iter().chain([&wanted.parts]).filter(|form| !form.is_empty()) {
            let first = form[0].0;
            let tokens = form.iter().map(|(at, text)| (self.number(text), at - first)).collect();
            self.forms.push(Form { group, tokens });
        }
    }

    fn number(&mut self, token: &str) -> usize {
        let next = self.tokens.len();
        *self.tokens.entry(token.to_owned()).or_insert(next)
    }

    /// Finds all places where a word or phrase stands, in the order of the text.
    pub(crate) fn places(&self, text: &str) -> Vec<Place> {
        let mut found: Vec<Vec<(usize, Range<usize>)>> = vec![Vec::new(); self.tokens.len()];
        let mut tokenizer = Identifiers::default();
        let mut tokens = tokenizer.token_stream(text);
        while tokens.advance() {
            let token = tokens.token();
            if let Some(&number) = self.tokens.get(&token.text) {
                found[number].push((token.position, token.offset_from..token.offset_to));
            }
        }
        let mut places = Vec::new();
        for Form { group, tokens } in &self.forms {
            let Some((first, rest)) = tokens.split_first() else { continue };
            for (position, range) in &found[first.0] {
                let end = rest.iter().try_fold(range.end, |_, (token, distance)| {
                    let list = &found[*token];
                    let at =
                        list.binary_search_by_key(&(position + distance), |(at, _)| *at).ok()?;
                    Some(list[at].1.end)
                });
                places.extend(end.map(|end| Place { range: range.start..end, group: *group }));
            }
        }
        sort(&mut places);
        places
    }

    /// Finds all places, also where a word or phrase stands letter by letter inside others.
    pub(crate) fn places_anywhere(&self, text: &str) -> Vec<Place> {
        let mut places = self.places(text);
        let is_found = self.groups_in(&places);
        if is_found.iter().all(|found| *found) {
            return places;
        }
        let mut lower = String::with_capacity(text.len());
        push_lower_case(&mut lower, text);
        for (group, written) in
            self.written.iter().enumerate().filter(|(group, _)| !is_found[*group])
        {
            let found = memmem::find_iter(lower.as_bytes(), written.as_bytes());
            let borders: Vec<usize> = found.flat_map(|at| [at, at + written.len()]).collect();
            let borders = before_lower_case(text, &borders);
            let ranges = borders.chunks_exact(2).map(|pair| pair[0]..pair[1]);
            places.extend(ranges.map(|range| Place { range, group }));
        }
        sort(&mut places);
        places
    }

    /// Returns whether every word and phrase is among the places.
    pub(crate) fn is_complete(&self, places: &[Place]) -> bool {
        self.groups_in(places).into_iter().all(|found| found)
    }

    fn groups_in(&self, places: &[Place]) -> Vec<bool> {
        let mut is_found = vec![false; self.weights.len()];
        for place in places {
            is_found[place.group] = true;
        }
        is_found
    }
}

/// Finds the places in a text that these places in its lower-case form come from. Letters can become longer or shorter.
fn before_lower_case(text: &str, borders: &[usize]) -> Vec<usize> {
    let mut found = Vec::with_capacity(borders.len());
    let mut lower = 0;
    for (at, character) in text.char_indices() {
        while borders.get(found.len()).is_some_and(|border| *border <= lower) {
            found.push(at);
        }
        if found.len() == borders.len() {
            break;
        }
        lower += character.to_lowercase().map(char::len_utf8).sum::<usize>();
    }
    found.resize(borders.len(), text.len());
    found
}

fn sort(places: &mut [Place]) {
    places.sort_unstable_by_key(|place| (place.range.start, place.range.end, place.group));
}

/// Returns whether the tokens of `value` stand in a row in `text`, as a filter asks.
pub(crate) fn holds(text: &str, value: &str) -> bool {
    let parts = |text: &str| Wanted::new(text).map(|wanted| wanted.parts).unwrap_or_default();
    let (text, value) = (parts(text), parts(value));
    let texts = |parts: &[(usize, String)]| -> Vec<String> {
        parts.iter().map(|(_, part)| part.clone()).collect()
    };
    let (text, value) = (texts(&text), texts(&value));
    value.is_empty() || text.windows(value.len()).any(|window| window == value)
}

/// Returns bytes that stand in every line, in lower case, that holds a word or phrase; the most telling first.
///
/// JSON writes ASCII letters and digits as they are, or as `\u` and a number.
pub(crate) fn needles(query: &Query) -> Vec<String> {
    let mut needles = Vec::new();
    for wanted in query.phrases.iter().chain(&query.words) {
        if wanted.parts.is_empty() {
            let mut written = String::new();
            push_lower_case(&mut written, &wanted.text);
            let runs = written.split(|letter: char| !letter.is_ascii_alphanumeric());
            needles.extend(runs.map(str::to_owned));
        } else {
            needles.extend(wanted.parts.iter().map(|(_, part)| part.clone()));
        }
    }
    needles.retain(|needle| !needle.is_empty() && needle.is_ascii());
    needles.sort_unstable_by_key(|needle| std::cmp::Reverse(needle.len()));
    needles.dedup();
    needles
}
