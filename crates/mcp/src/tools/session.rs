//! `brain_session`: entries of a session, around one of them or from line to line.

use std::collections::VecDeque;
use std::path::Path;

use pi_brain_app::{App, Depth};
use pi_brain_search::{Extent, entry_text};
use pi_brain_session::{EntryId, Session, Tree, View};
use pi_brain_store::SessionFile;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{NAME, day};
use crate::brain::Brain;
use crate::error::{McpError, Result};
use crate::page::{Item, Page};

/// So many characters of an entry, and so many of the one that was asked for.
const ENTRY: usize = 900;
const CITED: usize = 4_000;

/// The arguments of `brain_session`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct SessionArguments {
    /// The id of a session, or the beginning of one, as `brain_query` and `brain_search` give it, for example
    /// "0190aaaa-0000-7000-8000-000000000001".
    pub(crate) session: String,
    /// The id of the entry to read around, for example "8c1f2a90".
    pub(crate) entry: Option<String>,
    /// Read from this line of the session file on, instead of around an entry.
    pub(crate) from_line: Option<u64>,
    /// Read up to this line.
    pub(crate) to_line: Option<u64>,
    /// How long the answer may be, in tokens: 200 to 4800, default 1500.
    pub(crate) limit: Option<u32>,
}

pub(crate) fn session(brain: &Brain, arguments: &SessionArguments) -> Result<String> {
    let open = brain.open(Depth::Whole)?;
    let app = &open.app;
    let (file, session) = find(app, arguments)?;
    let tree = session.tree(View::Repaired);
    let mut page = Page::of(&open, arguments.limit);
    let mut head = Item::new(format_args!("Session, in the order in which it was said:"));
    head.quote_line(&format!("session {}, in {}", file.id, file.project), NAME);
    if let Some(name) = session.log().name() {
        head.quote_line(&format!("called: {name}"), NAME);
    }
    page.head(&head);
    let reading = Reading { session: &session, tree: &tree };
    match (&arguments.entry, arguments.from_line.or(arguments.to_line)) {
        (Some(entry), None) => reading.around(page, entry),
        _ => reading.lines(page, arguments),
    }
}

/// Finds the session file that is meant: of several with one id, the one that has the entry.
fn find(app: &App, arguments: &SessionArguments) -> Result<(SessionFile, Session)> {
    let wanted = arguments.session.trim();
    let mut files = app.store().sessions().map_err(pi_brain_app::AppError::from)?;
    files.retain(|file| !wanted.is_empty() && file.id.starts_with(wanted));
    if files.iter().any(|file| file.id == wanted) {
        files.retain(|file| file.id == wanted);
    }
    let mut ids: Vec<&str> = files.iter().map(|file| &*file.id).collect();
    ids.sort_unstable();
    ids.dedup();
    match ids.len() {
        0 => return Err(McpError::UnknownSession(wanted.to_owned())),
        1 => {}
        count => {
            return Err(McpError::AmbiguousSession { prefix: wanted.to_owned(), count });
        }
    }
    let mut first = None;
    for file in files {
        let session = Session::open(Path::new(&file.path))?;
        let has_entry = |entry: &String| session.tree(View::Repaired).find(entry.trim()).is_some();
        if arguments.entry.as_ref().is_none_or(has_entry) {
            return Ok((file, session));
        }
        first.get_or_insert((file, session));
    }
    first.ok_or_else(|| McpError::UnknownSession(wanted.to_owned()))
}

struct Reading<'a> {
    session: &'a Session,
    tree: &'a Tree,
}

