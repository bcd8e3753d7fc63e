//! The query language: words, phrases, filters.

use std::collections::HashSet;
use std::sync::LazyLock;

use jiff::civil::Date;
use jiff::{Span, Zoned};
use pi_brain_session::Millis;
use tantivy::tokenizer::{TokenStream, Tokenizer};

use crate::document::Speaker;
use crate::error::SearchError;
use crate::tokens::{Identifiers, Kind};

/// A whole error report makes a query too, but the first words of it do as well as all.
const MOST_WORDS: usize = 64;

/// What somebody looks for.
///
/// Words are OR-ed: a document needs one of them, and more of them make it rank higher. What stands in quotes must be in
/// the document just so, and what has a minus in front must not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// What else a document must fulfil.
    pub filters: Filters,
    /// The words, in the order they were written; words that weigh nothing are not among them.
    pub(crate) words: Vec<Wanted>,
    pub(crate) phrases: Vec<Wanted>,
    pub(crate) excluded: Vec<Wanted>,
}

/// What a document must fulfil besides its words. Of several values for one filter, one must fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// Parts of the project's folder.
    pub projects: Vec<String>,
    /// Parts of a file's path.
    pub files: Vec<String>,
    /// Names of tools.
    pub tools: Vec<String>,
    /// Parts of a model's name.
    pub models: Vec<String>,
    /// Types of nodes.
    pub types: Vec<String>,
    /// Outcomes of nodes.
    pub outcomes: Vec<String>,
    /// The earliest time.
    pub after: Option<Millis>,
    /// The time before which it must be.
    pub before: Option<Millis>,
    /// Whether it lies on an abandoned branch. The index does not know: the caller decides.
    pub abandoned: Option<bool>,
    /// Only messages, or only nodes.
    pub kind: Option<DocumentKind>,
    /// Who speaks.
    pub speakers: Vec<Speaker>,
}

/// The two kinds of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentKind {
    /// Messages of the forest.
    Message,
    /// Nodes.
    Node,
}

impl DocumentKind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Node => "node",
        }
    }
}

/// A word or a phrase, as tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// As it was written.
    pub(crate) text: String,
    /// The tokens that must follow each other, with their positions.
    pub(crate) parts: Vec<(usize, String)>,
    /// The whole, if this is one identifier of several parts.
    pub(crate) whole: Option<String>,
    /// Other forms of the same English word.
    pub(crate) variants: Vec<String>,
}

impl Query {
    /// Reads a query; `now` says what "two weeks ago" means, and in which time zone days begin.
    pub fn parse(text: &str, now: &Zoned) -> Result<Self, SearchError> {
        let mut query = Self::default();
        let mut rest = text;
        while let Some(item) = next_item(&mut rest) {
            match item {
                Item::Word(word) => query.words.extend(Wanted::words(word)),
                Item::Phrase(phrase) => query.phrases.extend(Wanted::new(phrase)),
                Item::Excluded(text) => query.excluded.extend(Wanted::new(text)),
                Item::Filter(name, value) => query.take_filter(name, value, now)?,
            }
        }
        let counts = |word: &Wanted| !word.is_stop_word();
        if !query.phrases.is_empty() || query.words.iter().any(counts) {
            query.words.retain(counts);
        }
        let mut known = HashSet::new();
        query.words.retain(|word| known.insert(word.text.clone()));
        query.words.truncate(MOST_WORDS);
        Ok(query)
    }

