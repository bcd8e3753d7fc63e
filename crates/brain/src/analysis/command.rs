//! What a shell command runs, seen without a shell.

/// Programs that prepare, look or filter: a command is not about them.
const ACCESSORIES: [&str; 54] = [
    "[", "[[", "awk", "cat", "cd", "chmod", "cmp", "cp", "cut", "diff", "do", "done", "echo",
    "env", "exit", "export", "false", "fi", "file", "find", "for", "grep", "head", "if", "jq",
    "ls", "mkdir", "mv", "nl", "popd", "printf", "pushd", "pwd", "rg", "rm", "sed", "set", "sleep",
    "sort", "source", "stat", "tail", "tee", "test", "then", "touch", "tr", "tree", "true", "uniq",
    "wc", "which", "while", "xargs",
];

/// Programs that only run another.
const WRAPPERS: [&str; 25] = [
    "sudo",
    "doas",
    "env",
    "time",
    "timeout",
    "nice",
    "ionice",
    "npx",
    "bunx",
    "uvx",
    "exec",
    "command",
    "nohup",
    "xvfb-run",
    "setarch",
    "stdbuf",
    "strace",
    "taskset",
    "unbuffer",
    "do",
    "then",
    "else",
    "systemd-run",
    "caffeinate",
    "mpirun",
];

/// Programs that take goals, each of which is a try of its own.
const GOAL_RUNNERS: [&str; 7] = ["gradle", "gradlew", "just", "mvn", "mvnw", "rake", "task"];

/// Options before the word that says what a program does, whose value is a word of its own.
const OPTIONS_WITH_VALUE: [&str; 9] = [
    "-C",
    "-H",
    "-n",
    "--context",
    "--kubeconfig",
    "--manifest-path",
    "--namespace",
    "--prefix",
    "--project",
];

/// Runners whose next word, `run` or `exec`, comes before what is run.
const RUNNERS: [&str; 8] = ["npm", "pnpm", "yarn", "bun", "uv", "poetry", "bundle", "pipenv"];

/// Programs that check the whole of a project or a part of it: whichever part, it is the same try.
const CHECKERS: [&str; 12] = [
    "biome",
    "eslint",
    "jest",
    "make",
    "mypy",
    "phpunit",
    "playwright",
    "pytest",
    "rspec",
    "ruff",
    "tsc",
    "vitest",
];

/// Returns by what two commands are taken for tries of the same thing: the program and its first word, for each
/// step that is more than an accessory; else the whole command. What runs on another machine is told apart by it.
pub(super) fn keys(command: &str) -> Vec<String> {
    let mut keys = Vec::new();
    for (place, step) in placed_steps(command) {
        if !is_accessory(step[0]) {
            let at = |key: String| if place.is_empty() { key } else { format!("{place}: {key}") };
            keys.extend(step_keys(&step).into_iter().map(at));
        }
    }
    if keys.is_empty() { vec![crate::line::one_line(command, 300)] } else { keys }
}

/// Returns what a command runs, here or elsewhere: each step with its words, the first of which is a program.
pub(super) fn everything_run(command: &str) -> impl Iterator<Item = Vec<&str>> {
    placed_steps(command).into_iter().map(|(_, step)| step)
}

/// Returns the first address on the net that a command asks.
pub(super) fn address(command: &str) -> Option<&str> {
    let mut words = command.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
    words.find(|word| word.starts_with("http://") || word.starts_with("https://"))
}

/// Returns whether a command does more than look around.
pub(super) fn is_work(command: &str) -> bool {
    steps(command).any(|step| !is_accessory(step[0]))
}

/// Returns the programs that a command runs, without those that only look or filter.
pub(super) fn programs(command: &str) -> impl Iterator<Item = String> {
    steps(command).filter(|step| !is_accessory(step[0])).map(|step| step[0].to_owned())
}

/// Returns whether the last thing that a command runs looks for something, and fails if it finds nothing.
pub(super) fn ends_searching(command: &str) -> bool {
    ends_with_one_of(
        command,
        &[
            "[", "[[", "ack", "ag", "egrep", "fgrep", "grep", "pgrep", "pidof", "rg", "test",
            "type", "which", "zgrep",
        ],
    )
}

/// Returns whether the last thing that a command runs, here or elsewhere, is one of some programs.
pub(super) fn ends_with_one_of(command: &str, programs: &[&str]) -> bool {
    let last = |command| split(command).map(str::trim).filter(|step| !step.is_empty()).last();
    let step = last(command).and_then(|step| match run_elsewhere(step) {
        Some((_, inside)) => last(inside),
        None => Some(step),
    });
    step.and_then(program_and_words).is_some_and(|step| programs.contains(&step[0]))
}

