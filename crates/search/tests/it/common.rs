//! A small library of documents, searched wherever they are.

use std::collections::HashMap;

use jiff::Zoned;
use jiff::civil::date;
use jiff::tz::TimeZone;
use pi_brain_search::{
    Document, Hits, HotTail, Key, MessageKey, Query, Request, SearchError, SearchIndex,
    SearchWriter, Speaker, search,
};
use pi_brain_session::Millis;
use tempfile::TempDir;

/// Noon on 15 March 2026, in UTC.
pub(crate) fn now() -> Zoned {
    date(2026, 3, 15).at(12, 0, 0, 0).to_zoned(TimeZone::UTC).unwrap()
}

pub(crate) fn query(text: &str) -> Query {
    Query::parse(text, &now()).unwrap()
}

pub(crate) fn request<'a>() -> Request<'a> {
    Request {
        limit: 10,
        offset: 0,
        now: now().timestamp().into(),
        project: None,
        allow: None,
        details: None,
        counts: true,
    }
}

/// Names a message of the first family.
pub(crate) fn message_key(number: u32) -> Key {
    Key::Message(MessageKey { family: 1, number })
}

/// A message that was said a number of days ago.
pub(crate) fn message(number: u32, body: &str) -> Document {
    Document {
        body: body.to_owned(),
        speaker: Some(Speaker::Assistant),
        time: Some(days_ago(40)),
        ..Document::new(message_key(number))
    }
}

pub(crate) fn node(number: u64, body: &str) -> Document {
    Document { body: body.to_owned(), time: Some(days_ago(40)), ..Document::new(Key::Node(number)) }
}

pub(crate) fn days_ago(days: i64) -> Millis {
    let now: Millis = now().timestamp().into();
    Millis(now.0 - days * 86_400_000)
}

/// An index in a folder of its own, and a hot tail.
pub(crate) struct Library {
    pub(crate) folder: TempDir,
    pub(crate) index: SearchIndex,
    pub(crate) tail: HotTail,
    /// What tools printed, which the index has read back.
    details: HashMap<Key, String>,
}

impl Library {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let index = SearchIndex::open(folder.path()).unwrap();
        Self { folder, index, tail: HotTail::default(), details: HashMap::new() }
    }

    fn remember(&mut self, documents: &[Document]) {
        let detail = |document: &Document| (document.key, document.detail.clone());
        self.details.extend(documents.iter().map(detail));
    }

    /// Documents on disk.
    pub(crate) fn committed(documents: &[Document]) -> Self {
        let mut library = Self::new();
        library.remember(documents);
        library.write(|writer| documents.iter().for_each(|document| writer.add(document).unwrap()));
        library
    }

    /// Documents in memory.
    pub(crate) fn hot(documents: &[Document]) -> Self {
        let mut library = Self::new();
        library.add_hot(documents);
        library
    }

    pub(crate) fn add_hot(&mut self, documents: &[Document]) {
        self.remember(documents);
        for document in documents {
            self.tail.add(document);
        }
    }

    pub(crate) fn write(&self, change: impl FnOnce(&mut SearchWriter)) {
        let mut writer = writer(&self.index);
        change(&mut writer);
        writer.commit(1).unwrap();
        writer.finish().unwrap();
    }

    pub(crate) fn search(&self, text: &str) -> Hits {
        self.try_search(text, &request()).unwrap()
    }

    pub(crate) fn try_search(
        &self,
        text: &str,
        request: &Request<'_>,
    ) -> Result<Hits, SearchError> {
        let read = |keys: &[Key]| keys.iter().map(|key| self.details.get(key).cloned()).collect();
        let request = Request { details: Some(&read), ..*request };
        search(&self.index, &self.tail, &query(text), &request)
    }

    /// Returns the numbers of the messages that are found, and of the nodes with a minus, the best first.
    pub(crate) fn found(&self, text: &str) -> Vec<i64> {
        numbers(&self.search(text))
    }
}

pub(crate) fn writer(index: &SearchIndex) -> SearchWriter {
    index.writer(1, 20_000_000).unwrap()
}

pub(crate) fn numbers(hits: &Hits) -> Vec<i64> {
    let number = |key: Key| match key {
        Key::Message(MessageKey { number, .. }) => number.into(),
        Key::Node(number) => -i64::try_from(number).unwrap(),
    };
    hits.hits.iter().map(|hit| number(hit.key)).collect()
}
