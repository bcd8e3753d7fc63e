//! Tells texts apart by examples: what they are like, not which words are on a list.
//!
//! Examples are lines of a file, each a label, a tab and a text. What the words and pairs of words of a text weigh for each
//! label is counted when it is first needed (naive Bayes: rare words weigh more, long texts no more than short ones), so
//! that whoever finds a text misread adds a line, and nothing else.

use std::collections;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::OnceLock;

pub(super) const REPLIES: &str = include_str!("examples/replies.tsv");
const REQUESTS: &str = include_str!("examples/requests.tsv");
pub(super) const STATEMENTS: &str = include_str!("examples/statements.tsv");
pub(super) const EXCHANGES: &str = include_str!("examples/exchanges.tsv");

/// All examples that there are.
pub(crate) const FILES: [&str; 4] = [REPLIES, REQUESTS, STATEMENTS, EXCHANGES];

/// What an unseen word is taken for: so much of one sighting.
const DOUBT: f32 = 0.1;
/// So many words and pairs are believed by half: a word or two may mean anything.
const HESITATION: f32 = 3.0;
/// Longer words are cut to so many characters, so that most forms of a word are one.
const STEM: usize = 6;

/// Tells which of some labels a text deserves.
pub(super) struct Examples<const N: usize> {
    lines: &'static str,
    labels: [&'static str; N],
    weights: OnceLock<Weights<N>>,
}

/// What each word, or pair of words, speaks for.
struct Weights<const N: usize> {
    /// By the word's hash: how rare it is, and how much it speaks for each label.
    of_words: ByHash<(f32, [f32; N])>,
}

impl<const N: usize> Examples<N> {
    /// Takes the lines of a file of examples, and the labels in the order in which they are weighed.
    pub(super) const fn new(lines: &'static str, labels: [&'static str; N]) -> Self {
        Self { lines, labels, weights: OnceLock::new() }
    }

    /// Returns how much a text speaks for each label, compared with the others; nothing if no word of it is known.
    pub(super) fn weigh(&self, text: &str) -> [f32; N] {
        let weights = self.weights.get_or_init(|| self.learn());
        let known: Vec<_> =
            features(text).iter().filter_map(|word| weights.of_words.get(word)).collect();
        #[expect(clippy::cast_precision_loss, reason = "a text has not that many words")]
        let trust = known.len() as f32 / (known.len() as f32 + HESITATION);
        let length = known.iter().map(|(rarity, _)| rarity * rarity).sum::<f32>().sqrt() / trust;
        let mut sums = [0.0; N];
        for (rarity, speaks_for) in known {
            for (sum, weight) in sums.iter_mut().zip(speaks_for) {
                *sum += rarity / length * weight;
            }
        }
        sums
    }

    fn learn(&self) -> Weights<N> {
        let lines: Vec<(usize, Vec<u64>)> = self
            .lines
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .filter_map(|(label, text)| {
                let number = self.labels.iter().position(|known| *known == label)?;
                Some((number, features(text)))
            })
            .collect();
        let mut seen: ByHash<u16> = ByHash::default();
        for word in lines.iter().flat_map(|(_, words)| words) {
            *seen.entry(*word).or_default() += 1;
        }
        #[expect(clippy::cast_precision_loss, reason = "there are thousands of lines")]
        let all = lines.len() as f32;
        let rarity = |seen: u16| ((1.0 + all) / (1.0 + f32::from(seen))).ln() + 1.0;
        let mut of_words: ByHash<(f32, [f32; N])> =
            seen.into_iter().map(|(word, seen)| (word, (rarity(seen), [0.0; N]))).collect();
        let mut totals = [0.0; N];
        for (label, words) in &lines {
            let squares = words.iter().map(|word| of_words[word].0.powi(2));
            let length = squares.sum::<f32>().sqrt();
            for word in words {
                if let Some((rarity, counts)) = of_words.get_mut(word) {
                    counts[*label] += *rarity / length;
                    totals[*label] += *rarity / length;
                }
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "there are some ten thousands of words")]
        let unseen = DOUBT * of_words.len() as f32;
        for (_, counts) in of_words.values_mut() {
            for (count, total) in counts.iter_mut().zip(totals) {
                *count = ((*count + DOUBT) / (total + unseen)).ln();
            }
            #[expect(clippy::cast_precision_loss, reason = "there are a dozen labels")]
            let mean = counts.iter().sum::<f32>() / N as f32;
            for count in counts.iter_mut() {
                *count -= mean;
            }
        }
        Weights { of_words }
    }
}

