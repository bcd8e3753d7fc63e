use super::*;

fn service() -> Service {
    Service {
        command: [
            "/opt/my tools/pi-brain",
            "--session-dir",
            "/data/100%/$x",
            "up",
            "--port",
            "8765",
        ]
        .map(str::to_owned)
        .to_vec(),
        variables: vec![("PI_BRAIN_HOME", "/data/\"brain\" & <more>".to_owned())],
    }
}

#[test]
fn a_unit_for_systemd() {
    insta::assert_snapshot!(service().systemd_unit(), @"");
}

#[test]
fn an_agent_for_launchd() {
    insta::assert_snapshot!(service().launchd_agent(), @"");
}

#[test]
fn a_word_that_would_end_its_line_is_refused() {
    assert!(plain("a\nExecStartPost=b".into()).is_err());
}
