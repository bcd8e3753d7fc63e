//! What kind of work it was, by the words of the request, by what was run, and by what was touched.

use super::calls::Calls;
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
    /// What the user said later.
    pub(super) later: &'a str,
    pub(super) files: &'a Files,
    pub(super) calls: &'a Calls,
    pub(super) opened_by: Option<Cause>,
    pub(super) had_errors: bool,
}

/// Signs in words that speak for a kind of work. Of two kinds with equal weight the earlier one is taken.
static SIGNS: [(NodeType, Signs); 12] = [
    (
        NodeType::Handoff,
        Signs::new(
            "handoff|hand off|hand-off|hand over|handover|hand this|pass this to|passing to|übergabe|übergib|\
        passe ça à|pasa esto al agente|passa para o agente|引き継|移交|转交",
        ),
    ),
    (
        NodeType::Brainstorm,
        Signs::new(
            "brainstorm|ideas|idea for|any idea|spitball|what could we|dream up|ideen|idées|ideias|アイデア|アイディア|想法|\
        点子|头脑风暴",
        ),
    ),
    (
        NodeType::Planning,
        Signs::new(
            "plan |plan,|plan for|plan first|a plan|planning|roadmap|architecture|design doc|design the|\
        how should we|how would you|how do we|what would you use|plan first|no code|options|proposal|spec for|strategy|migration path|adr |plane |konzept|entwurf|\
        un plan|planifi|plano|設計|計画|方針|计划|规划|方案",
        ),
    ),
    (
        NodeType::Debugging,
        Signs::new(
            "bug|broken|crash|debug|died|doesn't|doesnt|does not|don't work|error|exception|fail|fix |fixes|\
        fixing|flaky|hangs|hanging|leak|regression|segfault|stuck|traceback|wrong|why is|find out why|slow |slower|takes a second|takes ages|twice|since yesterday|why does|race|\
        deadlock|freez|timeout|times out|missing|corrupt|panic|off by|404|500|not work|stopped working|\
        fehler|kaputt|falsch|absturz|stürzt|hängt|geht nicht|funktioniert nicht|verschwind|fehlt|erreur|\
        plante|bogue|ne marche|lève|exception|falla|fallo|no funciona|rompe|erro |quebra|não funciona|trava|\
        不具合|バグ|エラー|落ち|二重|直して|原因|报错|错误|崩溃|修复|失败|卡住",
        ),
    ),
    (
        NodeType::Refactoring,
        Signs::new(
            "cleanup|clean up|dedup|extract the|extract a|inline|refactor|rename|reorgani|restructur|simplif|split the|split up|split into|tidy|port the|port to|ported|rewrite|behaviour must stay|without changing|same behaviour|move the|untangle|umbau|aufräum|\
        umbenenn|auslager|remanier|renommer|refactoriz|renombr|refator|renome|リファクタ|整理|重构|重命名|拆分",
        ),
    ),
    (
        NodeType::Qa,
        Signs::new(
            "audit|coverage|review|test plan|checklist|verify|check all|check that|tests for|write tests|\
        add tests|try it by hand|smoke|prüf|überprüf|durchsehen|tests schreiben|vérifi|relis|revue|revisa|\
        comprueba|probar|verifi|revis|レビュー|確認|テストを|审查|检查|测试",
        ),
    ),
    (
        NodeType::Sysadmin,
        Signs::new(
            "backup|cron|deploy|disk|dns|docker|firewall|nginx|server|service |ssh|systemd|certificate|cert |tls|\
        vpn|wireguard|prod |staging|cluster|kubernetes|k8s|terraform|ansible|runner|raid|nas |router|reboot|\
        release |emulator|subnet|platte|zertifikat|rechner|dienst|neustart|serveur|certificat|déploi|\
        servidor|certificado|despleg|disco|implant|サーバ|デプロイ|証明書|服务器|部署|证书",
        ),
    ),
    (
        NodeType::Configuration,
        Signs::new(
            "config|dotfiles|eslint|install|prettier|setting|setup|set up|tmux|tsconfig|upgrade|bump|\
        update the dep|dependenc|lint|ci |pipeline|workflow|pre-commit|pin |toolchain|gradle|package.json|\
        enable|switch on|turn on|zsh|vim|neovim|shell|testcontainers|einstell|konfigur|aktualisier|einricht|\
        verbieten|réglage|mettre à jour|mise à jour|configur|actualiza|atualiz|instal|設定|アップグレード|更新|配置|升级|安装",
        ),
    ),
    (
        NodeType::Documentation,
        Signs::new(
            "changelog|comment|docs|docstring|document|readme|quickstart|guide|tutorial|manual|write up|adr|\
        release notes|dokument|doku|anleitung|documentation|guía|documentación|documentação|ドキュメント|説明書|文档|说明",
        ),
    ),
    (
        NodeType::Data,
        Signs::new(
            "csv|the data|data from|raw data|dataframe|dataset|import the|parquet|query|spreadsheet|rows|table |\
        tables|duplicate|backfill|sql|report|numbers|how many|statistics|migration|export|dashboard|predict|\
        model on|tabelle|daten|auswert|bericht|zeilen|données|lignes|tableau|requête|facture|datos|tabla|\
        filas|informe|dados|tabela|linhas|estações|relatório|データ|集計|表を|数据|统计|报表|表格",
        ),
    ),
    (
        NodeType::Research,
        Signs::new(
            "compare|difference|explain|find out|how does|how do|how is|investigate|research|summari|understand|\
        what is|what are|what does|what would|where is|where do|which |why |look into|look up|\
        is it possible|can we|is there|does it|erklär|warum|wie funktioniert|was macht|vergleich|\
        unterschied|welche|explique|pourquoi|comment|quelle|comparer|explica|por qué|cómo|qué |cuál|compara|\
        por que|como |qual|explique|教えて|なぜ|どう|調べ|比較|解释|为什么|怎么|什么|比较|区别",
        ),
    ),
    (
        NodeType::Coding,
        Signs::new(
            "add|build|create|feature|implement|make|new |support|want|write|introduce|endpoint|button|screen|\
        command|füge|bau|implementier|erstell|schreib|neue|ajoute|crée|implémente|nouvel|añade|agrega|crea|\
        implementa|nueva|adiciona|cria|implemente|nova|追加|実装|作って|付けて|添加|实现|新增|写一个|支持",
        ),
    ),
];

