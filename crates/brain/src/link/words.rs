//! The words of a text that say what it is about, without their endings.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::analysis::examples::FILES;
use crate::vocabulary::{is_light, is_stop_word, is_unspaced, plain};

/// Words that every report of work has, whatever it is about.
const COMMON: &[&str] = &[
    "add", "agent", "answer", "ask", "asked", "branch", "call", "case", "check", "class", "code",
    "commit", "data", "doc", "done", "error", "file", "function", "given", "goal", "hand", "input",
    "issue", "key", "line", "list", "merge", "message", "method", "model", "module", "name", "new",
    "number", "open", "option", "output", "page", "part", "pass", "plan", "please", "project",
    "ran", "read", "request", "result", "run", "script", "set", "string", "sure", "table", "task",
    "test", "text", "time", "tool", "type", "update", "user", "value", "vague", "version", "word",
    "write",
];

/// Longer words are hashes and encoded data.
const LONGEST: usize = 40;

/// Returns the stems of the words of a text, each once, in alphabetical order. Numbers and common words are left out;
/// scripts that are written without spaces give pairs of characters.
pub(crate) fn stems(text: &str) -> Vec<String> {
    let mut stems = Vec::new();
    for run in text.split(|character: char| !character.is_alphanumeric()) {
        if run.chars().any(is_unspaced) {
            let characters: Vec<char> = run.chars().collect();
            // Kana alone are mostly grammar.
            let tells = |pair: &&[char]| !pair.iter().any(|character| is_kana(*character));
            let pairs = characters.windows(2).filter(tells);
            stems.extend(pairs.map(|pair| pair.iter().collect::<String>()));
        } else if run.len() <= LONGEST {
            stems.extend(stem(&run.to_lowercase()));
        }
    }
    stems.sort_unstable();
    stems.dedup();
    stems
}

fn is_kana(character: char) -> bool {
    matches!(character, '\u{3041}'..='\u{3096}')
}

fn stem(word: &str) -> Option<String> {
    const SHORTEST: usize = 3;
    let letters = word.chars().filter(|character| character.is_alphabetic()).count();
    // Ids mix letters and digits; a few digits belong to names such as `sha256`.
    let word = plain(word);
    let is_common = |word: &str| COMMON.contains(&word) || is_stop_word(word) || is_light(word);
    if letters < SHORTEST || word.len() > 2 * letters || is_common(&word) {
        return None;
    }
    let stem = without_ending(&word);
    (!is_common(&stem)).then_some(stem)
}

/// Returns those stems of a text that two nodes can have in common.
pub(super) fn telling_stems(text: &str) -> impl Iterator<Item = String> {
    stems(text).into_iter().filter(|stem| !is_everyday(stem))
}

/// Returns whether a word comes up in all kinds of work. It may be rare in a brain all the same, and two nodes that have it
/// need not have to do with each other.
fn is_everyday(stem: &str) -> bool {
    /// In so many of the ten thousand examples of what people and models say.
    const OFTEN: usize = 30;
    static EVERYDAY: LazyLock<HashSet<String>> = LazyLock::new(|| {
        let mut seen: HashMap<String, usize> = HashMap::new();
        for line in FILES.iter().flat_map(|file| file.lines()) {
            let words = line.split(|character: char| !character.is_alphanumeric());
            let stems: HashSet<String> =
                words.map(|word| without_ending(&plain(&word.to_lowercase()))).collect();
            for stem in stems {
                *seen.entry(stem).or_default() += 1;
            }
        }
        seen.into_iter().filter(|(_, lines)| *lines >= OFTEN).map(|(stem, _)| stem).collect()
    });
    EVERYDAY.contains(stem)
}

/// Takes the ending of an English word away. It is rough: all forms of a word need to become the same, and no more.
fn without_ending(word: &str) -> String {
    let is_long = |stem: &&str| stem.len() >= 3 && stem.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    let cut = |ending: &str| word.strip_suffix(ending).filter(is_long);
    if !word.is_ascii() || word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        return word.to_owned();
    }
    if let Some(stem) = cut("ies").or_else(|| cut("ied")) {
        return format!("{stem}y");
    }
    let stem = cut("ing").or_else(|| cut("ed")).or_else(|| cut("es")).or_else(|| cut("s"));
    let stem = stem.unwrap_or(word);
    let bytes = stem.as_bytes();
    // `running` comes from `run`, and `caches` from `cache`.
    match bytes {
        [.., one, other] if one == other && stem != word && !b"lsz".contains(other) => {
            stem[..stem.len() - 1].to_owned()
        }
        _ => stem.strip_suffix('e').filter(is_long).unwrap_or(stem).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{stems, telling_stems};

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for forms in [
            &["cache", "caches", "cached", "caching"][..],
            &["spin", "spins", "spinning"],
            &["retry", "retries", "retried"],
            &["lock", "locks", "locking", "locked"],
            &["deploy", "deploys", "deployed"],
            &["migration", "migrations"],
        ] {
            let all = stems(&forms.join(" "));
            assert_eq!(all.len(), 1, "{forms:?} gave {all:?}");
        }
        assert_ne!(stems("process"), stems("proceed"));
    }

    #[test]
    fn what_comes_up_in_all_kinds_of_work_tells_nothing() {
        let told = |text| telling_stems(text).collect::<Vec<_>>();
        assert_eq!(told("the cache of the bloom filter"), ["bloom", "filter"]);
        assert_eq!(told("Backup auf die Gartenkamera"), ["gartenkamera"]);
    }

    #[test]
    fn what_says_nothing_is_left_out() {
        assert!(stems("please fix this, and the others: 42 0x1f 12ab34cd56 a1").is_empty());
        assert_eq!(
            stems("read_nodeError src/cart.ts sha256"),
            ["cart", "nodeerror", "sha256", "src"]
        );
        assert_eq!(stems("検索機能"), ["検索", "機能", "索機"]);
        assert!(stems("").is_empty());
    }
}
