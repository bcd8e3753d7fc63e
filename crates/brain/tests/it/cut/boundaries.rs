use super::notation::{check, check_boundaries, session};
use pi_brain_brain::{Rules, detect_boundaries, extract_segments};
use pi_brain_session::Millis;

#[test]
fn a_session_without_boundaries_is_one_segment() {
    check("s: ", "");
    check("a", "a");
    check("a b:answer c d:answer", "a b c d");
    check_boundaries("a b:answer c d:answer", "");
}

#[test]
fn a_jump_to_another_place_cuts() {
    check("a b c; b d", "a b c | d");
    check_boundaries("a b c; b d", "d tree_jump c");
    check("a b c; b d e; a f", "a b c | d e | f");
    check_boundaries("a b c; b d e; a f", "d tree_jump c, f tree_jump e");
}

#[test]
fn a_jump_may_go_to_the_root() {
    check("a b; c d", "a b | c d");
    check_boundaries("a b; c d", "c tree_jump b");
}

#[test]
fn a_jump_may_start_with_any_kind_of_entry() {
    for kind in ["model", "level", "custom", "put", "bash", "system", "context_edit", "zzz"] {
        check_boundaries(&format!("a b:answer c; b d:{kind} e"), "d tree_jump c");
    }
    check_boundaries("a b:answer c; b d:compaction e", "d tree_jump c, d compaction c");
}

#[test]
fn a_jump_that_leaves_no_words_is_none() {
    check_boundaries("m:model^ l:level^ a", "");
    check_boundaries("a b:answer m:model; b c", "");
    check_boundaries("a b:answer x:bash; b c", "");
    check_boundaries("a b:answer x:put; b c", "");
    check_boundaries("a t:calls(1) r:result(1) m:model; r c", "");
    check_boundaries("a t:thinks; a c", "");
    check_boundaries("a t:image; a c", "");
    check_boundaries("a t:say(_); a c", "");
    check_boundaries("a t:says(hello) m:model; a c", "c tree_jump m");
    check("a b:answer m:model; b c", "a b m c");
}

#[test]
fn labels_and_names_move_the_leaf_and_are_no_jump() {
    check("a b:answer l:label(a) c", "a b l c");
    check_boundaries("a b:answer l:label(a) n:name c", "");
    // pi's leaf was the label; going back to what it stands under leaves nothing.
    check_boundaries("a b:answer l:label(a); b c", "");
    check_boundaries("a b:answer l:label(a); a c", "c tree_jump l");
}

#[test]
fn a_jump_that_a_label_made_lasting_is_seen_with_the_next_entry() {
    check("a b:answer c d:answer; b l:label(b) e", "a b c d l | e");
    check_boundaries("a b:answer c d:answer; b l:label(b) e", "e tree_jump d");
}

#[test]
fn notes_never_cut_and_do_not_count_for_gaps() {
    check("a b l:label(a)+30 n:name+30", "a b l n");
    check_boundaries("a b l:label(a)+9 c+9", "c resume(18) b");
    check_boundaries("a l:label(a)+4 b+4", "");
    check("l:label(x) n:name a b", "l n a b");
    check("l:label(x) n:name", "l n");
    check("l:label(x) c:compaction+60 a", "l c a");
    check_boundaries("l:label(x) c:compaction+60 a", "c compaction l");
}

#[test]
fn a_summary_of_what_was_left_cuts() {
    check("a b c; b s:summary(c) d", "a b c | s d");
    check_boundaries("a b c; b s:summary(c) d", "s branch c");
    check("a b; s:summary(root) d", "a b | s d");
    check_boundaries("a b; s:summary(root) d", "s branch b");
}

#[test]
fn the_left_leaf_is_found_whatever_the_version_of_pi_wrote() {
    // Before 0.84.3 the destination, or something above it.
    check_boundaries("a b c d; b s:summary(b) e", "s branch d");
    check_boundaries("a b c d; b s:summary(a) e", "s branch d");
    // Since then the leaf, which need not be the last line.
    check_boundaries("a b c d; b e; b s:summary(d)", "e tree_jump d, s branch d");
    check_boundaries("a b c l:label(a); b s:summary(l) e", "s branch l");
    // What is not there tells nothing, nor does what comes later.
    check_boundaries("a b c; b s:summary(zzz) d", "s branch c");
    check_boundaries("a b c; b s:summary(d) d", "s branch c");
}

