use pi_brain_brain::{Confidence, NodeType, Outcome};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::parse;
use crate::claims::{Dropped, Known};
use crate::judgement::Judgement;

fn known() -> Known {
    let mut known = Known::default();
    known.hear("edit src/cart.ts and read docs/plan.md");
    known.tools.insert("bash".to_owned());
    known.entries.extend(["a1".to_owned(), "a2".to_owned()]);
    known
}

fn read(answer: &str) -> Result<Judgement, String> {
    parse(answer, &known()).map(|(judgement, _)| judgement)
}

fn small() -> Value {
    json!({"type": "coding", "outcome": "success", "summary": "Made the cart faster."})
}

fn with(name: &str, value: Value) -> String {
    let mut answer = small();
    answer[name] = value;
    answer.to_string()
}

#[test]
fn what_stands_around_the_object_is_passed_over() {
    let object = small().to_string();
    for answer in [
        object.clone(),
        format!("```json\n{object}\n```"),
        format!(
            "Here is {{an}} example {{\"a\": 1}}, and the answer: {object} I hope it helps {{}}"
        ),
        format!("{{\"answer\": {object}"),
        format!("\u{feff}  {object}\n\n{{"),
    ] {
        let judgement = read(&answer).unwrap_or_else(|error| panic!("{error}: {answer}"));
        assert_eq!(judgement.summary, "Made the cart faster.");
        assert_eq!(judgement.tags, Vec::<String>::new());
    }
}

#[test]
fn an_answer_that_was_cut_off_is_closed_where_that_is_safe() {
    let cut = r#"{"type":"qa","outcome":"failed","summary":"S","tags":["one","two"],"lessons":[{"summary":"Test \"first\"","lev"#;
    let judgement = read(cut).unwrap();
    assert_eq!((judgement.node_type, judgement.outcome), (NodeType::Qa, Outcome::Failed));
    assert_eq!(judgement.tags, ["one", "two"]);
    assert_eq!(judgement.lessons.task[0].summary, "Test \"first\"");
    assert!(read(r#"{"type":"qa","outcome":"fai"#).is_err());
}

/// Text with everything in it that an answer could trip over.
fn any_answer() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        "\"",
        "\\",
        ",",
        ":",
        "```json\n",
        "\n",
        " ",
        "é",
        "\"summary\"",
        "\"type\"",
        "\"outcome\"",
        "\"success\"",
        "\"coding\"",
        "\"lessons\"",
        "null",
        "7",
        "…",
        "src/none.rs",
    ]);
    prop::collection::vec(words, 0..60).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn no_answer_can_do_harm(answer in any_answer()) {
        let _ = read(&answer);
    }

    #[test]
    fn what_is_left_of_an_answer_says_the_same_or_nothing(
        whats in prop::collection::vec("[a-z{}\\[\\],:\"\\\\ é]{1,20}[a-z]", 0..5),
        end in 0.0..1.0,
    ) {
        let decisions: Vec<Value> = whats.iter().map(|what| json!({"what": what, "why": "so, {or} not"})).collect();
        let summary = "Made it \"fast\", {really}.";
        let answer = format!(
            r#"Well: {{"type":"qa","outcome":"failed","summary":{},"decisions":{}}}"#,
            json!(summary), json!(decisions),
        );
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss,
            reason = "any place will do")]
        let end = (answer.len() as f64 * end) as usize;
        let end = (0..=end).rev().find(|at| answer.is_char_boundary(*at)).unwrap();
        if let Ok(judgement) = read(&answer[..end]) {
            prop_assert_eq!(judgement.summary, summary);
            prop_assert_eq!((judgement.node_type, judgement.outcome), (NodeType::Qa, Outcome::Failed));
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            for (decision, what) in judgement.key_decisions.iter().zip(&whats) {
                prop_assert_eq!(&decision.what, &words(what));
            }
        }
    }
}

