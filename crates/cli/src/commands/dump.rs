//! `pi-brain session dump`: everything about a session as one JSON object, as pi reads it.

use std::collections::HashMap;
use std::env;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use pi_brain_session::{
    CURRENT_VERSION, Entry, EntryId, Label, Parent, Raw, Session, SessionInfo, Tree, View,
    all_messages_text, labels,
};
use serde::Serialize;
use serde_json::json;

use crate::args::ReadOptions;
use crate::locate::Locations;

pub(crate) fn run(locations: &Locations, options: &ReadOptions) -> anyhow::Result<()> {
    let (session, tree) = locations.open(&options.session, View::AsPi)?;
    let path = session.path().unwrap_or(Path::new("")).to_owned();
    let labels: HashMap<EntryId, Label> = labels(session.log()).into_iter().collect();
    let entries = session.log().entries();
    let id = |at: usize| entries[at].id.as_ref();
    let shown_labels: HashMap<&EntryId, &str> = labels
        .iter()
        .filter(|(target, _)| tree.find(target.as_str()).is_some())
        .map(|(target, label)| (target, &*label.text))
        .collect();
    let branch: Vec<_> = tree.leaf().map_or_else(Vec::new, |leaf| tree.branch(leaf));

    let mut out = Members::open(io::BufWriter::new(io::stdout().lock()))?;
    out.raw("header", &current_header(&session))?;
    out.value("cwd", &resolved_cwd(&session).to_string_lossy())?;
    out.value("name", &session.log().name())?;
    out.value("leafId", &tree.leaf().and_then(id))?;
    out.value("entries", &entries.iter().map(row).collect::<Vec<_>>())?;
    out.member("tree")?;
    write_tree(&mut out.writer, entries, &tree, &labels)?;
    out.value("branch", &branch.iter().map(|&at| id(at)).collect::<Vec<_>>())?;
    out.value("labels", &shown_labels)?;
    out.value("context", &session.context(&tree, tree.leaf())?)?;
    out.value("listed", &listed(&session, &SessionInfo::read(&path)?)?)?;
    let problems = session.problems(&tree).into_iter().map(|problem| {
        json!({ "file": path.to_string_lossy(), "line": problem.line, "kind": problem.kind, "message": problem.kind.to_string() })
    });
    out.value("problems", &problems.collect::<Vec<_>>())?;
    Ok(out.close()?)
}

/// Writes the members of one large object, one after the other.
struct Members<W> {
    writer: W,
    first: bool,
}

impl<W: Write> Members<W> {
    fn open(mut writer: W) -> io::Result<Self> {
        writer.write_all(b"{")?;
        Ok(Self { writer, first: true })
    }

    fn member(&mut self, key: &str) -> io::Result<()> {
        let comma = if std::mem::take(&mut self.first) { "" } else { "," };
        write!(self.writer, "{comma}\n\"{key}\":")
    }

    fn value(&mut self, key: &str, value: &impl Serialize) -> io::Result<()> {
        self.member(key)?;
        serde_json::to_writer(&mut self.writer, value).map_err(io::Error::from)
    }

    fn raw(&mut self, key: &str, json: &str) -> io::Result<()> {
        self.member(key)?;
        self.writer.write_all(json.as_bytes())
    }

    fn close(mut self) -> io::Result<()> {
        self.writer.write_all(b"\n}\n")?;
        self.writer.flush()
    }
}

/// Returns the header as pi has it after opening the file: of today's version.
fn current_header(session: &Session) -> String {
    let header = session.header();
    match Raw::parse(header.raw.as_bytes()).filter(|_| header.version < CURRENT_VERSION) {
        Some(raw) => raw.with_members(&[("version", Some(&CURRENT_VERSION.to_string()))]),
        None => header.raw.clone(),
    }
}

/// Returns the working directory as pi resolves it: absolute, without `.` and `..`.
fn resolved_cwd(session: &Session) -> PathBuf {
    let here = env::current_dir().unwrap_or_default();
    let named = session.header().cwd.as_ref().map_or_else(|| here.clone(), |cwd| here.join(cwd));
    let mut resolved = PathBuf::new();
    for component in named.components() {
        match component {
            Component::ParentDir => {
                resolved.pop();
            }
            Component::CurDir => {}
            other => resolved.push(other),
        }
    }
    resolved
}

fn row(entry: &Entry) -> (Option<&EntryId>, Option<&EntryId>, Option<&str>) {
    let parent = match &entry.parent {
        Parent::Id(id) => Some(id),
        Parent::None | Parent::Missing => None,
    };
    (entry.id.as_ref(), parent, kind(entry))
}