#[test]
fn a_compaction_cuts_and_opens_what_follows() {
    check("a b c:compaction d e:compaction", "a b | c d | e");
    check_boundaries("a b c:compaction d", "c compaction b");
    check_boundaries("a b l:label(a) c:compaction", "c compaction l");
}

#[test]
fn ten_minutes_make_a_gap() {
    check("a b+10 c", "a | b c");
    check("a b+9.99 c", "a b c");
    check_boundaries("a b+10", "b resume(10) a");
    check_boundaries("a b+12.3456", "b resume(12.35) a");
    check_boundaries("a m:model+11 b", "m resume(11) a");
}

#[test]
fn unknown_and_backward_times_make_no_gap() {
    check_boundaries("a b@ c+30", "");
    check_boundaries("a@ b+30", "");
    check_boundaries("a b+-30", "");
}

#[test]
fn a_cache_that_was_kept_warm_hides_no_gap() {
    check_boundaries("a u:usage+5 v:usage+5 b+5", "b resume(15) a");
    check("a u:usage+30", "a u");
}

#[test]
fn a_gap_inside_a_tool_run_is_told_and_does_not_cut() {
    check("a t:calls(1) r:result(1)+30 b:answer", "a t r b");
    check_boundaries("a t:calls(1) r:result(1)+30 b:answer", "r pause(30) t");
    // Each of several calls may take long.
    check_boundaries(
        "a t:calls(1,2) r:result(2)+30 q:result(1)+30",
        "r pause(30) t, q pause(30) r",
    );
    // What nobody waits for is no tool run.
    check_boundaries("a t:calls(1) r:result(2)+30", "r resume(30) t");
    check_boundaries("a t:calls(1) r:result(1) q:result(1)+30", "q resume(30) r");
    check_boundaries("a t:calls(1) b q:result(1)+30", "q resume(30) b");
    check_boundaries("a t:calls(1) b+30", "b resume(30) t");
}

#[test]
fn work_is_handed_over() {
    check("a b h:handoff(tester) c", "a b | h c");
    check_boundaries("a b h:handoff(tester) c", "h handoff(tester) b");
    check_boundaries("a b h:handoff() c", "h handoff() b");
    check_boundaries("a b h:say(handoff_to_tester) c", "h handoff(tester) b");
    check_boundaries("a b h:say(the_handoff_to_tester_failed) c", "");
    // Only people ask for it.
    check_boundaries("a b h:says(handoff_to_tester) c", "");
}

#[test]
fn several_boundaries_on_one_entry_make_one_cut() {
    check("a b c; b s:summary(c)+20 d", "a b c | s d");
    check_boundaries("a b c; b s:summary(c)+20 d", "s branch c, s resume(20) c");
    check_boundaries(
        "a b c; b h:say(handoff_to_tester)+20",
        "h tree_jump c, h resume(20) c, h handoff(tester) c",
    );
    let outline = session("a b c; b d:compaction+20 e");
    let segments = extract_segments(&outline, &Rules::default());
    assert_eq!(segments.len(), 2);
    assert_eq!(segments[1].boundaries.len(), 3);
}

#[test]
fn the_first_boundary_of_a_file_has_nothing_to_cut() {
    check("c:compaction a", "c a");
    check("h:handoff(x) a", "h a");
}

#[test]
fn damaged_trees_are_cut_as_well() {
    // A parent that is not there opens a tree.
    check_boundaries("a b c^zzz d", "c tree_jump b");
    // A parent that stands behind its child is no parent yet.
    check_boundaries("a b c^d d^a", "c tree_jump b, d tree_jump c");
    check_boundaries("a b^b c", "b tree_jump a");
    // A line that was written twice is one entry.
    check("a b !b c", "a b c");
    check("a b !a !b c", "a b c");
    check_boundaries("n:name !n a", "");
}

