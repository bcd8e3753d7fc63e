//! The words of a text that say what it is about, without their endings.

/// Words that every text has, and that every report of work has.
const COMMON: &[&str] = &[
    "about", "add", "after", "again", "all", "also", "always", "and", "any", "are", "asked",
    "back", "because", "been", "before", "but", "can", "change", "could", "did", "does", "don",
    "done", "each", "error", "every", "file", "first", "fix", "for", "from", "get", "had", "has",
    "have", "her", "here", "him", "his", "how", "into", "its", "just", "know", "let", "like",
    "look", "made", "make", "may", "more", "most", "need", "never", "new", "not", "now", "off",
    "one", "only", "other", "our", "out", "over", "please", "ran", "read", "same", "see", "she",
    "should", "some", "still", "such", "sure", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "thing", "this", "those", "too", "try", "two", "under", "until",
    "use", "user", "very", "want", "was", "way", "well", "were", "what", "when", "where", "which",
    "while", "who", "why", "will", "with", "word", "work", "would", "write", "you", "your",
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
            stems.extend(characters.windows(2).map(|pair| pair.iter().collect::<String>()));
        } else if run.len() <= LONGEST {
            stems.extend(stem(&run.to_lowercase()));
        }
    }
    stems.sort_unstable();
    stems.dedup();
    stems
}

/// Returns whether a character belongs to a script in which words are not set apart.
fn is_unspaced(character: char) -> bool {
    matches!(character, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{e00}'..='\u{e7f}')
}

fn stem(word: &str) -> Option<String> {
    const SHORTEST: usize = 3;
    let letters = word.chars().filter(|character| character.is_alphabetic()).count();
    // Ids mix letters and digits; a few digits belong to names such as `sha256`.
    if letters < SHORTEST || word.len() > 2 * letters || COMMON.binary_search(&word).is_ok() {
        return None;
    }
    let stem = without_ending(word);
    COMMON.binary_search(&&*stem).is_err().then_some(stem)
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
    use super::{COMMON, stems};

    #[test]
    fn common_words_can_be_looked_up() {
        assert!(COMMON.is_sorted());
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for forms in [
            &["cache", "caches", "cached", "caching"][..],
            &["run", "runs", "running"],
            &["retry", "retries", "retried"],
            &["test", "tests", "testing", "tested"],
            &["deploy", "deploys", "deployed"],
            &["migration", "migrations"],
        ] {
            let all = stems(&forms.join(" "));
            assert_eq!(all.len(), 1, "{forms:?} gave {all:?}");
        }
        assert_ne!(stems("process"), stems("proceed"));
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
