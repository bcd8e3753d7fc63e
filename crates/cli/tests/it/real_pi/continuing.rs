//! Real pi goes on with files that we wrote, and reads them as we do.

use std::path::{Path, PathBuf};

use pi_brain_real_pi::{Pi, VERSIONS};
use pi_brain_session::{Session, View};
use serde_json::Value;

use crate::support::{Home, age};

const HEADER: &str = r#"{"type":"session","version":3,"id":"11111111-1111-4111-8111-111111111111","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/home/dev/shop"}"#;

/// A conversation with two ways, as pi would have written it.
fn sample(home: &Home) -> PathBuf {
    let entry = |id: &str, parent: &str, second: u32, message: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"2025-01-01T00:00:{second:02}.000Z","message":{message}}}"#
        )
    };
    let user = |text: &str| {
        format!(
            r#"{{"role":"user","content":[{{"type":"text","text":"{text}"}}],"timestamp":1735689600000}}"#
        )
    };
    let answer = |text: &str| {
        format!(
            r#"{{"role":"assistant","content":[{{"type":"text","text":"{text}"}}],"api":"openai-completions","provider":"stub","model":"stub-1","usage":{{"input":10,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":15,"cost":{{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}}},"stopReason":"stop","timestamp":1735689600001}}"#
        )
    };
    let lines = [
        HEADER.to_owned(),
        entry("aaaaaaaa", "null", 1, &user("plan the shop")),
        entry("bbbbbbbb", "\"aaaaaaaa\"", 2, &answer("a plan")),
        entry("cccccccc", "\"bbbbbbbb\"", 3, &user("use sqlite")),
        entry("dddddddd", "\"cccccccc\"", 4, &answer("sqlite it is")),
    ];
    home.session("11111111-1111-4111-8111-111111111111", &lines.each_ref().map(String::as_str))
}

