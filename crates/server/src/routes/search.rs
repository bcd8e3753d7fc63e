//! Finding messages and nodes.

use std::ops::Range;
use std::time::Instant;

use jiff::Zoned;
use pi_brain_app::{FoundItem, FoundKind, FoundRow, Wanted};
use pi_brain_store::NodeRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::Api;
use crate::brains::Brain;
use crate::failure::{Answered, Failure};

pub(super) fn add(api: Api) -> Api {
    api.get("/api/v1/search", "Finds messages and nodes, the best first", search)
}

/// The longest query that is understood, in bytes.
const LONGEST: usize = 4000;

/// The last result that can be reached: nobody reads so far.
const DEEPEST: usize = 10_000;

const MOST: usize = 200;

/// What is looked for.
#[derive(Deserialize, JsonSchema)]
struct Sought {
    /// Words, phrases in quotes, and filters such as `project:shop` or `after:2w`.
    #[schemars(length(min = 1, max = 1000))]
    q: String,
    /// How many results at most.
    #[serde(default = "Sought::usual")]
    #[schemars(range(min = 1, max = 200))]
    limit: usize,
    /// Where to go on: `next` of the part before.
    cursor: Option<usize>,
    /// The working directory of whoever looks: what is from there comes first.
    here: Option<String>,
}

impl Sought {
    fn usual() -> usize {
        20
    }
}

/// What was found.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FoundPart {
    /// The best first.
    results: Vec<Hit>,
    /// How many there are.
    total: u64,
    /// The cursor of the next part; none at the end.
    next: Option<usize>,
    /// How long it took, in milliseconds.
    took_ms: f64,
}

/// Something that was found.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Hit {
    /// What it is, and where it stands.
    #[serde(flatten)]
    row: FoundRow,
    /// The snippet in pieces, so that the words that were looked for can be shown.
    pieces: Vec<Piece>,
    /// Who says it: `user`, `assistant`, `tool`, `summary` or `extension`; nobody says a node.
    role: Option<&'static str>,
    /// The unit of work that it belongs to.
    work: Option<NodeRow>,
}

/// A piece of a snippet.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Piece {
    /// What it says.
    text: String,
    /// Whether these are words that were looked for.
    is_hit: bool,
}

fn search(brain: &mut Brain, (sought,): (Sought,)) -> Answered<FoundPart> {
    let offset = sought.cursor.unwrap_or(0);
    if sought.q.trim().is_empty() || sought.q.len() > LONGEST {
        return Err(Failure::bad_request(format!("q has to have 1 to {LONGEST} bytes")));
    }
    if !(1..=MOST).contains(&sought.limit) || offset > DEEPEST {
        let most = format!("limit has to be from 1 to {MOST}, and cursor at most {DEEPEST}");
        return Err(Failure::bad_request(most));
    }
    let began = Instant::now();
    let wanted = Wanted {
        query: &sought.q,
        limit: sought.limit,
        offset,
        now: &Zoned::now(),
        project: sought.here.as_deref(),
    };
    let found = brain.app.search(&wanted)?;
    let end = offset + found.results.len();
    let is_more = !found.results.is_empty() && (end as u64) < found.total && end <= DEEPEST;
    Ok(FoundPart {
        results: found.results.iter().map(Hit::from).collect(),
        total: found.total,
        next: is_more.then_some(end),
        took_ms: began.elapsed().as_secs_f64() * 1000.0,
    })
}

impl From<&FoundItem> for Hit {
    fn from(item: &FoundItem) -> Self {
        let role = match item.what {
            FoundKind::Message { speaker, .. } => Some(speaker.as_str()),
            FoundKind::Node => None,
        };
        let pieces = pieces(&item.snippet.text, &item.snippet.marks);
        Self { row: item.into(), pieces, role, work: item.node.clone() }
    }
}

/// Cuts a text at its marks.
fn pieces(text: &str, marks: &[Range<usize>]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut end = 0;
    let mut push = |range: Range<usize>, is_hit| {
        if let Some(text) = text.get(range).filter(|text| !text.is_empty()) {
            pieces.push(Piece { text: text.to_owned(), is_hit });
        }
    };
    for mark in marks {
        push(end..mark.start, false);
        push(mark.clone(), true);
        end = mark.end;
    }
    push(end..text.len(), false);
    pieces
}