#[test]
fn other_words_for_the_same_are_understood() {
    for (word, node_type) in [
        ("Coding", NodeType::Coding),
        ("bugfix", NodeType::Debugging),
        ("refactor", NodeType::Refactoring),
        ("docs", NodeType::Documentation),
        ("gardening", NodeType::Other),
    ] {
        assert_eq!(read(&with("type", json!(word))).unwrap().node_type, node_type);
    }
    for (word, outcome) in [
        ("SUCCESS", Outcome::Success),
        ("completed", Outcome::Success),
        ("failure", Outcome::Failed),
    ] {
        assert_eq!(read(&with("outcome", json!(word))).unwrap().outcome, outcome);
    }
    let lesson = json!([{"level": "team", "summary": "Ask", "confidence": "sure"}]);
    let lessons = read(&with("lessons", lesson)).unwrap().lessons;
    assert_eq!(lessons.task[0].confidence, Confidence::Low);
}

#[test]
fn what_would_have_to_be_guessed_is_an_error() {
    for (answer, reason) in [
        ("I cannot do that.".to_owned(), "no JSON object"),
        ("{ \"type\": }".to_owned(), "no JSON object"),
        ("{}".to_owned(), "\"summary\""),
        (with("summary", json!("  ")), "\"summary\""),
        (with("outcome", json!("mixed")), "\"outcome\" is \"mixed\""),
        (with("outcome", json!(null)), "\"outcome\""),
        (with("type", json!(7)), "\"type\""),
    ] {
        let error = read(&answer).unwrap_err();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn shapes_of_lists_do_not_matter() {
    let decisions = read(&with("decisions", json!("Use SQLite"))).unwrap().key_decisions;
    assert_eq!(decisions[0].what, "Use SQLite");
    let decisions =
        read(&with("keyDecisions", json!(["A", {"decision": "B", "rationale": "C"}, 3]))).unwrap();
    assert_eq!(decisions.key_decisions.len(), 2);
    assert_eq!(decisions.key_decisions[1].why, "C");
    let by_level = json!({"project": [{"summary": "P"}], "tool": ["T"], "odd": [{"summary": "O"}]});
    let lessons = read(&with("lessons", by_level)).unwrap().lessons;
    assert_eq!((lessons.project[0].summary.as_str(), lessons.tool[0].summary.as_str()), ("P", "T"));
    let tags = read(&with("tags", json!(["#JWT", "jwt", " Auth ", "", 4]))).unwrap().tags;
    assert_eq!(tags, ["jwt", "auth"]);
    let nested = json!({
        "classification": {"type": "data"},
        "content": {"summary": "S", "outcome": "partial"},
        "semantic": {"topics": ["t"]},
    });
    let judgement = read(&nested.to_string()).unwrap();
    assert_eq!((judgement.node_type, judgement.topics), (NodeType::Data, vec!["t".to_owned()]));
}

#[test]
fn statements_about_what_the_log_does_not_hold_are_dropped() {
    let mut answer = small();
    answer["decisions"] = json!([
        {"what": "Cache in src/cart.ts", "why": "w", "entries": ["a1", "zz", "[a2]"]},
        {"what": "Rewrite src/checkout.ts", "why": "w"},
    ]);
    answer["lessons"] = json!([
        {"level": "tool", "summary": "Grep is slow", "tools": ["grep"]},
        {"level": "tool", "summary": "Quote paths", "tools": ["Bash"], "entries": ["a2"]},
        {"level": "project", "summary": "The plan is kept", "files": ["docs/plan.md"]},
    ]);
    answer["promptingWins"] = json!(["Naming lib/none.rs helped", "Small steps"]);
    let (judgement, dropped) = parse(&answer.to_string(), &known()).unwrap();
    let claims: Vec<&str> = dropped.iter().map(|Dropped { claim, .. }| claim.as_str()).collect();
    assert_eq!(claims, ["src/checkout.ts", "grep", "lib/none.rs"]);
    assert_eq!(judgement.key_decisions.len(), 1);
    assert_eq!(judgement.lessons.tool.len(), 1);
    assert_eq!(judgement.prompting_wins, ["Small steps"]);
    assert_eq!(judgement.evidence["content.keyDecisions[0]"], ["a1", "a2"]);
    assert_eq!(judgement.evidence["lessons.tool[0]"], ["a2"]);
    // What is written for another model is read back the same.
    let (again, dropped) = parse(&judgement.to_answer().to_string(), &known()).unwrap();
    assert_eq!((again, dropped), (judgement, Vec::new()));
}
