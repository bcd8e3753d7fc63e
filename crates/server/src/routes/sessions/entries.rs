//! The entries of a session: their shape, themselves, and what a model would be given of them.

use axum::http::StatusCode;
use pi_brain_app::{SessionTree, TreeEntry, TreeFilter};
use pi_brain_session::{Session, View, estimate_tokens};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::{Which, find_entry};
use crate::api::Api;
use crate::brains::Brain;
use crate::failure::{Answered, Failure};
use crate::params::Listed;

pub(super) fn add(api: Api) -> Api {
    api.get("/api/v1/sessions/{session}/tree", "The shape of a session, in file order", tree)
        .get(
            "/api/v1/sessions/{session}/entries",
            "Whole entries, by lines of the file or around one of them",
            entries,
        )
        .get(
            "/api/v1/sessions/{session}/context",
            "What a model would be given at an entry",
            context,
        )
}

/// What is shown of a tree.
#[derive(Deserialize, JsonSchema)]
struct Shown {
    /// Which entries: the filters of pi's own tree.
    #[serde(default)]
    filter: TreeFilter,
    /// How many at most.
    #[serde(default = "Shown::usual")]
    #[schemars(range(min = 1, max = 20000))]
    limit: usize,
    /// Where to go on: `next` of the part before.
    #[serde(default)]
    cursor: usize,
}

impl Shown {
    const MOST: usize = 20_000;

    fn usual() -> usize {
        5000
    }
}

fn tree(brain: &mut Brain, (which, shown): (Which, Shown)) -> Answered<Listed<TreeEntry>> {
    let Shown { filter, limit, cursor } = shown;
    in_range("limit", limit, Shown::MOST)?;
    let (session, tree) = which.open(brain, View::Repaired)?;
    let end = cursor.saturating_add(limit);
    let view = SessionTree::new(&session, &tree, filter);
    let (items, total) = view.list(|at| (cursor..end).contains(&at))?;
    Ok(Listed { items, total, next: (end < total).then(|| end.to_string()) })
}

fn in_range(name: &str, number: usize, most: usize) -> Answered<()> {
    match number {
        0 => Err(Failure::bad_request(format!("{name} has to be at least 1"))),
        number if number > most => {
            Err(Failure::bad_request(format!("{name} has to be at most {most}")))
        }
        _ => Ok(()),
    }
}

/// How much is given at once.
#[derive(Deserialize, JsonSchema)]
struct Amount {
    /// How many at most.
    #[serde(default = "Amount::usual")]
    #[schemars(range(min = 1, max = 1000))]
    limit: usize,
    /// How many bytes of JSON at most; what is larger by itself is named without being given.
    #[serde(default = "Amount::usual_bytes")]
    #[schemars(range(min = 1, max = 16_777_216))]
    bytes: usize,
}

impl Amount {
    const MOST: usize = 1000;
    const MOST_BYTES: usize = 16 << 20;

    fn usual() -> usize {
        100
    }

    fn usual_bytes() -> usize {
        2 << 20
    }

    fn check(&self) -> Answered<()> {
        in_range("limit", self.limit, Self::MOST)?;
        in_range("bytes", self.bytes, Self::MOST_BYTES)
    }
}

/// Which lines of the file.
#[derive(Deserialize, JsonSchema)]
struct Lines {
    /// The first line, counted from 1; the header is the first line of the file.
    from: Option<u64>,
    /// The last line.
    to: Option<u64>,
    /// Instead of lines, an entry: its id, the beginning of one, or its label.
    around: Option<String>,
    /// How many entries before that one.
    before: Option<usize>,
    /// How many entries after that one.
    after: Option<usize>,
}

/// An entry as it stands in the file.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct WholeEntry {
    /// The line of the file, counted from 1.
    line: u64,
    /// How many bytes of JSON it is.
    bytes: u64,
    /// The entry, as pi wrote it; none if it alone is larger than what is given at once.
    #[schemars(with = "Value")]
    entry: Option<Box<RawValue>>,
}

/// A part of the entries.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EntryPart {
    /// The entries, in file order.
    items: Vec<WholeEntry>,
    /// How many entries the file has in all.
    total: usize,
    /// The line from which to go on, as `from`; none if everything is given that was asked for.
    next: Option<u64>,
}

fn entries(
    brain: &mut Brain,
    (which, lines, amount): (Which, Lines, Amount),
) -> Answered<EntryPart> {
    const BESIDE: usize = 10;
    amount.check()?;
    let (session, tree) = which.open(brain, View::Repaired)?;
    let all = session.log().entries();
    let range = match &lines.around {
        Some(_) if lines.from.is_some() || lines.to.is_some() => {
            return Err(Failure::bad_request("say either `around`, or `from` and `to`"));
        }
        Some(named) => {
            let at = find_entry(&session, &tree, named)?;
            let start = at.saturating_sub(lines.before.unwrap_or(BESIDE));
            let after = lines.after.unwrap_or(BESIDE);
            start..at.saturating_add(after).saturating_add(1).min(all.len())
        }
        None if lines.before.is_some() || lines.after.is_some() => {
            return Err(Failure::bad_request("`before` and `after` need `around`"));
        }
        None => {
            let (from, to) = (lines.from.unwrap_or(1), lines.to.unwrap_or(u64::MAX));
            let start = all.partition_point(|entry| entry.line < from);
            start..all.partition_point(|entry| entry.line <= to).max(start)
        }
    };
    read_part(&session, range, &amount)
}

