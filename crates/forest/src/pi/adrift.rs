//! Sessions that lost their beginning.
//!
//! pi before 0.79.2 tore forks apart where a label stood in the path; a fork of such a fork has only what came after
//! the tear. If another session of the family has the same entries with everything before them, that is where they
//! belong. Which sessions are there changes with every import, so the question is asked again after each.

use std::collections::HashMap;
use std::io;

use pi_brain_session::Millis;

use super::draft::Draft;
use super::families::Families;
use super::import::Import;
use super::reading::Reading;
use crate::error::{ForestError, Result};
use crate::forest::Forest;
use crate::ids::{Place, RootId};
use crate::sessions::{EntryRecord, EventId, SessionNo, SessionRecord};
use crate::store::Store;

/// Finds where the entries of session `no` that are adrift belong, as far as another session of the tree tells.
pub(super) fn moorings<S: Store>(
    draft: &Draft<'_, S>,
    no: SessionNo,
    root: RootId,
    adrift: impl Iterator<Item = (usize, Option<EventId>)>,
) -> Result<HashMap<usize, Place>> {
    let mut moorings = HashMap::new();
    for (at, event) in adrift {
        let Some(event) = event else { continue };
        let mut found: Vec<(String, Place)> = Vec::new();
        for other in draft.store.sessions_with(&[event])?.into_iter().filter(|other| *other != no) {
            let Some(record) = draft.session(other)?.filter(|record| record.root == root) else {
                continue;
            };
            let same = record.entries.iter().find(|entry| entry.event == Some(event));
            if let Some(place @ Place::Node(_)) =
                same.map(|same| before(draft, same)).transpose()?
            {
                found.push((record.file.clone(), place));
            }
        }
        // Any of them will do; which one must not depend on the order of imports.
        found.sort();
        moorings.extend(found.into_iter().next().map(|(_, place)| (at, place)));
    }
    Ok(moorings)
}

/// Returns the place that an entry follows.
fn before<S: Store>(draft: &Draft<'_, S>, entry: &EntryRecord) -> Result<Place> {
    match entry.place {
        Place::Node(node) if entry.own => Ok(draft.plan.node(node)?.parent),
        place => Ok(place),
    }
}

impl<S: Store> Forest<S> {
    /// Moves the sessions of a tree that are adrift to where they belong, now that the family has changed.
    pub(super) fn moor(
        &mut self,
        root: RootId,
        families: &mut Families,
        now: Millis,
    ) -> Result<()> {
        let mut adrift = Vec::new();
        for no in families.in_root(root) {
            adrift.extend(self.store.session(no)?.filter(|record| !record.adrift.is_empty()));
        }
        // One that found its place may be where another belongs, and so on; each round settles one at least.
        for _ in 0..adrift.len() {
            let mut moved = false;
            for record in &adrift {
                let Some(record) = self.store.session(record.no)? else { continue };
                if self.belongs_elsewhere(&record, now)? {
                    let reading = self.read_again(&record)?;
                    let import = Import::again(&self.store, families, &reading, record);
                    let changes = import.plan(now)?.changes;
                    self.commit_sessions(changes, families)?;
                    moved = true;
                }
            }
            if !moved {
                break;
            }
        }
        Ok(())
    }

    fn belongs_elsewhere(&self, record: &SessionRecord, now: Millis) -> Result<bool> {
        let draft = Draft::new(&self.store, now);
        let entries = record.adrift.iter().filter_map(|&at| Some((at, record.entries.get(at)?)));
        let events = entries.clone().map(|(at, entry)| (at, entry.event));
        let moorings = moorings(&draft, record.no, record.root, events)?;
        for (at, entry) in entries {
            let belongs = moorings.get(&at).copied().unwrap_or(Place::Root(record.root));
            if before(&draft, entry)? != belongs {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn read_again(&self, record: &SessionRecord) -> Result<Reading> {
        let text = self.export_session(record.no)?;
        Reading::from_bytes(&record.file, text).map_err(|error| ForestError::SessionGone {
            file: record.file.clone(),
            source: io::Error::other(error),
        })
    }
}
