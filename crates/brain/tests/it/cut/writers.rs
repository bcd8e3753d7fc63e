//! Two programs that write to one file, and people who come back to where they were.

use super::notation::{check, check_boundaries};

#[test]
fn each_writer_goes_on_with_its_own_segment() {
    check("a b c; b x; c d; x y; d e; y z", "a b c d e | x y z");
    check_boundaries("a b c; b x; c d; x y; d e; y z", "x tree_jump c");
}

#[test]
fn who_comes_back_in_time_goes_on() {
    check("a b c; a d+5; c e+4", "a b c e | d");
    check("a b c; a d+5; c l:label(c) e+4", "a b c e | d l");
}

#[test]
fn who_comes_back_late_starts_anew() {
    check("a b c; a d+5; c e+5", "a b c | d | e");
    check_boundaries("a b c; a d+5; c e+5", "d tree_jump c, e tree_jump d");
}

#[test]
fn only_the_tail_of_a_segment_is_gone_on_with() {
    check("a b c d; a x; c e", "a b c d | x | e");
}

#[test]
fn a_tool_that_ran_long_answers_where_it_was_called() {
    check("a s:answer t:calls(1); a x+6 y+6; t r:result(1)+6 b:answer", "a s t r b | x y");
    check_boundaries(
        "a s:answer t:calls(1); a x+6 y+6; t r:result(1)+6",
        "x tree_jump t, r pause(18) t",
    );
}

#[test]
fn a_compaction_cuts_the_segment_of_its_own_writer() {
    check("a b c; b x; c k:compaction; x y; k d", "a b c | x y | k d");
    check_boundaries("a b c; b x; c k:compaction; x y; k d", "x tree_jump c, k compaction c");
    check_boundaries("a b c; b x; c h:handoff(z)", "x tree_jump c, h handoff(z) c");
}