/// Reads entries until there are enough. Several that stand on one line stay together: whoever goes on says from which line.
fn read_part(
    session: &Session,
    range: std::ops::Range<usize>,
    amount: &Amount,
) -> Answered<EntryPart> {
    let all = session.log().entries();
    let (mut items, mut bytes, mut line) = (Vec::new(), 0, None);
    let mut next = None;
    for at in range {
        let entry = &all[at];
        let size = entry.span.end - entry.span.start;
        let length = usize::try_from(size).unwrap_or(usize::MAX);
        let is_large = length > amount.bytes;
        let given = if is_large { 0 } else { length };
        let is_full = items.len() >= amount.limit || bytes + given > amount.bytes;
        if is_full && line != Some(entry.line) {
            next = Some(entry.line);
            break;
        }
        line = Some(entry.line);
        bytes += given;
        let text = (!is_large).then(|| session.entry_raw(at)).transpose()?;
        // What JavaScript reads and nobody else is left to the export.
        let entry_json = text.and_then(|text| RawValue::from_string(text.into_json()).ok());
        items.push(WholeEntry { line: entry.line, bytes: size, entry: entry_json });
    }
    Ok(EntryPart { items, total: all.len(), next })
}

/// Where a context ends, and from where on it is given.
#[derive(Deserialize, JsonSchema)]
struct At {
    /// The entry: its id, the beginning of one, or its label; where pi would go on, if none is said.
    leaf: Option<String>,
    /// Where to go on: `next` of the part before.
    #[serde(default)]
    cursor: usize,
}

/// How many bytes may lead to the end of a context, which is put together in memory.
const LARGEST_CONTEXT: u64 = 512 << 20;

/// A part of what a model would be given.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ContextPart {
    /// The entry at its end.
    leaf: Option<String>,
    /// The thinking level; `off` where none was chosen.
    thinking_level: String,
    /// Who runs the model that is chosen.
    provider: Option<String>,
    /// The model that is chosen.
    model_id: Option<String>,
    /// About how many tokens it is in all.
    tokens: u64,
    /// The messages.
    items: Vec<GivenMessage>,
    /// How many there are in all.
    total: usize,
    /// The cursor of the next part; none at the end.
    next: Option<usize>,
}

/// A message for a model.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GivenMessage {
    /// The entry that it comes from.
    entry: Option<String>,
    /// The line of that entry.
    line: u64,
    /// About how many tokens it is.
    tokens: u64,
    /// How many bytes of JSON it is.
    bytes: usize,
    /// The message, in pi's own shape; none if it alone is larger than what is given at once.
    #[schemars(with = "Value")]
    message: Option<Box<RawValue>>,
}

fn context(brain: &mut Brain, (which, at, amount): (Which, At, Amount)) -> Answered<ContextPart> {
    amount.check()?;
    let (session, tree) = which.open(brain, View::AsPi)?;
    let all = session.log().entries();
    let leaf = match &at.leaf {
        Some(named) => Some(find_entry(&session, &tree, named)?),
        None => tree.leaf(),
    };
    let path = leaf.map_or_else(Vec::new, |leaf| tree.branch(leaf));
    let length: u64 = path.iter().map(|&at| all[at].span.end - all[at].span.start).sum();
    if length > LARGEST_CONTEXT {
        return Err(Failure::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too_large",
            format!("{length} bytes lead to this entry, more than are put together here"),
            "GET /api/v1/sessions/{session}/entries gives them in parts",
        ));
    }
    let context = session.context(&tree, leaf)?;
    let total = context.messages.len();
    let (mut items, mut sum, mut next) = (Vec::new(), 0, None);
    for (position, message) in context.messages.iter().enumerate().skip(at.cursor) {
        let json = to_raw_value(message).map_err(|error| Failure::internal(error.to_string()))?;
        let bytes = json.get().len();
        let given = Some(json).filter(|_| bytes <= amount.bytes);
        let size = if given.is_some() { bytes } else { 0 };
        if items.len() >= amount.limit || sum + size > amount.bytes {
            next = Some(position);
            break;
        }
        sum += size;
        items.push(GivenMessage {
            entry: all[message.entry].id.as_ref().map(ToString::to_string),
            line: all[message.entry].line,
            tokens: estimate_tokens(message.raw()?),
            bytes,
            message: given,
        });
    }
    let model = context.model;
    let text = |part: Option<std::sync::Arc<str>>| part.map(|part| part.to_string());
    let (provider, model_id) = model.map(|model| (model.provider, model.model_id)).unzip();
    Ok(ContextPart {
        leaf: leaf.and_then(|leaf| all[leaf].id.as_ref()).map(ToString::to_string),
        thinking_level: context.thinking_level.to_string(),
        provider: text(provider.flatten()),
        model_id: text(model_id.flatten()),
        tokens: leaf.map_or(Ok(0), |leaf| session.context_tokens(&tree, leaf))?,
        items,
        total,
        next,
    })
}