/// Returns whether a command is nothing but programs that pass on to each other what they print.
pub(super) fn is_one_pipe(command: &str) -> bool {
    command.contains('|')
        && !command.contains([';', '\n'])
        && !command.contains("&&")
        && !command.contains("||")
}

/// Returns whether a command takes changes back.
pub(super) fn takes_back(command: &str) -> bool {
    everything_run(command).any(|step| match *step {
        ["git", "clean" | "restore" | "revert", ..] | ["git", "reset", "--hard", ..] => true,
        ["git", "stash", ref rest @ ..] => {
            !matches!(rest.first(), Some(&("pop" | "apply" | "list" | "show" | "drop")))
        }
        ["git", "checkout", ref rest @ ..] => {
            rest.iter().any(|word| matches!(*word, "." | "--") || word.ends_with('/'))
                || rest.first().is_some_and(|word| {
                    word.rsplit('/').next().is_some_and(|name| name.contains('.'))
                })
        }
        _ => false,
    })
}

/// Returns whether a command removes files.
pub(super) fn removes(command: &str) -> bool {
    everything_run(command).any(|step| matches!(step[0], "rm" | "rmdir" | "shred" | "unlink"))
}

/// Returns whether a command throws away what was worked on.
pub(super) fn throws_away(command: &str) -> bool {
    everything_run(command).any(|step| match *step {
        ["git", "branch", option, ..] => option.starts_with('-') && option.contains('D'),
        ["git", "worktree", "remove", ..] => true,
        _ => false,
    })
}

/// Returns whether a command asks something of a service, which no change of a file makes it grant.
pub(super) fn asks_service(command: &str) -> bool {
    const SERVICES: [&str; 10] =
        ["aws", "az", "doctl", "fly", "flyctl", "gcloud", "gh", "glab", "heroku", "stripe"];
    let mut programs = everything_run(command).map(|step| step[0]);
    programs.any(|program| SERVICES.contains(&program))
}

/// Returns whether a program only shows a state of the machine.
pub(super) fn only_shows(program: &str) -> bool {
    matches!(
        program,
        "date"
            | "df"
            | "du"
            | "dumpe2fs"
            | "findmnt"
            | "free"
            | "getent"
            | "getmac"
            | "hostname"
            | "id"
            | "lsblk"
            | "lspci"
            | "lsusb"
            | "nproc"
            | "ps"
            | "snmpget"
            | "snmpwalk"
            | "tune2fs"
            | "uname"
            | "uptime"
            | "who"
            | "whoami"
    )
}

/// Returns whether a command only looks after what was done: commits it, or passes it on.
pub(super) fn only_keeps(command: &str) -> bool {
    programs(command).all(|program| matches!(&*program, "git" | "gh" | "glab" | "hg" | "jj"))
}

pub(super) fn is_accessory(program: &str) -> bool {
    ACCESSORIES.contains(&program)
}

fn step_keys(step: &[&str]) -> Vec<String> {
    let program = step[0];
    if CHECKERS.contains(&program) {
        return vec![program.to_owned()];
    }
    let mut words = words_without_options(&step[1..]);
    if let Some(installed) = installed(step) {
        return installed.map(|name| format!("install {name}")).collect();
    }
    if GOAL_RUNNERS.contains(&program) {
        let goals: Vec<String> =
            words.filter(|goal| *goal != "clean").map(|goal| format!("{program} {goal}")).collect();
        return if goals.is_empty() { vec![program.to_owned()] } else { goals };
    }
    // These are many programs in one, of which the second word tells which.
    let is_family = matches!(program, "aws" | "az" | "gcloud" | "gh" | "glab")
        || step[1..].starts_with(&["compose"]);
    if is_family && let Some(group) = words.next() {
        let rest = words.next().map_or(String::new(), |word| format!(" {word}"));
        return vec![format!("{program} {group}{rest}")];
    }
    let key = match (program, words.next()) {
        ("cargo", Some("bench" | "build" | "check" | "clippy" | "nextest" | "run" | "test")) => {
            "cargo build".to_owned()
        }
        // What is quoted is a text that the program takes, not what it does.
        (program, Some(word)) if word.starts_with(['\'', '"']) => program.to_owned(),
        (program, Some(word)) => format!("{program} {word}"),
        (program, None) => program.to_owned(),
    };
    vec![key]
}

