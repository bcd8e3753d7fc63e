//! Out of the forest again.

use std::io::Read;

use pi_brain_forest::{
    Block, ExportOptions, Forest, Matching, MemoryStore, Message, ModelSource, NewMessage, NodeId,
    Place, Role, SourceInfo, Store, ToolUse,
};
use pi_brain_session::{Millis, Session, View, labels};
use serde_json::{Value, json};

use super::importing::find;
use super::notation::session;
use super::properties::{Counter, told};
use super::world::text_of;
use super::{NOW, forest_of, import, number_of};

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn export_leaf<S: Store>(forest: &Forest<S>, node: NodeId) -> Vec<Value> {
    let exported =
        forest.export_leaf(node, ExportOptions::default(), &mut Counter::default()).unwrap();
    let session = Session::from_bytes(exported.text.clone().into_bytes()).unwrap();
    let tree = session.tree(View::AsPi);
    assert_eq!(session.problems(&tree), [], "pi has nothing to complain about");
    assert_eq!(session.header().id, exported.id);
    assert!(exported.file_name.ends_with(&format!("_{}.jsonl", exported.id)));
    lines(&exported.text)
}

/// Returns what the messages of a new session say, in the order of its lines.
fn said(lines: &[Value]) -> Vec<String> {
    let text = |line: &Value| match (&line["message"]["content"], &line["type"]) {
        (Value::String(text), _) => text.clone(),
        (Value::Array(blocks), _) => {
            blocks.iter().map(|block| block["text"].as_str().unwrap_or("-")).collect()
        }
        (_, kind) => kind.as_str().unwrap().to_owned(),
    };
    lines[1..].iter().map(text).collect()
}

#[test]
fn a_file_comes_out_in_pieces_too() {
    let bytes = session("s", "a b:answer").bytes();
    let forest = forest_of(&[("/a", &bytes)]);
    let mut read = Vec::new();
    forest.session_reader(number_of(&forest, "/a")).unwrap().read_to_end(&mut read).unwrap();
    assert_eq!(read, bytes);
}

