use std::path::PathBuf;

use super::*;

const NOW: Millis = Millis(1_000_000_000);

/// Says what becomes of a job again and again, until it is given up: the kind, and the waits in seconds.
fn story(error: &AgentError) -> (String, Vec<i64>) {
    let mut waits = Vec::new();
    for attempts in 0.. {
        match undone(error, attempts, NOW) {
            Undone::Again { due, .. } => waits.push((due.0 - NOW.0) / 1000),
            Undone::Dead { trouble, .. } => return (trouble, waits),
            Undone::Postponed { .. } => panic!("{error} is nobody's fault"),
        }
    }
    unreachable!("it is given up some time")
}

#[test]
fn how_often_and_when_depends_on_what_went_wrong() {
    let message = || "no".to_owned();
    let limited = |retry_after| AgentError::RateLimited { message: message(), retry_after };
    let cases = [
        (limited(None), "rate-limit", vec![60, 120, 240, 480, 960, 1920, 3600]),
        (limited(Some(Duration::from_secs(7))), "rate-limit", vec![7; 7]),
        (AgentError::Network { message: message() }, "network", vec![30, 60, 120, 240, 480]),
        (AgentError::TimedOut { after: MINUTE }, "timeout", vec![300, 600]),
        (AgentError::BadOutput { reason: message() }, "bad-output", vec![60]),
        (
            AgentError::ProgramMissing { program: PathBuf::from("pi") },
            "program",
            vec![600, 1200, 2400, 3600, 3600],
        ),
        (AgentError::Refused { message: message() }, "refused", vec![]),
        (AgentError::NoKey { reason: message() }, "key", vec![600, 1200]),
    ];
    for (error, trouble, waits) in cases {
        assert_eq!(story(&error), (trouble.to_owned(), waits), "{error}");
    }
}

#[test]
fn who_is_stopped_goes_on_later() {
    let Undone::Postponed { due, .. } = undone(&AgentError::Aborted, 3, NOW) else {
        panic!("nothing is wrong with it")
    };
    assert_eq!(due, NOW);
}
