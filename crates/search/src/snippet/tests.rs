use jiff::Zoned;
use proptest::prelude::*;

use super::*;

fn query(text: &str) -> Query {
    Query::parse(text, &Zoned::default()).unwrap()
}

/// Writes a snippet with its marks in brackets.
fn shown(text: &str, words: &str, width: usize) -> String {
    let snippet = snippet(text, &query(words), width);
    let mut shown = snippet.text.clone();
    for mark in snippet.marks.iter().rev() {
        shown.insert(mark.end, ']');
        shown.insert(mark.start, '[');
    }
    shown
}

#[test]
fn the_words_are_marked() {
    assert_eq!(
        shown("permission denied by the kernel", "denied", 80),
        "permission [denied] by the kernel"
    );
    assert_eq!(shown("see readNodeErrorCode()", "\"error code\"", 80), "see readNode[ErrorCode]()");
    assert_eq!(
        shown("see readNodeErrorCode()", "read_node_error_code", 80),
        "see [readNodeErrorCode]()"
    );
    assert_eq!(shown("two tests, one testing", "test", 80), "two [tests], one [testing]");
    assert_eq!(shown("これは日本語です", "日本語", 80), "これは[日本語]です");
    assert_eq!(shown("in src/tokens.rs:12", "tokens.rs", 80), "in src/[tokens.rs]:12");
}

#[test]
fn white_space_is_collapsed() {
    assert_eq!(shown("  a\n\n\tb   error\r\n  c ", "error", 80), "a b [error] c");
}

#[test]
fn the_piece_with_most_different_words_is_taken_and_cut_at_words() {
    let filler = "lorem ipsum dolor sit amet ".repeat(40);
    let text = format!("error {filler} error in the cache {filler} cache cache");
    assert_eq!(
        shown(&text, "error cache", 60),
        "…sit amet [error] in the [cache] lorem ipsum dolor sit amet…"
    );
    let text = format!("denied permission {filler} permission denied {filler}");
    let piece = shown(&text, "\"permission denied\"", 40);
    assert!(piece.contains("[permission denied]"), "{piece}");
}

#[test]
fn without_the_words_it_is_the_beginning() {
    assert_eq!(shown("one two three four", "nothing", 9), "one two…");
    assert_eq!(shown("", "nothing", 9), "");
}

#[test]
fn a_megabyte_full_of_hits_is_cut_in_no_time() {
    let text = "error code ".repeat(200_000);
    assert!(shown(&text, "\"error code\" error", 60).starts_with("[error code]"));
}

proptest! {
    #[test]
    fn marks_lie_in_the_snippet_and_hold_the_words(
        text in "((error|Code|日本語|é| |\n|x){0,60})|\\PC{0,80}",
        width in 0_usize..60,
    ) {
        let snippet = snippet(&text, &query("error \"code\" 日本語 é"), width);
        let mut before = 0;
        for mark in &snippet.marks {
            prop_assert!(before <= mark.start && mark.start < mark.end);
            before = mark.end;
            let marked = snippet.text.get(mark.clone());
            prop_assert!(marked.is_some_and(|marked| marked.chars().any(char::is_alphanumeric)));
        }
        // Room for one hit that is longer than the width, and for what stands where the text goes on.
        prop_assert!(snippet.text.chars().count() <= width.max(40) + 2, "{:?}", snippet);
        prop_assert!(!snippet.text.contains("  ") && !snippet.text.contains('\n'));
    }
}
