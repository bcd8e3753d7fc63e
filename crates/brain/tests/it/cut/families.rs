//! Copies and forks: what several files tell of is cut once.

use super::notation::{Family, check_boundaries, check_family, show_boundary};

#[track_caller]
fn check_openings(notation: &str, expected: &str) {
    let cut = Family::new(notation).cut();
    let shown =
        cut.segments.iter().flat_map(|segment| segment.boundaries.iter().map(show_boundary));
    assert_eq!(shown.collect::<Vec<_>>().join(", "), expected, "{notation}");
}

#[test]
fn a_fork_begins_with_its_first_own_entry() {
    let fork = "r: a b c d
                s<r: a b e f";
    check_family(fork, "r: a b c d | s: e f");
    check_openings(fork, "e fork b");
}

#[test]
fn a_fork_may_start_with_a_gap_and_elsewhere() {
    check_openings("r: a b c\n s<r: a b c d+30", "d fork c, d resume(30) c");
    check_openings("r: a b c\n s<r: a b c; a d", "d fork a, d tree_jump c");
    check_openings("r: a b c\n s<r: a b c; b d:summary(c)", "d fork b, d branch c");
}

#[test]
fn a_clone_without_turns_has_no_segment() {
    check_family("r: a b c\n s<r: a b c", "r: a b c");
}

#[test]
fn labels_that_a_fork_wrote_anew_wait_for_its_first_turn() {
    check_family("r: a b c\n s<r: a b l:label(a)", "r: a b c | s: l");
    let fork = "r: a b c\n s<r: a b l:label(a) d";
    check_family(fork, "r: a b c | s: l d");
    check_openings(fork, "d fork b");
}

#[test]
fn copies_belong_to_the_segments_of_the_original() {
    let family = Family::new("r: a b; a c\n s<r: a c d\n t<s: a c d e");
    let cut = family.cut();
    assert_eq!(cut.segment_of, [vec![0, 0, 1], vec![0, 1, 2], vec![0, 1, 2, 3]]);
    let place =
        |segment: usize| cut.segments[segment].follows.map(|place| (place.file, place.entry));
    assert_eq!(
        [place(0), place(1), place(2), place(3)],
        [None, Some((0, 0)), Some((0, 2)), Some((1, 2))]
    );
}

#[test]
fn copies_that_went_different_ways_part_at_the_fork() {
    // The same session twice: the way that was taken first owns what both have.
    check_family("s@0: a b c\n s@0: a b d", "s: a b c | s: d");
    check_family("s@0: a b d c\n s@0: a b c", "s: a b d c");
    check_family("s@0: a b\n s@0: a b c", "s: a b c");
}

#[test]
fn the_oldest_session_owns() {
    check_family("r@9: a b c\n s@5: a b d", "s: a b d | r: c");
    check_family("r@5: a b c\n q@5: a b d", "q: a b d | r: c");
}

#[test]
fn a_session_of_unknown_age_is_the_youngest() {
    let mut family = Family::new("r: a b c\n s: a b d");
    family.outlines[0].session.created = None;
    assert_eq!(family.cut().segment_of, [[0, 0, 1], [0, 0, 0]]);
}

#[test]
fn files_that_differ_in_their_headers_only_have_an_order_too() {
    let owner = |notation: &str| {
        let family = Family::new(notation);
        let cut = family.cut();
        family.outlines[cut.segments[0].file].session.parent_session.clone()
    };
    let [one, other] = ["s@0: a b c", "s<r@0: a b c"];
    assert_eq!(owner(&format!("{one}\n{other}")), owner(&format!("{other}\n{one}")));
}

#[test]
fn where_the_original_is_gone_the_header_tells_what_was_copied() {
    check_boundaries("s<gone@30: a b c+40 d", "c fork b, c resume(40) b");
    check_family("s<gone@5: a b c+6 d", "s: a b | s: c d");
    check_boundaries("s<gone@5: a b c+6 d", "c fork b");
    // Nothing was copied.
    check_boundaries("s<gone: a b", "");
    // The parent is there, so the header need not be asked.
    check_family("r: x\n s<r@5: a b c+6 d", "r: x | s: a b c d");
    // Part of what was copied is still in a brother.
    let brothers = "q<gone: a b c\n s<gone@5: a b d e+6";
    check_family(brothers, "q: a b c | s: d | s: e");
    check_openings(brothers, "d fork b, e fork d");
}

#[test]
fn a_line_written_twice_moves_only_the_leaf() {
    check_family("s: a b !b c", "s: a b c");
    let family = Family::new("s: a b !b c");
    assert_eq!(family.cut().segment_of, [[0, 0, 0, 0]]);
}
