//! What a call is about, and by which later success an error counts as put right.

use super::complaint::mentions_failure;
use crate::analysis::command;
use crate::analysis::heard::Call;

/// What a call is about; a later success with the same subject resolves an error.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Subject {
    Model,
    Reading(String),
    Changing(String),
    Command(String),
    /// A tool of which nothing more is known.
    Tool(String),
}

/// Returns what a later success must be about to resolve a failure of `call`, any of these.
pub(super) fn subjects(call: &Call) -> Vec<Subject> {
    match (&call.path, &call.command) {
        (Some(path), _) if call.modifies() => vec![Subject::Changing(path.clone())],
        (Some(path), _) if call.reads() => vec![Subject::Reading(path.clone())],
        (_, Some(command)) => command::keys(command).into_iter().map(Subject::Command).collect(),
        _ => vec![Subject::Tool(call.tool.clone())],
    }
}

/// Returns whether a command had another way ready, `this || that`, and that one worked.
pub(super) fn has_fallen_back(call: &Call, text: &str) -> bool {
    let command = call.command.as_deref().unwrap_or_default();
    let last = text.trim_end().lines().next_back().unwrap_or_default();
    let mut ways = command.split(" || ").skip(1).filter_map(|way| way.split_whitespace().next());
    let is_way = |way: &str| !matches!(way, ":" | "echo" | "exit" | "printf" | "true");
    ways.any(is_way) && !last.starts_with("Command exited with code") && !mentions_failure(last)
}

/// Returns what would put right that something is missing.
pub(super) fn remedies(message: &str) -> Vec<Subject> {
    missing(message).map(|name| Subject::Command(format!("install {name}"))).into_iter().collect()
}

/// Finds what is not installed: `No module named 'x'`, `Cannot find module 'x'`, `bash: x: command not found`.
fn missing(message: &str) -> Option<&str> {
    let named = ["No module named '", "Cannot find module '", "Cannot find package '"];
    let module = named.iter().find_map(|text| message.split_once(text)?.1.split('\'').next());
    module.or_else(|| message.strip_suffix(": command not found")?.rsplit([' ', ':']).next())
}

/// Returns what must have worked for something to work: what runs was built, what is applied was checked, and a program that
/// works on something works.
pub(super) fn subsumed(subjects: &[Subject]) -> Vec<Subject> {
    const LATER: [&str; 9] =
        ["apply", "deploy", "flash", "publish", "release", "run", "test", "up", "upload"];
    const EARLIER: [&str; 6] = ["build", "check", "compile", "generate", "plan", "validate"];
    let keys = subjects.iter().filter_map(|subject| match subject {
        Subject::Command(key) => key.rsplit_once(' '),
        _ => None,
    });
    keys.flat_map(|(program, word)| {
        let earlier: &[&str] = if LATER.contains(&word) { &EARLIER } else { &[] };
        let earlier = earlier.iter().map(move |word| format!("{program} {word}"));
        earlier.chain([program.to_owned()]).map(Subject::Command)
    })
    .collect()
}

/// Returns what a later success must be about, knowing which of the programs that a call runs has complained: `ping6: …`.
pub(super) fn subjects_of_failure(call: &Call, message: &str, text: &str) -> Vec<Subject> {
    let mut all = subjects(call);
    all.extend(remedies(message));
    if all.len() < 2 {
        return all;
    }
    let program_of = |subject: &Subject| match subject {
        Subject::Command(key) => {
            let key = key.rsplit(": ").next().unwrap_or(key);
            key.split(' ').next().map(str::to_owned)
        }
        _ => None,
    };
    let said_by = |line: &str| -> Vec<Subject> {
        let Some((program, _)) = line.split_once(": ") else { return Vec::new() };
        let is_its = |subject: &&Subject| program_of(subject).as_deref() == Some(program);
        all.iter().filter(is_its).cloned().collect()
    };
    let complaints = text.lines().filter(|line| mentions_failure(line));
    let its = std::iter::once(message).chain(complaints).map(said_by).find(|its| !its.is_empty());
    if let Some(its) = its {
        return its;
    }
    // What only looks has hardly failed, and to look again shows nothing.
    let works = |subject: &&Subject| {
        program_of(subject).is_none_or(|program| !command::only_shows(&program))
    };
    let working: Vec<Subject> = all.iter().filter(works).cloned().collect();
    if working.is_empty() { all } else { working }
}

#[cfg(test)]
mod tests {
    use super::{Subject, has_fallen_back, subjects, subjects_of_failure, subsumed};
    use crate::analysis::heard::Call;

    fn call(command: &str) -> Call {
        let command = Some(command.to_owned());
        Call { tool: "bash".to_owned(), command, ..Call::default() }
    }

    fn shown(subjects: &[Subject]) -> Vec<&str> {
        let mut keys = Vec::new();
        for subject in subjects {
            if let Subject::Command(key) = subject {
                keys.push(&**key);
            }
        }
        keys
    }

    #[test]
    fn a_failure_is_about_the_program_that_complains() {
        let cases = [
            ("make all && flash x", "nothing told", &["make", "flash x"][..]),
            ("ssh h 'uci show; ping6 x'", "ping6: unreachable", &["h: ping6 x"][..]),
            ("python a.py", "No module named 'polars'", &["python a.py", "install polars"][..]),
            ("node a.js", "Cannot find module 'ky'", &["node a.js", "install ky"]),
            ("df -h /x; repack t", "no space", &["repack t"]),
            ("df -h /x; free -m", "no space", &["df /x", "free"]),
            ("pup x | head", "bash: pup: command not found", &["pup x", "install pup"][..]),
        ];
        for (command, message, expected) in cases {
            let found = subjects_of_failure(&call(command), message, message);
            assert_eq!(shown(&found), expected);
        }
    }

    #[test]
    fn the_first_program_that_complains_is_the_one() {
        let text = "online: no\nibtest: no such device";
        let found = subjects_of_failure(&call("config && ibtest -m 0"), "online: no", text);
        assert_eq!(shown(&found), ["ibtest 0"]);
    }

    #[test]
    fn what_runs_was_built() {
        let later = subsumed(&subjects(&call("esphome run a.yaml")));
        assert!(shown(&later).contains(&"esphome compile"));
        assert_eq!(shown(&subsumed(&subjects(&call("esphome logs a.yaml")))), ["esphome"]);
    }

    #[test]
    fn another_way_counts_only_if_it_is_one() {
        let cases = [
            ("a x || b x", "a: not found\nrows: 3", true),
            ("a x || b x", "a: not found\nb: not found", false),
            ("a x || echo no", "a: not found\nno", false),
            ("a x || true", "a: not found\nrows: 3", false),
        ];
        for (command, text, expected) in cases {
            assert_eq!(has_fallen_back(&call(command), text), expected, "{command}: {text}");
        }
    }
}