/// So much of a request is looked at, in characters: what it is about comes first.
const HEARD: usize = 400;
/// Less than this says nothing.
const ENOUGH: usize = 2;

/// Returns the kind of work with the most weight, and how much more weight it has than the next; without enough of it, other.
pub(super) fn node_type(work: &Work<'_>) -> (NodeType, usize) {
    if work.opened_by == Some(Cause::Handoff) {
        return (NodeType::Handoff, ENOUGH);
    }
    let heard: String = work.goal.to_lowercase().chars().take(HEARD).collect();
    let opening =
        speech::sentences(&heard).first().map_or(String::new(), |first| (*first).to_owned());
    let later: String = work.later.to_lowercase().chars().take(HEARD).collect();
    let mut weights: Vec<(NodeType, usize)> = SIGNS
        .iter()
        .map(|(node_type, signs)| {
            let said = 2 * signs.count_in(&opening).min(3) + signs.count_in(&heard).min(3);
            let said_later = signs.count_in(&later).min(2) / 2;
            (*node_type, balance(*node_type, said + said_later, work))
        })
        .collect();
    // The sort is stable: of equals the earlier one stays first.
    weights.sort_by_key(|(_, weight)| std::cmp::Reverse(*weight));
    let (best, next) = (weights[0], weights[1]);
    match best.1 {
        0 => (NodeType::Other, ENOUGH),
        1..ENOUGH => (NodeType::Other, 0),
        _ => (best.0, best.1 - next.1),
    }
}

/// Weighs what was said against what was done.
fn balance(node_type: NodeType, said: usize, work: &Work<'_>) -> usize {
    let changed = || work.files.modified.keys().map(|path| &**path);
    let has_changes = changed().next().is_some();
    let all = |is_kind: fn(&str) -> bool| has_changes && changed().all(is_kind);
    let changes_code = changed().any(|path| is_code(path) && !is_test(path));
    let programs = work.calls.programs();
    let runs = |names: &[&str]| names.iter().filter(|name| programs.contains(**name)).count();
    let is_talk = !has_changes && programs.is_empty();
    let if_said = |weight: usize| if said > 0 { weight } else { 0 };
    match node_type {
        NodeType::Brainstorm if has_changes => said / 2,
        NodeType::Debugging | NodeType::Sysadmin | NodeType::Configuration if is_talk => said / 2,
        NodeType::Handoff | NodeType::Brainstorm => 3 * said,
        NodeType::Planning if all(is_plan) => said + 4,
        NodeType::Planning if !has_changes || all(is_prose) => said + said / 2,
        NodeType::Planning | NodeType::Research if has_changes => said / 3,
        NodeType::Research => said + if_said(2),
        NodeType::Debugging => said + if_said(2 * usize::from(changes_code || work.had_errors)),
        NodeType::Refactoring if has_changes || !work.files.read.is_empty() => said + if_said(2),
        NodeType::Qa => said + 3 * usize::from(all(is_test)) + if_said(usize::from(!changes_code)),
        // Much is tried in a container, and written down, on the way to code.
        NodeType::Sysadmin | NodeType::Documentation if changes_code => said / 2,
        NodeType::Sysadmin if said == 0 => runs(&MACHINES).min(3),
        NodeType::Sysadmin => said + 2 * runs(&MACHINES).min(3),
        NodeType::Configuration => {
            said + 3 * usize::from(all(is_setting)) + if_said(usize::from(!changes_code))
        }
        NodeType::Documentation => said + if said > 0 { 4 } else { 2 } * usize::from(all(is_prose)),
        NodeType::Data => {
            let queries = 2 * runs(&DATABASES).min(2) + 3 * usize::from(all(is_query));
            match (said, queries) {
                (0, _) => queries / 2,
                (_, 0) if changes_code => said / 2,
                _ => said + queries,
            }
        }
        NodeType::Coding if is_talk => said / 3,
        NodeType::Coding => said + 2 * usize::from(changes_code),
        NodeType::Planning | NodeType::Refactoring | NodeType::Other => said,
    }
}

/// Programs that look after machines.
const MACHINES: [&str; 20] = [
    "ansible",
    "ansible-playbook",
    "apt",
    "apt-get",
    "certbot",
    "crontab",
    "df",
    "docker",
    "emulator",
    "helm",
    "journalctl",
    "kubectl",
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
const DATABASES: [&str; 6] = ["bq", "clickhouse-client", "duckdb", "mysql", "psql", "sqlite3"];

fn is_plan(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
    is_prose(path)
        && ["plan", "design", "adr", "rfc", "proposal", "roadmap", "concept"]
            .iter()
            .any(|sign| name.contains(sign))
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
    ) || name.starts_with('.')
        || name.contains(".config.")
        || matches!(name, "Makefile" | "Dockerfile" | "pom.xml" | "Gemfile" | "go.mod" | "zshrc")
}
