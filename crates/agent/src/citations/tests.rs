use proptest::prelude::*;

use super::{Citations, first_sentence};

/// Checks what is left of an answer with three pieces of evidence, which are cited, and how many were made up.
fn check(answer: &str, left: &str, cited: &[usize], invented: usize) {
    let mut citations = Citations::new(3);
    let mut shown = citations.hear(answer).to_owned();
    shown += citations.end();
    assert_eq!(citations.text(), left, "{answer}");
    assert_eq!(shown.trim_end(), left, "{answer}");
    assert_eq!(citations.cited().iter().copied().collect::<Vec<_>>(), cited, "{answer}");
    assert_eq!(citations.invented(), invented, "{answer}");
}

#[test]
fn marks_are_kept_if_there_is_such_evidence() {
    check("Keyed by user [2].", "Keyed by user [2].", &[2], 0);
    check("Keyed by user [4].", "Keyed by user.", &[], 1);
    check("One [1][9][3], two [0].", "One [1][3], two.", &[1, 3], 2);
    check("Several [1, 7,3]", "Several [1, 3]", &[1, 3], 1);
    check("A range [2-4]!", "A range [2, 3]!", &[2, 3], 1);
    check("A lot [1-99999999999].", "A lot [1-99999999999].", &[], 0);
    check(
        "\n Words [redacted: key] and [x] stay [1]\n",
        "Words [redacted: key] and [x] stay [1]",
        &[1],
        0,
    );
    check("Not closed [1", "Not closed [1", &[], 0);
    check("Odd [2Jx and so on [9].", "Odd [2Jx and so on.", &[], 1);
    check("Twice [[2]]", "Twice [[2]]", &[2], 0);
    check("", "", &[], 0);
}

#[test]
fn brackets_in_code_are_no_marks() {
    check("`items[0]` is the first [1], `a[9]", "`items[0]` is the first [1], `a[9]", &[1], 0);
    check("``a`[7]`` [8]", "``a`[7]``", &[], 1);
    check("```\nx[7]\n\ny[8]\n``` [9]", "```\nx[7]\n\ny[8]\n```", &[], 1);
    check("A lone ` tick.\n\nBut then [9].", "A lone ` tick.\n\nBut then.", &[], 1);
}

#[test]
fn a_summary_is_the_first_sentence_without_marks() {
    for (text, summary) in [
        ("Keyed by user [1]. It raced before [2].", "Keyed by user."),
        ("Keyed by user. [1] It raced.", "Keyed by user."),
        ("By user, e.g. by id 1.5 [2]! Really", "By user, e.g. by id 1.5!"),
        ("No end [1]", "No end"),
        ("日本語。次の文", "日本語。"),
        ("In `a[0]`.\nThen", "In `a[0]`."),
    ] {
        assert_eq!(first_sentence(text), summary);
    }
}

proptest! {
    #[test]
    fn how_an_answer_is_cut_into_pieces_makes_no_difference(
        answer in r"([a-z`\[\]0-9,\n -]|\[[0-9]\]| )*",
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..5),
    ) {
        let mut whole = Citations::new(4);
        whole.hear(&answer);
        whole.end();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(answer.len() + 1)).collect();
        cuts.extend([0, answer.len()]);
        cuts.sort_unstable();
        let mut pieces = Citations::new(4);
        let mut shown = String::new();
        for cut in cuts.windows(2) {
            shown += pieces.hear(&answer[cut[0]..cut[1]]);
        }
        shown += pieces.end();
        prop_assert_eq!(pieces.text(), whole.text());
        prop_assert_eq!(shown.trim_end(), whole.text());
        prop_assert_eq!(pieces.cited(), whole.cited());
        prop_assert_eq!(pieces.invented(), whole.invented());
    }
}