#[test]
fn a_segment_is_over_after_a_cut_or_some_time() {
    let rules = Rules::default();
    let over = |notation: &str, minutes: i64| {
        let outline = session(notation);
        let last = outline.entries.last().unwrap().time.unwrap_or(Millis(0));
        let segments = extract_segments(&outline, &rules);
        let now = Millis(last.0 + minutes * 60_000);
        segments.iter().map(|segment| segment.is_closed(now, &rules)).collect::<Vec<_>>()
    };
    assert_eq!(over("a b", 9), [false]);
    assert_eq!(over("a b", 10), [true]);
    assert_eq!(over("a b c; b d", 0), [true, false]);
    assert_eq!(over("a t:calls(1)", 119), [false]);
    assert_eq!(over("a t:calls(1)", 120), [true]);
    assert_eq!(over("a t:calls(1,2) r:result(1)", 60), [false]);
    assert_eq!(over("a t:calls(1) r:result(1)", 60), [true]);
    assert_eq!(over("a t:calls(1,1) r:result(1)", 60), [true]);
    // The tool was stopped: nobody waits for it.
    assert_eq!(over("a t:calls(1) b:answer", 60), [true]);
    // Whoever comes back opens it again.
    assert_eq!(over("a b c; a d+5; c e+4", 0), [false, false]);
    // A rename is no work.
    assert_eq!(over("a n:name+30", 0), [true]);
    assert_eq!(over("a@", 0), [true]);
}

#[test]
fn a_segment_knows_its_beginning_and_end() {
    let outline = session("l:label(x) a b+5 n:name+3; c+1");
    let segments = extract_segments(&outline, &Rules::default());
    let json = serde_json::to_value(&segments).unwrap();
    assert_eq!(json[0]["startEntryId"], "l");
    assert_eq!(json[0]["endEntryId"], "n");
    assert_eq!(json[0]["entryCount"], 4);
    assert_eq!(json[0]["startTimestamp"], "2026-01-01T00:00:02.001Z");
    assert_eq!(json[0]["endTimestamp"], "2026-01-01T00:05:02.001Z");
    assert_eq!(json[1]["boundaries"][0]["type"], "tree_jump");
}

#[test]
fn boundaries_have_one_form_in_json() {
    let json = |notation: &str| {
        let boundaries = detect_boundaries(&session(notation), &Rules::default());
        let strip = |boundary| {
            let mut json = serde_json::to_value(boundary).unwrap();
            json.as_object_mut().unwrap().remove("timestamp").unwrap();
            json
        };
        boundaries.iter().map(strip).collect::<Vec<_>>()
    };
    let expected = |json: &str| serde_json::from_str::<Vec<serde_json::Value>>(json).unwrap();
    assert_eq!(
        json("a b; c"),
        expected(
            r#"[{"type": "tree_jump", "entryId": "c", "previousEntryId": "b",
                 "metadata": {"expectedParentId": "b", "actualParentId": null}}]"#
        )
    );
    assert_eq!(
        json("a b; a s:summary(b)"),
        expected(
            r#"[{"type": "branch", "entryId": "s", "previousEntryId": "b", "metadata": {"summary": "was"}}]"#
        )
    );
    assert_eq!(
        json("a c:compaction"),
        expected(
            r#"[{"type": "compaction", "entryId": "c", "previousEntryId": "a",
                 "metadata": {"summary": "so far", "tokensBefore": 100}}]"#
        )
    );
    assert_eq!(
        json("a t:calls(1) r:result(1)+12 b+12"),
        expected(
            r#"[{"type": "resume", "entryId": "r", "previousEntryId": "t",
                 "metadata": {"gapMinutes": 12.0, "duringToolRun": true}},
                {"type": "resume", "entryId": "b", "previousEntryId": "r", "metadata": {"gapMinutes": 12.0}}]"#
        )
    );
    assert_eq!(
        json("a h:handoff(x)"),
        expected(
            r#"[{"type": "handoff", "entryId": "h", "previousEntryId": "a", "metadata": {"handoffTarget": "x"}}]"#
        )
    );
}