    /// Takes other words for one that is looked for: they count as other forms of it do.
    pub fn widen<'a>(&mut self, word: &str, others: impl IntoIterator<Item = &'a str>) {
        let Some(wanted) = self.words.iter_mut().find(|wanted| wanted.text == word) else { return };
        for other in others {
            if let [token] = &tokens_of(other)[..]
                && !wanted.variants.contains(&token.text)
            {
                wanted.variants.push(token.text.clone());
            }
        }
    }

    /// Looks for words that were taken before.
    pub(crate) fn of_words(words: Vec<Wanted>) -> Self {
        Self { words, ..Self::default() }
    }

    /// Returns whether there is nothing to look for but what the filters say.
    pub fn is_only_filters(&self) -> bool {
        self.words.is_empty() && self.phrases.is_empty()
    }

    fn take_filter(&mut self, name: Name, value: &str, now: &Zoned) -> Result<(), SearchError> {
        let filters = &mut self.filters;
        let text = value.to_owned();
        match name {
            Name::Project => filters.projects.push(text),
            Name::File => filters.files.push(text),
            Name::Tool => filters.tools.push(text),
            Name::Model => filters.models.push(text),
            Name::Type => filters.types.push(text),
            Name::Outcome => filters.outcomes.push(text),
            Name::After => {
                let time = parse_time("after", value, now)?;
                filters.after = filters.after.max(Some(time));
            }
            Name::Before => {
                let time = parse_time("before", value, now)?;
                filters.before = Some(filters.before.map_or(time, |before| before.min(time)));
            }
            Name::Is => {
                filters.abandoned = Some(match value {
                    "abandoned" => true,
                    "active" => false,
                    _ => return Err(bad_value("is", value, "abandoned, active")),
                });
            }
            Name::Kind => {
                filters.kind = Some(match value {
                    "message" => DocumentKind::Message,
                    "node" => DocumentKind::Node,
                    _ => return Err(bad_value("kind", value, "message, node")),
                });
            }
            Name::Role => {
                const ACCEPTED: &str = "user, assistant, tool, summary, extension";
                let speaker = Speaker::ALL.into_iter().find(|speaker| speaker.as_str() == value);
                let speaker = speaker.ok_or_else(|| bad_value("role", value, ACCEPTED))?;
                filters.speakers.push(speaker);
            }
        }
        Ok(())
    }
}

fn bad_value(name: &'static str, value: &str, accepted: &'static str) -> SearchError {
    SearchError::BadValue { name, value: value.to_owned(), accepted }
}

impl Wanted {
    /// Takes a phrase; `None` if there is nothing but punctuation in it.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let tokens = tokens_of(text);
        let wholes: Vec<&Found> = tokens.iter().filter(|token| token.length > 1).collect();
        let parts: Vec<(usize, String)> = tokens
            .iter()
            .filter(|token| token.length == 1)
            .map(|token| (token.position, token.text.clone()))
            .collect();
        let whole = match wholes[..] {
            [whole] if whole.length == parts.len() => Some(whole.text.clone()),
            _ => None,
        };
        // What is too long for a token is no token, but it is asked for all the same: nothing in the index has it.
        let is_something = !parts.is_empty() || text.contains(char::is_alphanumeric);
        is_something.then(|| Self { text: text.to_owned(), parts, whole, variants: Vec::new() })
    }

    /// Takes a word that stands without quotes. It is nearly always one; a sentence in a script without spaces is as many
    /// as it has pairs of characters, since nobody can tell where its words end.
    pub(crate) fn words(text: &str) -> Vec<Self> {
        let tokens = tokens_of(text);
        let pairs = tokens.iter().filter(|token| token.kind == Kind::Pair).count();
        if pairs > 1 {
            let alone = |token: &Found| Self {
                text: token.text.clone(),
                parts: vec![(0, token.text.clone())],
                whole: None,
                variants: Vec::new(),
            };
            return tokens.iter().filter(|token| token.length == 1).map(alone).collect();
        }
        let mut words: Vec<Self> = Self::new(text).into_iter().collect();
        for word in &mut words {
            if let [(_, part)] = &word.parts[..] {
                word.variants = variants_of(part);
            }
        }
        words
    }

    fn is_stop_word(&self) -> bool {
        let is_stop_word = |part: &str| STOP_WORDS.binary_search(&part).is_ok();
        !self.parts.is_empty() && self.parts.iter().all(|(_, part)| is_stop_word(part))
    }
}

