use std::path::{Path, PathBuf};

use pi_brain_app::{Settings, Source};
use pi_brain_session::SessionFolder;

use super::*;

fn schedules(text: &str) -> Schedules {
    let folder = SessionFolder::Flat(PathBuf::from("/sessions"));
    let usual = Source { folder, computer: "here".to_owned() };
    let text = format!("[schedule]\n{text}");
    let settings = Settings::parse(&text, Path::new("/config.toml"), usual, Path::new("/home/me"));
    settings.expect("the settings can be used").schedule
}

fn time(text: &str) -> Millis {
    text.parse::<Timestamp>().expect("it is a time").into()
}

#[test]
fn an_appointment_is_kept_once_however_late() {
    let schedules = schedules("link = \"30 3 * * * UTC\"");
    let due = |last: &str| Appointment::Link.due(&schedules, time(last));
    assert_eq!(due("2026-11-15T12:00:00Z"), Some(time("2026-11-16T03:30:00Z")));
    // Kept late, after the machine was asleep: the next one is the next day's.
    assert_eq!(due("2026-11-16T09:12:00Z"), Some(time("2026-11-17T03:30:00Z")));
}

#[test]
fn never_is_never() {
    let schedules = schedules("link = \"never\"\nreanalyse = \"\"");
    for appointment in Appointment::ALL {
        assert_eq!(appointment.due(&schedules, Millis(0)), None);
    }
}
