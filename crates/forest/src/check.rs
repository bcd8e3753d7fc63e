//! Whether a forest is what it should be, and mending it where it is not.
//!
//! The engine never leaves a tree in disorder. Folders that other programs wrote, or that somebody edited by hand,
//! may be.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use pi_brain_session::Millis;
use serde::Serialize;

use crate::error::Result;
use crate::forest::Forest;
use crate::ids::{NodeId, Place, RootId};
use crate::key::ContentKey;
use crate::node::{Node, Removal};
use crate::ops::Plan;
use crate::store::{Store, Which};

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{place}: {trouble}")]
pub struct Finding {
    /// Where.
    pub place: Place,
    /// What.
    pub trouble: Trouble,
}

/// What can be wrong with a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the messages say it")]
pub enum Trouble {
    #[error("follows {0}, which is not there")]
    MissingParent(Place),
    #[error("can be seen, but follows {0}, which was deleted")]
    HiddenParent(Place),
    #[error("the chain of messages before it runs in a circle")]
    Cycle,
    #[error("the list of what follows does not agree with what the messages say")]
    WrongChildren,
    #[error("says the same as {0} in the same place")]
    EqualSibling(NodeId),
    #[error("its content does not fit its key")]
    WrongKey,
    #[error("its content cannot be read: {0}")]
    Unreadable(String),
    #[error("its number was never given out")]
    UnknownNumber,
    #[error("was hidden by something that is not there")]
    BadRemoval,
    #[error("the bookmark {0:?} leads nowhere")]
    BookmarkNowhere(String),
    #[error("the current place is not there")]
    CurrentNowhere,
    #[error("a line of session {0} stands on a message that is not there")]
    SessionNowhere(String),
}

/// What a repair did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Repaired {
    /// What was wrong and is mended.
    pub mended: Vec<Finding>,
    /// What is still wrong.
    pub left: Vec<Finding>,
}

impl<S: Store> Forest<S> {
    /// Verifies everything that must hold. An empty list means that all is well.
    pub fn check(&self) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        for root in self.store.roots()? {
            self.check_tree(root.id, &mut findings)?;
        }
        for bookmark in self.store.bookmarks()? {
            let leads_somewhere =
                self.node_or_removed(bookmark.node).is_ok_and(|node| node.is_visible());
            if !leads_somewhere {
                let trouble = Trouble::BookmarkNowhere(bookmark.title);
                findings.push(Finding { place: bookmark.node.into(), trouble });
            }
        }
        if let Some(place) = self.store.current()?.filter(|place| self.place(*place).is_err()) {
            findings.push(Finding { place, trouble: Trouble::CurrentNowhere });
        }
        for session in self.store.sessions()? {
            let places: HashSet<Place> = session.entries.iter().map(|entry| entry.place).collect();
            for place in places {
                let is_there = match place {
                    Place::Root(root) => self.store.root(root)?.is_some(),
                    Place::Node(node) => self.node_or_removed(node).is_ok(),
                };
                if !is_there {
                    findings.push(Finding {
                        place,
                        trouble: Trouble::SessionNowhere(session.id.clone()),
                    });
                }
            }
        }
        Ok(findings)
    }

    fn check_tree(&self, root: RootId, findings: &mut Vec<Finding>) -> Result<()> {
        let nodes: BTreeMap<NodeId, Arc<Node>> =
            self.store.nodes(root)?.into_iter().map(|node| (node.id, node)).collect();
        let next = self.store.next_node(root)?;
        let in_circle = circles(&nodes);
        let mut children: HashMap<Place, Vec<&Arc<Node>>> = HashMap::new();
        for (&id, node) in &nodes {
            children.entry(node.parent).or_default().push(node);
            let mut report = |trouble| findings.push(Finding { place: id.into(), trouble });
            if id.number >= next {
                report(Trouble::UnknownNumber);
            }
            match node.parent {
                Place::Root(parent) if parent == root => {}
                Place::Root(_) => report(Trouble::MissingParent(node.parent)),
                Place::Node(parent) => match nodes.get(&parent) {
                    None => report(Trouble::MissingParent(node.parent)),
                    Some(parent) if node.is_visible() && !parent.is_visible() => {
                        report(Trouble::HiddenParent(node.parent));
                    }
                    Some(_) => {}
                },
            }
            if in_circle.contains(&id) {
                report(Trouble::Cycle);
            }
            match node.removal {
                Some(Removal::With(top)) if self.store.node(top)?.is_none() => {
                    report(Trouble::BadRemoval);
                }
                Some(Removal::Merged(_)) if self.node_or_removed(id).is_err() => {
                    report(Trouble::BadRemoval);
                }
                Some(Removal::Merged(_)) => continue,
                _ => {}
            }
            match self.store.message(id) {
                Ok(message)
                    if ContentKey::of(&message) != node.key || message.role() != node.role =>
                {
                    report(Trouble::WrongKey);
                }
                Ok(_) => {}
                Err(error) => report(Trouble::Unreadable(error.to_string())),
            }
        }
        let places =
            std::iter::once(Place::Root(root)).chain(nodes.keys().map(|id| Place::Node(*id)));
        for place in places {
            let mut expected = children.remove(&place).unwrap_or_default();
            expected.sort_by(|one, other| (&one.order, one.id).cmp(&(&other.order, other.id)));
            self.check_children(place, &expected, findings)?;
        }
        Ok(())
    }

    fn check_children(
        &self,
        place: Place,
        expected: &[&Arc<Node>],
        findings: &mut Vec<Finding>,
    ) -> Result<()> {
        let listed = self.store.children(place, Which::All)?;
        if !listed.iter().map(|node| node.id).eq(expected.iter().map(|node| node.id)) {
            findings.push(Finding { place, trouble: Trouble::WrongChildren });
        }
        let mut said: HashMap<ContentKey, NodeId> = HashMap::new();
        let mut visible: Vec<_> = expected.iter().filter(|node| node.is_visible()).collect();
        visible.sort_by_key(|node| node.id);
        for node in visible {
            if let Some(&first) = said.get(&node.key) {
                findings
                    .push(Finding { place: node.id.into(), trouble: Trouble::EqualSibling(first) });
            } else {
                said.insert(node.key, node.id);
                let found = self.store.find_children(&[(place, node.key)], Which::Visible)?;
                if found != [Some(node.id)] {
                    findings.push(Finding { place, trouble: Trouble::WrongChildren });
                }
            }
        }
        Ok(())
    }

    /// Mends what can be mended. Nothing that was said is lost: what hangs in the air is put at the beginning of its
    /// tree or after the nearest message that can be seen, equal siblings become one.
    pub fn repair(&mut self, now: Millis) -> Result<Repaired> {
        let mut mended = Vec::new();
        // Putting messages elsewhere can bring equal siblings together, and uncover what stood behind another trouble.
        for _ in 0..MOST_ROUNDS {
            let findings = self.check()?;
            let mut plan = Plan::new(&self.store, now);
            let mut done = Vec::new();
            for finding in findings {
                if mend(self, &mut plan, &finding)? {
                    done.push(finding);
                }
            }
            let changes = plan.into_changes();
            if done.is_empty() || changes.is_empty() {
                break;
            }
            self.store.commit(changes)?;
            mended.extend(done);
        }
        Ok(Repaired { mended, left: self.check()? })
    }
}

