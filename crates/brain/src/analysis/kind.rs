//! What kind of work it was, by the words of the request, by what was run, and by what was touched.

use super::calls::Calls;
use super::examples::{self, Examples};
use super::files::Files;
use super::language::{ending, is_code};
use super::speech::{self, Signs};
use crate::boundary::Cause;
use crate::node::NodeType;

/// What the kind of work is read from.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    /// What was asked for, in full.
    pub(super) goal: &'a str,
    /// What the user said after that.
    pub(super) later: &'a str,
    pub(super) files: &'a Files,
    pub(super) calls: &'a Calls,
    pub(super) opened_by: Option<Cause>,
    pub(super) had_errors: bool,
}

/// Kinds of work that examples tell apart; of equals the earlier one is taken.
const KINDS: [NodeType; 12] = [
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
    NodeType::Other,
];

/// Requests, with the kind of work that each asks for.
static REQUESTS: Examples<12> = Examples::new(
    examples::REQUESTS,
    [
        "coding",
        "debugging",
        "refactoring",
        "sysadmin",
        "research",
        "planning",
        "qa",
        "brainstorm",
        "documentation",
        "configuration",
        "data",
        "other",
    ],
);

/// What was done, as far as it tells of the kind of work; each with how much it speaks for the kinds, in their order.
const DEEDS: [(Deed, [f32; 12]); 12] = [
    (Deed::Anything, [0.0, 0.4, 0.1, -0.4, -0.1, -0.1, -0.1, -0.4, -0.1, 0.2, 0.1, 0.4]),
    (Deed::ChangesCode, [1.2, 1.3, 1.3, -0.6, -0.7, -0.5, -0.6, -0.2, -0.4, -0.3, 0.1, -0.2]),
    (Deed::NewCode, [0.8, -0.3, 0.3, -0.1, -0.1, 0.1, -0.1, -0.1, -0.1, -0.5, 0.3, -0.1]),
    (Deed::OnlyTests, [-0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 1.6, 0.0, -0.1, -0.1, 0.0, 0.0]),
    (Deed::OnlyProse, [-0.5, -0.5, -0.1, 0.1, -0.2, 0.1, 0.3, -0.1, 1.6, -0.2, -0.1, -0.2]),
    (Deed::OnlySettings, [-0.5, 0.4, -0.1, -0.2, -0.1, 0.2, 0.0, -0.1, -0.1, 0.9, -0.1, -0.1]),
    (Deed::OnlyQueries, [-0.2, 0.2, 0.0, -0.1, 0.0, -0.1, 0.0, -0.1, 0.0, -0.1, 0.9, -0.1]),
    (Deed::NoChange, [-0.7, -0.5, -0.7, -0.3, 0.4, 0.4, 0.4, 0.2, -0.7, 0.1, -0.1, 1.0]),
    (Deed::OnlyTalk, [-0.1, -0.6, -0.1, -0.5, 0.0, -0.3, 0.1, 0.7, -0.3, -0.3, -0.4, 1.2]),
    (Deed::Machines, [-0.2, 0.1, -0.6, 1.5, 0.1, -0.3, -0.6, -0.1, -0.1, 0.7, -0.3, -0.3]),
    (Deed::Databases, [-0.3, 0.8, -0.3, -0.1, -0.2, 0.5, -0.1, -0.1, -0.1, -0.3, 1.3, -0.3]),
    (Deed::Errors, [0.9, 0.0, 0.3, 0.7, -0.6, -0.5, -0.2, -0.6, -0.6, 0.9, 0.3, -0.2]),
];

/// Something that was done, or the lack of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    /// The weight of a kind before anything is known.
    Anything,
    ChangesCode,
    /// Code in files that were not there before.
    NewCode,
    OnlyTests,
    OnlyProse,
    OnlySettings,
    OnlyQueries,
    NoChange,
    /// Nothing was changed, and nothing run.
    OnlyTalk,
    /// Programs that look after machines were run.
    Machines,
    /// Databases were asked.
    Databases,
    /// Something went wrong on the way.
    Errors,
}

/// So much of a request is looked at, in characters: what it is about comes first.
const HEARD: usize = 600;
/// What is said of the kind of work as a whole, in the sentence that says most of it, and later on, against what was done.
const WHOLE: f32 = 1.2;
const SENTENCE: f32 = 0.3;
const LATER: f32 = 0.2;
/// With a smaller lead another reader could choose the next kind.
const CLEAR: f32 = 0.15;

