//! Notes on messages: titles, tags, custom data, bookmarks, and where the user is. None of them changes what
//! was said, so messages of pi sessions can have them, too.

use pi_brain_session::Millis;
use serde_json::Value;

use crate::error::{ForestError, Result};
use crate::forest::Forest;
use crate::ids::{NodeId, Place};
use crate::message::{Object, is_blank};
use crate::node::{Bookmark, Metadata};
use crate::store::{Change, Store};
use crate::title::auto_title;

impl<S: Store> Forest<S> {
    /// Gives a message a title; a blank one takes it away.
    pub fn set_title(&mut self, id: NodeId, title: &str) -> Result<()> {
        let title = Some(title.trim().to_owned()).filter(|title| !title.is_empty());
        self.note(id, |metadata| metadata.title = title)
    }

    /// Gives a message an automatic title, made from its text unless the caller has a better one.
    pub fn set_auto_title(&mut self, id: NodeId, title: Option<String>) -> Result<()> {
        let title = match title {
            Some(title) => title,
            None => auto_title(&*self.message(id)?),
        };
        self.note(id, |metadata| metadata.auto_title = Some(title))
    }

    /// Adds tags to a message, and takes others away.
    pub fn tag(&mut self, id: NodeId, add: &[String], remove: &[String]) -> Result<()> {
        self.note(id, |metadata| {
            for tag in add.iter().map(|tag| tag.trim()).filter(|tag| !tag.is_empty()) {
                if !metadata.tags.iter().any(|known| known == tag) {
                    metadata.tags.push(tag.to_owned());
                }
            }
            metadata.tags.retain(|tag| !remove.iter().any(|gone| gone.trim() == tag));
        })
    }

    /// Merges data into the custom data of a message: null takes a key away, everything else is kept.
    pub fn merge_custom_data(&mut self, id: NodeId, data: Object) -> Result<()> {
        self.note(id, |metadata| {
            for (key, value) in data {
                match value {
                    Value::Null => metadata.custom_data.remove(&key),
                    value => metadata.custom_data.insert(key, value),
                };
            }
        })
    }

    fn note(&mut self, id: NodeId, change: impl FnOnce(&mut Metadata)) -> Result<()> {
        let before = self.node(id)?;
        let mut node = (*before).clone();
        change(&mut node.metadata);
        if node == *before { Ok(()) } else { self.store.commit(vec![Change::Node(node)]) }
    }

    /// Gives a message a bookmark. Each title stands for one message.
    pub fn bookmark(&mut self, id: NodeId, title: &str, now: Millis) -> Result<()> {
        let node = self.node(id)?.id;
        let title = checked_title(title)?;
        match self.find_bookmark(&title)? {
            Some(known) if known.node == node => Ok(()),
            Some(known) => Err(ForestError::BookmarkTaken { title, node: known.node }),
            None => {
                let bookmark = Bookmark { title, node, created: now, updated: now };
                self.store.commit(vec![Change::Bookmark(bookmark)])
            }
        }
    }

    /// Gives a bookmark another title.
    pub fn rename_bookmark(&mut self, from: &str, to: &str, now: Millis) -> Result<()> {
        let to = checked_title(to)?;
        let bookmark = self
            .find_bookmark(from)?
            .ok_or_else(|| ForestError::BookmarkNotFound(from.to_owned()))?;
        if to == bookmark.title {
            return Ok(());
        }
        if let Some(known) = self.find_bookmark(&to)? {
            return Err(ForestError::BookmarkTaken { title: to, node: known.node });
        }
        let renamed = Bookmark { title: to, updated: now, ..bookmark.clone() };
        self.store.commit(vec![Change::DropBookmark(bookmark.title), Change::Bookmark(renamed)])
    }

    /// Takes a bookmark away.
    pub fn remove_bookmark(&mut self, title: &str) -> Result<()> {
        match self.find_bookmark(title)? {
            Some(bookmark) => self.store.commit(vec![Change::DropBookmark(bookmark.title)]),
            None => Err(ForestError::BookmarkNotFound(title.to_owned())),
        }
    }

    /// Returns the bookmarks that lead somewhere, by title.
    pub fn bookmarks(&self) -> Result<Vec<Bookmark>> {
        let mut bookmarks = self.store.bookmarks()?;
        bookmarks.retain(|bookmark| self.node(bookmark.node).is_ok());
        Ok(bookmarks)
    }

    /// Finds a bookmark. White space around a title never counts.
    pub fn find_bookmark(&self, title: &str) -> Result<Option<Bookmark>> {
        Ok(self.store.bookmarks()?.into_iter().find(|bookmark| bookmark.title == title.trim()))
    }

    /// Goes somewhere: the next message goes there if nobody says otherwise.
    pub fn go_to(&mut self, place: Place) -> Result<()> {
        let place = self.place(place)?;
        if self.store.current()? == Some(place) {
            return Ok(());
        }
        self.store.commit(vec![Change::Current(Some(place))])
    }
}

fn checked_title(title: &str) -> Result<String> {
    if is_blank(title) { Err(ForestError::Blank) } else { Ok(title.trim().to_owned()) }
}