const MOST_ROUNDS: usize = 8;

/// Returns one message of each circle: the one with the lowest id.
fn circles(nodes: &BTreeMap<NodeId, Arc<Node>>) -> HashSet<NodeId> {
    let parent = |id: &NodeId| nodes.get(id).and_then(|node| node.parent.node());
    let mut walked: HashMap<NodeId, usize> = HashMap::with_capacity(nodes.len());
    let mut found = HashSet::new();
    for (walk, &start) in nodes.keys().enumerate() {
        let mut at = Some(start);
        while let Some(here) = at.filter(|here| !walked.contains_key(here)) {
            walked.insert(here, walk);
            at = parent(&here);
        }
        let Some(met) = at.filter(|met| walked[met] == walk && nodes.contains_key(met)) else {
            continue;
        };
        let circle = std::iter::successors(parent(&met), parent).take_while(|here| *here != met);
        found.insert(circle.fold(met, NodeId::min));
    }
    found
}

/// Plans the cure of one trouble, if there is one.
fn mend<S: Store>(forest: &Forest<S>, plan: &mut Plan<'_, S>, finding: &Finding) -> Result<bool> {
    let Place::Node(id) = finding.place else {
        return Ok(match finding.trouble {
            Trouble::CurrentNowhere => {
                plan.set_current(None);
                true
            }
            _ => false,
        });
    };
    match &finding.trouble {
        Trouble::MissingParent(_) | Trouble::Cycle => {
            let mut node = plan.node(id)?;
            node.parent = Place::Root(id.root());
            settle(plan, node)?;
        }
        Trouble::HiddenParent(_) => {
            let mut node = plan.node(id)?;
            node.parent = nearest_visible(forest, &node)?;
            settle(plan, node)?;
        }
        Trouble::EqualSibling(first) => {
            let (one, other) = (plan.node(id)?, plan.node(*first)?);
            // An earlier cure may have moved either of them.
            if one.is_visible() && other.is_visible() && one.parent == other.parent {
                plan.merge(*first, id)?;
            }
        }
        Trouble::WrongKey => {
            let message = forest.store.message(id)?;
            let mut node = plan.node(id)?;
            (node.key, node.role) = (ContentKey::of(&message), message.role());
            plan.put(node);
        }
        Trouble::BadRemoval => {
            let mut node = plan.node(id)?;
            node.removal = Some(Removal::Deleted { at: plan.now });
            plan.put(node);
        }
        Trouble::BookmarkNowhere(title) => plan.drop_bookmark(title),
        Trouble::CurrentNowhere => plan.set_current(None),
        Trouble::WrongChildren
        | Trouble::Unreadable(_)
        | Trouble::UnknownNumber
        | Trouble::SessionNowhere(_) => return Ok(false),
    }
    Ok(true)
}

/// Puts a message where it belongs; a hidden one cannot be in anybody's way.
fn settle<S: Store>(plan: &mut Plan<'_, S>, node: Node) -> Result<()> {
    if node.is_visible() {
        plan.settle(node)?;
    } else {
        plan.put(node);
    }
    Ok(())
}

fn nearest_visible<S: Store>(forest: &Forest<S>, node: &Node) -> Result<Place> {
    let mut seen = HashSet::new();
    let mut at = node.parent;
    while let Place::Node(id) = at {
        match forest.store.node(id)? {
            Some(parent) if parent.is_visible() => return Ok(at),
            Some(parent) if seen.insert(id) => at = parent.parent,
            _ => break,
        }
    }
    Ok(Place::Root(node.id.root()))
}