/// Returns the kind of work for which most speaks, and whether it is clear.
pub(super) fn node_type(work: &Work<'_>) -> (NodeType, bool) {
    if work.opened_by == Some(Cause::Handoff) {
        return (NodeType::Handoff, true);
    }
    let heard: String = work.goal.chars().take(HEARD).collect();
    if HANDOFF.are_in(&heard.to_lowercase()) {
        return (NodeType::Handoff, true);
    }
    let whole = REQUESTS.weigh(&heard);
    let later = REQUESTS.weigh(work.later);
    let parts: Vec<[f32; 12]> =
        speech::sentences(&heard).into_iter().map(|part| REQUESTS.weigh(part)).collect();
    let mut weights: Vec<(NodeType, f32)> = Vec::new();
    for (number, kind) in KINDS.into_iter().enumerate() {
        let best = parts.iter().map(|part| part[number]).reduce(f32::max).unwrap_or_default();
        let said = WHOLE * whole[number] + SENTENCE * best + LATER * later[number];
        let done = DEEDS.iter().map(|(deed, speaks_for)| work.measure(*deed) * speaks_for[number]);
        weights.push((kind, said + done.sum::<f32>()));
    }
    // The sort is stable: of equals the earlier one stays first.
    weights.sort_by(|one, other| other.1.total_cmp(&one.1));
    (weights[0].0, weights[0].1 - weights[1].1 > CLEAR)
}

static HANDOFF: Signs = Signs::new(
    "handoff|hand off|hand-off|hand over|handover|hand this over|pass this to|passing to|übergabe an|übergib an|\
    passe ça à|pasa esto al agente|passa para o agente|引き継ぎます|移交给|转交给",
);

impl Work<'_> {
    /// Returns how much of something was done.
    fn measure(&self, deed: Deed) -> f32 {
        let changed = || self.files.modified.keys().map(|path| &**path);
        let has_changes = !self.files.modified.is_empty();
        let only = |is_kind: fn(&str) -> bool| has_changes && changed().all(is_kind);
        let is_source = |path: &&str| is_code(path) && !is_test(path);
        let programs = self.calls.programs();
        #[expect(clippy::cast_precision_loss, reason = "it is three at most")]
        let runs = |names: &[&str], most: usize| {
            names.iter().filter(|name| programs.contains(**name)).count().min(most) as f32
        };
        let measured = match deed {
            Deed::Anything => true,
            Deed::ChangesCode => changed().any(|path| is_source(&path)),
            Deed::NewCode => self.files.created.iter().any(|path| is_source(&&**path)),
            Deed::OnlyTests => only(is_test),
            Deed::OnlyProse => only(is_prose),
            Deed::OnlySettings => only(is_setting),
            Deed::OnlyQueries => only(is_query),
            Deed::NoChange => !has_changes,
            Deed::OnlyTalk => !has_changes && programs.is_empty(),
            Deed::Machines => return runs(MACHINES, 3) / 1.5,
            Deed::Databases => return runs(DATABASES, 2),
            Deed::Errors => self.had_errors,
        };
        f32::from(u8::from(measured))
    }
}

/// Programs that look after machines.
const MACHINES: &[&str] = &[
    "ansible",
    "ansible-playbook",
    "apt",
    "apt-get",
    "certbot",
    "crontab",
    "crictl",
    "df",
    "docker",
    "emulator",
    "helm",
    "journalctl",
    "kubectl",
    "lsblk",
    "mount",
    "nixos-rebuild",
    "restic",
    "rsync",
    "scp",
    "ssh",
    "systemctl",
    "terraform",
    "wg",
    "zpool",
];

/// Programs that ask databases.
const DATABASES: &[&str] =
    &["bq", "clickhouse-client", "dbt", "duckdb", "mysql", "psql", "sqlite3"];

fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    path.split('/').any(|part| matches!(part, "test" | "tests" | "__tests__" | "spec" | "e2e"))
        || name.starts_with("test_")
        || [".test.", ".spec.", "_test.", "_spec.", "Test.", "Tests."]
            .iter()
            .any(|sign| name.contains(sign))
}

fn is_prose(path: &str) -> bool {
    matches!(&*ending(path), "md" | "rst" | "txt" | "adoc" | "mdx")
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
