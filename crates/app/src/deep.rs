//! Searching the session files themselves, and saying where the hits stand.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use pi_brain_search::{DeepHit, DocumentKind, Filters, Query, Speaker, deep_search};
use pi_brain_store::SessionFile;

use crate::app::App;
use crate::error::Result;
use crate::search::{FoundItem, FoundKind, Lookup, Wanted, is_wanted_node};

/// What was found in session files.
#[derive(Debug, Default)]
pub struct FoundInFiles {
    /// The newest first; what forks repeat is there once.
    pub results: Vec<FoundItem>,
    /// Files that could not be read, and why.
    pub unreadable: Vec<(PathBuf, String)>,
}

impl App {
    /// Looks through the session files, and finds out to which units of work the hits belong.
    ///
    /// `known` are results that need not be found again.
    pub fn search_files(
        &self,
        wanted: &Wanted<'_>,
        known: &[FoundItem],
        on_file: &(dyn Fn(&Path) + Sync),
    ) -> Result<FoundInFiles> {
        let query = Query::parse(wanted.query, wanted.now)?;
        if query.filters.kind == Some(DocumentKind::Node) {
            return Ok(FoundInFiles::default());
        }
        let enough = wanted.limit + wanted.offset + known.len();
        // Forks repeat what they were made from, and some filters ask for what a line does not tell.
        let files: Vec<PathBuf> =
            self.store.sessions()?.into_iter().map(|session| session.path.into()).collect();
        let hits = deep_search(&files, &query, 4 * enough, on_file);
        let unreadable = hits.unreadable.into_iter();
        let unreadable = unreadable.map(|(file, error)| (file, error.to_string())).collect();
        let sessions = self.store.sessions()?.into_iter();
        let sessions: HashMap<String, SessionFile> =
            sessions.map(|session| (session.path.clone(), session)).collect();
        let mut seen: HashSet<(String, Option<i64>)> =
            known.iter().map(|item| (item.entry.clone(), item.time.map(|time| time.0))).collect();
        let lookup = Lookup::new(&self.store, &self.fresh);
        let mut results = Vec::new();
        for hit in hits.hits {
            let entry = hit.entry_id.as_ref().map(|id| id.as_str().to_owned());
            // Lines without id are told apart by where they stand.
            let name = entry.unwrap_or_else(|| format!("{}:{}", hit.file.display(), hit.line));
            if !seen.insert((name, hit.time.map(|time| time.0))) {
                continue;
            }
            let session = sessions.get(&*hit.file.to_string_lossy());
            let item = lookup.found_in_file(hit, session)?;
            if fits(&item, &query.filters) {
                results.push(item);
            }
        }
        let results = results.into_iter().skip(wanted.offset).take(wanted.limit).collect();
        Ok(FoundInFiles { results, unreadable })
    }
}

impl Lookup<'_> {
    fn found_in_file(&self, hit: DeepHit, session: Option<&SessionFile>) -> Result<FoundItem> {
        let mut item = FoundItem {
            score: 0.0,
            what: FoundKind::Message { speaker: Speaker::Tool, abandoned: false },
            node: None,
            session: session.cloned(),
            entry: hit.entry_id.as_ref().map_or_else(String::new, |id| id.as_str().to_owned()),
            line: u32::try_from(hit.line).ok(),
            project: session.map(|session| session.project.clone()).unwrap_or_default(),
            time: hit.time,
            text: hit.snippet.text.clone(),
            snippet: hit.snippet,
        };
        let Some(session) = session else { return Ok(item) };
        item.node = self.place(session, hit.line)?.and_then(|placed| placed.node);
        if let Some(what) = self.what_is_said(session, hit.line)? {
            item.what = what;
        }
        Ok(item)
    }
}

/// Decides by what a line alone does not tell.
fn fits(item: &FoundItem, filters: &Filters) -> bool {
    let is_abandoned = matches!(item.what, FoundKind::Message { abandoned: true, .. });
    filters.abandoned.is_none_or(|wanted| wanted == is_abandoned)
        && is_wanted_node(item.node.as_ref(), filters)
}
