//! What kind of work it was, by the words of the request and by what was touched.

use super::calls::Calls;
use super::files::Files;
use super::language::{ending, is_code};
use super::text::words;
use crate::node::NodeType;

/// What the kind of work is read from.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub(super) goal: &'a str,
    pub(super) files: &'a Files,
    pub(super) calls: &'a Calls,
}

/// Words that speak for a kind of work. Of two kinds with equal weight the earlier one is taken.
const WORDS: [(NodeType, &str); 12] = [
    (NodeType::Handoff, "handoff hand-off handover hand-over"),
    (
        NodeType::Debugging,
        "bug bugs broken crash crashes debug died doesn't error errors exception fail failing fails fix flaky hangs \
         instead leak locked regression stuck traceback wrong",
    ),
    (
        NodeType::Refactoring,
        "cleanup deduplicate extract inline refactor refactoring rename reorganise reorganize restructure simplify \
         split tidy",
    ),
    (NodeType::Brainstorm, "brainstorm brainstorming idea ideas"),
    (NodeType::Planning, "architecture design plan planning proposal roadmap spec strategy"),
    (NodeType::Qa, "audit coverage lint qa review test tests verify"),
    (
        NodeType::Sysadmin,
        "backup cron deploy disk dns docker firewall nginx server service ssh systemd",
    ),
    (
        NodeType::Configuration,
        "config configure dotfiles eslint install prettier settings setup tmux tsconfig upgrade",
    ),
    (
        NodeType::Documentation,
        "changelog comment comments docs docstring docstrings document documentation readme",
    ),
    (NodeType::Data, "csv data dataframe dataset import parquet query spreadsheet"),
    (
        NodeType::Research,
        "compare difference explain find how investigate look research summarise summarize understand what where \
         which why",
    ),
    (NodeType::Coding, "add build create feature implement make new port support want write"),
];

/// So many words of a request are looked at: what it is about comes first.
const WORDS_HEARD: usize = 60;
/// Less than this says nothing.
const ENOUGH: u32 = 2;

/// Returns the kind of work with the most weight; without enough of it, other.
pub(super) fn node_type(work: &Work<'_>) -> NodeType {
    let heard: Vec<String> = words(work.goal).take(WORDS_HEARD).collect();
    let changes_code = work.files.modified.keys().any(|path| is_code(path));
    let mut best = (NodeType::Other, ENOUGH - 1);
    for (node_type, signs) in WORDS {
        // Each sign counts once, and more where the request opens with it. Many things are written and made; nobody
        // speaks of a hand-off for nothing.
        let weight = |sign: &str| match (heard.iter().position(|word| word == sign), node_type) {
            (None, _) => 0,
            (Some(0..=1), NodeType::Coding) => 2,
            (Some(_), NodeType::Handoff) | (Some(0..=1), _) => 3,
            (Some(_), _) => 1,
        };
        let said: u32 = signs.split(' ').map(weight).sum();
        // Where code was changed, talk was on the way to it.
        let said = if changes_code && is_talk(node_type) { said / 2 } else { said };
        let total = said + done(node_type, work);
        if total > best.1 {
            best = (node_type, total);
        }
    }
    best.0
}

fn is_talk(node_type: NodeType) -> bool {
    use NodeType::{Brainstorm, Data, Planning, Research};
    matches!(node_type, Brainstorm | Data | Planning | Research)
}

/// Returns how much what was touched speaks for a kind of work.
fn done(node_type: NodeType, work: &Work<'_>) -> u32 {
    let changed = || work.files.modified.keys().map(|path| &**path);
    let only =
        |is_kind: fn(&str) -> bool| u32::from(changed().next().is_some() && changed().all(is_kind));
    let nothing_changed = changed().next().is_none();
    match node_type {
        NodeType::Coding => 2 * u32::from(changed().any(|path| is_code(path) && !is_test(path))),
        NodeType::Documentation => 3 * only(is_prose),
        NodeType::Qa => 2 * only(is_test),
        NodeType::Configuration => 2 * only(is_setting),
        NodeType::Research => u32::from(nothing_changed && !work.files.read.is_empty()),
        NodeType::Sysadmin => {
            let machines =
                ["systemctl", "docker", "ssh", "apt", "apt-get", "journalctl", "kubectl", "brew"];
            let programs = work.calls.programs();
            u32::from(nothing_changed && machines.iter().any(|program| programs.contains(*program)))
        }
        _ => 0,
    }
}

fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    path.split('/').any(|part| matches!(part, "test" | "tests" | "__tests__" | "spec" | "e2e"))
        || name.starts_with("test_")
        || [".test.", ".spec.", "_test."].iter().any(|sign| name.contains(sign))
}

fn is_prose(path: &str) -> bool {
    matches!(&*ending(path), "md" | "rst" | "txt" | "adoc" | "mdx")
}

fn is_setting(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    matches!(&*ending(path), "toml" | "yaml" | "yml" | "ini" | "conf" | "cfg" | "env" | "json")
        || name.starts_with('.')
        || name.contains(".config.")
}
