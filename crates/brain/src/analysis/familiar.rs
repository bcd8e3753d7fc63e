//! Whether the words of a text are ones that the examples have: who speaks another language is not understood, and nothing
//! is read from what they say.

use std::sync::LazyLock;

use super::examples::{FILES, HashSet, words};
use crate::vocabulary::is_unspaced;

/// Fewer words are too few to judge a language by.
const FEWEST: usize = 6;

/// Returns whether more than half the words of a text are known. A script without spaces is taken as known: the examples
/// have too few of its pairs of characters.
pub(super) fn is_understood(text: &str) -> bool {
    static KNOWN: LazyLock<HashSet> =
        LazyLock::new(|| FILES.iter().flat_map(|file| words(file)).collect());
    if text.contains(is_unspaced) {
        return true;
    }
    let said = words(text);
    let known = said.iter().filter(|word| KNOWN.contains(word)).count();
    said.len() < FEWEST || 2 * known > said.len()
}

#[cfg(test)]
mod tests {
    use super::is_understood;

    #[test]
    fn a_language_without_examples_is_not_understood() {
        let cases = [
            ("no, keep the old parser, the new one is too slow for the big files", true),
            ("nimm lieber das zweite, das läuft auch ohne Netz", true),
            ("käytä mieluummin toista vaihtoehtoa, koska se toimii ilman verkkoyhteyttä", false),
            ("bırak öyle kalsın, yarın ekiple tekrar konuşup karar veririz", false),
            ("kyllä, tee niin", true),
            ("保留门面，别的组也在用这个接口，不能动签名", true),
        ];
        for (text, understood) in cases {
            assert_eq!(is_understood(text), understood, "{text}");
        }
    }
}
