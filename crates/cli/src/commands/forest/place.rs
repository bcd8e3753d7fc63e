//! What PLACE arguments mean, and how places are named.

use std::ffi::OsStr;
use std::sync::Arc;

use pi_brain_forest::{BadId, Forest, ForestError, NodeId, Place, SessionRecord, Store};

use crate::describe::one_line;
use crate::failure::Failure;

/// Finds the place that somebody typed; it is there and can be seen.
pub(super) fn find<S: Store>(forest: &Forest<S>, argument: &str) -> anyhow::Result<Place> {
    Ok(forest.place(resolve(forest, argument)?)?)
}

/// Finds the message that somebody typed. A root is none.
pub(super) fn find_node<S: Store>(forest: &Forest<S>, argument: &str) -> anyhow::Result<NodeId> {
    match find(forest, argument)? {
        Place::Node(node) => Ok(node),
        Place::Root(root) => Err(ForestError::RootProtected(root).into()),
    }
}

/// Finds what somebody typed, be it there or deleted.
pub(super) fn resolve<S: Store>(forest: &Forest<S>, argument: &str) -> anyhow::Result<Place> {
    if argument == "@" {
        return forest.current()?.ok_or_else(no_current_place);
    }
    if let Some(parsed) = parse(argument) {
        return Ok(parsed.map_err(ForestError::from)?);
    }
    if let Some(bookmark) = forest.find_bookmark(argument)? {
        return Ok(bookmark.node.into());
    }
    let (mut labelled, mut ends) = (Vec::new(), Vec::new());
    for session in forest.store().sessions()? {
        let labels = session.labels.iter().filter(|label| label.text == argument);
        labelled.extend(labels.map(|label| label.place));
        if argument.len() >= SHORTEST_SESSION_ID && session.id.starts_with(argument) {
            ends.push(session.leaf);
        }
    }
    for places in [&mut labelled, &mut ends] {
        places.retain(|&place| forest.place(place).is_ok());
        places.sort_unstable();
        places.dedup();
    }
    let shown = one_line(argument);
    match (&*labelled, &*ends) {
        ([only], _) | ([], [only]) => Ok(*only),
        ([], []) => Err(Failure::NotFound(format!(
            "no place “{shown}”. A place is written root-1/node-5 or 1/5, or is the title of a bookmark or a label; \
             `pi-brain forest tree` and `pi-brain forest bookmark` show them"
        ))
        .into()),
        ([], several) | (several, _) => {
            let list: Vec<String> = several.iter().map(|&place| name(place)).collect();
            let text = format!("“{shown}” could be any of these; say which: {}", list.join(", "));
            Err(Failure::Usage(text).into())
        }
    }
}

/// Finds the imported session that somebody typed: its file, its id, or the beginning of that.
pub(super) fn find_session<S: Store>(
    forest: &Forest<S>,
    argument: &OsStr,
) -> anyhow::Result<Arc<SessionRecord>> {
    let typed = argument.to_string_lossy();
    let file = std::path::absolute(argument).unwrap_or_default();
    let file = file.to_string_lossy();
    let sessions = forest.store().sessions()?;
    let fits = |session: &&Arc<SessionRecord>| {
        session.file == file || (!typed.is_empty() && session.id.starts_with(&*typed))
    };
    match &*sessions.iter().filter(fits).collect::<Vec<_>>() {
        [] => Err(ForestError::SessionNotFound(typed.into_owned()).into()),
        [only] => Ok(Arc::clone(only)),
        several => {
            let line = |session: &&Arc<SessionRecord>| format!("\n  {}", one_line(&session.file));
            let list: String = several.iter().map(line).collect();
            let shown = one_line(&typed);
            let text = format!(
                "{shown} could be any of these; name one by its file or a longer id:{list}"
            );
            Err(Failure::Usage(text).into())
        }
    }
}

/// Shorter beginnings of session ids could as well be a mistyped title.
const SHORTEST_SESSION_ID: usize = 4;

fn no_current_place() -> anyhow::Error {
    let text = "there is no current place yet; name one. `pi-brain forest roots` lists the trees"
        .to_owned();
    Failure::NotFound(text).into()
}

/// Reads an id, long or short; `None` if the text does not look like one.
fn parse(text: &str) -> Option<Result<Place, BadId>> {
    let (root, node) = match text.split_once('/') {
        Some((root, node)) => (root, Some(node)),
        None => (text, None),
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let named = root.strip_prefix("root-").filter(|rest| is_number(rest));
    // A number that starts with zero is the beginning of a session's id.
    let bare = || is_number(root) && (node.is_some() || !root.starts_with('0'));
    let root = named.or_else(|| bare().then_some(root))?;
    let spelled = match node {
        Some(node) => format!("root-{root}/node-{}", node.strip_prefix("node-").unwrap_or(node)),
        None => format!("root-{root}"),
    };
    Some(spelled.parse().map_err(|_| BadId(text.to_owned())))
}

/// Names a place for people: `root-1`, or `1/5` for a message.
pub(super) fn name(place: impl Into<Place>) -> String {
    let place = place.into();
    match place {
        Place::Root(root) => root.to_string(),
        Place::Node(node) => node.to_string().replacen("root-", "", 1).replacen("node-", "", 1),
    }
}

/// Names places for people: all of a few, the first and the last of many.
pub(super) fn names(places: &[NodeId]) -> String {
    const FEW: usize = 6;
    const FIRST: usize = 3;
    let (shown, last) = match places {
        [others @ .., last] if places.len() > FEW => (&others[..FIRST], Some(last)),
        few => (few, None),
    };
    let shown: Vec<String> = shown.iter().map(|&node| name(node)).collect();
    let last = last.map(|&last| format!(" … {}", name(last)));
    shown.join(", ") + &last.unwrap_or_default()
}

/// Lists titles for people, in quotes.
pub(super) fn quoted<'a>(titles: impl Iterator<Item = &'a str>) -> String {
    titles.map(|title| format!("“{}”", one_line(title))).collect::<Vec<_>>().join(", ")
}
