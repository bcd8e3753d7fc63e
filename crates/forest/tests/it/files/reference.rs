//! Folders of the reference implementation, which have no log: the files of the messages are all there is.

use std::fs;
use std::path::{Path, PathBuf};

use pi_brain_forest::{
    FileSystemStore, Forest, ForestError, Matching, NewMessage, Place, RootId, Store,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{NOW, append, contents, damage, dump, grow, open, read_only, talk};

/// A folder as the reference implementation leaves it.
pub(super) struct Reference {
    folder: TempDir,
}

impl Reference {
    /// Makes a folder with one root, `root-1`, whose children are listed as given.
    pub(super) fn new(child_ids: &[&str]) -> Self {
        let reference = Self { folder: tempfile::tempdir().unwrap() };
        let roots = json!([{
            "id": "root-1", "child_ids": child_ids, "createdAt": "2025-08-18T10:00:00.000Z",
            "config": {"systemPrompt": "You are brief."},
        }]);
        reference.write("roots.json", roots.to_string());
        reference
    }

    /// Writes a message with the usual notes.
    pub(super) fn node(&self, number: u32, parent: &str, child_ids: &[&str], message: &Value) {
        self.write_node(&json!({
            "id": format!("root-1/node-{number}"), "root_id": "root-1", "parent_id": parent,
            "child_ids": child_ids, "message": message, "metadata": {
                "timestamp": "2025-08-18T10:00:01.000Z", "original_root_id": "root-1",
                "source_info": {"type": "user"},
            },
        }));
    }

    fn write_node(&self, node: &Value) {
        let id = node["id"].as_str().unwrap().replace('/', "/nodes/");
        self.write(&format!("{id}.json"), serde_json::to_string_pretty(node).unwrap());
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.file(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn open(&self) -> Forest<FileSystemStore> {
        open(self.path())
    }
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn root() -> RootId {
    "root-1".parse().unwrap()
}

fn place(text: &str) -> Place {
    text.parse().unwrap()
}

/// Returns what follows a place: the texts, in order.
fn children<S: Store>(forest: &Forest<S>, of: &str) -> Vec<String> {
    let children = forest.children(place(of)).unwrap();
    children.iter().map(|node| forest.message(node.id).unwrap().joined_text()).collect()
}

/// Returns what is odd about a folder.
fn findings(folder: &Path) -> Vec<String> {
    let mut store = FileSystemStore::open_read_only(folder).unwrap();
    let findings = store.verify_projection().unwrap();
    let name = |path: &Path| path.strip_prefix(folder).unwrap().display().to_string();
    findings.iter().map(|found| format!("{} {}", name(&found.path), found.what)).collect()
}

/// A small tree: two branches, of which the second was made first.
fn small() -> Reference {
    let reference = Reference::new(&["root-1/node-1"]);
    reference.node(1, "root-1", &["root-1/node-3", "root-1/node-2"], &user("top"));
    reference.node(2, "root-1/node-1", &[], &user("left"));
    reference.node(3, "root-1/node-1", &[], &user("right"));
    reference
}

#[test]
fn a_folder_is_read_and_stays_as_it_is() {
    let reference = small();
    let before = contents(reference.path());
    let forest = reference.open();
    assert_eq!(forest.check().unwrap(), []);
    assert_eq!(forest.root(root()).unwrap().system_prompt.as_deref(), Some("You are brief."));
    assert_eq!(children(&forest, "root-1"), ["top"]);
    assert_eq!(children(&forest, "root-1/node-1"), ["right", "left"], "as the list says");
    let node = forest.node("root-1/node-2".parse().unwrap()).unwrap();
    assert_eq!(node.metadata.created.unwrap().to_string(), "2025-08-18T10:00:01.000Z");
    assert_eq!(dump(read_only(reference.path()).store()), dump(forest.store()));
    drop(forest);
    assert_eq!(contents(reference.path()), before);
    assert_eq!(findings(reference.path()), Vec::<String>::new());
}

#[test]
fn the_first_commit_gives_a_folder_its_log() {
    let reference = small();
    let mut forest = reference.open();
    let found = forest.find_or_create_root(Some("You are brief."), NOW).unwrap();
    assert_eq!(found, root(), "nothing to write");
    assert!(!reference.file("log.jsonl").exists());
    assert_eq!(append(&mut forest, root(), &["top"]).to_string(), "root-1/node-1");
    assert!(!reference.file("log.jsonl").exists());

    let new = append(&mut forest, place("root-1/node-1"), &["third"]);
    assert_eq!(new.to_string(), "root-1/node-4");
    assert_eq!(children(&forest, "root-1/node-1"), ["right", "left", "third"]);
    let log = fs::read_to_string(reference.file("log.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 2, "what was there, and what is new");
    assert_eq!(fs::read_to_string(reference.file("format.json")).unwrap(), "{\"format\":1}");
    assert_eq!(forest.store_mut().verify_projection().unwrap(), []);
    let after = dump(forest.store());
    drop(forest);
    let forest = reference.open();
    assert_eq!(dump(forest.store()), after);
    assert_eq!(forest.check().unwrap(), []);
}

#[test]
fn a_failed_operation_gives_a_folder_no_log() {
    let reference = small();
    let before = contents(reference.path());
    let mut forest = reference.open();
    let missing = place("root-1/node-99");
    forest.append(missing, talk(&["lost"]), Matching::Exact, NOW).unwrap_err();
    drop(forest);
    assert_eq!(contents(reference.path()), before);
}

#[test]
fn our_own_files_are_such_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let forest = grow(folder.path());
    let before = dump(forest.store());
    drop(forest);
    fs::remove_file(folder.path().join("log.jsonl")).unwrap();
    fs::remove_file(folder.path().join("format.json")).unwrap();
    let mut forest = open(folder.path());
    assert_eq!(dump(forest.store()), before, "whoever loses the log loses nothing else");
    forest.bookmark("root-1/node-1".parse().unwrap(), "top", NOW).unwrap();
    let after = dump(forest.store());
    drop(forest);
    assert_eq!(dump(open(folder.path()).store()), after);
}

#[test]
fn notes_are_kept_and_what_is_unknown_becomes_custom_data() {
    let reference = Reference::new(&["root-1/node-1"]);
    let node = json!({
        "id": "root-1/node-1", "root_id": "root-1", "parent_id": "root-1", "child_ids": [],
        "message": {"role": "assistant", "content": [{"type": "text", "text": "Hi"}], "mood": "good"},
        "metadata": {
            "timestamp": "2025-08-18T12:00:01.000+02:00", "original_root_id": "root-7",
            "source_info": {"type": "model", "provider": "openai", "model_name": "gpt-4o",
                "parameters": {"temperature": 0.7}, "finish_reason": null,
                "usage": {"input_tokens": 3, "output_tokens": 5}},
            "tags": ["a", "b"], "custom_data": {"mine": [1.5]}, "split_source": "root-1/node-9",
            "title": "Greeting", "auto_title": "Hi", "rating": 5,
        },
        "colour": "green",
    });
    reference.write_node(&node);
    let mut forest = reference.open();
    let id = "root-1/node-1".parse().unwrap();
    let notes = &forest.node(id).unwrap().metadata;
    let custom = json!({"mine": [1.5], "mood": "good", "rating": 5, "colour": "green",
        "original_root_id": "root-7"});
    assert_eq!(Value::Object(notes.custom_data.clone()), custom);
    assert_eq!(
        (notes.title.as_deref(), notes.auto_title.as_deref()),
        (Some("Greeting"), Some("Hi"))
    );
    assert_eq!(notes.tags, ["a", "b"]);
    let written = serde_json::to_value(notes.source.as_ref().unwrap()).unwrap();
    assert_eq!(written, node["metadata"]["source_info"]);
    let next = append(&mut forest, id, &["on"]);
    assert_eq!(next.to_string(), "root-1/node-10", "node-9 was there once");

    let file: Value =
        serde_json::from_slice(&fs::read(reference.file("root-1/nodes/node-1.json")).unwrap())
            .unwrap();
    let mut expected = node["metadata"].clone();
    expected["timestamp"] = "2025-08-18T10:00:01.000Z".into();
    expected["custom_data"] =
        json!({"mine": [1.5], "mood": "good", "rating": 5, "colour": "green"});
    expected.as_object_mut().unwrap().remove("rating");
    assert_eq!(file["metadata"], expected);
}

#[test]
fn old_registries_say_who_answered() {
    let reference = Reference::new(&[]);
    reference.write(
        "roots.json",
        r#"[{"id": "root-1", "child_ids": [], "createdAt": "2025-05-01T00:00:00Z",
        "config": {"systemPrompt": "s", "provider": "anthropic", "model": "claude"}}]"#,
    );
    let answer = |number: u32, source: Value| {
        reference.write_node(&json!({
            "id": format!("root-1/node-{number}"), "root_id": "root-1", "parent_id": "root-1",
            "message": {"role": "assistant", "content": number.to_string()},
            "metadata": {"source_info": source},
        }));
    };
    answer(1, json!({"type": "model", "parameters": {"model": "haiku"}}));
    answer(2, json!({"type": "model", "parameters": {}}));
    answer(3, json!({"type": "model", "provider": "openai", "model_name": "o3"}));
    let mut forest = reference.open();
    let source = |number: u32| {
        let id = format!("root-1/node-{number}").parse().unwrap();
        let node = forest.node(id).unwrap();
        let source = serde_json::to_value(node.metadata.source.as_ref().unwrap()).unwrap();
        format!(
            "{}/{}",
            source["provider"].as_str().unwrap(),
            source["model_name"].as_str().unwrap()
        )
    };
    assert_eq!(
        [source(1), source(2), source(3)],
        ["anthropic/haiku", "anthropic/claude", "openai/o3"]
    );
    assert_eq!(forest.find_or_create_root(Some("s"), NOW).unwrap(), root(), "it matches again");
}

#[test]
fn bookmarks_come_from_the_settings() {
    let reference = small();
    reference.write(
        "config.toml",
        r#"
        currentNodeId = "root-1/node-3"
        [providers.anthropic]
        apiKey = "secret"
        [[bookmarks]]
        title = "here"
        rootId = "root-1"
        nodeId = "root-1/node-2"
        createdAt = "2025-08-18T10:00:00.000Z"
        updatedAt = "2025-08-19T10:00:00.000Z"
        [[bookmarks]]
        title = "here"
        rootId = "root-1"
        nodeId = "root-1/node-3"
        createdAt = "2025-08-18T10:00:00.000Z"
        updatedAt = "2025-08-18T10:00:00.000Z"
        [[bookmarks]]
        title = "gone"
        rootId = "root-1"
        nodeId = "root-1/node-8"
        createdAt = "2025-08-18T10:00:00.000Z"
        updatedAt = "2025-08-18T10:00:00.000Z"
        [[bookmarks]]
        title = "start"
        rootId = "root-1"
        nodeId = "root-1"
        createdAt = "2025-08-18T10:00:00.000Z"
        updatedAt = "2025-08-18T10:00:00.000Z"
    "#,
    );
    let settings = fs::read(reference.file("config.toml")).unwrap();
    let mut forest = reference.open();
    assert_eq!(forest.current().unwrap(), Some(place("root-1/node-3")));
    let bookmarks = forest.bookmarks().unwrap();
    let names: Vec<_> =
        bookmarks.iter().map(|found| (found.title.as_str(), found.node.to_string())).collect();
    let expected = [("here", "root-1/node-2".to_owned()), ("here (2)", "root-1/node-3".to_owned())];
    assert_eq!(names, expected);
    let expected = [
        "config.toml has the bookmark \"start\" on a root",
        "config.toml has the bookmark \"gone\" on root-1/node-8, which is not there",
    ];
    assert_eq!(findings(reference.path()), expected);
    let new = append(&mut forest, place("root-1/node-3"), &["new"]);
    assert_eq!(new.to_string(), "root-1/node-9", "a bookmark must not lead to a stranger");
    assert_eq!(fs::read(reference.file("config.toml")).unwrap(), settings);
    assert_eq!(forest.check().unwrap(), []);

    let broken = small();
    broken.write("config.toml", "currentNodeId = \"secret");
    let (path, why) = damage(broken.path());
    assert_eq!(path, broken.file("config.toml"));
    assert!(!why.contains("secret"), "{why}");
}

#[test]
fn what_a_crash_left_in_the_lists_is_left_out_and_told() {
    let reference = Reference::new(&["root-1/node-9", "root-1/node-1", "root-1/node-1"]);
    reference.node(1, "root-1", &["root-1/node-8", "root-1/node-4"], &user("one"));
    reference.node(2, "root-1", &[], &user("two"));
    reference.node(10, "root-1", &[], &user("ten"));
    reference.node(4, "root-1/node-2", &[], &user("four"));
    reference.write("root-1/nodes/node-1.json.backup-migration-node-17", "{");
    reference.write("root-1/nodes/copy of node-1.json", "{");
    reference.write("root-3/nodes/node-1.json", "{");
    reference.write("loom.log", "…");
    let mut forest = reference.open();
    assert_eq!(children(&forest, "root-1"), ["one", "two", "ten"], "those in no list come last");
    assert_eq!(children(&forest, "root-1/node-2"), ["four"], "a message knows what it follows");
    let expected = [
        "root-3 root-3 is not in roots.json",
        "root-1/nodes/copy of node-1.json has a name that no message has",
        "roots.json lists root-1/node-9, which is not there",
        "root-1/nodes/node-1.json lists root-1/node-8, which is not there",
        "root-1/nodes/node-1.json lists root-1/node-4, which follows root-1/node-2",
    ];
    assert_eq!(findings(reference.path()), expected);
    assert_eq!(forest.check().unwrap(), []);
    assert_eq!(append(&mut forest, root(), &["new"]).to_string(), "root-1/node-11");
    assert_eq!(children(&forest, "root-1"), ["one", "two", "ten", "new"]);
    let other = forest.find_or_create_root(None, NOW).unwrap();
    assert_eq!(other.to_string(), "root-4", "the folder of root-3 is somebody's");
}

#[test]
fn broken_chains_are_told_and_can_be_mended() {
    let reference = Reference::new(&["root-1/node-1"]);
    reference.node(1, "root-1", &[], &user("good"));
    reference.node(2, "root-1/node-7", &[], &user("orphan"));
    reference.node(3, "root-1/node-4", &["root-1/node-4"], &user("first of a circle"));
    reference.node(4, "root-1/node-3", &["root-1/node-3"], &user("second of a circle"));
    let mut forest = reference.open();
    for lost in ["root-1/node-2", "root-1/node-3"] {
        assert!(
            matches!(forest.path(None, place(lost)), Err(ForestError::BrokenPath(_))),
            "{lost}"
        );
    }
    assert_eq!(forest.path(None, place("root-1/node-1")).unwrap().len(), 1);
    assert!(!forest.check().unwrap().is_empty());
    assert_eq!(
        append(&mut forest, root(), &["new"]).to_string(),
        "root-1/node-8",
        "no orphan gets a stranger"
    );
    assert_eq!(forest.repair(NOW).unwrap().left, []);
    assert_eq!(forest.check().unwrap(), []);
    drop(forest);
    assert_eq!(reference.open().check().unwrap(), []);
}

#[test]
fn equal_siblings_stay_and_the_oldest_is_found() {
    let reference = Reference::new(&["root-1/node-2", "root-1/node-1"]);
    reference.node(1, "root-1", &[], &user("same"));
    reference.node(
        2,
        "root-1",
        &["root-1/node-3"],
        &json!({"role": "user", "content": [{"type": "text", "text": "same"}]}),
    );
    reference.node(3, "root-1/node-2", &[], &user("after"));
    let mut forest = reference.open();
    assert_eq!(children(&forest, "root-1"), ["same", "same"]);
    assert_eq!(append(&mut forest, root(), &["same"]).to_string(), "root-1/node-1");
    assert_eq!(forest.check().unwrap().len(), 1);
    forest.repair(NOW).unwrap();
    assert_eq!(children(&forest, "root-1"), ["same"]);
    assert_eq!(children(&forest, "root-1/node-1"), ["after"]);
}

type Damage<'a> = &'a dyn Fn(&mut Value);

#[test]
fn damaged_files_are_errors_that_name_them() {
    let node = |change: &dyn Fn(&mut Value)| {
        let reference = small();
        let path = reference.file("root-1/nodes/node-2.json");
        let mut value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        change(&mut value);
        fs::write(&path, value.to_string()).unwrap();
        let before = contents(reference.path());
        let (named, why) = damage(reference.path());
        assert_eq!(named, path);
        assert_eq!(contents(reference.path()), before);
        why
    };
    let cases: [(Damage<'_>, &str); 9] = [
        (&|node| *node = json!([]), "invalid"),
        (&|node| node["id"] = "root-1/node-3".into(), "it holds root-1/node-3"),
        (&|node| node["id"] = "node-2".into(), "is no id"),
        (&|node| node["root_id"] = "root-2".into(), "it names root-2 as its root"),
        (&|node| node["parent_id"] = "root-2/node-1".into(), "in another tree"),
        (&|node| node["parent_id"] = Value::Null, "expected a string"),
        (&|node| node["child_ids"] = "all".into(), "expected a sequence"),
        (&|node| drop(node.as_object_mut().unwrap().remove("message")), "missing field `message`"),
        (&|node| node["metadata"]["timestamp"] = "yesterday".into(), "is no time"),
    ];
    for (change, expected) in cases {
        let why = node(change);
        assert!(why.contains(expected), "{why} does not say {expected}");
    }
    let high = small();
    high.node(u32::MAX, "root-1", &[], &user("last"));
    assert_eq!(damage(high.path()).0, high.file("root-1/nodes/node-4294967295.json"));
    for text in ["", "{", "\0\0"] {
        let reference = small();
        reference.write("root-1/nodes/node-2.json", text);
        assert_eq!(damage(reference.path()).0, reference.file("root-1/nodes/node-2.json"));
    }
}

#[test]
fn case_59_a_registry_that_is_no_registry_is_an_error_and_stays() {
    let twice =
        r#"{"id": "root-1", "child_ids": [], "createdAt": "2025-05-01T00:00:00Z", "config": {}}"#;
    let high = twice.replace("root-1", "root-4294967295");
    let twice = format!("[{twice}, {twice}]");
    let high = format!("[{high}]");
    for text in ["", "[{", "{}", "null", "[1]", r#"[{"id": "root-1"}]"#, &twice, &high] {
        let reference = small();
        reference.write("roots.json", text);
        let before = contents(reference.path());
        assert_eq!(damage(reference.path()).0, reference.file("roots.json"), "{text}");
        assert_eq!(contents(reference.path()), before);
    }
}

#[test]
fn deleted_roots_stay_deleted() {
    let reference = small();
    let registry = fs::read_to_string(reference.file("roots.json")).unwrap();
    reference.write("roots.json", registry.replacen('{', "{\"deleted\": true,", 1));
    let mut forest = reference.open();
    assert!(forest.roots().unwrap().is_empty());
    let other = forest.find_or_create_root(Some("You are brief."), NOW).unwrap();
    assert_eq!(other.to_string(), "root-2");
    forest.restore_root(root()).unwrap();
    assert_eq!(children(&forest, "root-1"), ["top"]);
}

#[test]
fn case_62_byte_order_marks_line_ends_and_half_surrogates_are_read() {
    let reference = small();
    for name in ["roots.json", "root-1/nodes/node-1.json"] {
        let text = fs::read_to_string(reference.file(name)).unwrap();
        reference.write(name, format!("\u{feff}{}\r\n", text.replace('\n', "\r\n")));
    }
    let text = fs::read_to_string(reference.file("root-1/nodes/node-2.json")).unwrap();
    reference.write("root-1/nodes/node-2.json", text.replace("left", r"le\ud83dft \ud83c\udf33"));
    let mut forest = reference.open();
    assert_eq!(children(&forest, "root-1/node-1"), ["right", "le\u{fffd}ft \u{1f333}"]);
    let said = NewMessage::from_json(json!({"role": "user", "content": "le\u{fffd}ft \u{1f333}"}));
    let said = vec![said.unwrap().unwrap()];
    let found = forest.append(place("root-1/node-1"), said, Matching::Exact, NOW).unwrap();
    assert_eq!(found.end, place("root-1/node-2"));
    append(&mut forest, place("root-1/node-2"), &["new"]);
    assert_eq!(forest.store_mut().verify_projection().unwrap(), []);
    assert_eq!(forest.check().unwrap(), []);
}

#[test]
fn rewriting_gives_a_folder_its_log_and_moves_strange_files_aside() {
    let reference = small();
    reference.write("root-1/nodes/copy.json", "{");
    let before = dump(read_only(reference.path()).store());
    let moved = FileSystemStore::rewrite_projection(reference.path()).unwrap();
    assert_eq!(moved, [reference.file("root-1/nodes/copy.json.damaged-1")]);
    let mut forest = reference.open();
    assert_eq!(dump(forest.store()), before);
    assert_eq!(forest.store_mut().verify_projection().unwrap(), []);
}