#[test]
fn a_path_becomes_a_session_with_names_of_its_own() {
    let written = session(
        "s",
        "m:model(x) a b:answer l:label(b,good) c d:compaction(b) e:edit(c,edited) f:answer; b g",
    );
    let forest = forest_of(&[("/sessions/a.jsonl", &written.bytes())]);
    let lines = export_leaf(&forest, find(&forest, "f"));
    let kinds: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    let expected = [
        "session",
        "model_change",
        "message",
        "message",
        "message",
        "compaction",
        "context_edit",
        "message",
        "label",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(lines[0]["parentSession"], "/sessions/a.jsonl");
    assert_eq!(lines[0]["cwd"], "/home/dev");
    assert_eq!(lines[0]["version"], 3);
    let ids: Vec<&Value> = lines[1..].iter().map(|line| &line["id"]).collect();
    let parents: Vec<&Value> = lines[1..].iter().map(|line| &line["parentId"]).collect();
    assert_eq!(parents[0], &Value::Null);
    assert_eq!(parents[1..], ids[..ids.len() - 1], "each follows the one before");
    assert!(ids.iter().all(|id| id.as_str().unwrap().len() == 8));
    let [b, c] = [2, 3].map(|at| ids[at]);
    assert_eq!(&lines[5]["firstKeptEntryId"], b);
    assert_eq!((&lines[6]["targetId"], &lines[6]["replacement"]["content"]), (c, &json!("edited")));
    assert_eq!((&lines[8]["targetId"], &lines[8]["label"]), (b, &json!("good")));
    // Everything else is as it was.
    assert_eq!(lines[7]["message"]["model"], "m");
    assert_eq!(lines[7]["timestamp"], "2026-01-01T00:00:06.000Z");
}

#[test]
fn what_names_something_outside_goes_on_naming_it() {
    let written = session("s", "a b:answer; a c:compaction(b) d:edit(b,x) e:summary f");
    let forest = forest_of(&[("/a", &written.bytes())]);
    let lines = export_leaf(&forest, find(&forest, "f"));
    assert_eq!(lines[2]["firstKeptEntryId"], "b");
    assert_eq!(lines[3]["targetId"], "b");
    assert_eq!(lines[4]["fromId"], "root");
}

#[test]
fn a_border_at_a_label_becomes_the_next_entry() {
    let written = session("s", "a l:label(a,x) b c:compaction(l) d");
    let forest = forest_of(&[("/a", &written.bytes())]);
    let lines = export_leaf(&forest, find(&forest, "d"));
    assert_eq!(lines[3]["firstKeptEntryId"], lines[2]["id"]);
    let whole =
        forest.export_family(forest.roots().unwrap()[0].id, None, &mut Counter::default()).unwrap();
    let compaction = lines_of_kind(&whole.text, "compaction").remove(0);
    assert_eq!(compaction["firstKeptEntryId"], "b");
}

fn lines_of_kind(text: &str, kind: &str) -> Vec<Value> {
    lines(text).into_iter().filter(|line| line["type"] == kind).collect()
}

#[test]
fn the_session_that_said_it_last_is_written_unless_another_is_asked_for() {
    let one = session("s", "a b:answer l:level(low) c").bytes();
    let other = session("s", "a b:answer m:level(high) z=c").bytes();
    let forest = forest_of(&[("/1", &one), ("/2", &other)]);
    let c = find(&forest, "c");
    let level = |session: Option<&str>| {
        let options = ExportOptions {
            session: session.map(|name| number_of(&forest, name)),
            cwd: Some("/other"),
        };
        let text = forest.export_leaf(c, options, &mut Counter::default()).unwrap().text;
        let level =
            lines_of_kind(&text, "thinking_level_change").remove(0)["thinkingLevel"].clone();
        (level, lines(&text)[0]["cwd"].clone())
    };
    assert_eq!(level(None), (json!("high"), json!("/other")));
    assert_eq!(level(Some("/1")), (json!("low"), json!("/other")));
    let elsewhere = forest_of(&[("/1", &one), ("/2", &other), ("/3", &session("t", "x").bytes())]);
    let options = ExportOptions { session: Some(number_of(&elsewhere, "/3")), cwd: None };
    let error = elsewhere.export_leaf(c, options, &mut Counter::default()).unwrap_err();
    assert!(error.to_string().contains("no session number 3"), "{error}");
}

#[test]
fn settings_after_the_last_message_are_in_force() {
    let written = session("s", "a b:answer m:model(new) l:level(high)");
    let forest = forest_of(&[("/a", &written.bytes())]);
    let context = forest.pi_context(find(&forest, "b")).unwrap();
    assert_eq!(&*context.thinking_level, "high");
    assert_eq!(context.model.unwrap().model_id.as_deref(), Some("new"));
}

fn append<S: Store>(
    forest: &mut Forest<S>,
    at: impl Into<Place>,
    messages: Vec<NewMessage>,
) -> NodeId {
    let appended =
        forest.append(at.into(), messages, Matching::Exact, Millis(1_767_225_700_000)).unwrap();
    appended.end.node().unwrap()
}

fn text(role: Role, text: &str) -> NewMessage {
    NewMessage::new(Message::text(role, text))
}

#[test]
fn a_conversation_whose_session_lost_the_beginning_is_written_from_the_first_word_on() {
    let original = session("s", "a b:answer c:level(low) d").bytes();
    // A fork of what old pi tore apart: its first entry follows one that is not there.
    let text = String::from_utf8(session("t", "d e:answer f").bytes()).unwrap();
    let torn = text.replacen("\"parentId\":null", "\"parentId\":\"gone\"", 1);
    let forest = forest_of(&[("/1", &original), ("/2", torn.as_bytes())]);
    let f = find(&forest, "f");
    assert_eq!(forest.path(None, f.into()).unwrap().len(), 5);
    let expected = ["a", "b", "thinking_level_change", "d", "e", "f"];
    assert_eq!(said(&export_leaf(&forest, f)), expected);
    assert_eq!(forest.pi_context(f).unwrap().messages.len(), 5);
    let root = forest.roots().unwrap()[0].id;
    let union = forest.export_family(root, None, &mut Counter::default()).unwrap();
    assert_eq!(said(&lines(&union.text)), expected);
    // The file itself gives what it has.
    let no = number_of(&forest, "/2");
    assert_eq!(forest.pi_context_of_entry(no, 2).unwrap().messages.len(), 3);
}

#[test]
fn messages_by_hand_are_written_as_pi_would() {
    let mut forest = forest_of(&[("/a", &session("s", "a b:calls(1)").bytes())]);
    let calls = forest.store().sessions().unwrap()[0].leaf;
    let object = |value: Value| match value {
        Value::Object(members) => members,
        _ => unreachable!(),
    };
    let result = |call: &str, text: &str| {
        let content = vec![Block::Text(text.to_owned())];
        NewMessage::new(Message::new(Role::Tool, content, Some(call.to_owned()), true).unwrap())
    };
    let answer = Message::new(
        Role::Assistant,
        vec![
            Block::Other(object(json!({"type": "thinking", "thinking": "hm"}))),
            Block::Text("yes".to_owned()),
            Block::ToolUse(ToolUse {
                id: "2".into(),
                name: "read".into(),
                parameters: object(json!({"p": 1})),
            }),
        ],
        None,
        false,
    );
    let mut answer = NewMessage::new(answer.unwrap());
    answer.source = Some(SourceInfo::Model(ModelSource {
        provider: "anthropic".to_owned(),
        model_name: "claude".to_owned(),
        usage: None,
        more: object(json!({"api": "anthropic-messages"})),
    }));
    let messages = vec![
        result("1", "one"),
        answer,
        result("2", "two"),
        text(Role::Assistant, "bye"),
        text(Role::User, "go on"),
    ];
    let end = append(&mut forest, calls, messages);
    let lines = export_leaf(&forest, end);
    let message = |at: usize| lines[at]["message"].clone();
    let time = 1_767_225_700_000_i64;
    assert_eq!(
        message(3),
        json!({
            "role": "toolResult", "toolCallId": "1", "toolName": "tool-1", "isError": true, "timestamp": time,
            "content": [{"type": "text", "text": "one"}],
        })
    );
    let nothing = json!({
        "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0,
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0},
    });
    assert_eq!(
        message(4),
        json!({
            "role": "assistant", "api": "anthropic-messages", "provider": "anthropic", "model": "claude",
            "usage": nothing, "stopReason": "toolUse", "timestamp": time,
            "content": [
                {"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "yes"},
                {"type": "toolCall", "id": "2", "name": "read", "arguments": {"p": 1}},
            ],
        })
    );
    assert_eq!(message(5)["toolName"], "read");
    assert_eq!(
        (&message(6)["provider"], &message(6)["stopReason"]),
        (&json!("unknown"), &json!("stop"))
    );
    assert_eq!(
        message(7),
        json!({"role": "user", "content": [{"type": "text", "text": "go on"}], "timestamp": time})
    );
    assert_eq!(lines[7]["timestamp"], "2026-01-01T00:01:40.000Z");
    // What pi makes of it is what the forest holds.
    let mut again = forest_of(&[("/a", &session("s", "a b:calls(1)").bytes())]);
    let text = text_of(lines.iter());
    let report = import(&mut again, &[("/b", text.as_bytes())]);
    assert_eq!(report.sessions[0].messages, 5);
    let report = import(&mut forest, &[("/b", text.as_bytes())]);
    assert_eq!(report.sessions[0].messages, 0, "every message finds its place again");
}

/// Copies a conversation into a tree of its own, as somebody does who wants to change it.
fn copied(forest: &mut Forest<MemoryStore>, node: NodeId) -> NodeId {
    let messages = forest.messages(node.into()).unwrap();
    let root = forest.find_or_create_root(None, NOW).unwrap();
    let messages =
        messages.iter().map(|message| NewMessage::new(Message::clone(message))).collect();
    append(forest, root, messages)
}

#[test]
fn a_copy_by_hand_tells_pi_the_same() {
    let written =
        session("s", "a b:answer c:bash d:note e:summary f:answer g:compaction(e) h:answer");
    let mut forest = forest_of(&[("/a", &written.bytes())]);
    let node = find(&forest, "h");
    let words = |node: NodeId, forest: &Forest<MemoryStore>| {
        let context = serde_json::to_value(forest.pi_context(node).unwrap()).unwrap();
        let messages = context["messages"].as_array().unwrap().clone();
        let word = |message: &Value| {
            let said = ["summary", "command"].iter().find_map(|key| message[key].as_str());
            let words = || match &message["content"] {
                Value::String(text) => text.clone(),
                blocks => blocks[0]["text"].as_str().unwrap_or_default().to_owned(),
            };
            format!(
                "{}:{}",
                message["role"].as_str().unwrap(),
                said.map_or_else(words, str::to_owned)
            )
        };
        messages.iter().map(word).collect::<Vec<_>>()
    };
    let expected = words(node, &forest);
    assert_eq!(expected, ["compactionSummary:g", "branchSummary:e", "assistant:f", "assistant:h"]);
    let copy = copied(&mut forest, node);
    assert_eq!(words(copy, &forest), expected);
    let lines = export_leaf(&forest, copy);
    assert_eq!(lines[0].get("parentSession"), None);
    // It goes back to the same messages.
    let text = text_of(lines.iter());
    let other = forest_of(&[("/b", text.as_bytes())]);
    let keys = |forest: &Forest<MemoryStore>, node: NodeId| -> Vec<_> {
        forest.path(None, node.into()).unwrap().iter().map(|node| node.key).collect()
    };
    assert_eq!(keys(&other, find(&other, "h")), keys(&forest, node));
}

#[test]
fn the_pieces_of_a_split_text_are_one_message() {
    let written = session("s", "abcdef b:answer");
    let mut forest = forest_of(&[("/a", &written.bytes())]);
    let whole = find(&forest, "abcdef");
    // Beside the imported message, which stays as it is.
    let left = forest.split(whole, 3, NOW).unwrap();
    let right = forest.children(left.into()).unwrap()[0].id;
    forest.split(right, 1, NOW).unwrap();
    assert_eq!(said(&export_leaf(&forest, right)), ["abcdef"]);
    let end = append(
        &mut forest,
        right,
        vec![text(Role::Assistant, "x"), text(Role::User, "y"), text(Role::User, "z")],
    );
    assert_eq!(
        said(&export_leaf(&forest, end)),
        ["abcdef", "x", "y", "z"],
        "separate messages stay separate"
    );
    // An edit parts from the old text in the middle of it.
    let answer = find(&forest, "b");
    let copy = copied(&mut forest, answer);
    let first = forest.path(None, copy.into()).unwrap()[0].id;
    let edited = forest.edit(first, "abX", pi_brain_forest::Following::Follow, NOW).unwrap().node;
    assert_eq!(said(&export_leaf(&forest, edited)), ["abX"]);
    assert_eq!(said(&export_leaf(&forest, copy)), ["abcdef", "b"]);
    let root = forest.roots().unwrap()[0].id;
    let union = forest.export_family(root, None, &mut Counter::default()).unwrap();
    // The last line says that the session goes on after its own answer, not after what was said by hand.
    assert_eq!(said(&lines(&union.text)), ["abcdef", "b", "abcdef", "x", "y", "z", "custom"]);
}

#[test]
fn a_family_becomes_one_file_in_the_order_of_time() {
    let original =
        session("s1", "a b:answer l:label(a,first) d e:answer n:name(x)").begun(1).bytes();
    let fork =
        session("s2", "a b:answer c f:answer k:label(c,later)").begun(2).fork_of("/1").bytes();
    // The same id for something else.
    let other = session("s1", "a b:answer d=g h:answer").begun(3).bytes();
    let mut forest = forest_of(&[("/1", &original), ("/2", &fork), ("/3", &other)]);
    let end = find(&forest, "f");
    append(&mut forest, Place::Node(end), vec![text(Role::User, "mine")]);
    let root = forest.roots().unwrap()[0].id;
    let exported = forest.export_family(root, Some("/there"), &mut Counter::default()).unwrap();
    let union = Session::from_bytes(exported.text.clone().into_bytes()).unwrap();
    let tree = union.tree(View::AsPi);
    assert_eq!(union.problems(&tree), []);
    let lines = lines(&exported.text);
    assert_eq!(
        said(&lines),
        ["a", "b", "c", "d", "g", "e", "f", "h", "session_info", "mine", "label", "label"]
    );
    assert_eq!((&lines[0]["cwd"], &lines[0]["parentSession"]), (&json!("/there"), &json!("/1")));
    assert_eq!(lines[1]["id"], "a");
    assert_ne!(lines[5]["id"], "d", "two entries cannot have one name");
    let marked: Vec<(String, String)> = labels(union.log())
        .into_iter()
        .map(|(target, label)| (target.to_string(), label.text.to_string()))
        .collect();
    assert_eq!(
        marked,
        [("a".to_owned(), "first".to_owned()), ("c".to_owned(), "later".to_owned())]
    );
    // It goes on where the session that was written last does: after the name, which stands on e.
    let leaf = tree.leaf().unwrap();
    let path: Vec<String> = tree
        .branch(leaf)
        .iter()
        .map(|&at| union.log().entries()[at].id.clone().unwrap().to_string())
        .collect();
    assert_eq!(path[..5], ["a", "b", "d", "e", "n"]);
}

#[test]
fn what_was_deleted_is_left_out_of_the_family() {
    let mut forest =
        forest_of(&[("/1", &session("s", "a b:answer c; b d l:level(low) e").bytes())]);
    let top = find(&forest, "d");
    forest.delete(&[top.into()], pi_brain_forest::Deletion::Cascade, false, NOW).unwrap();
    let root = forest.roots().unwrap()[0].id;
    let exported = forest.export_family(root, None, &mut Counter::default()).unwrap();
    assert_eq!(said(&lines(&exported.text)), ["a", "b", "c"]);
}

#[test]
fn a_newest_session_that_went_back_is_gone_on_with_there() {
    // The last line of the newest session stands on an old branch.
    let written = session("s", "a b:answer d:answer; a c:level(high) x:answer; b y:level(low)");
    let forest = forest_of(&[
        ("/1", &written.bytes()),
        ("/2", &session("s", "a z:level(off); a x:answer w").bytes()),
    ]);
    let root = forest.roots().unwrap()[0].id;
    let exported = forest.export_family(root, None, &mut Counter::default()).unwrap();
    let union = Session::from_bytes(exported.text.into_bytes()).unwrap();
    let tree = union.tree(View::AsPi);
    let context = union.context(&tree, tree.leaf()).unwrap();
    let expected = Session::from_bytes(written.bytes()).unwrap();
    let expected_tree = expected.tree(View::AsPi);
    let expected = expected.context(&expected_tree, expected_tree.leaf()).unwrap();
    assert_eq!(told(&context), told(&expected));
}