/// A token of a query.
struct Found {
    text: String,
    kind: Kind,
    position: usize,
    length: usize,
}

fn tokens_of(text: &str) -> Vec<Found> {
    let mut tokenizer = Identifiers::default();
    let mut tokens = tokenizer.token_stream(text);
    let mut found = Vec::new();
    while tokens.advance() {
        let token = tokens.token();
        found.push(Found {
            text: token.text.clone(),
            kind: tokens.kind(),
            position: token.position,
            length: token.position_length,
        });
    }
    found
}

/// Returns the other forms of an English word: the index holds words as they were written, the query looks for all forms.
fn variants_of(word: &str) -> Vec<String> {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Vec::new();
    }
    let is_long = |stem: &&str| stem.len() >= 3 && stem.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    let cut = |ending: &str| word.strip_suffix(ending).filter(is_long);
    let mut variants = if let Some(stem) = cut("ies") {
        vec![format!("{stem}y"), format!("{stem}ied")]
    } else if let Some(stem) = cut("ing").or_else(|| cut("ed")) {
        let mut forms: Vec<String> =
            ["", "e", "s", "es", "ed", "ing"].map(|ending| format!("{stem}{ending}")).into();
        // `running` comes from `run`.
        if let [.., one, other] = stem.as_bytes()
            && one == other
        {
            forms.push(stem[..stem.len() - 1].to_owned());
            forms.push(format!("{}s", &stem[..stem.len() - 1]));
        }
        forms
    } else if let Some(stem) = word.strip_suffix('e') {
        ["es", "ed", "ing"].map(|ending| format!("{stem}{ending}")).into()
    } else if word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        ["es", "ed", "ing"].map(|ending| format!("{word}{ending}")).into()
    } else if let Some(stem) = cut("s") {
        ["", "ed", "ing"].map(|ending| format!("{stem}{ending}")).into()
    } else if let Some(stem) = word.strip_suffix('y') {
        ["ys", "ies", "ied", "ying"].map(|ending| format!("{stem}{ending}")).into()
    } else {
        let plural = if word.ends_with(['x', 'z', 'h', 'o']) { "es" } else { "s" };
        [plural, "ed", "ing"].map(|ending| format!("{word}{ending}")).into()
    };
    variants.retain(|variant| variant != word);
    variants
}

/// Words that say nothing about what is looked for, sorted. The single letters are what an apostrophe leaves behind.
static STOP_WORDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let mut words: Vec<&str> = "a about am an and any are as at be been being but by can could d did do does doing don for \
        from had has have how i if in into is it its just ll m me my of on or our re s should so some t than that the \
        their them then there these they this those to us ve was we were what when where which who why will with would \
        you your"
        .split_whitespace()
        .collect();
    words.sort_unstable();
    words
});

/// The names of filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Project,
    File,
    Tool,
    Model,
    Type,
    Outcome,
    Before,
    After,
    Is,
    Kind,
    Role,
}

impl Name {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "project" => Self::Project,
            "file" => Self::File,
            "tool" => Self::Tool,
            "model" => Self::Model,
            "type" => Self::Type,
            "outcome" => Self::Outcome,
            "before" => Self::Before,
            "after" => Self::After,
            "is" => Self::Is,
            "kind" => Self::Kind,
            "role" => Self::Role,
            _ => return None,
        })
    }
}

