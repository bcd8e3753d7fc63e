use super::Streamed;
use crate::error::AgentError;

fn heard(lines: &[&str]) -> (Vec<String>, Streamed) {
    let mut streamed = Streamed::default();
    let pieces = lines.iter().filter_map(|line| streamed.hear(line).map(str::to_owned)).collect();
    (pieces, streamed)
}

#[test]
fn pieces_are_put_together() {
    let (pieces, streamed) = heard(&[
        ": keep alive",
        r#"data: {"choices":[{"delta":{"role":"assistant","content":""}}]}"#,
        "event: message",
        r#"data: {"choices":[{"delta":{"content":"Keyed by "}}]}"#,
        "",
        r#"data: ["no", "object"]"#,
        r#"data: {"choices":{"odd":1},"usage":[3]}"#,
        r#"data:{"choices":[{"delta":{"content":"user [1]."},"finish_reason":null}],"usage":null}"#,
        r#"data: {"choices":[{"delta":{},"finish_reason":"stop"}]}"#,
        r#"data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}"#,
        "data: [DONE]",
    ]);
    assert_eq!(pieces, ["Keyed by ", "user [1]."]);
    let whole = streamed.end().unwrap();
    assert!(whole.contains("Keyed by user [1].") && whole.contains(r#""stop""#), "{whole}");
    assert_eq!(streamed.usage["completion_tokens"], 3);
}

#[test]
fn an_answer_without_an_end_is_none() {
    let (_, streamed) = heard(&[r#"data: {"choices":[{"delta":{"content":"Keyed"}}]}"#]);
    assert!(matches!(streamed.end(), Err(AgentError::Network { .. })));
    assert_eq!(streamed.text, "Keyed");
}

#[test]
fn an_error_in_the_middle_is_told_by_its_kind() {
    let (_, streamed) = heard(&[
        r#"data: {"choices":[{"delta":{"content":"Keyed"}}]}"#,
        r#"data: {"error":{"code":429,"message":"slow down"}}"#,
    ]);
    assert!(matches!(streamed.end(), Err(AgentError::RateLimited { .. })));
}
