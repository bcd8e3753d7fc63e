//! The way without pi: any server that speaks like OpenAI's.

use std::time::Duration;

use pi_brain_agent::{AgentError, KeySource, OpenAi, OpenAiSettings, Price};
use pi_brain_real_pi::{Deed, ScriptedModel, say};

use crate::world::{PATIENCE, good_answer, run, transcript};

fn settings(model: &ScriptedModel) -> OpenAiSettings {
    OpenAiSettings {
        base_url: model.url.clone(),
        model: "stub-1".to_owned(),
        key: KeySource::None,
        price: None,
        timeout: PATIENCE,
    }
}

#[test]
fn a_unit_of_work_is_analysed() {
    let model = ScriptedModel::new([say(&good_answer("one"))]);
    let price = Some(Price { input: 1.0, output: 5.0 });
    let key = KeySource::Command("echo kQ9xW2eR4tY6uI8o; echo more".to_owned());
    let mut openai = OpenAi::new(OpenAiSettings { price, key, ..settings(&model) });
    let analysed = run(&mut openai, &transcript(1)).unwrap();
    assert_eq!(analysed.judgement.summary, "one");
    assert_eq!((analysed.spent.tokens_in, analysed.spent.tokens_out), (100, 20));
    assert!((analysed.spent.dollars.unwrap() - 0.0002).abs() < 1e-12);
    assert_eq!(analysed.spent.model.as_deref(), Some("stub-1"));
    let asked = &model.asked()[0];
    assert!(
        asked.headers.contains("authorization: Bearer kQ9xW2eR4tY6uI8o\r\n"),
        "{}",
        asked.headers
    );
    let schema = &asked.body["response_format"]["json_schema"]["schema"];
    assert_eq!(schema["properties"]["outcome"]["enum"][3], "abandoned");
    assert_eq!(asked.body["max_tokens"], 500);
    let text = asked.text();
    assert!(text.contains("[redacted: password]") && !text.contains("hunter2"));
    // Nothing that can be printed has the key.
    assert!(!format!("{openai:?}").contains("kQ9xW2eR4tY6uI8o"));
}

#[test]
fn a_server_that_knows_less_is_asked_for_less() {
    let model = ScriptedModel::new([
        Deed::Fail(400, "Unsupported parameter: use 'max_completion_tokens' instead"),
        Deed::Fail(400, "response_format of type json_schema is not supported"),
        say(&good_answer("one")),
        say(&good_answer("two")),
    ]);
    let mut openai = OpenAi::new(settings(&model));
    assert_eq!(run(&mut openai, &transcript(1)).unwrap().judgement.summary, "one");
    // What it cannot bear is remembered.
    assert_eq!(run(&mut openai, &transcript(1)).unwrap().judgement.summary, "two");
    let asked = model.asked();
    assert_eq!(asked.len(), 4);
    for asked in &asked[2..] {
        assert!(asked.body.get("response_format").is_none());
        assert_eq!(asked.body["max_completion_tokens"], 500);
        assert!(asked.body.get("max_tokens").is_none());
    }
}

#[test]
fn failures_are_told_apart() {
    let model = ScriptedModel::new([
        Deed::Fail(429, "slow down"),
        Deed::Fail(500, "broken"),
        Deed::Fail(401, "Incorrect API key provided: API_KEY=kQ9xW2eR4tY6"),
        Deed::BreakOff,
        Deed::Hang,
    ]);
    let mut openai = OpenAi::new(settings(&model));
    let mut fail = || run(&mut openai, &transcript(1)).unwrap_err();
    let error = fail();
    let AgentError::RateLimited { retry_after, .. } = &error else { panic!("{error:?}") };
    assert_eq!(*retry_after, Some(Duration::from_secs(7)));
    assert!(matches!(fail(), AgentError::Network { .. }));
    let error = fail();
    assert!(matches!(error, AgentError::Refused { .. }), "{error:?}");
    assert!(!error.to_string().contains("kQ9x"), "{error}");
    assert!(matches!(fail(), AgentError::Network { .. }));

    let timeout = Duration::from_millis(300);
    let mut openai = OpenAi::new(OpenAiSettings { timeout, ..settings(&model) });
    let error = run(&mut openai, &transcript(1)).unwrap_err();
    assert!(matches!(error, AgentError::TimedOut { .. }), "{error:?}");
    assert_eq!(model.asked().len(), 5);

    let nobody =
        OpenAiSettings { base_url: "http://127.0.0.1:1/v1".to_owned(), ..settings(&model) };
    let error = run(&mut OpenAi::new(nobody), &transcript(1)).unwrap_err();
    assert!(matches!(error, AgentError::Network { .. }), "{error:?}");
}

#[test]
fn a_key_that_cannot_be_had_is_told_and_nothing_is_asked() {
    let model = ScriptedModel::new([]);
    for (key, reason) in [
        (
            KeySource::Environment("PI_BRAIN_NO_SUCH_KEY".to_owned()),
            "no variable PI_BRAIN_NO_SUCH_KEY",
        ),
        (
            KeySource::Command("echo kQ9xW2eR4tY6; echo locked >&2; exit 1".to_owned()),
            "failed: locked",
        ),
        (KeySource::Command("true".to_owned()), "it is empty"),
    ] {
        let mut openai = OpenAi::new(OpenAiSettings { key, ..settings(&model) });
        let error = run(&mut openai, &transcript(1)).unwrap_err();
        assert!(matches!(error, AgentError::NoKey { .. }), "{error:?}");
        assert!(
            error.to_string().contains(reason) && !error.to_string().contains("kQ9x"),
            "{error}"
        );
    }
    assert_eq!(model.asked().len(), 0);
}
