//! What the log alone tells.

use pi_brain_brain::{FlagType, Node, NodeType, Outcome, node_schema};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::checker;
use crate::random::cases;
use crate::story::{Story, analyse};

fn ext(node: &Node) -> &pi_brain_brain::Ext {
    node.ext.as_ref().unwrap()
}

#[test]
fn times() {
    let node = Story::new().user("a").say("b").wait(9).user("c").wait(30).say("d").node();
    assert_eq!(node.metadata.timestamp.to_string(), "2026-01-01T00:00:00.000Z");
    assert!((node.metadata.duration_minutes - 39.5).abs() < 1e-9);
    assert!((ext(&node).active_minutes - 9.33).abs() < 1e-9);
    let label = json!({ "type": "label", "targetId": "e1", "label": "x" });
    let node = Story::new().user("a").say("b").wait(100).entry(label).node();
    assert!((node.metadata.duration_minutes - 0.17).abs() < 1e-9, "a label is no work");
}

#[test]
fn tokens_and_models() {
    let warm = json!({
        "type": "usage", "kind": "cache_warm", "provider": "openai", "model": "gpt",
        "usage": { "input": 5, "output": 1 },
    });
    let compaction = json!({
        "type": "compaction", "summary": "s", "firstKeptEntryId": "e1",
        "usage": { "input": 7, "output": 2, "cost": { "total": 0.2 } },
    });
    let story = Story::new().user("a").say("b").say("c").entry(warm).entry(compaction);
    let change = json!({ "type": "model_change", "provider": "zai", "modelId": "glm" });
    let node = story.entry(change).fail("no").node();
    assert_eq!(node.metadata.tokens_used, 235);
    assert!((node.metadata.cost - 0.4).abs() < f64::EPSILON);
    let models: Vec<String> = node
        .observations
        .models_used
        .iter()
        .map(|model| serde_json::to_string(model).unwrap())
        .collect();
    assert_eq!(
        models,
        [
            r#"{"provider":"anthropic","model":"sonnet","tokensInput":207,"tokensOutput":22,"cacheRead":2000,"cost":0.4}"#,
            r#"{"provider":"openai","model":"gpt","tokensInput":5,"tokensOutput":1,"cost":0.0}"#,
        ]
    );
}