/// One piece of a query.
#[derive(Debug)]
enum Item<'a> {
    Word(&'a str),
    Phrase(&'a str),
    Excluded(&'a str),
    Filter(Name, &'a str),
}

const QUOTES: [char; 3] = ['"', '“', '”'];

/// Takes the next word, phrase or filter from the front of `rest`.
fn next_item<'a>(rest: &mut &'a str) -> Option<Item<'a>> {
    let text = rest.trim_start();
    let first = text.chars().next()?;
    let behind = &text[first.len_utf8()..];
    if QUOTES.contains(&first) {
        return Some(Item::Phrase(take_quoted(behind, rest)));
    }
    // Two dashes make an option of a command, and a dash alone is punctuation.
    if first == '-' && behind.starts_with(|next: char| next != '-' && !next.is_whitespace()) {
        let excluded = match behind.strip_prefix(QUOTES) {
            Some(inside) => take_quoted(inside, rest),
            None => take_word(behind, rest),
        };
        return Some(Item::Excluded(excluded));
    }
    let word = take_word(text, rest);
    Some(match filter_in(word, rest) {
        Some((name, "")) => {
            let inside = rest.strip_prefix(QUOTES).unwrap_or(rest);
            Item::Filter(name, take_quoted(inside, rest))
        }
        Some((name, value)) => Item::Filter(name, value),
        None => Item::Word(word),
    })
}

/// Takes what stands before the next quote, or everything if there is none.
fn take_quoted<'a>(inside: &'a str, rest: &mut &'a str) -> &'a str {
    let (quoted, after) = inside.split_once(QUOTES).unwrap_or((inside, ""));
    *rest = after;
    quoted
}

/// Takes what stands before the next white space or quote.
fn take_word<'a>(text: &'a str, rest: &mut &'a str) -> &'a str {
    let ends = |character: char| character.is_whitespace() || QUOTES.contains(&character);
    let (word, after) = text.split_at(text.find(ends).unwrap_or(text.len()));
    *rest = after;
    word
}

/// Takes a word for a filter if it is one: a known name with a value, which may stand in quotes behind it.
fn filter_in<'a>(word: &'a str, after: &str) -> Option<(Name, &'a str)> {
    let (name, value) = word.split_once(':')?;
    let name = Name::parse(name)?;
    // `file://…` is an address, `type::name` a path in code.
    let is_value = !value.is_empty() && !value.starts_with("//") && !value.starts_with(':');
    (is_value || (value.is_empty() && after.starts_with(QUOTES))).then_some((name, value))
}

/// Returns the moment that a day, a month or a length of time stands for: the beginning of a day, or so long ago.
fn parse_time(name: &'static str, value: &str, now: &Zoned) -> Result<Millis, SearchError> {
    let start = |date: Date| date.to_zoned(now.time_zone().clone()).ok();
    let time = match value {
        "today" => start(now.date()),
        "yesterday" => now.date().yesterday().ok().and_then(start),
        _ => match ago(value) {
            Some(span) => now.checked_sub(span).ok(),
            None => day(value).and_then(start),
        },
    };
    let time = time.ok_or_else(|| SearchError::BadDate { name, value: value.to_owned() })?;
    Ok(time.timestamp().into())
}

fn ago(value: &str) -> Option<Span> {
    let digits = value.find(|character: char| !character.is_ascii_digit())?;
    let (count, unit) = value.split_at(digits);
    let count: i64 = count.parse().ok()?;
    let zero = Span::new();
    match unit {
        "h" => zero.try_hours(count),
        "d" => zero.try_days(count),
        "w" => zero.try_weeks(count),
        "mo" => zero.try_months(count),
        "y" => zero.try_years(count),
        _ => return None,
    }
    .ok()
}

/// Reads `2026-01-31`, `2026-01` or `2026`.
fn day(value: &str) -> Option<Date> {
    let numbers: Vec<&str> = value.split('-').collect();
    let is_number = |text: &&str, length: usize| {
        text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_date = numbers.len() <= 3
        && is_number(numbers.first()?, 4)
        && numbers[1..].iter().all(|number| is_number(number, 2));
    let number = |at: usize| numbers.get(at).map_or(Some(1), |number| number.parse().ok());
    let date = || Date::new(numbers[0].parse().ok()?, number(1)?, number(2)?).ok();
    if is_date { date() } else { None }
}

#[cfg(test)]
mod tests;
