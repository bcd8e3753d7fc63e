//! Bare `pi-brain`: what is there, what was done last, and what to try next.

use std::collections::HashSet;

use jiff::Zoned;
use pi_brain_session::Millis;
use pi_brain_store::{NodeFilter, Order, OwnUse};
use serde_json::{Value, json};

use super::sessions::{draw_list, id_length, newest, read_all, require_some};
use super::{print_json, say};
use crate::brain::open;
use crate::describe::{BOLD, DIM};
use crate::failure::warn;
use crate::locate::Locations;
use crate::mint::now;
use crate::table::{bytes, count, dollars, how_many};
use crate::when;

const SHOWN: usize = 10;

pub(crate) fn run(locations: &Locations, as_json: bool) -> anyhow::Result<()> {
    let files = locations.sessions.files();
    let sessions = &*read_all(locations, &files);
    require_some(locations, &files, sessions)?;
    let projects: HashSet<&str> = sessions.iter().map(|session| &*session.cwd).collect();
    let messages: usize = sessions.iter().map(|session| session.message_count).sum();
    let tokens: u64 = sessions.iter().map(|session| session.usage.total_tokens).sum();
    let cost: f64 = sessions.iter().map(|session| session.usage.cost).sum();
    let size: u64 = sessions.iter().map(|session| session.size).sum();
    let forks = sessions.iter().filter(|session| session.parent_session_path.is_some()).count();
    let damaged = sessions.iter().filter(|session| session.problem_count > 0).count();
    let folder = locations.display(locations.sessions.path());
    if as_json {
        return print_json(&json!({
            "sessions": sessions.len(),
            "projects": projects.len(),
            "messages": messages,
            "tokens": tokens,
            "cost": cost,
            "bytes": size,
            "forks": forks,
            "damaged": damaged,
            "lastUsed": newest(sessions),
            "folder": locations.sessions.path(),
            "brain": Brain::find(locations)?.map(|brain| brain.to_json()),
        }));
    }

    say!(
        "{BOLD}{}{BOLD:#} of {} in {folder}",
        how_many(sessions.len(), "session", "sessions"),
        how_many(projects.len(), "project", "projects")
    )?;
    say!(
        "  {} messages, {} tokens, {}, {}",
        count(messages as u64),
        count(tokens),
        dollars(cost),
        bytes(size)
    )?;
    if let Some(newest) = newest(sessions) {
        say!("  last used {}", when::ago(newest, now()))?;
    }
    if let Some(brain) = Brain::find(locations)? {
        brain.write()?;
    }
    if forks > 0 {
        say!(
            "  {} forked from another; what they share is counted in each",
            how_many(forks, "was", "were")
        )?;
    }
    if damaged > 0 {
        let (files, them) =
            (how_many(damaged, "file has", "files have"), if damaged == 1 { "it" } else { "them" });
        say!("  {files} problems; what can be read of {them} is shown")?;
    }
    let prefix = id_length(sessions.iter().map(|session| &*session.id));
    say!("\n{}", draw_list(&sessions[..sessions.len().min(SHOWN)], prefix))?;
    let program = locations.program();
    if sessions.len() > SHOWN {
        say!("{DIM}… and {} more: {program} sessions{DIM:#}", sessions.len() - SHOWN)?;
    }
    say!("\n{DIM}{program} search WORDS           any message or unit of work")?;
    say!("{program} nodes                  what was done, newest first")?;
    say!("{program} session show latest    read the one written last")?;
    say!("{program} session tree latest    its branches and labels")?;
    let indent = " ".repeat(program.len() - "pi-brain".len());
    say!("pi-brain --help{indent}                 everything else{DIM:#}")
}

/// What was made of the sessions.
struct Brain {
    nodes: usize,
    written: Option<Millis>,
    /// What models took for pi-brain itself: today, in the last 30 days, and ever.
    own: [OwnUse; 3],
}

impl Brain {
    /// Looks what was made of the sessions, if anything was.
    fn find(locations: &Locations) -> anyhow::Result<Option<Self>> {
        if !locations.brain_folder()?.join("brain.db").exists() {
            return Ok(None);
        }
        let look = || {
            let app = open(locations)?;
            let store = app.store();
            let (_, nodes) = store.nodes(&NodeFilter::default(), Order::Newest, 0, 0)?;
            let now = Zoned::now();
            let own = [when::Day::DaysAgo(0), when::Day::DaysAgo(30)].map(|day| day.start(&now));
            let [today, month] = own.map(|since| store.own_use(since));
            let own = [today?, month?, store.own_use(Millis(i64::MIN))?];
            anyhow::Ok(Self { nodes, written: app.last_written(), own })
        };
        match look() {
            Ok(brain) => Ok(Some(brain)),
            Err(error) => {
                warn(&format!("{error:#}; `pi-brain doctor` says what to do"));
                Ok(None)
            }
        }
    }

    fn to_json(&self) -> Value {
        let [today, month, ever] = &self.own;
        json!({
            "nodes": self.nodes,
            "writtenAt": self.written,
            "ownUse": { "today": today, "last30Days": month, "ever": ever },
        })
    }

    fn write(&self) -> anyhow::Result<()> {
        if self.nodes > 0 {
            let nodes = how_many(self.nodes, "unit of work", "units of work");
            let age = self.written.map(|written| when::ago(written, now()));
            let age = age.map(|age| format!(", brought up to date {age}")).unwrap_or_default();
            say!("  {nodes} taken in{age}")?;
        }
        let [today, month, _] = &self.own;
        if month.runs > 0 {
            let took = |used: &OwnUse| {
                let tokens = format!("{} tokens", count(used.tokens_in + used.tokens_out));
                let cost = (used.dollars > 0.0).then(|| format!(", {}", dollars(used.dollars)));
                tokens + &cost.unwrap_or_default()
            };
            say!(
                "  models took for pi-brain itself: {} today, {} in 30 days",
                took(today),
                took(month)
            )?;
        }
        Ok(())
    }
}
