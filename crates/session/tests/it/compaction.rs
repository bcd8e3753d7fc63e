//! Where a conversation is cut when it gets too long.

use std::collections::HashSet;

use pi_brain_session::{CompactionPlan, ContextMessage, Session, View};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;

use crate::generate::cases;
use crate::notation::session;

fn opened(notation: &str) -> Session {
    Session::from_bytes(session(notation).into_bytes()).expect("the notation makes sessions")
}

fn planned(session: &Session, keep: u64) -> Option<CompactionPlan> {
    let tree = session.tree(View::AsPi);
    let leaf = tree.leaf().expect("the session has entries");
    session.plan_compaction(&tree, leaf, keep).expect("nothing changes in memory")
}

/// Writes a plan as `summarized / turn prefix / first kept`.
#[track_caller]
fn check(notation: &str, keep: u64, expected: &str) {
    let session = opened(notation);
    let names = |messages: &[ContextMessage]| {
        let name = |message: &ContextMessage| {
            let id = session.log().entries()[message.entry].id.as_ref();
            id.map_or("_", |id| id.as_str())
        };
        messages.iter().map(name).collect::<Vec<_>>().join(" ")
    };
    let plan = planned(&session, keep).map_or("nothing".to_owned(), |plan| {
        assert!(plan.is_split_turn || plan.turn_prefix.is_empty());
        format!("{} / {} / {}", names(&plan.summarized), names(&plan.turn_prefix), plan.first_kept)
    });
    assert_eq!(plan, expected, "{notation} keeping {keep}");
}

const TWO_TURNS: &str = "a*10 b:answer*10 c*10 d:answer*10";

#[test]
fn as_much_is_kept_as_was_asked_for() {
    check(TWO_TURNS, 20, "a b /  / c");
    check(TWO_TURNS, 11, "a b /  / c");
    check(TWO_TURNS, 21, " / a / b");
    check(TWO_TURNS, 31, "nothing");
    check(TWO_TURNS, 1000, "nothing");
}

#[test]
fn a_cut_can_go_through_a_turn() {
    check(TWO_TURNS, 10, "a b / c / d");
    check(TWO_TURNS, 0, "a b / c / d");
    check("a*10 b:answer*10", 5, " / a / b");
}

#[test]
fn a_cut_stands_before_words_never_before_a_result() {
    check("a*10 b:calls(x) r:result(x)*50 c:answer", 20, " / a b r / c");
    check("a*10 b:calls(x,y) q:result(x)*50 r:result(y)*50", 60, " / a / b");
    check("r:result(x)*50", 10, "nothing");
    check("a*10 s:summary(tried) b:bash*10", 5, "a s /  / b");
    check("a*10 b:note*10", 5, "a /  / b");
}

#[test]
fn settings_go_with_what_follows_them() {
    // As in pi, the turn before counts as cut through then, although it is not.
    check("a*10 b:answer*10 m:model(p,q) c*10", 5, " / a b / m");
}

#[test]
fn after_a_compaction_nothing_is_left_to_do() {
    check("a*10 b:answer*10 c*10 k:compaction(c)", 5, "nothing");
}

#[test]
fn what_an_earlier_compaction_hides_is_not_summarised_again() {
    check("a*10 b*10 k:compaction(b) c*10 d*10", 20, "b /  / c");
    check("a*10 b*10 k:compaction(b) c*10 d*10", 25, "nothing");
    check("a*10 b*10 k:compaction(k) c*10 d*10", 10, "c /  / d");
    check("a*10 b*10 k:compaction(b) c*10 d:answer*10", 10, "b / c / d");
    let session = opened("a*10 k:compaction(k) b*10 l:compaction(l) c*10 d*10");
    let plan = planned(&session, 10).unwrap();
    let summaries: Vec<&str> = plan.previous_summaries.iter().map(String::as_str).collect();
    assert_eq!(summaries, ["l", "k"]);
}