/// Lets pi take a turn on a file; returns the entries it added.
fn take_turn(pi: Pi, path: &Path) -> Vec<Value> {
    let before = std::fs::read_to_string(path).unwrap();
    let arguments = [
        "--pi",
        &pi.folder_argument(),
        "--session",
        path.to_str().unwrap(),
        "--prompt",
        "SAY well continued",
    ];
    let answer: Value = serde_json::from_str(&pi.run("turn.mjs", &arguments, "")).unwrap();
    assert_eq!(answer["text"], "well continued", "pi {}: {answer:#}", pi.version);
    let after = std::fs::read_to_string(path).unwrap();
    let added = after.strip_prefix(&before).expect("pi only appends");
    added.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The first entry that pi adds must follow our leaf, and the turn must be in the context we build.
fn check_continues(pi: Pi, path: &Path) {
    let leaf = Session::open(path).unwrap().log().entries().last().unwrap().id.clone();
    let added = take_turn(pi, path);
    assert_eq!(
        added[0]["parentId"],
        serde_json::to_value(&leaf).unwrap(),
        "pi {} goes on elsewhere",
        pi.version
    );
    let session = Session::open(path).unwrap();
    let tree = session.tree(View::AsPi);
    assert!(session.problems(&tree).is_empty());
    let context = session.context(&tree, tree.leaf()).unwrap();
    let last = context.messages.last().unwrap().raw().unwrap().text().into_owned();
    assert!(last.contains("well continued"), "{last}");
}

#[test]
fn pi_continues_where_a_branch_was_made() {
    for version in VERSIONS {
        let pi = Pi::new(version);
        for more in
            [&[][..], &["--summary", "sqlite was too slow"], &["--auto", "--reason", "locks"]]
        {
            let home = Home::new();
            let path = sample(&home);
            let file = path.to_str().unwrap();
            home.pi_brain(&[&["session", "branch", file, "--at", "bbbbbbbb"], more].concat())
                .success();
            check_continues(pi, &path);
        }
    }
}

#[test]
fn pi_continues_a_fork_and_a_clone() {
    for version in VERSIONS {
        let pi = Pi::new(version);
        for how in
            [&["--clone"][..], &["--at", "cccccccc"], &["--at", "bbbbbbbb"], &["--at", "aaaaaaaa"]]
        {
            let home = Home::new();
            let path = sample(&home);
            let file = path.to_str().unwrap();
            home.pi_brain(&["session", "label", file, "bbbbbbbb", "the plan"]).success();
            age(&path);
            let made = home.json(&[&["session", "fork", file, "--json"], how].concat());
            let fork = PathBuf::from(made["path"].as_str().unwrap());
            if made["entryCount"] == 0 {
                assert_eq!(take_turn(pi, &fork)[0]["parentId"], Value::Null);
            } else {
                check_continues(pi, &fork);
            }
        }
    }
}

#[test]
fn pi_continues_what_a_forest_gives_back() {
    for version in VERSIONS {
        let pi = Pi::new(version);
        let home = Home::new();
        let file = sample(&home);
        home.pi_brain(&["forest", "import", file.to_str().unwrap()]).success();
        // A message of the session, and one that was said by hand after another first question.
        home.pi_brain(&["forest", "edit", "1/1", "plan the shop, but smaller"]).success();
        home.pi_brain(&["forest", "append", "--assistant", "a smaller plan"]).success();
        for place in ["1/4", "1/2", "@"] {
            let made = home.json(&["forest", "export", place, "--pi", "--json"]);
            assert_eq!(made["cwd"], "/home/dev/shop");
            check_continues(pi, Path::new(made["path"].as_str().unwrap()));
        }
        let whole = home.path().join("family.jsonl");
        home.pi_brain(&["forest", "export", "1", "--family", "--out", whole.to_str().unwrap()])
            .success();
        check_continues(pi, &whole);
    }
}

#[test]
fn pi_continues_after_a_compaction_a_name_and_labels() {
    for version in VERSIONS {
        let pi = Pi::new(version);
        let home = Home::new();
        let path = sample(&home);
        let file = path.to_str().unwrap();
        home.pi_brain(&["session", "compact", file, "--keep-tokens", "1"]).success();
        home.pi_brain(&["session", "name", file, "the shop", "--force"]).success();
        home.pi_brain(&["session", "label", file, "aaaaaaaa", "start", "--force"]).success();
        check_continues(pi, &path);
    }
}

#[test]
fn pi_continues_a_migrated_file() {
    for version in VERSIONS {
        let pi = Pi::new(version);
        let home = Home::new();
        let message = |role: &str, text: &str| {
            format!(
                r#"{{"type":"message","timestamp":"2025-01-01T00:00:01.000Z","message":{{"role":"{role}","content":[{{"type":"text","text":"{text}"}}],"usage":{{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2}},"timestamp":1}}}}"#
            )
        };
        let lines = [
            HEADER.replace(r#""version":3,"#, ""),
            message("user", "old question"),
            message("assistant", "old answer"),
        ];
        let path = home
            .session("11111111-1111-4111-8111-111111111111", &lines.each_ref().map(String::as_str));
        home.pi_brain(&["session", "migrate", path.to_str().unwrap()]).success();
        check_continues(pi, &path);
    }
}

/// Files as people have them: a whole conversation over pi's RPC, with its clone and its fork.
#[test]
fn reads_a_driven_conversation_without_problems() {
    for version in VERSIONS {
        let pi = Pi::new(version);
        let home = Home::new();
        let folder = home.path().join("driven");
        let made = pi.run(
            "drive-rpc.mjs",
            &["--pi", &pi.folder_argument(), "--home", folder.to_str().unwrap()],
            "",
        );
        let made: Value = serde_json::from_str(&made).unwrap();
        for name in ["main", "clone", "fork"] {
            let session = Session::open(Path::new(made[name].as_str().unwrap())).unwrap();
            let repaired = session.tree(View::Repaired);
            let problems = session.problems(&repaired);
            // Old pi tears its own clones apart where a label was; we put them together again.
            let torn = version == "0.73.1" && name == "clone";
            assert_eq!(problems.is_empty(), !torn, "pi {version} {name}: {problems:?}");
            assert_eq!(repaired.roots().len(), 1, "pi {version} {name}");
        }
    }
}
