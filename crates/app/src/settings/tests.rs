use std::path::PathBuf;
use std::time::Duration;

use pi_brain_agent::KeySource;

use super::*;

fn parse(text: &str) -> Result<Settings> {
    let folder = SessionFolder::Flat(PathBuf::from("/sessions"));
    let usual = Source { folder, computer: "here".to_owned() };
    Settings::parse(text, Path::new("/data/config.toml"), usual, Path::new("/home/me"))
}

/// Returns the default file with every key said, examples too.
fn spelt_out() -> String {
    let said = DEFAULT_SETTINGS.lines().filter_map(|line| {
        let bare = line.trim_start_matches('#').trim_start();
        let is_key = bare.split_once(" = ").is_some_and(|(key, _)| {
            key.bytes().all(|letter| letter.is_ascii_lowercase() || letter == b'_')
        });
        let is_other = ["exclude = [\"", "[[", "path", "computer", "key_command"]
            .iter()
            .any(|start| bare.starts_with(start));
        ((is_key || bare.starts_with('[')) && !is_other).then_some(bare)
    });
    said.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_default_file_changes_nothing() {
    let without = format!("{:?}", parse("").unwrap());
    assert_eq!(format!("{:?}", parse(DEFAULT_SETTINGS).unwrap()), without);
}

#[test]
fn every_key_of_the_default_file_is_known_and_has_the_value_that_holds_without_it() {
    let said = parse(&spelt_out()).unwrap();
    let usual = parse("").unwrap();
    assert!(spelt_out().contains("\nlink = "), "{}", spelt_out());
    assert_eq!(said.rules, usual.rules);
    assert_eq!(said.daemon, usual.daemon);
    assert!(said.analysis.is_none() && usual.analysis.is_none());
    let money = |budget: Budget| Budget { dollars_per_day: None, dollars_per_run: None, ..budget };
    assert_eq!(money(said.budget), usual.budget);
    assert_eq!(format!("{:?}", said.schedule), format!("{:?}", usual.schedule));
    let with_pi = |text: &str| {
        let text = text.replace("by = \"none\"", "by = \"pi\"");
        parse(&text).unwrap().analysis.unwrap()
    };
    let (said, usual) = (with_pi(&spelt_out()), with_pi("[analysis]\nby = \"none\""));
    assert_eq!((said.days, said.answers, said.limits), (usual.days, usual.answers, usual.limits));
    let (AnalysisBy::Pi { settings: said, stays }, AnalysisBy::Pi { settings: usual, .. }) =
        (said.by, usual.by)
    else {
        panic!("pi was chosen")
    };
    assert!(stays);
    assert_eq!(
        (said.program, said.timeout, said.skills),
        (usual.program, usual.timeout, usual.skills)
    );
}

#[test]
fn what_cannot_be_used_is_told_with_key_and_line() {
    let cases = [
        ("[segments]\nidle_minutes = 0", "line 2: segments.idle_minutes"),
        ("\n[daemon]\n\nworkers = 99", "line 4: daemon.workers"),
        ("[schedule]\nlink = \"at noon\"", "line 2: schedule.link"),
        ("exclude = [\n  \"a{\",\n]", "line 2: exclude"),
        ("[analysis]\nby = \"openai\"", "line 2: analysis.by"),
        ("[analysis.price]\ninput = -1\noutput = 2", "line 1: analysis.price"),
        ("[budget]\ndollars_per_day = -0.5", "line 2: budget.dollars_per_day"),
        ("[analysis]\nby = \"pi\"\n[analysis.openai]\nkey_env = \"A\"\nkey_command = \"b\"\n", ""),
    ];
    for (text, expected) in cases {
        match parse(text) {
            Ok(_) => assert_eq!(expected, "", "{text}"),
            Err(error) => assert!(
                !expected.is_empty() && error.to_string().contains(expected),
                "{text}: {error}"
            ),
        }
    }
}

#[test]
fn a_key_that_is_not_known_is_told_with_its_line() {
    for text in ["[analysis]\nmodle = 1", "[daemon]\nport = 99999", "[analysis]\nby = \"gpt\""] {
        let error = parse(text).unwrap_err();
        let AppError::Config { source, .. } = &error else { panic!("{error}") };
        assert!(source.to_string().contains("line 2"), "{source}");
    }
}

#[test]
fn a_model_over_http_needs_an_address_and_a_name() {
    let text = "[analysis]\nby = \"openai\"\n[analysis.openai]\nbase_url = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"\nkey_env = \"KEY\"";
    let AnalysisBy::OpenAi(settings) = parse(text).unwrap().analysis.unwrap().by else {
        panic!("openai was chosen")
    };
    assert_eq!(settings.key, KeySource::Environment("KEY".to_owned()));
    assert_eq!((&*settings.model, settings.timeout), ("m", Duration::from_secs(600)));
}
