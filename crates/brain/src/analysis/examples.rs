//! Tells texts apart by examples: what they are like, not which words are on a list.
//!
//! Examples are lines of a file, each a label, a tab and a text. What the words and pairs of words of a text weigh for each
//! label is counted when it is first needed (naive Bayes: rare words weigh more, long texts no more than short ones), so
//! that whoever finds a text misread adds a line, and nothing else.

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

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
    of_words: HashMap<u64, (f32, [f32; N])>,
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
        let lines: Vec<(usize, BTreeSet<u64>)> = self
            .lines
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .filter_map(|(label, text)| {
                let number = self.labels.iter().position(|known| *known == label)?;
                Some((number, features(text)))
            })
            .collect();
        let mut seen: HashMap<u64, u16> = HashMap::new();
        for word in lines.iter().flat_map(|(_, words)| words) {
            *seen.entry(*word).or_default() += 1;
        }
        #[expect(clippy::cast_precision_loss, reason = "there are thousands of lines")]
        let all = lines.len() as f32;
        let rarity = |seen: u16| ((1.0 + all) / (1.0 + f32::from(seen))).ln() + 1.0;
        let mut of_words: HashMap<u64, (f32, [f32; N])> =
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

/// Returns the words of a text, pairs of them, and the first one as such; as hashes, each once.
fn features(text: &str) -> BTreeSet<u64> {
    let words = words(text);
    let first = words.first().map(|word| hash(&["^", word]));
    let pairs = words.windows(2).map(|pair| hash(&[&pair[0], " ", &pair[1]]));
    first.into_iter().chain(pairs).chain(words.iter().map(|word| hash(&[word]))).collect()
}

/// Cuts a text into words in lower case, without their endings; scripts without spaces into pairs of characters.
fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut run = String::new();
    let lower = text.to_lowercase();
    let mut characters = lower.chars().peekable();
    while let Some(character) = characters.next() {
        let joins = matches!(character, '\'' | '’')
            && !run.is_empty()
            && characters.peek().is_some_and(|next| next.is_alphanumeric());
        if character.is_alphanumeric() || joins {
            run.push(if joins { '\'' } else { character });
            continue;
        }
        end_word(&mut run, &mut found);
        if matches!(character, '?' | '？') {
            found.push("?".to_owned());
        }
    }
    end_word(&mut run, &mut found);
    found
}

fn end_word(run: &mut String, found: &mut Vec<String>) {
    const FIRST_UNSPACED: char = '\u{2e80}';
    let word = std::mem::take(run);
    if word.contains(|character| character >= FIRST_UNSPACED) {
        let characters: Vec<char> = word.chars().collect();
        found.extend(
            characters.chunks(1).take(usize::from(characters.len() == 1)).map(String::from_iter),
        );
        found.extend(characters.windows(2).map(String::from_iter));
    } else if !word.is_empty() {
        found.push(word.chars().take(STEM).collect());
    }
}

/// Hashes a text that is given in parts (FNV-1a): the same everywhere and always.
fn hash(parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::{Examples, words};

    #[test]
    fn words_lose_their_endings_and_other_scripts_give_pairs() {
        let cases = [
            ("Don’t refactoring!", vec!["don't", "refact"]),
            ("why?", vec!["why", "?"]),
            ("改用方案B", vec!["改用", "用方", "方案", "案b"]),
            ("好", vec!["好"]),
            ("'quoted'", vec!["quoted"]),
            ("", vec![]),
        ];
        for (text, wanted) in cases {
            assert_eq!(words(text), wanted, "{text}");
        }
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