/// Returns the words of a text, pairs of them, and the first one as such; as hashes, each once, in order.
fn features(text: &str) -> Vec<u64> {
    let words = words(text);
    let first = words.first().map(|word| join(FIRST, *word));
    let pairs = words.windows(2).map(|pair| join(pair[0], pair[1]));
    let mut all: Vec<u64> = first.into_iter().chain(pairs).chain(words.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Stands before the first word.
const FIRST: u64 = 0x5e;

/// Cuts a text into words in lower case, without their endings; scripts without spaces into pairs of characters.
/// Returns their hashes.
pub(super) fn words(text: &str) -> Vec<u64> {
    let mut found = Vec::new();
    let mut run = Run::default();
    let lower = text.to_lowercase();
    let mut characters = lower.chars().peekable();
    while let Some(character) = characters.next() {
        let joins = matches!(character, '\'' | '’')
            && run.length > 0
            && characters.peek().is_some_and(|next| next.is_alphanumeric());
        if character.is_alphanumeric() || joins {
            run.push(if joins { '\'' } else { character }, &mut found);
            continue;
        }
        run.end(&mut found);
        if matches!(character, '?' | '？') {
            found.push(hash(EMPTY, '?'));
        }
    }
    run.end(&mut found);
    found
}

/// Letters that stand side by side.
#[derive(Default)]
struct Run {
    length: usize,
    /// The hash of the first letters.
    stem: Option<u64>,
    /// The last character, if its script has no spaces.
    last: Option<char>,
    has_pairs: bool,
}

impl Run {
    fn push(&mut self, character: char, found: &mut Vec<u64>) {
        const FIRST_UNSPACED: char = '\u{2e80}';
        if character >= FIRST_UNSPACED {
            if let Some(last) = self.last {
                found.push(hash(hash(EMPTY, last), character));
                self.has_pairs = true;
            }
            self.last = Some(character);
        } else if self.length < STEM {
            self.stem = Some(hash(self.stem.unwrap_or(EMPTY), character));
        }
        self.length += 1;
    }

    fn end(&mut self, found: &mut Vec<u64>) {
        let alone = self.last.filter(|_| !self.has_pairs).map(|last| hash(EMPTY, last));
        found.extend(alone);
        found.extend(self.stem);
        *self = Self::default();
    }
}

/// The hash of nothing (FNV-1a): the same everywhere and always.
const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

fn hash(before: u64, character: char) -> u64 {
    join(before, u64::from(u32::from(character)))
}

/// Makes one of two hashes; the other way round it is another.
pub(crate) fn join(one: u64, other: u64) -> u64 {
    (one ^ other).wrapping_mul(0x0100_0000_01b3).rotate_left(17)
}

/// Takes hashes as they are.
#[derive(Default)]
pub(crate) struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| join(hash, u64::from(*byte)));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

pub(crate) type ByHash<T> = collections::HashMap<u64, T, BuildHasherDefault<Hashed>>;
pub(super) type HashSet = collections::HashSet<u64, BuildHasherDefault<Hashed>>;

#[cfg(test)]
mod tests {
    use super::{Examples, features, words};

    #[test]
    fn words_lose_their_endings_and_other_scripts_give_pairs() {
        let same = [
            ("Don’t refactoring!", "don't refactor"),
            ("'quoted' words", "quoted words"),
            ("改用方案", "改用 用方 方案"),
        ];
        for (one, other) in same {
            assert_eq!(words(one), words(other), "{one}");
        }
        let lengths = [("why?", 2), ("好", 1), ("方案B", 2), ("", 0), ("a-b_c", 3)];
        for (text, length) in lengths {
            assert_eq!(words(text).len(), length, "{text}");
        }
        assert_ne!(words("on off"), words("off on"));
        assert_ne!(features("on off"), features("off on"));
    }

    #[test]
    fn a_text_is_read_as_the_examples_that_it_is_like() {
        static FRUIT: Examples<2> = Examples::new(
            "sweet\tripe cherries from the tree\nsweet\tripe pears\nsour\tgreen lemons\nsour\ta lemon from the tree",
            ["sweet", "sour"],
        );
        let sweeter = |text| {
            let [sweet, sour] = FRUIT.weigh(text);
            sweet - sour
        };
        assert!(sweeter("ripe plums") > 0.0);
        assert!(sweeter("two lemons") < 0.0);
        assert!(sweeter("from the tree").abs() < 0.1);
        assert!(sweeter("unheard of").abs() < f32::EPSILON);
    }
}