/// Returns what a step installs by name: whichever tool does it, it is the same try.
fn installed<'a>(step: &[&'a str]) -> Option<impl Iterator<Item = &'a str> + use<'a>> {
    const INSTALLERS: [&str; 16] = [
        "apk", "apt", "apt-get", "brew", "bun", "cargo", "conda", "dnf", "gem", "npm", "pacman",
        "pip", "pip3", "pnpm", "uv", "yarn",
    ];
    let words: Vec<&str> = words_without_options(&step[1..]).collect();
    let at = words.iter().take(2).position(|word| matches!(*word, "install" | "add" | "i"))?;
    let names = words.into_iter().skip(at + 1).map(|name| {
        let end = name.get(1..).and_then(|rest| rest.find(['=', '@', '<', '>', '[']));
        end.map_or(name, |end| &name[..=end])
    });
    let mut names = names.filter(|name| !name.is_empty()).peekable();
    (INSTALLERS.contains(&step[0]) && names.peek().is_some()).then_some(names)
}

/// Returns the words that are neither an option nor the value of one.
fn words_without_options<'a>(words: &[&'a str]) -> impl Iterator<Item = &'a str> {
    words_without(words, &OPTIONS_WITH_VALUE)
}

fn words_without<'a>(
    words: &[&'a str],
    options_with_value: &[&str],
) -> impl Iterator<Item = &'a str> {
    let mut is_value = false;
    words.iter().copied().filter(move |word| {
        let was_value = std::mem::replace(&mut is_value, options_with_value.contains(word));
        let is_redirection = word.contains(['<', '>']);
        !was_value && !word.starts_with(['-', '+']) && !is_redirection
    })
}

/// Takes a command apart like `steps`, and says of each step where it runs; empty if that is here.
fn placed_steps(command: &str) -> Vec<(&str, Vec<&str>)> {
    const MOST: usize = 32;
    let mut found = Vec::new();
    for step in split(command) {
        match run_elsewhere(step) {
            Some((place, inside)) => {
                found.extend(split(inside).filter_map(program_and_words).map(|step| (place, step)));
            }
            None => found.extend(program_and_words(step).map(|step| ("", step))),
        }
        if found.len() >= MOST {
            break;
        }
    }
    found.truncate(MOST);
    found
}

/// Finds what `ssh host '…'`, `docker exec name …` or `sh -c '…'` runs, and where.
fn run_elsewhere(step: &str) -> Option<(&str, &str)> {
    let words = program_and_words(step)?;
    let after = |word: &'_ str| {
        let at = word.as_ptr() as usize - step.as_ptr() as usize + word.len();
        step[at..].trim().trim_matches(['\'', '"'])
    };
    let mut rest = words_without_options(&words[1..]);
    let (place, last) = match words[0] {
        "ssh" => {
            let options = ["-F", "-J", "-i", "-l", "-o", "-p"];
            words_without(&words[1..], &options).next().map(|host| (host, host))?
        }
        "docker" | "podman" | "docker-compose" => {
            rest.by_ref().find(|word| *word == "exec")?;
            rest.next().map(|name| (name, name))?
        }
        "kubectl" | "oc" => {
            rest.find(|word| *word == "exec")?;
            ("", words.iter().copied().find(|word| *word == "--")?)
        }
        "sh" | "bash" | "zsh" | "nix-shell" | "nix" | "su" => {
            let runs = |word: &&str| matches!(*word, "-c" | "-lc" | "-ec" | "--run" | "--command");
            ("", words.iter().copied().find(runs)?)
        }
        _ => return None,
    };
    let inside = after(last);
    (!inside.is_empty()).then_some((place, inside))
}

/// Takes a command apart into steps, and a step into words, the first of which is a program.
fn steps(command: &str) -> impl Iterator<Item = Vec<&str>> {
    const MOST: usize = 32;
    split(command).filter_map(program_and_words).take(MOST)
}

fn program_and_words(step: &str) -> Option<Vec<&str>> {
    let mut words = step.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let bare = word.trim_start_matches(['(', '{', '!']);
        let is_assignment = bare.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
        let is_number = bare.starts_with(|first: char| first.is_ascii_digit());
        let program = bare.rsplit('/').next().unwrap_or_default();
        if bare.is_empty()
            || bare.starts_with(['-', '#'])
            || is_assignment
            || is_number
            || WRAPPERS.contains(&program)
        {
            continue;
        }
        if RUNNERS.contains(&program)
            && words.next_if(|next| ["run", "exec"].contains(next)).is_some()
        {
            continue;
        }
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+[".contains(&byte);
        let program = (!program.is_empty() && program.bytes().all(is_name)).then_some(program)?;
        return Some(std::iter::once(program).chain(words).collect());
    }
    None
}

/// Splits at what stands between commands, outside of quotes.
fn split(command: &str) -> impl Iterator<Item = &str> {
    let mut quote = None;
    let mut escaped = false;
    command.split(move |character| {
        if std::mem::take(&mut escaped) {
            return false;
        }
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '\'' | '"') => quote = Some(character),
            (None | Some('"'), '\\') => escaped = true,
            (None, ';' | '|' | '\n' | '&') => return true,
            _ => {}
        }
        false
    })
}
