//! Trouble that stands in the output of commands which worked: `kubectl get pods` is content whatever the pods do, and so is
//! `tail` with any log.
//!
//! What is taken for trouble depends on what a command looks at: `DEGRADED` says something in `zpool status` and nothing in a
//! source file. Files other than logs, and what git quotes of the past, are not looked at.

mod sign;

use crate::analysis::command;
use crate::analysis::heard::Call;
use crate::analysis::language::ending;
use crate::analysis::speech::Signs;
use sign::sign_in;
pub(super) use sign::{counts_failures, is_compiler_error};

/// So many lines tell of one trouble, from the first that does.
const LINES: usize = 30;

/// What a command shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    Cluster,
    Containers,
    Services,
    Storage,
    Kernel,
    Pipeline,
    /// What a pipeline printed where it failed, and nothing else.
    FailedStep,
    Http,
    Database,
    Log,
    /// A program of any kind, which tells by itself how it goes.
    Program,
}

/// What a command shows, together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::analysis) struct Views(u16);

impl Views {
    /// Finds out what a call shows.
    pub(in crate::analysis) fn of(call: &Call) -> Self {
        let command = call.command.as_deref().unwrap_or_default();
        let views = command::everything_run(command).fold(Self::default(), |views, step| {
            views_of(&step).iter().fold(views, |views, view| Self(views.0 | 1 << *view as u16))
        });
        // What runs on the state from before shows that the tests would have seen the fault.
        if command::takes_back(command) { views.without(View::Program) } else { views }
    }

    pub(in crate::analysis) fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn has(self, view: View) -> bool {
        self.0 & (1 << view as u16) != 0
    }

    fn without(self, view: View) -> Self {
        Self(self.0 & !(1 << view as u16))
    }

    /// Returns whether both show the present state of the same kind of thing. A log shows the past, and each another.
    pub(in crate::analysis) fn show_the_same(self, other: Self) -> bool {
        let lasting = 1 << View::Log as u16 | 1 << View::Program as u16;
        self.0 & other.0 & !lasting != 0
    }

    /// Finds the first trouble in what was printed.
    pub(in crate::analysis) fn trouble(self, output: &str) -> Option<Trouble> {
        let lower = output.to_ascii_lowercase();
        let mut lines = output.lines().zip(lower.lines()).enumerate();
        let told =
            lines.find_map(|(at, (line, lower))| Some((at, self.trouble_in(line, lower, output)?)));
        let shown = || {
            let at = output.lines().position(|line| !line.trim().is_empty())?;
            self.has(View::FailedStep).then(|| (at, (View::FailedStep, "failed".to_owned())))
        };
        let (at, (view, sign)) = told.or_else(shown)?;
        let text: Vec<&str> = output.lines().skip(at).take(LINES).collect();
        Some(Trouble {
            sign,
            text: text.join("\n"),
            is_own: matches!(view, View::Program | View::Database),
        })
    }

    /// Finds trouble in a line, which is given in lower case, too.
    fn trouble_in(self, line: &str, lower: &str, output: &str) -> Option<(View, String)> {
        const ALL: [View; 10] = [
            View::Cluster,
            View::Containers,
            View::Services,
            View::Storage,
            View::Kernel,
            View::Pipeline,
            View::Http,
            View::Database,
            View::Log,
            View::Program,
        ];
        // Nothing of a blank line or a short one tells of trouble, and most lines are such.
        if line.trim().len() < 3 {
            return None;
        }
        let shown = ALL.into_iter().filter(|view| self.has(*view));
        shown
            .filter_map(|view| Some((view, sign_in(view, line, lower)?)))
            .find(|(view, _)| *view != View::Program || !ends_well(output))
    }
}

/// Trouble that was seen.
#[derive(Clone, Debug)]
pub(in crate::analysis) struct Trouble {
    /// By what it was found, in lower case; where this comes up again, it is the same trouble.
    pub(in crate::analysis) sign: String,
    /// What was printed from there on.
    pub(in crate::analysis) text: String,
    /// Whether what was run has failed itself, and does not only show what has.
    pub(in crate::analysis) is_own: bool,
}

impl Trouble {
    /// Returns whether it was found by nothing but the level of a line.
    pub(in crate::analysis) fn is_level(&self) -> bool {
        let mut words = self.sign.split(|character: char| !character.is_ascii_alphabetic());
        words.all(|word| matches!(word, "" | "level" | "err" | "error" | "fatal"))
    }
}

