//! Words by which the work can be found.

use std::collections::BTreeMap;

use super::kind::Work;
use super::text::words;
use crate::node::SemanticData;

/// So many of each are given; more would be found by everything.
const MOST_TAGS: usize = 10;
const MOST_TOPICS: usize = 3;
const MOST_FOLDERS: usize = 3;

/// Folders that every project has.
const COMMON_FOLDERS: [&str; 20] = [
    ".", "..", "app", "apps", "bin", "cmd", "crates", "dist", "doc", "docs", "internal", "lib",
    "libs", "packages", "pkg", "src", "source", "test", "tests", "spec",
];

/// Tools that are worth a tag, by the programs that commands run.
const TOOLS: [(&str, &str); 20] = [
    ("ansible-playbook", "ansible"),
    ("cargo", "cargo"),
    ("docker", "docker"),
    ("docker-compose", "docker"),
    ("gh", "github"),
    ("git", "git"),
    ("helm", "kubernetes"),
    ("kubectl", "kubernetes"),
    ("make", "make"),
    ("nix", "nix"),
    ("npm", "npm"),
    ("pnpm", "pnpm"),
    ("psql", "postgres"),
    ("redis-cli", "redis"),
    ("sqlite3", "sqlite"),
    ("ssh", "ssh"),
    ("systemctl", "systemd"),
    ("terraform", "terraform"),
    ("tmux", "tmux"),
    ("uv", "uv"),
];

/// Topics by words of the request.
const TOPICS: [(&str, &[&str]); 13] = [
    ("api", &["api", "endpoint", "endpoints", "graphql", "http", "rest"]),
    ("authentication", &["auth", "authentication", "jwt", "login", "oauth", "password", "token"]),
    ("caching", &["cache", "cached", "caching"]),
    (
        "database",
        &["database", "migration", "migrations", "mysql", "postgres", "schema", "sql", "sqlite"],
    ),
    ("dates and times", &["date", "dates", "dst", "timezone", "timezones"]),
    ("deployment", &["ci", "deploy", "deployment", "docker", "kubernetes", "release"]),
    ("error handling", &["backoff", "exception", "retries", "retry", "timeout", "timeouts"]),
    ("performance", &["benchmark", "fast", "faster", "performance", "slow", "speed"]),
    ("search", &["fts", "index", "ranking", "search"]),
    ("security", &["csrf", "secret", "secrets", "security", "vulnerability", "xss"]),
    ("testing", &["coverage", "flaky", "test", "testing", "tests"]),
    ("user interface", &["button", "css", "layout", "page", "ui"]),
    ("version control", &["branch", "commit", "git", "merge", "rebase"]),
];

/// Returns tags (language, frameworks, tools, folders) and topics (by what was asked for).
pub(super) fn semantic(
    work: &Work<'_>,
    language: Option<&str>,
    frameworks: &[String],
) -> SemanticData {
    let programs = work.calls.programs();
    let tools = TOOLS.iter().filter(|(program, _)| programs.contains(*program));
    let mut tags: Vec<String> = Vec::new();
    let candidates = language.into_iter().map(str::to_owned).chain(frameworks.iter().cloned());
    for tag in candidates.chain(folders(work)).chain(tools.map(|(_, tag)| (*tag).to_owned())) {
        if tags.len() < MOST_TAGS && !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    let heard: Vec<String> = words(work.goal).collect();
    let is_heard = |signs: &[&str]| signs.iter().any(|sign| heard.iter().any(|word| word == sign));
    let topics =
        TOPICS.iter().filter(|(_, signs)| is_heard(signs)).map(|(topic, _)| (*topic).to_owned());
    SemanticData { tags, topics: topics.take(MOST_TOPICS).collect(), ..SemanticData::default() }
}

/// Returns the folders of the project in which most was done: the first one on each path that says something.
fn folders(work: &Work<'_>) -> impl Iterator<Item = String> {
    const LONGEST: usize = 40;
    let mut weights: BTreeMap<&str, u64> = BTreeMap::new();
    for (path, weight) in work.files.weighted() {
        let inside = !path.starts_with(['/', '~']);
        let folders = path.rsplit_once('/').filter(|_| inside).map_or("", |(folders, _)| folders);
        let says_something = |folder: &&str| {
            !folder.is_empty()
                && folder.len() <= LONGEST
                && !folder.contains(char::is_control)
                && !COMMON_FOLDERS.contains(folder)
        };
        if let Some(folder) = folders.split('/').find(says_something) {
            *weights.entry(folder).or_default() += weight;
        }
    }
    let mut folders: Vec<(&str, u64)> = weights.into_iter().collect();
    folders.sort_by_key(|(_, weight)| std::cmp::Reverse(*weight));
    folders.into_iter().take(MOST_FOLDERS).map(|(folder, _)| folder.to_lowercase())
}