fn kind(entry: &Entry) -> Option<&str> {
    Some(entry.kind()).filter(|kind| !kind.is_empty())
}

/// The fields of pi's own listing.
fn listed(session: &Session, info: &SessionInfo) -> anyhow::Result<serde_json::Value> {
    Ok(json!({
        "path": info.path.to_string_lossy(),
        "id": info.id,
        "cwd": info.cwd,
        "name": info.name,
        "parentSessionPath": info.parent_session_path,
        "created": info.created.map(|time| time.to_string()),
        "modified": info.modified.to_string(),
        "messageCount": info.message_count,
        "firstMessage": info.first_message,
        "allMessagesText": all_messages_text(session)?,
    }))
}

/// Writes the tree without recursion, for it can be as deep as a session is long.
///
/// pi shows an entry once more in the place of each earlier one with its id. That can grow without end,
/// so there is a limit, which no file that pi itself can open comes near.
fn write_tree(
    out: &mut impl Write,
    entries: &[Entry],
    tree: &Tree,
    labels: &HashMap<EntryId, Label>,
) -> io::Result<()> {
    enum Step {
        Node(usize, bool),
        Close,
    }
    let places = Places::new(entries, tree);
    let mut left = entries.len() * 4 + 1000;
    let push = |steps: &mut Vec<Step>, list: &[usize]| {
        for (number, &at) in list.iter().enumerate().rev() {
            steps.push(Step::Node(at, number > 0));
        }
    };
    out.write_all(b"[")?;
    let mut steps = Vec::new();
    push(&mut steps, &places.roots());
    while let Some(step) = steps.pop() {
        match step {
            Step::Close => out.write_all(b"]}")?,
            Step::Node(at, comma) => {
                if comma {
                    out.write_all(b",")?;
                }
                write_node(out, &entries[at], labels)?;
                steps.push(Step::Close);
                left = left.saturating_sub(1);
                if left > 0 {
                    push(&mut steps, &places.children(at));
                }
            }
        }
    }
    out.write_all(b"]")
}

fn write_node(
    out: &mut impl Write,
    entry: &Entry,
    labels: &HashMap<EntryId, Label>,
) -> io::Result<()> {
    let mut head = json!({ "id": entry.id, "type": kind(entry) });
    if let Some(label) = entry.id.as_ref().and_then(|id| labels.get(id)) {
        head["label"] = (&*label.text).into();
        head["labelTimestamp"] = label.timestamp.as_deref().into();
    }
    let head = head.to_string();
    write!(out, "{},\"children\":[", head.strip_suffix('}').unwrap_or(&head))
}

/// Where entries stand in pi's tree, with those that stand in for another of the same id.
struct Places<'a> {
    entries: &'a [Entry],
    tree: &'a Tree,
    /// By parent: the entry that is left out, and the one shown in its place.
    stand_ins: HashMap<Option<usize>, Vec<(usize, usize)>>,
}

impl<'a> Places<'a> {
    fn new(entries: &'a [Entry], tree: &'a Tree) -> Self {
        let mut stand_ins: HashMap<_, Vec<_>> = HashMap::new();
        for &echo in tree.echoes() {
            let id = entries[echo].id.as_ref();
            if let Some(shown) = id.and_then(|id| tree.find(id.as_str())) {
                stand_ins.entry(tree.parent(echo)).or_default().push((echo, shown));
            }
        }
        Self { entries, tree, stand_ins }
    }

    fn roots(&self) -> Vec<usize> {
        self.in_file_order(None, self.tree.roots()).into_iter().map(|(_, at)| at).collect()
    }

    fn children(&self, at: usize) -> Vec<usize> {
        let children = self.tree.children(at);
        if !self.stand_ins.contains_key(&Some(at)) {
            return children.to_vec();
        }
        let mut places = self.in_file_order(Some(at), children);
        if places.iter().all(|&(_, shown)| self.entries[shown].timestamp.is_some()) {
            places.sort_by_key(|&(_, shown)| self.entries[shown].timestamp);
        }
        places.into_iter().map(|(_, shown)| shown).collect()
    }

    fn in_file_order(&self, parent: Option<usize>, own: &[usize]) -> Vec<(usize, usize)> {
        let stand_ins = self.stand_ins.get(&parent).into_iter().flatten().copied();
        let mut places: Vec<_> = own.iter().map(|&at| (at, at)).chain(stand_ins).collect();
        places.sort_by_key(|&(line, _)| line);
        places
    }
}
