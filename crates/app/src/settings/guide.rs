//! What can be set, and what it means: read from the file that says what holds without one, so that it is written once.

use super::{DEFAULT_SETTINGS, SettingValue};

/// A setting, what it means, and what holds for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedSetting {
    /// Its key, with dots.
    pub key: String,
    /// What it means.
    pub about: String,
    /// What holds, as the file writes it; none where nothing is said and there is no default.
    pub value: Option<String>,
    /// Whether the file says so; otherwise it is the default.
    pub is_set: bool,
    /// What holds without the file.
    pub default: Option<String>,
    /// What it could be.
    pub example: Option<String>,
}

/// Explains every setting, in the order of the file; those of a user that it does not name come last.
pub(super) fn explain(values: Vec<SettingValue>) -> Vec<ExplainedSetting> {
    let mut settings = guide();
    for SettingValue { key, value, is_set } in values {
        let known = settings.iter_mut().find(|setting| setting.key == key);
        match known {
            Some(setting) => (setting.value, setting.is_set) = (Some(value), is_set),
            None => settings.push(ExplainedSetting {
                key,
                about: String::new(),
                value: Some(value),
                is_set,
                default: None,
                example: None,
            }),
        }
    }
    settings
}

fn guide() -> Vec<ExplainedSetting> {
    let mut settings: Vec<ExplainedSetting> = Vec::new();
    // The key that the lines below belong to; none where they belong to a list, which is explained as a whole.
    let mut group = Some(String::new());
    let (mut about, mut is_explained) = (Vec::new(), false);
    for line in DEFAULT_SETTINGS.lines() {
        let said = line.trim_start_matches(['#', ' ']);
        let is_example = line.starts_with("#   ");
        if line.is_empty() {
            about.clear();
        } else if let Some(list) = said.strip_prefix("[[") {
            add(&mut settings, list.trim_end_matches(']'), &about, None);
            group = None;
        } else if let Some(name) = said.strip_prefix('[') {
            group = Some(format!("{}.", name.trim_end_matches(']')));
        } else if let Some((key, value)) = assignment(said) {
            if let Some(group) = &group {
                add(&mut settings, &format!("{group}{key}"), &about, Some((value, is_example)));
            }
            is_explained = true;
            continue;
        } else {
            if is_explained {
                about.clear();
            }
            about.push(said);
        }
        is_explained = false;
    }
    settings
}

fn assignment(said: &str) -> Option<(&str, &str)> {
    let is_key =
        |key: &str| key.bytes().all(|letter| letter.is_ascii_lowercase() || letter == b'_');
    said.split_once(" = ").filter(|(key, _)| is_key(key))
}

fn add(
    settings: &mut Vec<ExplainedSetting>,
    key: &str,
    about: &[&str],
    value: Option<(&str, bool)>,
) {
    let at = settings.iter().position(|setting| setting.key == key).unwrap_or_else(|| {
        settings.push(ExplainedSetting {
            key: key.to_owned(),
            about: about.join(" "),
            value: None,
            is_set: false,
            default: None,
            example: None,
        });
        settings.len() - 1
    });
    match value {
        Some((value, true)) => settings[at].example = Some(value.to_owned()),
        Some((value, false)) => settings[at].default = Some(value.to_owned()),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(key: &str) -> ExplainedSetting {
        guide().into_iter().find(|setting| setting.key == key).unwrap()
    }

    #[test]
    fn every_setting_is_explained() {
        for setting in guide() {
            assert!(setting.about.ends_with('.'), "{setting:?}");
        }
    }

    #[test]
    fn defaults_and_examples_are_told_apart() {
        let port = setting("daemon.port");
        assert_eq!(port.about, "Where it listens, on this machine only.");
        assert_eq!((port.default.as_deref(), port.example), (Some("8765"), None));
        let exclude = setting("exclude");
        assert_eq!(exclude.default.as_deref(), Some("[]"));
        assert!(exclude.example.is_some_and(|example| example.starts_with("[\"~/")));
        let dollars = setting("budget.dollars_per_day");
        assert_eq!(dollars.about, "Limits in dollars need a price that is known.");
        assert_eq!((dollars.default, dollars.example.as_deref()), (None, Some("1.0")));
        assert!(setting("analysis.price.output").about.starts_with("What a million tokens cost"));
    }

    #[test]
    fn neighbours_share_what_is_said_of_both() {
        assert_eq!(setting("budget.tokens_per_run").about, setting("budget.tokens_per_day").about);
        assert_ne!(setting("daemon.workers").about, setting("daemon.port").about);
    }

    #[test]
    fn a_list_is_one_setting() {
        assert!(setting("sources").about.starts_with("More folders with sessions"));
        assert!(guide().iter().all(|setting| !setting.key.ends_with("path")));
    }

    #[test]
    fn what_holds_is_said_with_what_it_means() {
        let set = |key: &str, value: &str, is_set| SettingValue {
            key: key.to_owned(),
            value: value.to_owned(),
            is_set,
        };
        let settings =
            explain(vec![set("daemon.port", "1", true), set("daemon.workers", "2", false)]);
        let port = settings.iter().find(|setting| setting.key == "daemon.port").unwrap();
        assert_eq!((port.value.as_deref(), port.is_set), (Some("1"), true));
        assert_eq!(settings.len(), guide().len());
    }
}