impl Reading<'_> {
    /// Shows an entry, and as much of what came before and after it as there is room for.
    fn around(&self, mut page: Page, entry: &str) -> Result<String> {
        let unknown = || McpError::UnknownEntry { entry: entry.trim().to_owned() };
        let cited = self.tree.find(entry.trim()).ok_or_else(unknown)?;
        let way = self.tree.branch(self.end_of_branch(cited));
        let at = way.iter().position(|&entry| entry == cited).unwrap_or(0);
        let mut shown = VecDeque::from([self.cited(cited)?]);
        let mut free = page.free().saturating_sub(shown[0].size());
        let (mut before, mut after) = ((0..at).rev(), at + 1..way.len());
        let (mut first, mut last) = (at, at);
        loop {
            let earlier = self.fitting(&way, before.next(), &mut free)?;
            let later = self.fitting(&way, after.next(), &mut free)?;
            if earlier.is_none() && later.is_none() {
                break;
            }
            // Where there is no room for an entry, those beyond it would leave a gap.
            match earlier {
                Some((place, item)) => {
                    first = place;
                    if let Some(item) = item {
                        shown.push_front(item);
                    }
                }
                None => before = (0..0).rev(),
            }
            match later {
                Some((place, item)) => {
                    last = place;
                    shown.extend(item);
                }
                None => after = 0..0,
            }
        }
        for item in &shown {
            page.add(item);
        }
        let line = |at: usize| self.session.log().entries()[way[at]].line;
        let beyond = first + (way.len() - 1 - last);
        let how = format!(
            "These are lines {} to {}; ask with `to_line` or `from_line` for what is before and after them, or \
             raise `limit`.",
            line(first),
            line(last)
        );
        Ok(page.finish(beyond, &how))
    }

    /// Returns what an entry on the way says, if there is room for it, and takes the room.
    fn fitting(
        &self,
        way: &[usize],
        place: Option<usize>,
        free: &mut usize,
    ) -> Result<Option<(usize, Option<Item>)>> {
        let Some(place) = place else { return Ok(None) };
        let item = self.item(way[place])?;
        let left = free.checked_sub(item.as_ref().map_or(0, Item::size));
        Ok(left.map(|left| {
            *free = left;
            (place, item)
        }))
    }

    /// Shows entries as they stand in the file, whichever branch they are on.
    fn lines(&self, mut page: Page, arguments: &SessionArguments) -> Result<String> {
        let entries = self.session.log().entries();
        let (from, to) = (arguments.from_line.unwrap_or(0), arguments.to_line.unwrap_or(u64::MAX));
        let wanted: Vec<usize> =
            (0..entries.len()).filter(|&at| (from..=to).contains(&entries[at].line)).collect();
        if wanted.is_empty() {
            let last = entries.last().map_or(1, |entry| entry.line);
            return Err(McpError::NoSuchLines { last });
        }
        let mut next = None;
        for (number, &at) in wanted.iter().enumerate() {
            let Some(item) = self.item(at)? else { continue };
            if !page.add(&item) {
                next = Some((entries[at].line, wanted.len() - number - 1));
                break;
            }
        }
        let (line, beyond) = next.unwrap_or_default();
        Ok(page.finish(beyond, &format!("`from_line`: {line} goes on from here.")))
    }

    /// Follows the newest children down to where a branch ends.
    fn end_of_branch(&self, from: usize) -> usize {
        let next = |&at: &usize| self.tree.children(at).last().copied();
        std::iter::successors(Some(from), next).last().unwrap_or(from)
    }

    fn cited(&self, at: usize) -> Result<Item> {
        let quoted = self.quoted(at, CITED)?;
        Ok(quoted.unwrap_or_else(|| {
            let line = self.session.log().entries()[at].line;
            Item::new(format_args!("line {line}: nothing to read (no text, or an answer of ours)"))
        }))
    }

    fn item(&self, at: usize) -> Result<Option<Item>> {
        self.quoted(at, ENTRY)
    }

    /// Writes what an entry says, by the words that searches find it by.
    fn quoted(&self, at: usize, most: usize) -> Result<Option<Item>> {
        let entry = &self.session.log().entries()[at];
        let raw = self.session.entry_raw(at).map_err(McpError::Read)?;
        let extent = Extent { thinking: false, whole_output: true };
        let Some(text) = entry_text(entry, raw.raw(), extent) else { return Ok(None) };
        let failed = if text.is_error { ", failed" } else { "" };
        let mut item = Item::new(format_args!(
            "line {}: {}{failed}, {}",
            entry.line,
            text.speaker.as_str(),
            day(entry.timestamp)
        ));
        let id = entry.id.as_ref().map_or("", EntryId::as_str);
        let mut said = match text.tools.join(", ") {
            tools if tools.is_empty() => format!("[{id}]"),
            tools => format!("[{id}] ({tools})"),
        };
        for part in [&text.body, &text.detail].into_iter().filter(|part| !part.is_empty()) {
            said.push(if said.contains('\n') { '\n' } else { ' ' });
            said += part;
        }
        item.quote(&said, most);
        Ok(Some(item))
    }
}
