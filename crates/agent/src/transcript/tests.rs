use pi_brain_session::{Entry, OWN_FRAME};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Transcript, estimate_tokens};

fn hear(transcript: &mut Transcript, id: &str, message: &Value) {
    let line =
        json!({"type": "message", "id": id, "parentId": null, "message": message}).to_string();
    let (entry, raw) = Entry::parse(line.as_bytes(), 1, 0).unwrap();
    transcript.hear(id, &entry, raw);
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": [{"type": "text", "text": text}]})
}

#[test]
fn words_stay_and_tools_take_a_line() {
    let mut transcript = Transcript::new();
    hear(&mut transcript, "a1", &json!({"role": "system", "content": "be nice"}));
    hear(&mut transcript, "a2", &user("Why is the cart empty?"));
    let answer = json!({"role": "assistant", "content": [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "Let me look."},
        {"type": "toolCall", "id": "t", "name": "bash", "arguments": {"command": "npm\ntest"}},
    ]});
    hear(&mut transcript, "a3", &answer);
    let output = "x".repeat(5_000);
    let failed = json!({"role": "toolResult", "toolName": "bash", "isError": true,
        "content": [{"type": "text", "text": output}, {"type": "image", "data": "iVBOR", "mimeType": "image/png"}]});
    hear(&mut transcript, "a4", &failed);
    let parts = transcript.parts(10_000);
    assert_eq!(parts.len(), 1);
    let text = &parts[0];
    let opening = "[a2] user: Why is the cart empty?\n[a3] assistant: Let me look.\n\
                   assistant calls bash {\"command\":\"npm\\ntest\"}\n[a4] bash failed: xxx";
    assert!(text.starts_with(opening), "{text}");
    assert!(text.contains("[… left out …]") && text.ends_with("(an image)\n"), "{text}");
    assert!(!text.contains("be nice") && !text.contains("hm\n") && !text.contains("iVBOR"));
    assert!(text.len() < 2_000);
}

#[test]
fn secrets_are_gone_wherever_they_stand() {
    let mut transcript = Transcript::new();
    hear(&mut transcript, "a1", &user("my DB_PASSWORD=hunter2hunter"));
    let call = json!({"role": "assistant", "content": [{"type": "toolCall", "id": "t", "name": "bash",
        "arguments": {"command": "export DB_PASSWORD=hunter2hunter; run"}}]});
    hear(&mut transcript, "a2", &call);
    let env =
        format!("{}\nDB_PASSWORD=hunter2hunter\n{}", "a b ".repeat(20_000), "c d ".repeat(20));
    let result = json!({"role": "toolResult", "toolName": "bash", "content": [{"type": "text", "text": env}]});
    hear(&mut transcript, "a3", &result);
    let shell = json!({"role": "bashExecution", "command": "echo DB_PASSWORD=hunter2hunter", "output": "DB_PASSWORD=hunter2hunter"});
    hear(&mut transcript, "a4", &shell);
    let text = transcript.parts(10_000).concat();
    assert!(!text.contains("hunter2"), "{text}");
    assert_eq!(text.matches("[redacted: password]").count(), 5, "{text}");
}

#[test]
fn long_ones_are_cut_between_turns() {
    let mut transcript = Transcript::new();
    for turn in 0..10 {
        hear(&mut transcript, &format!("u{turn}"), &user(&"word ".repeat(40)));
        let answer = json!({"role": "assistant", "content": [{"type": "text", "text": "answer ".repeat(20)}]});
        hear(&mut transcript, &format!("m{turn}"), &answer);
    }
    let parts = transcript.parts(250);
    assert!(parts.len() >= 4);
    for part in &parts {
        assert!(estimate_tokens(part) <= 250);
        assert!(part.starts_with("[u"), "a part begins with a turn: {part}");
    }
    let all = parts.concat();
    assert!((0..10).all(|turn| all.contains(&format!("[m{turn}]"))));
    // A turn, and even an entry, can be longer than a part.
    let tiny = transcript.parts(20);
    assert!(tiny.iter().all(|part| estimate_tokens(part) <= 20));
    assert_eq!(tiny.len(), 20);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn parts_keep_to_their_size_and_leave_no_entry_out(
        lengths in prop::collection::vec((any::<bool>(), 1..600_usize), 1..30),
        tokens in 20..400_u64,
    ) {
        let mut transcript = Transcript::new();
        for (at, (is_user, length)) in lengths.iter().enumerate() {
            let role = if *is_user { "user" } else { "assistant" };
            let text = "é ".repeat(*length);
            let message = json!({"role": role, "content": [{"type": "text", "text": text}]});
            hear(&mut transcript, &format!("e{at}"), &message);
        }
        let parts = transcript.parts(tokens);
        for part in &parts {
            prop_assert!(estimate_tokens(part) <= tokens);
        }
        let all = parts.concat();
        let places: Vec<_> = (0..lengths.len()).map(|at| all.find(&format!("[e{at}] "))).collect();
        prop_assert!(places.iter().all(Option::is_some) && places.is_sorted());
    }
}

#[test]
fn what_we_told_an_agent_is_not_told_again() {
    let mut transcript = Transcript::new();
    let told =
        |tool: &str, text: &str| json!({"role": "toolResult", "toolName": tool, "content": text});
    hear(&mut transcript, "a1", &user("Why no redis?"));
    hear(&mut transcript, "a2", &told("mcp__brain__brain_query", "an old answer"));
    let page = format!("Lines {OWN_FRAME} Use\n> an old answer");
    hear(&mut transcript, "a3", &told("codemode", &page));
    let text = transcript.parts(u64::MAX).concat();
    assert!(!text.contains("an old answer"), "{text}");
    let left_out = "(what pi-brain told of earlier sessions)";
    assert!(text.contains(&format!("[a2] mcp__brain__brain_query gave: {left_out}")), "{text}");
    assert!(text.contains(&format!("[a3] codemode gave: {left_out}")), "{text}");
}
