use jiff::civil::date;
use jiff::tz::TimeZone;
use proptest::prelude::*;

use super::*;

/// Noon on 15 March 2026 in Berlin, two weeks before the clocks go forward.
fn now() -> Zoned {
    date(2026, 3, 15).at(12, 0, 0, 0).to_zoned(TimeZone::get("Europe/Berlin").unwrap()).unwrap()
}

fn parse(text: &str) -> Query {
    Query::parse(text, &now()).unwrap()
}

/// Writes a query's words, phrases in quotes, exclusions with a minus.
fn shown(query: &Query) -> String {
    let written = |list: &[Wanted], before: &str, after: &str| -> Vec<String> {
        let parts = |wanted: &Wanted| {
            wanted.parts.iter().map(|(_, part)| part.clone()).collect::<Vec<_>>().join(" ")
        };
        list.iter().map(|wanted| format!("{before}{}{after}", parts(wanted))).collect()
    };
    let all = [
        written(&query.words, "", ""),
        written(&query.phrases, "\"", "\""),
        written(&query.excluded, "-", ""),
    ];
    all.concat().join(" | ")
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(shown(&parse(text)), expected, "{text}");
}

#[test]
fn words_phrases_and_exclusions() {
    check("rust lifetimes", "rust | lifetimes");
    check("\"permission denied\" npm", "npm | \"permission denied\"");
    check("“permission denied”", "\"permission denied\"");
    check("cache -redis -\"hot path\"", "cache | -redis | -hot path");
    check("\"never closed", "\"never closed\"");
    check("git push --no-verify", "git | push | no verify");
    check("x - y", "x | y");
    check("", "");
    check("  \" \" ( ) ", "");
}

#[test]
fn of_a_long_text_the_first_words_are_taken() {
    let text: Vec<String> = (0..10_000).map(|number| format!("word{}", number % 5_000)).collect();
    assert_eq!(parse(&text.join(" ")).words.len(), MOST_WORDS);
    check("cache cache", "cache");
}

#[test]
fn other_words_count_as_forms_of_a_word() {
    let mut query = parse("laptop broke");
    query.widen("laptop", ["Notebook", "ThinkPad", "portable computer"]);
    query.widen("tablet", ["slate"]);
    let laptop = &query.words[0];
    let is_there = |word: &str| laptop.variants.iter().any(|variant| variant == word);
    assert!(is_there("laptops") && is_there("notebook"), "{laptop:?}");
    assert!(!is_there("portable"), "two words are no other word for one: {laptop:?}");
    assert_eq!(shown(&query), "laptop | broke");
}

#[test]
fn what_looks_like_a_filter_but_is_none_is_a_word() {
    check("std::fmt", "std fmt");
    check("http://localhost:8080/x", "http localhost 8080 x");
    check("TypeError: x", "type error | x");
    check("file:///etc/hosts", "file etc hosts");
    check("type::Name", "type name");
    check("project: x", "project | x");
    check("foo:bar", "foo bar");
    check("say\"it now\"", "say | \"it now\"");
}

#[test]
fn stop_words_weigh_nothing_unless_there_is_nothing_else() {
    check("why did we drop the cache", "drop | cache");
    check("what's it don't", "what s | it | don t");
    check("what is this", "what | is | this");
    check("\"to be or not\"", "\"to be or not\"");
    check("the \"to be\"", "\"to be\"");
}

#[test]
fn an_identifier_is_looked_for_whole_and_in_parts() {
    let query = parse("readNodeErrorCode");
    assert_eq!(query.words[0].whole.as_deref(), Some("readnodeerrorcode"));
    assert_eq!(parse("src/tokens.rs").words[0].whole, None);
}

#[test]
fn other_forms_of_a_word() {
    let variants = |word: &str| parse(word).words[0].variants.clone();
    assert!(variants("tests").contains(&"test".to_owned()));
    assert!(variants("test").contains(&"testing".to_owned()));
    assert!(variants("running").contains(&"run".to_owned()));
    assert!(variants("caching").contains(&"cache".to_owned()));
    assert!(variants("queries").contains(&"query".to_owned()));
    assert!(variants("query").contains(&"queries".to_owned()));
    assert!(variants("E0502").is_empty());
    assert!(variants("src").is_empty());
    assert!(variants("status").iter().all(|variant| variant != "statu"));
}