#[test]
fn a_request_that_was_too_large_is_summarised_too() {
    // pi edits the failed answer out and compacts: what was asked goes with the rest.
    check("a*10 b:answer*10 c*10 d:answer*10 e:edit(d)", 5, "a b / c / d");
    // Another edit means that somebody else is at work.
    check("a*10 b:answer*10 c*10 d:answer*10 e:edit(d) f:edit(a,x)", 5, "a b /  / c");
}

#[test]
fn system_messages_are_not_summarised() {
    check("s:system*50 a*10 b*10", 10, "a /  / b");
}

#[test]
fn files_of_what_is_summarised_are_listed() {
    let session = opened("a*10 b:calls(x,y) q:result(x) r:result(y) c*10 d:calls(z)");
    let plan = planned(&session, 10).unwrap();
    assert_eq!(plan.first_kept.as_str(), "c");
    assert_eq!(plan.files.read_files, ["x", "y"]);
    assert_eq!(plan.files.modified_files, [""; 0]);
}

#[test]
fn files_of_an_earlier_compaction_are_carried_over() {
    let read_files = |text: &str| {
        let session = Session::from_bytes(text.to_owned().into_bytes()).unwrap();
        planned(&session, 10).unwrap().files.read_files
    };
    let text = session("a*10 k:compaction(k) b:calls(x) r:result(x) c*10");
    let with_details =
        text.replace("\"tokensBefore\"", "\"details\":{\"readFiles\":[\"z\"]},\"tokensBefore\"");
    assert_eq!(read_files(&text), ["x"]);
    assert_eq!(read_files(&with_details), ["x", "z"]);
    // An extension's details mean what they mean.
    let from_hook = with_details.replace("\"tokensBefore\"", "\"fromHook\":true,\"tokensBefore\"");
    assert_eq!(read_files(&from_hook), ["x"]);
}

#[test]
fn the_size_before_is_what_the_last_answer_reported_and_what_followed() {
    let usage = |text: String| {
        text.replace("\"stopReason\"", "\"usage\":{\"totalTokens\":500},\"stopReason\"")
    };
    let tokens = |notation: &str| {
        let session = Session::from_bytes(usage(session(notation)).into_bytes()).unwrap();
        planned(&session, 1).unwrap().tokens_before
    };
    assert_eq!(tokens("a*10 b:answer*10 c*10"), 510);
    assert_eq!(tokens("a*10 c*10"), 20);
    // An edit of the context makes the report worthless.
    assert_eq!(tokens("a*10 b:answer*10 e:edit(a,x) c*10"), 21);
}

/// A turn of a conversation, and what else may stand around it.
#[derive(Clone, Debug)]
struct Turn {
    opens_with: &'static str,
    size: usize,
    calls: Vec<(usize, usize)>,
    answer: Option<usize>,
    between: Vec<&'static str>,
    edits: Vec<(Index, bool)>,
    compacts: Option<Index>,
}

fn any_turn() -> impl Strategy<Value = Turn> {
    let opens_with =
        prop::sample::select(&["user", "user", "user", "bash", "note", "summary(s)", "system"][..]);
    let silent = prop::sample::select(
        &["model(p,q)", "level(low)", "label(u1,x)", "name(n)", "custom", "usage"][..],
    );
    (
        opens_with,
        0_usize..30,
        prop::collection::vec((1_usize..4, 0_usize..30), 0..3),
        prop::option::of(0_usize..30),
        prop::collection::vec(silent, 0..3),
        prop_oneof![3 => Just(vec![]), 1 => prop::collection::vec(any::<(Index, bool)>(), 1..3)],
        prop_oneof![6 => Just(None), 1 => any::<Index>().prop_map(Some)],
    )
        .prop_map(|(opens_with, size, calls, answer, between, edits, compacts)| Turn {
            opens_with,
            size,
            calls,
            answer,
            between,
            edits,
            compacts,
        })
}

