use super::{AgentError, status_in};

#[test]
fn a_status_is_known_by_where_it_stands() {
    for (message, status) in [
        ("429 slow down", Some(429)),
        ("Error: 500 broken", Some(500)),
        ("OpenAI API error (503): busy", Some(503)),
        ("Request failed with status code 401", Some(401)),
        (r#"{"error":{"code":429,"message":"quota"}}"#, Some(429)),
        ("HTTP/404", Some(404)),
        ("asked for 429 tokens, 500 are left", None),
        ("error 4290", None),
        ("Connection error.", None),
        ("", None),
    ] {
        assert_eq!(status_in(message), status, "{message}");
    }
}

#[test]
fn what_a_provider_says_is_sorted() {
    let kind = |status, message: &str| match AgentError::from_provider(status, message) {
        AgentError::RateLimited { .. } => "rate limit",
        AgentError::Refused { .. } => "refused",
        AgentError::Network { .. } => "network",
        other => panic!("{other:?}"),
    };
    assert_eq!(kind(Some(429), "x"), "rate limit");
    assert_eq!(kind(Some(400), "429 tokens"), "refused");
    assert_eq!(kind(Some(408), "x"), "network");
    assert_eq!(kind(Some(529), "x"), "network");
    assert_eq!(kind(None, "Overloaded"), "rate limit");
    assert_eq!(kind(None, "No API key found for zai"), "refused");
    assert_eq!(kind(None, "Connection error."), "network");
}

#[test]
fn messages_are_short_and_have_no_secrets() {
    let long = format!("API_KEY=kQ9xW2eR4tY6\n{}", "word ".repeat(500));
    let AgentError::Network { message } = AgentError::from_provider(Some(500), &long) else {
        panic!()
    };
    assert!(message.starts_with("API_KEY=[redacted: key] word") && message.chars().count() == 501);
}