#[test]
fn tools_and_files() {
    let nested = json!({
        "role": "toolResult", "toolCallId": "none", "toolName": "codemode", "isError": false, "content": null,
        "nestedCalls": { "calls": [{ "name": "read", "arguments": { "path": "lib/n.ts" } }, { "name": "ls" }] },
    });
    let node = Story::new()
        .user("x")
        .bash("ls", Ok(""))
        .read("./src/a.ts", Ok(""))
        .read("gone.ts", Err("ENOENT: no such file"))
        .edit("/home/dev/shop/src/a.ts", Ok(""))
        .edit("src/b.ts", Err("Could not find the exact text"))
        .run("write", &json!({ "file_path": "../c.py" }), Ok(""))
        .run("grep", &json!({ "path": "src" }), Ok(""))
        .message(&nested)
        .call("write", &json!({ "path": "unanswered.md" }))
        .node();
    assert_eq!(node.content.tools_used, ["bash", "read", "edit", "write", "grep", "ls"]);
    let counts = serde_json::to_string(&ext(&node).tool_counts).unwrap();
    assert_eq!(counts, r#"{"bash":1,"edit":2,"grep":1,"ls":1,"read":3,"write":2}"#);
    assert_eq!(ext(&node).files_read, ["lib/n.ts", "src/a.ts"]);
    assert_eq!(ext(&node).files_modified, ["/home/dev/c.py", "src/a.ts", "unanswered.md"]);
    assert_eq!(
        node.content.files_touched,
        ["/home/dev/c.py", "lib/n.ts", "src/a.ts", "unanswered.md"]
    );
}

/// Shows errors as `type: message`, with `!` where they were not resolved.
fn errors(story: &Story) -> Vec<String> {
    let node = story.node();
    let show = |error: &pi_brain_brain::ErrorSummary| {
        let sign = if error.resolved { "" } else { "!" };
        format!("{sign}{}: {}", error.error_type, error.message)
    };
    node.content.errors_seen.iter().map(show).collect()
}

#[test]
fn errors_and_what_resolves_them() {
    let failed = "FAIL\n\nCommand exited with code 1";
    let start = || Story::new().user("x");
    let cases = [
        (start().bash("npm test", Err(failed)), "!exit code 1: FAIL"),
        (start().bash("npm test", Err(failed)).bash("npm test", Ok("")), "exit code 1: FAIL"),
        (
            start().bash("npm test", Err(failed)).bash("cd a && npm test | tail", Ok("")),
            "exit code 1: FAIL",
        ),
        (start().bash("npm test", Err(failed)).bash("git push", Ok("")), "!exit code 1: FAIL"),
        (
            start()
                .bash("npm test", Err(failed))
                .bash("npm test", Ok(""))
                .bash("npm test", Err(failed)),
            "!exit code 1: FAIL",
        ),
        (start().edit("a", Err("no match")).edit("./a", Ok("")), "edit failed: no match"),
        (start().edit("a", Err("no match")).edit("b", Ok("")), "!edit failed: no match"),
        (start().edit("a", Err("no match")).read("a", Ok("")), "!edit failed: no match"),
        (
            start().edit("a", Err("no match")).run("write", &json!({ "path": "a" }), Ok("")),
            "edit failed: no match",
        ),
        (
            start().run("web", &json!({}), Err("down")).run("web", &json!({ "q": 1 }), Ok("")),
            "web failed: down",
        ),
        (
            start().bash("./probe", Err(failed)).edit("a", Ok("")).bash("python run.py", Ok("")),
            "exit code 1: FAIL",
        ),
        (start().bash("./probe", Err(failed)).bash("python run.py", Ok("")), "!exit code 1: FAIL"),
        (
            start()
                .bash("./probe", Err(failed))
                .edit("a", Ok(""))
                .user("y")
                .bash("python run.py", Ok("")),
            "!exit code 1: FAIL",
        ),
        (
            start().bash("esphome compile a", Err(failed)).bash("esphome run a", Ok("")),
            "exit code 1: FAIL",
        ),
        (
            start().bash("pip install polars", Err(failed)).bash("uv add polars", Ok("")),
            "exit code 1: FAIL",
        ),
        (
            start().bash("cargo test", Err(failed)).bash("cargo test -- --skip slow", Ok("")),
            "!exit code 1: FAIL",
        ),
        (
            start().bash("dune build | tail -3", Ok("Error: Unbound value x")),
            "!Error: Error: Unbound value x",
        ),
        (
            start().bash("python solve.py", Err(failed)).bash("python solve.py --explain", Ok("")),
            "!exit code 1: FAIL",
        ),
        (
            start().bash("python -c 'f()'", Err(failed)).bash("python count.py", Ok("")),
            "exit code 1: FAIL",
        ),
        (
            start()
                .bash("npm test", Err(failed))
                .bash("git switch -q main && git branch -qD next && npm test", Ok("")),
            "!exit code 1: FAIL",
        ),
        (
            start().bash("aws s3 mb s3://a", Err(failed)).edit("a", Ok("")).bash("make", Ok("")),
            "!exit code 1: FAIL",
        ),
        (
            start().bash("gh pr checkout 3", Err(failed)).bash("gh pr review 3", Ok("")),
            "!exit code 1: FAIL",
        ),
        (start().bash("df -h; repack t", Err(failed)).bash("df -h", Ok("")), "!exit code 1: FAIL"),
        (
            start()
                .bash("gh run view 1", Ok("Error: Cannot find module 'ky'"))
                .bash("npm i -s ky && git push", Ok("")),
            "Error: Error: Cannot find module 'ky'",
        ),
        (start().fail("429 slow down"), "!rate limit: 429 slow down"),
        (start().fail("429 slow down").say("b"), "rate limit: 429 slow down"),
    ];
    for (story, expected) in cases {
        assert_eq!(errors(&story), [expected]);
    }
}

#[test]
fn an_error_that_comes_up_again_is_the_same() {
    let start = || Story::new().user("x");
    let cases = [
        (
            start()
                .edit("a.ts", Ok(""))
                .bash("npm test", Err("FAIL\n\nCommand exited with code 1"))
                .bash("git checkout a.ts && npm test", Ok("")),
            "!exit code 1: FAIL",
        ),
        (
            start()
                .bash("./soak", Err("3 of 40 TimeoutError: no answer from 0x55d1c0ff"))
                .edit("a", Ok(""))
                .bash("./soak", Err("19 of 40 TimeoutError: no answer from 0x7f31ab90")),
            "!bash failed: 3 of 40 TimeoutError: no answer from 0x55d1c0ff",
        ),
        (
            start()
                .bash("tail bot.log", Ok("[ERR] irc.example login refused, code=465"))
                .bash("./bot", Err("[ERR] login refused, code=465")),
            "!bash failed: [ERR] login refused, code=465",
        ),
    ];
    for (story, expected) in cases {
        assert_eq!(errors(&story), [expected]);
    }
}

#[test]
fn commands_of_the_users_count_as_well() {
    let failed = "FAIL  tests/cart.spec.ts";
    let start = || Story::new().user("mend the cart").edit("cart.ts", Ok(""));
    let shown = errors(&start().shell("npm test", Some(1), failed));
    assert_eq!(shown.len(), 1, "{shown:?}");
    assert!(shown[0].starts_with('!') && shown[0].contains("tests/cart.spec.ts"), "{shown:?}");
    let story = start().shell("npm test", Some(1), failed).edit("cart.ts", Ok(""));
    let shown = errors(&story.shell("npm test", Some(0), "ok"));
    assert!(shown.len() == 1 && !shown[0].starts_with('!'), "{shown:?}");
    assert!(errors(&start().shell("npm test", None, "")).is_empty(), "it was stopped");
    let node = start().shell("npm test", Some(1), failed).node();
    assert_eq!(node.content.tools_used, ["edit"], "no agent called it");
    assert!(node.observations.tool_use_errors.is_empty(), "and no model is to blame");
}

#[test]
fn errors_of_tools_name_what_led_to_them() {
    let failed = "TypeError: x\nCommand exited with code 1";
    let node = Story::new()
        .bash("node a.js", Err(failed))
        .bash("node a.js", Err(failed))
        .bash("node a.js", Ok(""))
        .edit("a.js", Err("no match"))
        .node();
    let shown: Vec<String> = node
        .observations
        .tool_use_errors
        .iter()
        .map(|error| {
            format!(
                "{} {} {} {} {}",
                error.tool, error.error_type, error.context, error.model, error.was_retried
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "bash TypeError node a.js anthropic/sonnet true",
            "edit edit failed a.js anthropic/sonnet false"
        ]
    );
    assert_eq!(node.content.errors_seen.len(), 2);
    assert_eq!(ext(&node).evidence["content.errorsSeen[0]"], ["e2", "e4"]);
    assert_eq!(ext(&node).evidence["content.errorsSeen[1]"], ["e8"]);
}

#[test]
fn a_long_list_of_errors_keeps_the_last() {
    let story = (0..500).fold(Story::new().user("x"), |story, number| {
        story.read(&format!("{number}"), Err(&format!("ENOENT: {number}")))
    });
    let node = story.node();
    assert_eq!(node.content.errors_seen.len(), 100);
    assert_eq!(node.content.errors_seen[99].message, "ENOENT: 499");
    assert_eq!(node.observations.tool_use_errors.len(), 100);
    assert_eq!(ext(&node).evidence["content.errorsSeen[99]"], ["e1001"]);
}

#[test]
fn outcomes() {
    use Outcome::{Abandoned, Failed, Partial, Success};
    let failed = "FAIL\n\nCommand exited with code 1";
    let cut = json!([{ "type": "text", "text": "I am looking at the parser" }]);
    let fix = || Story::new().user("the login test fails on main, please fix it");
    let pages = || Story::new().user("translate the ten help pages into German");
    let cases = [
        (fix(), Abandoned, "e1"),
        (
            Story::new().user("why is the build so slow?").say(
                "Because the key of the cache has the date in it, so that it is cold every day.",
            ),
            Success,
            "e2",
        ),
        (
            fix()
                .edit("a.ts", Ok(""))
                .bash("npm test", Ok("12 passed"))
                .say("Fixed, all tests pass."),
            Success,
            "e6",
        ),
        (
            fix()
                .bash("npm test", Err(failed))
                .edit("a.ts", Ok(""))
                .bash("npm test", Ok("12 passed"))
                .say("Fixed, all tests pass. Committed as `3f9c2ab`."),
            Success,
            "e8",
        ),
        (
            pages()
                .edit("a.md", Ok(""))
                .say("Three of the ten pages are done, the rest is still open."),
            Partial,
            "e4",
        ),
        (
            pages()
                .edit("a.md", Ok(""))
                .say("Three of the ten pages are done.")
                .user("good for today, the rest tomorrow"),
            Partial,
            "e5",
        ),
        (
            fix()
                .bash("npm test", Err(failed))
                .say("It does not work, I could not find the cause."),
            Failed,
            "e3",
        ),
        (fix().fail("529 Overloaded"), Failed, "e2"),
        (
            pages()
                .say("I would begin with the first page.")
                .user("forget it, we drop the German pages, never mind"),
            Abandoned,
            "e3",
        ),
        (pages().edit("a.md", Ok("")).answer("aborted", &cut), Abandoned, "e4"),
    ];
    let mut wrong = Vec::new();
    for (number, (story, outcome, entry)) in cases.into_iter().enumerate() {
        let node = story.node();
        let shown = &ext(&node).evidence["content.outcome"];
        if node.content.outcome != outcome || *shown != [entry] {
            wrong.push(format!("case {number}: {:?}, shown by {shown:?}", node.content.outcome));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn types() {
    use NodeType::*;
    let write = |goal: &str, path: &str| Story::new().user(goal).edit(path, Ok(""));
    let cases = [
        (write("add a search page", "src/search.ts"), Coding),
        (write("fix the crash in the cart", "src/cart.ts"), Debugging),
        (write("rename Cart to Basket everywhere", "src/cart.ts"), Refactoring),
        (write("the cart should keep its items for a week", "src/cart.ts"), Coding),
        (write("again please", "docs/cart.md"), Documentation),
        (write("and the same for an empty cart", "tests/cart.test.ts"), Qa),
        (write("upgrade vite", "package.json"), Configuration),
        (Story::new().user("how does the cart work?").read("src/cart.ts", Ok("")), Research),
        (Story::new().user("plan the architecture of the next version"), Planning),
        (Story::new().user("brainstorm ideas for names"), Brainstorm),
        (Story::new().user("deploy the server").bash("systemctl restart shop", Ok("")), Sysadmin),
        (Story::new().user("import the csv into a dataframe"), Data),
        (Story::new().user("write a handoff for the next session, a hand-over"), Handoff),
        (Story::new().user("a poem for the birthday of my sister, please"), Other),
        (Story::new(), Other),
    ];
    let mut wrong = Vec::new();
    for (number, (story, expected)) in cases.into_iter().enumerate() {
        let found = story.node().classification.node_type;
        if found != expected {
            wrong.push(format!("case {number}: {found:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn languages_and_tags() {
    let node = Story::new()
        .user("make the login faster")
        .read("README.md", Ok(""))
        .read("docs/a.md", Ok(""))
        .read("scripts/a.py", Ok(""))
        .edit("src/server/auth/login.ts", Ok(""))
        .edit("src/web/Login.svelte", Ok(""))
        .bash("npx vitest run && docker compose up -d", Ok(""))
        .node();
    assert_eq!(node.classification.language.as_deref(), Some("typescript"));
    assert_eq!(node.classification.frameworks.unwrap(), ["svelte", "vitest"]);
    assert_eq!(
        node.semantic.tags,
        ["typescript", "svelte", "vitest", "server", "web", "scripts", "docker"]
    );
    assert_eq!(node.semantic.topics, ["authentication", "performance"]);

    let prose = Story::new().user("x").edit("README.md", Ok("")).node();
    assert_eq!(prose.classification.language.as_deref(), Some("markdown"));
    assert_eq!(Story::new().user("x").say("y").node().classification.language, None);
}

#[test]
fn goals_are_the_user_s_first_words() {
    let image =
        json!([{ "type": "image", "data": "AAAA" }, { "type": "text", "text": "  Fix\n\nthis " }]);
    let node = Story::new()
        .message(&json!({ "role": "system", "content": "You are pi" }))
        .user(" \n")
        .message(&json!({ "role": "user", "content": image }))
        .user("second")
        .node();
    assert_eq!(ext(&node).goal.as_deref(), Some("Fix this"));
    assert_eq!(ext(&node).evidence["ext.goal"], ["e3"]);
    let long = Story::new().user(&"word ".repeat(10_000)).node();
    assert_eq!(ext(&long).goal.as_ref().unwrap().chars().count(), 300);
    assert_eq!(ext(&Story::new().say("x").node()).goal, None);
}

#[test]
fn flags() {
    let flag = |data: Value| json!({ "type": "custom", "customType": "brain_flag", "data": data });
    let node = Story::new()
        .entry(flag(json!({ "type": "quirk", "message": "talks\n too much" })))
        .entry(flag(json!({ "type": "failure", "message": "x" })))
        .entry(flag(json!({ "type": "praise", "message": "x" })))
        .entry(flag(json!(null)))
        .entry(json!({ "type": "custom", "customType": "other", "data": { "type": "win", "message": "x" } }))
        .node();
    let flags = &ext(&node).signals.manual_flags;
    assert_eq!(flags.len(), 2);
    assert_eq!(
        (flags[0].flag_type, &*flags[0].message, &*flags[0].entry_id),
        (FlagType::Quirk, "talks too much", "e1")
    );
    assert_eq!(flags[1].flag_type, FlagType::Fail);
}

#[test]
fn a_realistic_segment() {
    let node = Story::new()
        .entry(json!({ "type": "model_change", "provider": "anthropic", "modelId": "sonnet" }))
        .user("mail worker crashes since we have payments: SqliteError: database is locked. fix src/worker/mail.ts")
        .read("src/worker/mail.ts", Ok("…"))
        .read("src/worker/queue.ts", Err("ENOENT: no such file or directory, access 'queue.ts'"))
        .edit("src/worker/mail.ts", Err("Could not find the exact text in src/worker/mail.ts."))
        .edit("src/worker/mail.ts", Ok("Successfully replaced 1 block(s)"))
        .bash("pnpm exec vitest run", Err("AssertionError: expected 1 to be 2\n\n\nCommand exited with code 1"))
        .wait(3)
        .edit("src/server/db.ts", Ok("Successfully replaced 1 block(s)"))
        .bash("pnpm exec vitest run && git commit -qam 'worker: short transactions'", Ok("ok"))
        .say("Committed. The worker now holds no transaction while it sends mail.")
        .node();
    insta::assert_snapshot!(serde_json::to_string_pretty(&node).unwrap());
}

#[test]
fn hostile_entries_do_no_harm() {
    let huge = "x\\n".repeat(1_000_000);
    let calls = format!(
        r#"{{"type":"toolCall","id":"1","name":"write","arguments":{{"path":"{huge}","content":"{huge}"}}}},
           {{"type":"toolCall","id":"2","name":"bash","arguments":{{"command":"{huge}"}}}}"#
    );
    let messages = [
        "null".to_owned(),
        r#"{"role":"user","content":null}"#.to_owned(),
        r#"{"role":"assistant","content":[null,1,"x",{"type":"toolCall"}]}"#.to_owned(),
        r#"{"role":"assistant","content":[{"type":"toolCall","name":7,"arguments":"x"}]}"#
            .to_owned(),
        format!(r#"{{"role":"assistant","content":[{}]}}"#, calls.replace('\n', "")),
        format!(r#"{{"role":"toolResult","toolCallId":"2","isError":true,"content":"{huge}"}}"#),
        r#"{"role":"toolResult","toolCallId":{},"toolName":[],"content":5}"#.to_owned(),
        r#"{"role":"toolResult","nestedCalls":{"calls":[null,{"name":null}]}}"#.to_owned(),
        r#"{"role":"assistant","content":"plain","stopReason":"strange","errorMessage":null}"#
            .to_owned(),
        r#"{"role":"assistant","content":[{"type":"toolCall","name":"read","id":"3",
            "arguments":{"path":"a\nb\u0000/../c","path":"é\ud800"}}]}"#
            .replace('\n', ""),
    ];
    let mut bytes = b"{\"type\":\"session\",\"id\":\"s\"}\n{\"type\":\"message\"}\n".to_vec();
    for (message, time) in messages.iter().zip([8.64e15, -8.64e15, 0.0].into_iter().cycle()) {
        let entry = format!(r#"{{"type":"message","timestamp":{time},"message":{message}}}"#);
        bytes.extend_from_slice(entry.as_bytes());
        bytes.push(b'\n');
    }
    let words =
        b"{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"caf\xff fix\"}}";
    bytes.extend_from_slice(words);
    let node = analyse(bytes, "/home/dev/shop");
    assert!(node.to_json().len() < 10_000, "nothing of the huge texts is kept");
    assert_eq!(node.content.tools_used, ["write", "bash", "read"]);
    assert_eq!(ext(&node).files_read, ["é\u{fffd}"]);
    assert_eq!(ext(&node).goal.as_deref(), Some("caf\u{fffd} fix"));
    check(&node).unwrap();
}

/// Says what is wrong with a node.
fn check(node: &Node) -> Result<(), String> {
    let json: Value = serde_json::from_str(&node.to_json()).unwrap();
    checker::check(&node_schema(), &json)?;
    let again = Node::from_json(node.to_json().as_bytes()).map_err(|error| format!("{error:?}"))?;
    if again == *node { Ok(()) } else { Err("it reads as another node".to_owned()) }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|value| json!(value)),
        any::<f64>().prop_map(|value| json!(value)),
        word().prop_map(|word| json!(word)),
        ".{0,8}".prop_map(|text| json!(text)),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::btree_map(word(), inner, 0..4).prop_map(|members| json!(members)),
        ]
    })
}

fn word() -> impl Strategy<Value = &'static str> {
    select(vec![
        "type",
        "text",
        "toolCall",
        "id",
        "name",
        "arguments",
        "path",
        "command",
        "read",
        "edit",
        "bash",
        "content",
        "user",
        "assistant",
        "toolResult",
        "error",
        "aborted",
        "stop",
        "src/a.rs",
        "../b.md",
        "~/c",
        "cargo test",
        "git commit -m x",
        "TypeError: x",
        "fix the bug in a.rs?",
        "brain_flag",
        "quirk",
        "message",
        "data",
        "usage",
    ])
}

/// Entries that look like real ones, with anything in any place.
fn any_entry() -> impl Strategy<Value = Value> {
    let role = select(vec!["user", "assistant", "toolResult", "system", "bashExecution", "x"]);
    let kind = select(vec![
        "message",
        "message",
        "message",
        "custom",
        "usage",
        "compaction",
        "label",
        "x",
    ]);
    let call = (word(), word(), any_json()).prop_map(
        |(id, name, value)| json!({ "type": "toolCall", "id": id, "name": name, "arguments": { "path": value, "command": id } }),
    );
    let text = word().prop_map(|text| json!({ "type": "text", "text": text }));
    let content =
        prop_oneof![vec(prop_oneof![call, text], 0..4).prop_map(Value::Array), any_json()];
    let time = prop_oneof![any::<i64>().prop_map(|time| json!(time)), any_json()];
    let more = (word(), word(), any::<bool>(), any_json(), any_json());
    (kind, role, content, time, more).prop_map(|(kind, role, content, time, more)| {
        let (call, stop, is_error, error, usage) = more;
        json!({
            "type": kind, "id": call, "timestamp": time, "customType": "brain_flag", "data": error, "usage": usage,
            "message": {
                "role": role, "content": content, "toolCallId": call, "toolName": stop, "isError": is_error,
                "stopReason": stop, "errorMessage": error, "usage": usage,
                "nestedCalls": { "calls": [{ "name": stop, "arguments": error }] },
            },
        })
    })
}

proptest! {
    #![proptest_config(cases(128))]
    #[test]
    fn any_session_gives_a_node(entries in vec(any_entry(), 0..12), project in "(/[a-z]{0,3}){0,3}") {
        let mut lines = vec![r#"{"type":"session","id":"s"}"#.to_owned()];
        lines.extend(entries.iter().map(Value::to_string));
        let text = lines.join("\n");
        let node = analyse(text.clone().into_bytes(), &project);
        prop_assert_eq!(check(&node), Ok(()));
        let models = &node.observations.models_used;
        let tokens: u64 = models.iter().map(|model| model.tokens_input + model.tokens_output).sum();
        prop_assert_eq!(node.metadata.tokens_used, tokens);
        prop_assert_eq!(analyse(text.into_bytes(), &project).to_json(), node.to_json());
    }
}
