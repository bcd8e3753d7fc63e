//! What a shell command runs, seen without a shell.

/// Programs that prepare, look or filter: a command is not about them.
const ACCESSORIES: [&str; 53] = [
    "[", "[[", "awk", "cat", "cd", "chmod", "cp", "cut", "diff", "do", "done", "echo", "env",
    "exit", "export", "false", "fi", "file", "find", "for", "grep", "head", "if", "jq", "ls",
    "mkdir", "mv", "nl", "popd", "printf", "pushd", "pwd", "rg", "rm", "sed", "set", "sleep",
    "sort", "source", "stat", "tail", "tee", "test", "then", "touch", "tr", "tree", "true", "uniq",
    "wc", "which", "while", "xargs",
];

/// Programs that only run another.
const WRAPPERS: [&str; 12] = [
    "sudo", "env", "time", "timeout", "nice", "npx", "bunx", "uvx", "exec", "command", "nohup",
    "xvfb-run",
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
/// step that is more than an accessory; else the whole command.
pub(super) fn keys(command: &str) -> Vec<String> {
    let keys: Vec<String> =
        steps(command).filter(|step| !is_accessory(step[0])).map(|step| key(&step)).collect();
    if keys.is_empty() { vec![crate::line::one_line(command, 300)] } else { keys }
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
    const SEARCHERS: [&str; 9] =
        ["ag", "egrep", "fgrep", "grep", "pgrep", "rg", "test", "type", "which"];
    let last = split(command).map(str::trim).filter(|step| !step.is_empty()).last();
    last.and_then(program_and_words).is_some_and(|step| SEARCHERS.contains(&step[0]))
}

fn is_accessory(program: &str) -> bool {
    ACCESSORIES.contains(&program)
}

fn key(step: &[&str]) -> String {
    if CHECKERS.contains(&step[0]) {
        return step[0].to_owned();
    }
    let first_word = step[1..].iter().find(|word| !word.starts_with('-'));
    match (step[0], first_word) {
        ("cargo", Some(&("bench" | "build" | "check" | "clippy" | "nextest" | "run" | "test"))) => {
            "cargo build".to_owned()
        }
        (program, Some(word)) => format!("{program} {word}"),
        (program, None) => program.to_owned(),
    }
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