/// Writes turns down in the notation of sessions. Each call has its result, settings anywhere between.
fn written(turns: &[Turn]) -> String {
    let mut words: Vec<String> = Vec::new();
    for (number, turn) in turns.iter().enumerate() {
        let mut between = turn.between.iter().cycle();
        let mut say = |word: String| {
            words.push(format!("u{}:{word}", words.len()));
            if words.len().is_multiple_of(3)
                && let Some(silent) = between.next()
            {
                words.push(format!("u{}:{silent}", words.len()));
            }
        };
        say(format!("{}*{}", turn.opens_with, turn.size));
        for (step, (calls, size)) in turn.calls.iter().enumerate() {
            let ids: Vec<String> =
                (0..*calls).map(|call| format!("c{number}-{step}-{call}")).collect();
            say(format!("calls({})", ids.join(",")));
            for id in ids {
                say(format!("result({id})*{size}"));
            }
        }
        if let Some(size) = turn.answer {
            say(format!("answer*{size}"));
        }
        // Edits come after what they edit, and a compaction keeps what stands before it.
        for (target, omits) in &turn.edits {
            let target = target.index(words.len());
            let content = if *omits { "" } else { ",edited" };
            words.push(format!("u{}:edit(u{target}{content})", words.len()));
        }
        if let Some(kept) = turn.compacts {
            words.push(format!("u{}:compaction(u{})", words.len(), kept.index(words.len() + 1)));
        }
    }
    words.join(" ")
}

fn values(messages: &[ContextMessage]) -> Vec<(usize, Value)> {
    let value = |message: &ContextMessage| {
        let raw = message.raw().expect("checked when it was made");
        (message.entry, serde_json::from_slice(raw.bytes()).expect("a message is JSON"))
    };
    messages.iter().map(value).collect()
}

fn conversation_at_leaf(session: &Session) -> Vec<(usize, Value)> {
    let tree = session.tree(View::AsPi);
    let context = session.context(&tree, tree.leaf()).expect("nothing changes in memory");
    let is_talk = |(_, message): &(usize, Value)| {
        message["role"] != "system" && message["role"] != "compactionSummary"
    };
    values(&context.messages).into_iter().filter(is_talk).collect()
}

fn calls(messages: &[(usize, Value)]) -> HashSet<String> {
    let blocks = messages
        .iter()
        .flat_map(|(_, message)| message["content"].as_array().into_iter().flatten());
    blocks
        .filter(|block| block["type"] == "toolCall")
        .filter_map(|block| block["id"].as_str().map(str::to_owned))
        .collect()
}

proptest! {
    #![proptest_config(cases(250))]

    /// What is summarised, what is the beginning of a turn, and what stays are the whole conversation.
    #[test]
    fn nothing_is_lost_and_calls_keep_their_results(
        turns in prop::collection::vec(any_turn(), 1..6),
        keep in 0_u64..150,
    ) {
        let notation = written(&turns);
        let session = opened(&notation);
        let Some(plan) = planned(&session, keep) else { return Ok(()) };
        let compacted = opened(&format!("{notation} k:compaction({})", plan.first_kept));
        let cut_off = [values(&plan.summarized), values(&plan.turn_prefix)].concat();
        let kept = conversation_at_leaf(&compacted);
        prop_assert_eq!([cut_off.clone(), kept.clone()].concat(), conversation_at_leaf(&session), "{}", notation);
        prop_assert!(!cut_off.is_empty());
        prop_assert!(plan.is_split_turn || plan.turn_prefix.is_empty());

        let (calls_cut_off, first_kept) = (calls(&cut_off), kept.first().map(|(_, message)| &message["role"]));
        for (_, message) in kept.iter().filter(|(_, message)| message["role"] == "toolResult") {
            let call = message["toolCallId"].as_str().unwrap();
            prop_assert!(!calls_cut_off.contains(call), "{} {:?}", notation, first_kept);
        }
    }
}
