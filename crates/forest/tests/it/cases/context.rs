//! What a model is given: the rules of coalescing, row by row, and compactions.

use pi_brain_forest::{Matching, Message, NewMessage, Place};
use pi_brain_session::Millis;
use serde_json::json;

use crate::support::{Garden, label};

/// Returns the context at the end of the chain that a list of messages makes.
fn context(labels: &[&str], separator: &str) -> Vec<String> {
    let mut garden = Garden::new("");
    let end = garden.append(garden.root, labels).end;
    context_at(&garden, end, separator)
}

fn context_at(garden: &Garden, at: Place, separator: &str) -> Vec<String> {
    let context = garden.forest.context(at, separator).unwrap();
    context.messages.iter().map(label).collect()
}

#[test]
fn the_prompt_of_the_root_goes_with_it() {
    let mut garden = Garden::new("u:a");
    let at_root = garden.forest.context(garden.root.into(), "").unwrap();
    assert_eq!((at_root.system.as_deref(), at_root.messages), (Some("prompt"), vec![]));
    let none = garden.forest.find_or_create_root(None, Millis(1)).unwrap();
    assert_eq!(garden.forest.context(none.into(), "").unwrap().system, None);
    let empty = garden.forest.find_or_create_root(Some(""), Millis(1)).unwrap();
    assert_eq!(garden.forest.context(empty.into(), "").unwrap().system.as_deref(), Some(""));
}

#[test]
fn neighbouring_texts_of_one_speaker_are_joined() {
    assert_eq!(context(&["u:a", "u:b", "a:c", "a:d", "a:e", "u:f"], ""), ["u:ab", "a:cde", "u:f"]);
    assert_eq!(context(&["u:a", "u:b", "a:c"], "\n\n"), ["u:a\n\nb", "a:c"]);
    assert_eq!(context(&["u:a", "a:b", "u:c"], "-"), ["u:a", "a:b", "u:c"], "others stay apart");
}

#[test]
fn blocks_are_joined_without_the_separator_and_messages_with_it() {
    assert_eq!(context(&["u:a|b", "u:c|d"], "-"), ["u:ab-cd"]);
}

#[test]
fn a_message_alone_is_not_rewritten() {
    assert_eq!(context(&["u:a|b", "a:c|d"], "-"), ["u:a|b", "a:c|d"]);
}

#[test]
fn results_and_calls_stay_alone_and_nothing_is_joined_across_them() {
    let labels = ["u:a", "a:b", "a:[x]|[y]", "t:x=1", "t:y=2", "a:c", "a:d|[z]", "a:e"];
    assert_eq!(
        context(&labels, ""),
        ["u:a", "a:b", "a:[x]|[y]", "t:x=1", "t:y=2", "a:c", "a:d|[z]", "a:e"]
    );
}

#[test]
fn unknown_blocks_stay_alone() {
    assert_eq!(context(&["u:a", "u:b|{image}", "u:c", "u:d"], ""), ["u:a", "u:b|{image}", "u:cd"]);
}

#[test]
fn what_is_stored_is_never_coalesced() {
    let mut garden = Garden::new("u:a (u:b)");
    let before = garden.sketch();
    let at = Place::Node(garden.id("u:b"));
    garden.quiet(|forest, _| forest.context(at, ""));
    assert_eq!(garden.sketch(), before);
    assert_eq!(garden.forest.messages(at).unwrap().len(), 2);
}

#[test]
fn splits_and_edits_spell_the_same_again() {
    let mut garden = Garden::new("u:one two three (a:x)");
    let end = Place::Node(garden.id("a:x"));
    garden.split("u:one two three", 7);
    garden.split("u:one two", 3);
    assert_eq!(context_at(&garden, end, ""), ["u:one two three", "a:x"]);
    let edited = garden.edit("u: three", " tables").node;
    assert_eq!(context_at(&garden, edited.into(), ""), ["u:one two tables"]);
    assert_eq!(context_at(&garden, end, ""), ["u:one two three", "a:x"]);
}

/// Appends messages of which some are compactions: `#2` keeps two of the messages before it.
fn compacted(labels: &[&str]) -> Vec<String> {
    let mut garden = Garden::new("");
    let mut end = Place::Root(garden.root);
    for label in labels {
        let message: Message = match label.strip_prefix('#') {
            Some(kept) => serde_json::from_value(json!({ "role": "user", "content": [
                { "type": "compaction", "summary": label, "kept": kept.parse::<u32>().unwrap() }] })),
            None => Ok(crate::support::message(label)),
        }
        .unwrap();
        let now = garden.now();
        let new = vec![NewMessage::new(message)];
        end = garden.forest.append(end, new, Matching::Exact, now).unwrap().end;
    }
    context_at(&garden, end, "")
}

#[test]
fn a_compaction_stands_for_what_came_before_it() {
    assert_eq!(compacted(&["u:a", "a:b", "#0", "u:c"]), ["u:{compaction}", "u:c"]);
    assert_eq!(compacted(&["u:a", "a:b", "u:c", "#1", "a:d"]), ["u:{compaction}", "u:c", "a:d"]);
    assert_eq!(compacted(&["u:a", "a:b", "#2", "u:c"]), ["u:{compaction}", "u:a", "a:b", "u:c"]);
    assert_eq!(compacted(&["u:a", "#9", "u:c"]), ["u:{compaction}", "u:ac"], "more than there are");
    assert_eq!(compacted(&["u:a", "a:b", "#0"]), ["u:{compaction}"]);
}

#[test]
fn only_the_last_compaction_counts() {
    assert_eq!(
        compacted(&["u:a", "#0", "u:b", "a:c", "#1", "u:d"]),
        ["u:{compaction}", "a:c", "u:d"]
    );
    assert_eq!(
        compacted(&["u:a", "#0", "u:b", "a:c", "#3", "u:d"]),
        ["u:{compaction}", "u:b", "a:c", "u:d"],
        "an older one among the kept ones is not shown again"
    );
}
