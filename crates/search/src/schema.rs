//! The fields of the index, the same on disk and in the hot tail.

use std::sync::LazyLock;

use tantivy::schema::{
    Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::{TantivyDocument, Term};

use crate::document::{Document, Key, MessageKey};
use crate::query::DocumentKind;
use crate::tokens::{DISTINCT_TOKENIZER, TOKENIZER};

/// The names of the columns that are read for each hit.
pub(crate) const NUMBER: &str = "number";
pub(crate) const NODE: &str = "node";
pub(crate) const FAMILY: &str = "family";
pub(crate) const TIME: &str = "time";
pub(crate) const SPEAKER: &str = "speaker";

/// The fields. No text is stored: it is read back from the session files.
pub(crate) struct Fields {
    pub(crate) schema: Schema,
    pub(crate) body: Field,
    pub(crate) detail: Field,
    pub(crate) project: Field,
    pub(crate) files: Field,
    pub(crate) tools: Field,
    pub(crate) model: Field,
    pub(crate) node_type: Field,
    pub(crate) outcome: Field,
    /// Words of ours for what a document is: `message` or `node`, and who speaks.
    pub(crate) kind: Field,
    family: Field,
    number: Field,
    node: Field,
    time: Field,
    speaker: Field,
}

pub(crate) static FIELDS: LazyLock<Fields> = LazyLock::new(Fields::new);

impl Fields {
    fn new() -> Self {
        let text = |tokenizer: &str, option: IndexRecordOption, lengths: bool| {
            let indexing = TextFieldIndexing::default()
                .set_tokenizer(tokenizer)
                .set_index_option(option)
                .set_fieldnorms(lengths);
            TextOptions::default().set_indexing_options(indexing)
        };
        let positions = IndexRecordOption::WithFreqsAndPositions;
        // Where words stand in what tools print would take as much room as all that people and models say. That they stand
        // in a row is looked up in the text. Frequencies are all 1, but without them tantivy skips nothing.
        let detailed = text(DISTINCT_TOKENIZER, IndexRecordOption::WithFreqs, true);
        // The length of a text matters for ranking only, and filters do not rank.
        let filter = text(TOKENIZER, positions, false);
        let column = NumericOptions::default().set_fast();
        let key = column.clone().set_indexed();
        let mut builder = Schema::builder();
        let body = builder.add_text_field("body", text(TOKENIZER, positions, true));
        let detail = builder.add_text_field("detail", detailed);
        let [project, files, tools, model, node_type, outcome] =
            ["project", "files", "tools", "model", "node_type", "outcome"]
                .map(|name| builder.add_text_field(name, filter.clone()));
        let kind = builder.add_text_field("kind", text(TOKENIZER, IndexRecordOption::Basic, false));
        let [family, number, node] =
            [FAMILY, NUMBER, NODE].map(|name| builder.add_u64_field(name, key.clone()));
        let time = builder.add_i64_field(TIME, column.clone());
        let speaker = builder.add_u64_field(SPEAKER, column);
        let schema = builder.build();
        Self {
            schema,
            body,
            detail,
            project,
            files,
            tools,
            model,
            node_type,
            outcome,
            kind,
            family,
            number,
            node,
            time,
            speaker,
        }
    }

    /// Returns the terms that only the document with this key has all of.
    pub(crate) fn key(&self, key: Key) -> Vec<Term> {
        match key {
            Key::Message(MessageKey { family, number }) => {
                vec![self.family(family), Term::from_field_u64(self.number, number.into())]
            }
            Key::Node(number) => vec![Term::from_field_u64(self.node, number)],
        }
    }

    /// Returns the term of the documents of a family.
    pub(crate) fn family(&self, family: u32) -> Term {
        Term::from_field_u64(self.family, u64::from(family))
    }

    /// Calls `take` with every text of a document and the field it belongs to.
    pub(crate) fn texts<'a>(&self, document: &'a Document, mut take: impl FnMut(Field, &'a str)) {
        take(self.body, &document.body);
        take(self.detail, &document.detail);
        document.files.iter().for_each(|file| take(self.files, file));
        document.tools.iter().for_each(|tool| take(self.tools, tool));
        let optional = [
            (self.project, &document.project),
            (self.model, &document.model),
            (self.node_type, &document.node_type),
            (self.outcome, &document.outcome),
        ];
        for (field, text) in optional {
            if let Some(text) = text {
                take(field, text);
            }
        }
        let kind = match document.key {
            Key::Message(_) => DocumentKind::Message,
            Key::Node(_) => DocumentKind::Node,
        };
        take(self.kind, kind.as_str());
        if let Some(speaker) = document.speaker {
            take(self.kind, speaker.as_str());
        }
    }

    pub(crate) fn document(&self, document: &Document) -> TantivyDocument {
        let mut fields = TantivyDocument::default();
        self.texts(document, |field, text| {
            if !text.is_empty() {
                fields.add_text(field, text);
            }
        });
        match document.key {
            Key::Message(MessageKey { family, number }) => {
                fields.add_u64(self.family, family.into());
                fields.add_u64(self.number, number.into());
            }
            Key::Node(number) => fields.add_u64(self.node, number),
        }
        if let Some(time) = document.time {
            fields.add_i64(self.time, time.0);
        }
        if let Some(speaker) = document.speaker {
            fields.add_u64(self.speaker, speaker as u64);
        }
        fields
    }
}
