//! Everything about one node, and about one line of a session.

use std::path::Path;

use pi_brain_brain::{Edge, Node, NodeDiff, NodeId, NodeRef, compute_diff};
use pi_brain_session::Millis;
use pi_brain_store::{FlagRow, NodeRow, SegmentDetails, SessionFile, StoreError, VersionRow};

use crate::app::App;
use crate::error::Result;
use crate::search::Lookup;

/// Everything about one node.
#[derive(Clone, Debug)]
pub struct NodeView {
    /// The version that was asked for.
    pub node: Node,
    /// Whether the user does not want to see it.
    pub is_hidden: bool,
    /// The session that it can be read in, unless that is gone.
    pub session: Option<SessionFile>,
    /// The segment that it was made of, unless that is gone.
    pub segment: Option<SegmentDetails>,
    /// What it is linked with, oldest link first.
    pub links: Vec<Link>,
    /// The notes that the user put on it.
    pub flags: Vec<FlagRow>,
    /// Its versions, oldest first.
    pub versions: Vec<VersionRow>,
}

/// A link as one of its ends sees it.
#[derive(Clone, Debug)]
pub struct Link {
    /// The link.
    pub edge: Edge,
    /// Whether it leads away from the node.
    pub is_outgoing: bool,
    /// The node at the other end, unless it is gone.
    pub other: Option<NodeRow>,
}

impl Link {
    /// Returns the name of the node at the other end.
    pub fn other_id(&self) -> NodeId {
        if self.is_outgoing { self.edge.target_node_id } else { self.edge.source_node_id }
    }
}

/// Where a line of a session file belongs.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The session.
    pub session: SessionFile,
    /// The id of the entry; a damaged line has none.
    pub entry: Option<String>,
    /// When it was written.
    pub time: Option<Millis>,
    /// The name of the node that is, or would be, made of its segment.
    pub segment: NodeId,
    /// The node; none if the work is still open, or if nothing is said in it.
    pub node: Option<NodeRow>,
    /// Whether a person or a model says something in its segment.
    pub speaks: bool,
}

/// What a text that somebody gives for a node means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meant {
    /// This one, perhaps in one of its versions.
    Node(NodeRef),
    /// One that is not there. Its digits are well formed.
    Unknown,
    /// Any of several.
    Several(Vec<NodeId>),
    /// Nothing: no name of a node looks like this.
    Nothing,
}

impl App {
    /// Finds the node that a text means: its name or the first digits of it (4 or more), perhaps with `-v2` for a version.
    pub fn find_node(&self, text: &str) -> Result<Meant> {
        const SHORTEST: usize = 4;
        let text = text.trim().to_lowercase();
        let (prefix, version) = match text.split_once("-v") {
            Some((prefix, number)) => (prefix, Some(number)),
            None => (&*text, None),
        };
        let number = version.map(str::parse::<u32>).transpose().ok();
        let is_hex = prefix.bytes().all(|digit| digit.is_ascii_hexdigit());
        let (true, true, Some(version)) = (prefix.len() >= SHORTEST, is_hex, number) else {
            return Ok(Meant::Nothing);
        };
        let mut found = self.nodes_named(prefix)?;
        Ok(match found.len() {
            0 => Meant::Unknown,
            1 => Meant::Node(NodeRef { id: found.remove(0), version }),
            _ => Meant::Several(found),
        })
    }

    /// Finds the nodes that a text may name: all 16 digits of a name, or the beginning of it.
    pub fn nodes_named(&self, prefix: &str) -> Result<Vec<NodeId>> {
        Ok(self.store.nodes_named(prefix)?)
    }

    /// Returns when somebody last had the right to write: to take sessions in, or to note something.
    pub fn last_written(&self) -> Option<Millis> {
        self.folder.last_locked().map(Millis::from)
    }

    /// Returns everything about a node.
    pub fn view(&self, node: NodeRef) -> Result<NodeView> {
        let id = node.id;
        let mut links = Vec::new();
        for edge in self.store.edges_of(Some(id))? {
            let is_outgoing = edge.source_node_id == id;
            let mut link = Link { edge, is_outgoing, other: None };
            link.other = self.store.node_row(link.other_id())?;
            links.push(link);
        }
        Ok(NodeView {
            node: self.node(node)?,
            is_hidden: self.store.is_hidden(id)?,
            session: self.store.session_of_node(id)?,
            segment: self.store.segment(id)?,
            links,
            flags: self.store.flags(id)?,
            versions: self.store.versions(id)?,
        })
    }

    /// Returns a version of a node.
    pub fn node(&self, node: NodeRef) -> Result<Node> {
        Ok(self.store.node(node)?.ok_or(StoreError::NodeNotFound(node))?)
    }

    /// Compares two versions of a node.
    pub fn diff(&self, id: NodeId, old: u32, new: u32) -> Result<NodeDiff> {
        let version = |version| self.node(NodeRef { id, version: Some(version) });
        Ok(compute_diff(&version(old)?, &version(new)?))
    }

    /// Finds the unit of work that a line of a session file belongs to; `None` if the line is not known.
    pub fn place(&self, file: &Path, line: u64) -> Result<Option<Placed>> {
        let path = file.to_string_lossy();
        let session = self.store.sessions()?.into_iter().find(|session| session.path == path);
        match session {
            Some(session) => Lookup::new(&self.store, &self.fresh).place(&session, line),
            None => Ok(None),
        }
    }
}

impl Lookup<'_> {
    pub(crate) fn place(&self, session: &SessionFile, line: u64) -> Result<Option<Placed>> {
        let Some(outline) = self.store.outline(session.no)? else { return Ok(None) };
        let at = outline.entries.iter().position(|sketch| u64::from(sketch.line) == line);
        let Some(at) = at else { return Ok(None) };
        let sketch = &outline.entries[at];
        let map = self.map(session.root)?;
        let Some(segment) = map.segment(session.no, u32::try_from(at).unwrap_or(u32::MAX)) else {
            return Ok(None);
        };
        Ok(Some(Placed {
            session: session.clone(),
            entry: sketch.id.as_deref().map(str::to_owned),
            time: sketch.time,
            segment,
            node: self.node_row(segment)?,
            speaks: self.store.segment(segment)?.is_some_and(|segment| segment.speaks),
        }))
    }
}
