//! Finds in a text what a query looks for, with the same tokens as the index.

use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem;
use tantivy::tokenizer::{TokenStream, Tokenizer};

use crate::query::{Query, Wanted};
use crate::tokens::{Identifiers, push_lower_case};

/// Rows of tokens that are to follow each other, all looked for at once.
#[derive(Default)]
pub(crate) struct Rows {
    /// The numbers of the tokens that matter.
    tokens: HashMap<String, usize>,
    /// For each row the numbers of its tokens, with their distance from the first.
    rows: Vec<Vec<(usize, usize)>>,
}

impl Rows {
    /// Adds a row: tokens with their positions.
    pub(crate) fn push<'a>(&mut self, row: impl IntoIterator<Item = (usize, &'a str)>) {
        let mut first = None;
        let row = row.into_iter().map(|(at, token)| {
            let next = self.tokens.len();
            let number = *self.tokens.entry(token.to_owned()).or_insert(next);
            (number, at - *first.get_or_insert(at))
        });
        let row = row.collect();
        self.rows.push(row);
    }

    /// Calls `take` with the number of each row that stands in a text, and where, as often as it does.
    pub(crate) fn find(&self, text: &str, mut take: impl FnMut(usize, Range<usize>)) {
        let mut found: Vec<Vec<(usize, Range<usize>)>> = vec![Vec::new(); self.tokens.len()];
        let mut tokenizer = Identifiers::default();
        let mut tokens = tokenizer.token_stream(text);
        while tokens.advance() {
            let token = tokens.token();
            if let Some(&number) = self.tokens.get(&token.text) {
                found[number].push((token.position, token.offset_from..token.offset_to));
            }
        }
        for (number, row) in self.rows.iter().enumerate() {
            let Some((first, rest)) = row.split_first() else { continue };
            for (position, range) in &found[first.0] {
                let end = rest.iter().try_fold(range.end, |_, (token, distance)| {
                    let list = &found[*token];
                    let at =
                        list.binary_search_by_key(&(position + distance), |(at, _)| *at).ok()?;
                    Some(list[at].1.end)
                });
                if let Some(end) = end {
                    take(number, range.start..end);
                }
            }
        }
    }
}

/// A query, made ready to be looked for in texts.
pub(crate) struct Matcher {
    rows: Rows,
    /// The word or phrase that each row stands for.
    groups: Vec<usize>,
    /// What each word or phrase counts: phrases more than words.
    pub(crate) weights: Vec<u32>,
    /// The words and phrases as they were written, in lower case.
    written: Vec<String>,
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
            rows: Rows::default(),
            groups: Vec::new(),
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
        for single in wanted.whole.iter().chain(others) {
            self.rows.push([(0, single.as_str())]);
            self.groups.push(group);
        }
        if !wanted.parts.is_empty() {
            self.rows.push(wanted.parts.iter().map(|(at, part)| (*at, part.as_str())));
            self.groups.push(group);
        }
    }

    /// Finds all places where a word or phrase stands, in the order of the text.
    pub(crate) fn places(&self, text: &str) -> Vec<Place> {
        let mut places = Vec::new();
        self.rows.find(text, |row, range| places.push(Place { range, group: self.groups[row] }));
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
