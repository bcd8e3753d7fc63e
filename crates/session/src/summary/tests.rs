use proptest::prelude::*;

use super::*;

#[test]
fn texts_are_cut_at_a_word() {
    assert_eq!(shorten("one two three", 13), "one two three");
    assert_eq!(shorten("one two three", 12), "one two…");
    assert_eq!(shorten("one two three", 9), "one two…");
    // No word ends in the second half.
    assert_eq!(shorten("a bcdefghijkl", 8), "a bcdefg…");
    assert_eq!(shorten("äöü", 2), "äö…");
    assert_eq!(shorten("x", 0), "…");
    assert_eq!(shorten("", 0), "");
    assert_eq!(shorten(" one\n\n two ", 20), "one\n\n two");
    assert_eq!(shorten_line("  one\n\n two ", 20), "one two");
}

proptest! {
    #[test]
    fn short_texts_are_short(text in any::<String>(), most in 0_usize..60) {
        let whole = text.trim();
        let short = shorten(&text, most);
        prop_assert!(short.chars().count() <= most + 1);
        if whole.chars().count() <= most {
            prop_assert_eq!(short, whole);
        } else {
            let cut = short.strip_suffix('…').unwrap();
            prop_assert!(whole.starts_with(cut));
        }
        prop_assert!(!shorten_line(&text, most).contains('\n'));
    }
}
