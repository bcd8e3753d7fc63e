//! Writes what has changed in memory.

use rusqlite::{Transaction, params};

use super::columns::{CHUNK, EntryColumns, MessageColumns};
use super::shelf::{Shelf, Trunk, Unsaved, chunk_id, chunk_ids};
use crate::pack::pack;

impl Shelf {
    /// Writes everything that has changed since the last time.
    pub(super) fn write(&mut self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        let Unsaved { roots, chunks, sessions, dropped_sessions, events, .. } = &self.unsaved;
        let mut put_root = transaction.prepare_cached(
            "INSERT OR REPLACE INTO root (id, last_message, children, data) VALUES (?1, ?2, ?3, ?4)",
        )?;
        for id in roots {
            let Some(Trunk { root, last_message, children }) = self.roots.get(id) else { continue };
            let data = serde_json::to_string(&**root).expect("a root has a JSON form");
            put_root.execute(params![id.number(), last_message, pack(children), data])?;
        }
        let mut put_chunk = transaction
            .prepare_cached("INSERT OR REPLACE INTO message_chunk (id, data) VALUES (?1, ?2)")?;
        for (root, chunk) in chunks {
            let Some(slots) = self.chunks.get(&(*root, *chunk)) else { continue };
            let data = pack(&MessageColumns::of(slots));
            put_chunk.execute(params![chunk_id(root.number(), *chunk), data])?;
        }
        let mut put_session = transaction.prepare_cached(
            "INSERT OR REPLACE INTO session (no, root, id, file, parent, project, created, data)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?;
        let mut put_entries = transaction
            .prepare_cached("INSERT OR REPLACE INTO entry_chunk (id, data) VALUES (?1, ?2)")?;
        let mut drop_entries =
            transaction.prepare_cached("DELETE FROM entry_chunk WHERE id BETWEEN ?1 AND ?2")?;
        for (no, unchanged) in sessions {
            let Some(record) = self.records.get(no) else { continue };
            let head = serde_json::to_string(&record.without_entries());
            put_session.execute(params![
                no.number(),
                record.root.number(),
                record.id,
                record.file,
                record.parent_session,
                record.cwd.as_deref().unwrap_or_default(),
                record.created.map_or(i64::MAX, |time| time.0),
                head.expect("a session has a JSON form")
            ])?;
            let first = u32::try_from(*unchanged).unwrap_or(u32::MAX) / CHUNK;
            drop_entries.execute(chunk_ids(no.number(), first))?;
            let rest = record.entries.get((first * CHUNK) as usize..).unwrap_or_default();
            for (entries, chunk) in rest.chunks(CHUNK as usize).zip(first..) {
                let data = pack(&EntryColumns::of(entries));
                put_entries.execute(params![chunk_id(no.number(), chunk), data])?;
            }
        }
        for no in dropped_sessions {
            transaction.execute("DELETE FROM session WHERE no = ?1", [no.number()])?;
            drop_entries.execute(chunk_ids(no.number(), 0))?;
        }
        let mut put_event = transaction
            .prepare_cached("INSERT OR IGNORE INTO event (event, session) VALUES (?1, ?2)")?;
        let mut drop_event =
            transaction.prepare_cached("DELETE FROM event WHERE event = ?1 AND session = ?2")?;
        // In the order of the index: neighbours lie on one page.
        for ((event, no), tells) in events {
            let statement = if *tells { &mut put_event } else { &mut drop_event };
            statement.execute(params![event.digest().cast_signed(), no.number()])?;
        }
        let mut put_meta = transaction
            .prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)")?;
        put_meta.execute(params!["last_session", self.last_session.to_string()])?;
        if self.unsaved.current {
            let place = self.current.map_or(String::new(), |place| place.to_string());
            put_meta.execute(params!["current", place])?;
        }
        if self.unsaved.bookmarks {
            transaction.execute("DELETE FROM bookmark", [])?;
            for bookmark in self.bookmarks.values() {
                let data = serde_json::to_string(bookmark).expect("a bookmark has a JSON form");
                let sql = "INSERT INTO bookmark (title, data) VALUES (?1, ?2)";
                transaction.execute(sql, params![bookmark.title, data])?;
            }
        }
        Ok(())
    }
}
