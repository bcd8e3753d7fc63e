//! What kind of work it was, by the words of the request, by what was run, and by what was touched.

use super::calls::Calls;
use super::files::Files;
use super::judgement::Judgement;
use super::language::{ending, is_code};
use super::speech::Signs;
use super::traits::Traits;
use crate::boundary::Cause;
use crate::node::NodeType;

/// What the kind of work is read from.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    /// What was asked for, in full.
    pub(super) goal: &'a str,
    pub(super) files: &'a Files,
    pub(super) calls: &'a Calls,
    pub(super) opened_by: Option<Cause>,
    pub(super) had_errors: bool,
}

/// Kinds of work, in the order in which they are judged.
pub const KINDS: [NodeType; 13] = [
    NodeType::Coding,
    NodeType::Debugging,
    NodeType::Refactoring,
    NodeType::Sysadmin,
    NodeType::Research,
    NodeType::Planning,
    NodeType::Qa,
    NodeType::Brainstorm,
    NodeType::Documentation,
    NodeType::Configuration,
    NodeType::Data,
    NodeType::Handoff,
    NodeType::Other,
];

static JUDGEMENT: Judgement<13> = Judgement::new(include_bytes!("judgement/kinds.bin"));

/// So much of a request is looked at for a sign that the work is handed over, in characters: what it is about comes first.
const HEARD: usize = 600;
/// With a smaller lead another reader could choose the next kind.
const CLEAR: f32 = 0.15;

/// Returns the kind of work for which most speaks, and whether it is clear.
pub(super) fn node_type(work: &Work<'_>, traits: &Traits) -> (NodeType, bool) {
    let heard = || work.goal.chars().take(HEARD).collect::<String>().to_lowercase();
    if work.opened_by == Some(Cause::Handoff) || HANDOFF.are_in(&heard()) {
        return (NodeType::Handoff, true);
    }
    if work.goal.is_empty() && work.calls.in_order().is_empty() {
        return (NodeType::Other, true);
    }
    let mut weighed: Vec<(NodeType, f32)> =
        KINDS.into_iter().zip(JUDGEMENT.weigh(traits)).collect();
    // The sort is stable: of equals the earlier one stays first.
    weighed.sort_by(|one, other| other.1.total_cmp(&one.1));
    (weighed[0].0, weighed[0].1 - weighed[1].1 > CLEAR)
}

static HANDOFF: Signs = Signs::new(
    "handoff|hand off|hand-off|hand over|handover|hand this over|pass this to|passing to|übergabe an|übergib an|\
    passe ça à|pasa esto al agente|passa para o agente|引き継ぎます|移交给|转交给",
);

/// Returns what kinds of files some are, and of which kind all of them are.
pub(super) fn changed_kinds<'a>(
    paths: &(impl Iterator<Item = &'a String> + Clone),
) -> Vec<&'static str> {
    type Kind = (fn(&str) -> bool, &'static str, &'static str);
    let kinds: [Kind; 5] = [
        (is_test, "changed tests", "changed only tests"),
        (is_prose, "changed prose", "changed only prose"),
        (is_query, "changed queries", "changed only queries"),
        (is_setting, "changed settings", "changed only settings"),
        (|path| is_code(path) && !is_test(path), "changed code", "changed only code"),
    ];
    let mut found = Vec::new();
    for (is_kind, some, all) in kinds {
        let count = paths.clone().filter(|path| is_kind(path)).count();
        found.extend((count > 0).then_some(some));
        found.extend((count > 0 && count == paths.clone().count()).then_some(all));
    }
    found
}

fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    path.split('/').any(|part| matches!(part, "test" | "tests" | "__tests__" | "spec" | "e2e"))
        || name.starts_with("test_")
        || [".test.", ".spec.", "_test.", "_spec.", "Test.", "Tests."]
            .iter()
            .any(|sign| name.contains(sign))
}

fn is_prose(path: &str) -> bool {
    matches!(&*ending(path), "md" | "rst" | "txt" | "adoc" | "mdx" | "tex" | "typ" | "qmd")
}

fn is_query(path: &str) -> bool {
    matches!(&*ending(path), "sql" | "csv" | "ipynb")
}

fn is_setting(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    matches!(
        &*ending(path),
        "toml"
            | "yaml"
            | "yml"
            | "ini"
            | "conf"
            | "cfg"
            | "env"
            | "json"
            | "gradle"
            | "kts"
            | "lock"
            | "nix"
            | "service"
            | "tf"
            | "timer"
    ) || name.starts_with('.')
        || name.contains(".config.")
        || matches!(name, "Makefile" | "Dockerfile" | "pom.xml" | "Gemfile" | "go.mod" | "zshrc")
}
