//! Which ways a session went, and which other sessions it belongs with.

use std::collections::HashMap;

use pi_brain_app::{
    AppError, BranchView, CostView, Family, FamilyMessage, FamilySession, branch_views,
};
use pi_brain_forest::Forest;
use pi_brain_session::View;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Which;
use crate::api::Api;
use crate::brains::Brain;
use crate::failure::{Answered, Failure};
use crate::params::{Listed, Paging};

pub(super) fn add(api: Api) -> Api {
    api.get("/api/v1/sessions/{session}/branches", "The ways that a session went", branches).get(
        "/api/v1/sessions/{session}/family",
        "A session and its forks as one tree, each message once",
        family,
    )
}

fn branches(brain: &mut Brain, (which, paging): (Which, Paging)) -> Answered<Listed<BranchView>> {
    let (session, tree) = which.open(brain, View::Repaired)?;
    let all = branch_views(&session, &tree)?;
    paging.cut(all, |branch| branch.leaf_id.clone().unwrap_or_default())
}

/// A part of the messages.
#[derive(Deserialize, JsonSchema)]
struct Part {
    /// How many messages at most.
    #[serde(default = "Part::usual")]
    #[schemars(range(min = 1, max = 20000))]
    limit: usize,
    /// Where to go on: `next` of the part before.
    #[serde(default)]
    cursor: usize,
}

impl Part {
    const MOST: usize = 20_000;

    fn usual() -> usize {
        5000
    }
}

/// A session and its forks, merged.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FamilyView {
    /// The sessions, oldest first.
    sessions: Vec<Relative>,
    /// How many entries their files have together.
    entries: usize,
    /// How many messages nothing follows.
    leaves: usize,
    /// After how many places several messages follow.
    branch_points: usize,
    /// What they cost.
    cost: CostView,
    /// The messages, in the order of reading.
    tree: Listed<FamilyMessage>,
}

/// A session of the family, with what to call it where nobody gave it a name.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Relative {
    #[serde(flatten)]
    session: FamilySession,
    /// How the first thing that a person said in it begins.
    first_words: Option<String>,
}

/// How many bytes of messages are given at once, about.
const ENOUGH: usize = 8 << 20;

/// How many bytes it takes to name an entry, about.
const OCCURRENCE: usize = 100;

fn family(brain: &mut Brain, (which, part): (Which, Part)) -> Answered<FamilyView> {
    let Part { limit, cursor } = part;
    if !(1..=Part::MOST).contains(&limit) {
        return Err(Failure::bad_request(format!("limit has to be from 1 to {}", Part::MOST)));
    }
    let asked = which.find(brain)?;
    let store = brain.app.store();
    let forest = Forest::new(store.families());
    let family = Family::new(&forest, asked.no, |no| -> Result<_, AppError> {
        let outline = store.outline(no)?;
        let entries = outline.map(|outline| outline.entries).unwrap_or_default();
        Ok(entries.into_iter().map(|sketch| sketch.id).collect())
    })?;
    let counts = family.outline.counts();
    let (mut items, mut bytes, mut end) = (Vec::new(), 0, cursor);
    while end < counts.messages && items.len() < limit && bytes < ENOUGH {
        for message in family.message_views(end, 1)? {
            // A message of many forks names each of them.
            bytes += message.words.len() + message.occurrences.len() * OCCURRENCE;
            items.push(message);
        }
        end += 1;
    }
    let total = counts.messages;
    let mut words: HashMap<String, String> = HashMap::new();
    for row in store.session_rows()? {
        words.extend(
            row.digest.and_then(|digest| digest.first_words).map(|first| (row.file, first)),
        );
    }
    let relative =
        |session: FamilySession| Relative { first_words: words.remove(&session.file), session };
    Ok(FamilyView {
        sessions: family.session_views().into_iter().map(relative).collect(),
        entries: family.entries(),
        leaves: counts.leaves,
        branch_points: counts.branch_points,
        cost: (&family.cost).into(),
        tree: Listed { items, total, next: (end < total).then(|| end.to_string()) },
    })
}