#[test]
fn scripts_without_spaces_are_looked_for_pair_by_pair() {
    check("日本語", "日本 | 本語");
    check("\"日本語\"", "\"日本 本語\"");
    check("语", "语");
}

#[test]
fn filters_take_values_with_and_without_quotes() {
    let query = parse(
        "project:\"my app\" project:other file:src/main.rs tool:bash model:opus type:coding outcome:failed bug",
    );
    let filters = &query.filters;
    assert_eq!(filters.projects, ["my app", "other"]);
    assert_eq!(parse("project:“my app” x").filters.projects, ["my app"]);
    assert_eq!(filters.files, ["src/main.rs"]);
    assert_eq!(filters.tools, ["bash"]);
    assert_eq!(filters.models, ["opus"]);
    assert_eq!(filters.types, ["coding"]);
    assert_eq!(filters.outcomes, ["failed"]);
    assert_eq!(shown(&query), "bug");
    assert!(!query.is_only_filters());

    let query = parse("is:abandoned kind:node role:user role:tool");
    assert_eq!(query.filters.abandoned, Some(true));
    assert_eq!(parse("is:active").filters.abandoned, Some(false));
    assert_eq!(query.filters.kind, Some(DocumentKind::Node));
    assert_eq!(query.filters.speakers, [Speaker::User, Speaker::Tool]);
    assert!(query.is_only_filters());
}

#[test]
fn dates_are_days_of_the_time_zone_of_the_user() {
    let after = |value: &str| {
        let query = parse(&format!("after:{value}"));
        query.filters.after.unwrap().to_timestamp().to_string()
    };
    // Berlin is an hour ahead of UTC in winter.
    assert_eq!(after("2026-01-31"), "2026-01-30T23:00:00Z");
    assert_eq!(after("2026-01"), "2025-12-31T23:00:00Z");
    assert_eq!(after("2025"), "2024-12-31T23:00:00Z");
    assert_eq!(after("2025-07-01"), "2025-06-30T22:00:00Z");
    assert_eq!(after("today"), "2026-03-14T23:00:00Z");
    assert_eq!(after("yesterday"), "2026-03-13T23:00:00Z");
    assert_eq!(after("6h"), "2026-03-15T05:00:00Z");
    assert_eq!(after("3d"), "2026-03-12T11:00:00Z");
    assert_eq!(after("2w"), "2026-03-01T11:00:00Z");
    assert_eq!(after("1mo"), "2026-02-15T11:00:00Z");
    assert_eq!(after("1y"), "2025-03-15T11:00:00Z");

    let query = parse("before:2026-02 before:2026-01 after:2025 after:2024");
    assert_eq!(
        query.filters.before,
        Some("2025-12-31T23:00:00Z".parse::<jiff::Timestamp>().unwrap().into())
    );
    assert_eq!(
        query.filters.after,
        Some("2024-12-31T23:00:00Z".parse::<jiff::Timestamp>().unwrap().into())
    );
}

#[test]
fn what_cannot_be_understood_is_an_error_that_says_what_can() {
    for text in [
        "after:soon",
        "before:2026-13",
        "after:26-01-01",
        "before:2026-1-1",
        "after:99999999999y",
        "after:5x",
        "after:-1d",
    ] {
        let message = Query::parse(text, &now()).unwrap_err().to_string();
        assert!(message.contains(text) && message.contains("2026-01-31"), "{message}");
    }
    for (text, accepted) in
        [("is:lost", "abandoned"), ("kind:thing", "message"), ("role:god", "assistant")]
    {
        let message = Query::parse(text, &now()).unwrap_err().to_string();
        assert!(message.contains(accepted), "{message}");
    }
}

proptest! {
    #[test]
    fn any_text_is_a_query_or_an_error(text in "(\\PC|[\"“” :-]|project:|after:|is:|-){0,40}") {
        let _ = Query::parse(&text, &now());
    }
}