fn views_of(step: &[&str]) -> &'static [View] {
    let has = |words: &[&str]| step[1..].iter().any(|word| words.contains(word));
    match step[0] {
        "kubectl" | "oc" | "k3s" | "crictl" | "stern" if has(&["logs"]) || step[0] == "stern" => {
            &[View::Log]
        }
        "kubectl" | "oc" | "k3s" | "crictl" => &[View::Cluster],
        "docker" | "podman" | "docker-compose" | "nerdctl" if has(&["logs"]) => &[View::Log],
        "docker" | "podman" | "docker-compose" | "nerdctl" if has(&["ps", "ls", "inspect"]) => {
            &[View::Containers]
        }
        "adb" | "aws" | "fly" | "flyctl" | "heroku" | "netlify" | "pm2" | "railway" | "vercel"
            if has(&["logcat", "logs"]) =>
        {
            &[View::Log]
        }
        "aws" if step[1..].iter().any(|word| word.starts_with("describe-")) => &[View::Cluster],
        "logcat" | "logread" => &[View::Log],
        // A debugger tells of what it looks at, and does not fail with it.
        debugger if debugger.ends_with("gdb") || debugger == "lldb" => &[View::Log],
        "systemctl" | "service" => &[View::Services],
        "journalctl" => &[View::Services, View::Kernel, View::Log],
        "dmesg" => &[View::Kernel],
        "zpool" | "mdadm" | "smartctl" | "btrfs" | "nvme" => &[View::Storage],
        "gh" if has(&["run"]) && has(&["--log-failed"]) => &[View::Pipeline, View::FailedStep],
        "gh" if has(&["run", "release", "checks"]) && has(&["view", "watch", "checks", "list"]) => {
            &[View::Pipeline]
        }
        "glab" if has(&["trace", "status"]) => &[View::Pipeline],
        "curl" | "http" | "https" | "xh" => &[View::Http],
        "duckdb" | "mariadb" | "mysql" | "psql" | "sqlcmd" | "sqlite3" | "sqlplus" => {
            &[View::Database]
        }
        "cat" | "head" | "less" | "tail" | "zcat" if has(&["/proc/mdstat"]) => &[View::Storage],
        "awk" | "cat" | "egrep" | "grep" | "head" | "less" | "rg" | "sed" | "tail" | "zcat"
        | "zgrep"
            if step[1..].iter().any(|word| is_log(word)) =>
        {
            &[View::Log]
        }
        "powershell" | "powershell.exe" | "pwsh"
            if step[1..].iter().any(|word| {
                is_log(word) || word.contains("Get-WinEvent") || word.contains("Get-EventLog")
            }) =>
        {
            &[View::Log]
        }
        program if is_own_program(program) => &[View::Program],
        _ => &[],
    }
}

/// Returns whether a call does nothing but to show how something is or was.
pub(in crate::analysis::errors) fn only_shows(call: &Call) -> bool {
    let shows = |step: Vec<&str>| {
        let views = views_of(&step);
        command::is_accessory(step[0])
            || command::only_shows(step[0])
            || !views.is_empty() && views != [View::Program] && !acts_in_powershell(&step)
    };
    call.command.as_deref().is_none_or(|command| command::everything_run(command).all(shows))
}

/// Returns whether one of the commands of a step has a verb of PowerShell that changes something: `Restart-Service`.
fn acts_in_powershell(step: &[&str]) -> bool {
    const ACTS: [&str; 14] = [
        "Add", "Clear", "Disable", "Enable", "Import", "Install", "New", "Remove", "Repair",
        "Reset", "Restart", "Set", "Stop", "Update",
    ];
    let verb = |word: &str| {
        let word = word.trim_start_matches(['"', '\'', '{', '(', '&', ';']);
        word.split_once('-').is_some_and(|(verb, noun)| {
            ACTS.contains(&verb) && noun.starts_with(|first: char| first.is_ascii_uppercase())
        })
    };
    matches!(step[0], "powershell" | "powershell.exe" | "pwsh")
        && step[1..].iter().any(|word| verb(word))
}

/// Returns whether a call writes a log itself: what it then shows of it is its own.
pub(in crate::analysis) fn shows_own_log(call: &Call) -> bool {
    let command = call.command.as_deref().unwrap_or_default();
    let mut written = command.split('>').skip(1).filter_map(|rest| rest.split_whitespace().next());
    written.any(is_log)
}

/// Returns whether a word names a file that something writes its log to, or a line that a device talks over.
fn is_log(word: &str) -> bool {
    let word = word.trim_matches(['\'', '"']);
    let name = word.rsplit('/').next().unwrap_or_default();
    let is_call = matches!(word, "console.log" | "Math.log" | "math.log" | "np.log" | "torch.log");
    let is_name = ending(name) == "log" || name.contains(".log.") || name == "nohup.out";
    let is_dump = matches!(&*ending(name), "err" | "txt")
        && name
            .split(|character: char| !character.is_ascii_alphanumeric())
            .any(|part| matches!(part, "console" | "crash" | "err" | "log" | "stderr"));
    let is_place = word.starts_with("/var/log/")
        || word.starts_with("/dev/tty")
        || word.contains("/logs/")
        || word.starts_with("logs/");
    !is_call && (is_name || is_dump || is_place)
}

/// Returns whether a program does something of its own, and does not only quote what others wrote.
fn is_own_program(program: &str) -> bool {
    !command::is_accessory(program)
        && !matches!(
            program,
            "ag" | "bat"
                | "egrep"
                | "fd"
                | "fgrep"
                | "gh"
                | "git"
                | "glab"
                | "hg"
                | "jj"
                | "less"
                | "man"
                | "more"
                | "svn"
                | "tldr"
                | "xxd"
                | "zcat"
                | "zgrep"
        )
}

/// Returns whether what was printed last says that all went well, whatever came before.
fn ends_well(output: &str) -> bool {
    static WELL: Signs = Signs::new(concat!(
        "test result: ok|0 failed|0 failures|build success|all tests passed|tests passed|passed in |all ok|rc=0 |",
        "exit code: 0 |exit: 0 ",
    ));
    let mut last = output.lines().rev().take(3);
    last.any(|line| WELL.are_in(&line.to_lowercase()) && !counts_failures(line))
}

#[cfg(test)]
mod tests;
