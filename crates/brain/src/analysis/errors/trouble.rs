//! Trouble that stands in the output of commands which worked: `kubectl get pods` is content whatever the pods do, and so is
//! `tail` with any log.
//!
//! What is taken for trouble depends on what a command looks at: `DEGRADED` says something in `zpool status` and nothing in a
//! source file. Files other than logs, and what git quotes of the past, are not looked at.

use super::complaint::complains;
use crate::analysis::command;
use crate::analysis::heard::Call;
use crate::analysis::language::ending;
use crate::analysis::speech::Signs;

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
        let steps = call.command.iter().flat_map(|command| command::everything_run(command));
        steps.fold(Self::default(), |views, step| {
            views_of(&step).iter().fold(views, |views, view| Self(views.0 | 1 << *view as u16))
        })
    }

    pub(in crate::analysis) fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn has(self, view: View) -> bool {
        self.0 & (1 << view as u16) != 0
    }

    /// Returns whether both show the present state of the same kind of thing. A log shows the past, and each another.
    pub(in crate::analysis) fn show_the_same(self, other: Self) -> bool {
        let lasting = 1 << View::Log as u16 | 1 << View::Program as u16;
        self.0 & other.0 & !lasting != 0
    }

    /// Finds the first trouble in what was printed.
    pub(in crate::analysis) fn trouble(self, output: &str) -> Option<Trouble> {
        let mut lines = output.lines().enumerate();
        let (at, (view, sign)) =
            lines.find_map(|(at, line)| Some((at, self.trouble_in(line, output)?)))?;
        let text: Vec<&str> = output.lines().skip(at).take(LINES).collect();
        Some(Trouble {
            sign,
            text: text.join("\n"),
            is_own: matches!(view, View::Program | View::Database),
        })
    }

    fn trouble_in(self, line: &str, output: &str) -> Option<(View, String)> {
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
        let lower = line.to_ascii_lowercase();
        let shown = ALL.into_iter().filter(|view| self.has(*view));
        shown
            .filter_map(|view| Some((view, sign_in(view, line, &lower)?)))
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
        "adb" | "aws" | "flyctl" | "heroku" | "pm2" | "vercel" if has(&["logcat", "logs"]) => {
            &[View::Log]
        }
        "logcat" | "logread" => &[View::Log],
        "systemctl" | "service" => &[View::Services],
        "journalctl" => &[View::Services, View::Kernel, View::Log],
        "dmesg" => &[View::Kernel],
        "zpool" | "mdadm" | "smartctl" | "btrfs" | "nvme" => &[View::Storage],
        "gh" if has(&["run", "release", "checks"]) && has(&["view", "watch", "checks"]) => {
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
        program if is_own_program(program) => &[View::Program],
        _ => &[],
    }
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
    let is_place = word.starts_with("/var/log/")
        || word.starts_with("/dev/tty")
        || word.contains("/logs/")
        || word.starts_with("logs/");
    !is_call && (is_name || is_place)
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

fn sign_in(view: View, line: &str, lower: &str) -> Option<String> {
    static CLUSTER: Signs = Signs::new(concat!(
        "crashloopbackoff|imagepullbackoff|errimagepull|errimageneverpull|oomkilled|createcontainerconfigerror|",
        "createcontainererror|runcontainererror|invalidimagename|evicted|failedscheduling|failedmount|failedcreate|",
        "failedattachvolume|progressdeadlineexceeded|init:error|notready |containercannotrun|deadlineexceeded|",
        "back-off restarting failed container",
    ));
    static CONTAINERS: Signs =
        Signs::new("(unhealthy)|restarting (|\"oomkilled\": true|\"status\": \"dead\"");
    static SERVICES: Signs = Signs::new(concat!(
        "active: failed|code=killed|code=dumped|failed with result|failed to start|start-limit-hit|",
        "start request repeated too quickly|loaded failed failed|loaded failed     failed|result: exit-code",
    ));
    static STORAGE: Signs = Signs::new(concat!(
        "degraded|faulted|unavail |suspended|failing_now|test result: failed|(f)|[u_]|[_u]|_]|read failure|",
        "too many errors|permanent errors have been detected",
    ));
    static KERNEL: Signs = Signs::new(concat!(
        "out of memory: killed|oom-kill|segfault at|i/o error|kernel bug|kernel panic|ext4-fs error|call trace:|",
        "timed out|failed with error|xid|hung_task|blocked for more than|gpu has fallen off",
    ));
    static PIPELINE: Signs = Signs::new(concat!(
        "##[error]|process completed with exit code|npm err!|npm error|build failed|test result: failed|",
        "could not compile|job failed|make: ***|elifecycle|error=",
    ));
    static HTTP: Signs = Signs::new(concat!(
        "500 internal server error|internal server error|502 bad gateway|503 service |504 gateway|curl: (|",
        "faultstring|\"error\":\"|\"error\": \"|\"errors\":[{|\"errors\": [{|\"status\":500|\"status\": 500|\"statuscode\":500|\"statuscode\": 500",
    ));
    static LOG: Signs = Signs::new(concat!(
        "[error]|<err> |<error>|level=error|level=fatal|\"level\":\"error\"|\"level\":\"fatal\"|\"level\": \"error\"|",
        "failed to |failed: |failed with |failed for |connection refused|permission denied|out of memory|",
        "no space left|unable to |could not |cannot open|not found (required by|oomkilled|]: error: |",
        "status=bounced|status=deferred|timed out|operation timeout|fatal signal|name or service not known|error=",
    ));
    static PROGRAM: Signs = Signs::new(concat!(
        "traceback (most recent call last)|panicked at |fatal error: runtime|exception in thread |addresssanitizer: |",
        "leaksanitizer: |undefinedbehaviorsanitizer|threadsanitizer: |warning: data race|segmentation fault|",
        "core dumped|<err> |unhandled promise rejection|unhandledpromiserejection|php fatal error|",
        "uncaught exception|kernel panic|guru meditation|hardfault",
    ));
    let signs = match view {
        View::Cluster => &CLUSTER,
        View::Containers => &CONTAINERS,
        View::Services => &SERVICES,
        View::Storage => &STORAGE,
        View::Kernel => &KERNEL,
        View::Pipeline => &PIPELINE,
        View::Http => &HTTP,
        View::Log => &LOG,
        View::Program | View::Database => &PROGRAM,
    };
    let named = || signs.first_in(lower).map(|found| lower[found].to_owned());
    let of_program = || PROGRAM.first_in(lower).map(|found| lower[found].to_owned());
    let if_so = |is_so: bool, sign: &str| is_so.then(|| sign.to_owned());
    match view {
        View::Containers => named().or_else(|| if_so(exited_badly(lower), "exited (")),
        View::Services => named().or_else(|| if_so(has_bad_status(lower), "code=exited")),
        View::Pipeline => named()
            .or_else(of_program)
            .or_else(|| if_so(counts_failures(line) || is_compiler_error(line), "failed"))
            .or_else(|| exception(line))
            .or_else(|| if_so(complains(line), lower.trim())),
        View::Http => named().or_else(|| if_so(has_server_error(lower), " 5")),
        View::Database => if_so(is_database_error(line), "error"),
        View::Log => named()
            .or_else(of_program)
            .or_else(|| if_so(is_nan(lower), "nan"))
            .or_else(|| exception(line))
            .or_else(|| if_so(has_error_level(line), "error"))
            .or_else(|| if_so(is_refused_request(line) || complains(line), lower.trim())),
        View::Program => named().or_else(|| if_so(is_nan(lower), "nan")),
        _ => named(),
    }
}

/// Finds `POST /api/hooks 401 in 12ms`, `"GET /x HTTP/1.1" 502 157`.
fn is_refused_request(line: &str) -> bool {
    const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
    let mut words = line.split_whitespace().map(|word| word.trim_matches(['"', '[', ']']));
    words.any(|word| METHODS.contains(&word))
        && words.next().is_some_and(|path| path.starts_with(['/', 'h']))
        && words.take(2).any(|word| {
            word.len() == 3
                && word.starts_with(['4', '5'])
                && word.bytes().all(|byte| byte.is_ascii_digit())
        })
}

fn exception(line: &str) -> Option<String> {
    super::category::exception(line.trim()).map(|name| name.to_ascii_lowercase())
}

/// Finds `Exited (1) 2 minutes ago`; what ended with 0 was done, and with 143 was asked to.
fn exited_badly(lower: &str) -> bool {
    let code = lower.split_once("exited (").and_then(|(_, after)| after.split_once(')'));
    code.is_some_and(|(code, _)| !matches!(code, "0" | "143"))
}

/// Finds `(code=exited, status=1/FAILURE)`.
fn has_bad_status(lower: &str) -> bool {
    let status = lower.split_once("code=exited, status=").map(|(_, after)| after);
    status.is_some_and(|status| {
        let code = status.split(|character: char| !character.is_ascii_digit()).next();
        !matches!(code, Some("" | "0" | "143"))
    })
}

/// Finds `HTTP/1.1 502`, or a line that is nothing but such a code.
fn has_server_error(lower: &str) -> bool {
    let is_code = |word: &str| {
        matches!(
            word,
            "400"
                | "401"
                | "403"
                | "409"
                | "413"
                | "422"
                | "429"
                | "500"
                | "501"
                | "502"
                | "503"
                | "504"
                | "520"
                | "521"
                | "522"
                | "525"
        )
    };
    let mut words = lower.split_whitespace();
    let first = words.next().unwrap_or_default();
    let status = if first == "<" { words.next().unwrap_or_default() } else { first };
    let is_code = |word: &str| is_code(word.split('.').next().unwrap_or_default());
    let is_alone = is_code(status) && words.clone().count() <= 1;
    is_alone || (status.starts_with("http/") && words.next().is_some_and(is_code))
}

/// Finds `ERROR:  relation …`, `psql:x.sql:3: ERROR:`, `ERROR 1064 (42000)`, `Parse error near line 1`.
fn is_database_error(line: &str) -> bool {
    let line = line.trim_start();
    let line = match line.strip_prefix("psql:") {
        Some(after) => after.find(": ").map_or(after, |at| &after[at + 2..]),
        None => line,
    };
    let opens = ["ERROR:", "FATAL:", "error: ", "Error: near line", "Error: in prepare"];
    let numbered = line.strip_prefix("ERROR ").is_some_and(|rest| rest.contains(" ("));
    let sqlite = ["Parse error", "Runtime error"].iter().any(|start| line.starts_with(start));
    let oracle = ["ORA-", "PLS-", "SP2-"].iter().any(|start| line.starts_with(start));
    opens.iter().any(|start| line.starts_with(start)) || numbered || sqlite || oracle
}

/// Finds a loss, or anything that has a name, which is not a number.
fn is_nan(lower: &str) -> bool {
    let mut words = lower.split(|character: char| !character.is_ascii_alphanumeric());
    lower.contains("nan")
        && (lower.contains("=nan") || lower.contains("loss") && words.any(|word| word == "nan"))
}

/// Finds the level of a line of a log, which stands in its beginning.
fn has_error_level(line: &str) -> bool {
    let is_level = |word: &str| {
        let word = word.trim_matches(|character: char| !character.is_ascii_alphabetic());
        matches!(word, "ERROR" | "FATAL" | "CRITICAL" | "SEVERE" | "PANIC" | "EMERG")
    };
    line.split([' ', '\t', '|', ']', '[']).take(8).any(is_level)
}

/// Finds `3 failed`, `1 failure`, `failed=2`, `Failures: 1`, `ℹ fail 2`, but not `0 failed`.
pub(super) fn counts_failures(line: &str) -> bool {
    let words: Vec<&str> =
        line.split([' ', ',', '|', ';', '(', ')', '\t']).filter(|word| !word.is_empty()).collect();
    let is_count = |word: &str| {
        word.bytes().all(|byte| byte.is_ascii_digit()) && word.bytes().any(|byte| byte != b'0')
    };
    let follows = |word: &str| {
        matches!(
            word.trim_end_matches(['.', ':']),
            "failed" | "failure" | "failures" | "failing" | "FAILED"
        )
    };
    let precedes = |word: &str| matches!(word, "Failures:" | "Errors:" | "Failed:");
    let is_assigned = |word: &str| match word.split_once('=') {
        Some(("failures" | "failed" | "unreachable", count)) => is_count(count),
        _ => false,
    };
    let names_fail = matches!(*words, ["ℹ" | "#", "fail", count] if is_count(count));
    names_fail
        || words.iter().any(|word| is_assigned(word))
        || words.iter().enumerate().skip(1).any(|(at, word)| {
            // `61 passed; failed parses: 0` counts what comes after.
            let is_heading = words.get(at + 1).is_some_and(|next| next.ends_with(':'));
            let before = words[at - 1];
            is_count(before) && follows(word) && !is_heading || precedes(before) && is_count(word)
        })
}

/// Finds `src/a.c:3:5: error: …`, `a.ts(3,5): error TS2345: …`, `error[E0308]: …`.
pub(super) fn is_compiler_error(line: &str) -> bool {
    let line = line.trim_start();
    let has_place = || {
        let Some((place, _)) =
            line.split_once(": error").or_else(|| line.split_once(": fatal error"))
        else {
            return false;
        };
        place.ends_with(|last: char| last.is_ascii_digit() || last == ')') && !place.contains(' ')
    };
    line.starts_with("error[E") || line.starts_with("e: file:") || has_place()
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
