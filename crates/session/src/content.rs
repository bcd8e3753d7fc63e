//! What a message says: its content as blocks, and the little facts hidden in them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::Serialize;

use crate::json::Raw;

/// A piece of a message's content.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are pi's own")]
pub enum Block<'a> {
    Text(Cow<'a, str>),
    Thinking(Cow<'a, str>),
    ToolCall {
        id: Option<Cow<'a, str>>,
        name: Cow<'a, str>,
        arguments: Option<Raw<'a>>,
    },
    /// An image of so many bytes; its data stays where it is.
    Image {
        mime_type: Option<Cow<'a, str>>,
        size: usize,
    },
    /// A kind of block this version does not know.
    Other(Raw<'a>),
}

/// Takes content apart, be it a string or a list of blocks.
pub fn blocks(content: Raw<'_>) -> impl Iterator<Item = Block<'_>> {
    let whole = content.as_str().map(Block::Text);
    whole.into_iter().chain(content.items().map(block))
}

fn block(raw: Raw<'_>) -> Block<'_> {
    // One walk over the members: a block can be megabytes of text.
    let [mut kind, mut text, mut thinking, mut id, mut name] = [None; 5];
    let [mut arguments, mut mime_type, mut data] = [None; 3];
    for member in raw.members() {
        match &*member.key {
            "type" => kind = Some(member.value),
            "text" => text = Some(member.value),
            "thinking" => thinking = Some(member.value),
            "id" => id = Some(member.value),
            "name" => name = Some(member.value),
            "arguments" => arguments = Some(member.value),
            "mimeType" => mime_type = Some(member.value),
            "data" => data = Some(member.value),
            _ => {}
        }
    }
    match kind.and_then(Raw::as_str).as_deref() {
        Some("text") => Block::Text(text.and_then(Raw::as_str).unwrap_or_default()),
        Some("thinking") => Block::Thinking(thinking.and_then(Raw::as_str).unwrap_or_default()),
        Some("toolCall") => Block::ToolCall {
            id: id.and_then(Raw::as_str),
            name: name.and_then(Raw::as_str).unwrap_or_default(),
            arguments,
        },
        Some("image") => Block::Image {
            mime_type: mime_type.and_then(Raw::as_str),
            // Four characters of base64, between quotes, stand for three bytes.
            size: data.map_or(0, |data| data.bytes().len().saturating_sub(2) / 4 * 3),
        },
        _ => Block::Other(raw),
    }
}

/// Returns the text of a message's content, its text blocks joined by `separator`.
pub fn text_of(content: Raw<'_>, separator: &str) -> String {
    let texts: Vec<Cow<'_, str>> = blocks(content)
        .filter_map(|block| match block {
            Block::Text(text) => Some(text),
            _ => None,
        })
        .collect();
    texts.join(separator)
}

/// The files that tool calls read and changed, as pi's summaries list them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileLists {
    /// Files that were read and not changed.
    pub read_files: Vec<String>,
    /// Files that were written or edited.
    pub modified_files: Vec<String>,
}

impl FileLists {
    /// Returns the lists in the form that pi appends to summaries; empty if there are no files.
    pub fn to_blocks(&self) -> String {
        let block = |tag: &str, files: &[String]| match files {
            [] => String::new(),
            files => format!("\n\n<{tag}>\n{}\n</{tag}>", files.join("\n")),
        };
        block("read-files", &self.read_files) + &block("modified-files", &self.modified_files)
    }
}

/// Collects the files that a run of messages touched.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileOperations {
    read: BTreeSet<String>,
    modified: BTreeSet<String>,
}

impl FileOperations {
    /// Takes in the tool calls of an answer, or those that a script made inside a tool.
    pub(crate) fn add_message(&mut self, message: Raw<'_>) {
        match message.get_str("role").as_deref() {
            Some("assistant") => {
                for block in message.get("content").into_iter().flat_map(blocks) {
                    if let Block::ToolCall { name, arguments, .. } = block {
                        self.add_call(&name, arguments);
                    }
                }
            }
            Some("toolResult") => {
                let calls = message.get("nestedCalls").and_then(|nested| nested.get("calls"));
                for call in calls.into_iter().flat_map(Raw::items) {
                    self.add_call(&call.get_str("name").unwrap_or_default(), call.get("arguments"));
                }
            }
            _ => {}
        }
    }

    fn add_call(&mut self, tool: &str, arguments: Option<Raw<'_>>) {
        let path = arguments.and_then(|arguments| arguments.get_str("path"));
        let Some(path) = path.filter(|path| !path.is_empty()) else { return };
        match tool {
            "read" => self.read.insert(path.into_owned()),
            "write" | "edit" => self.modified.insert(path.into_owned()),
            _ => false,
        };
    }

    /// Takes in the lists of an earlier summary.
    pub(crate) fn add_details(&mut self, details: Raw<'_>) {
        let files = |key: &str| {
            let list = details.get(key).into_iter().flat_map(Raw::items);
            list.filter_map(|path| path.as_str().map(Cow::into_owned)).collect::<Vec<_>>()
        };
        self.read.extend(files("readFiles"));
        self.modified.extend(files("modifiedFiles"));
    }

    pub(crate) fn into_lists(self) -> FileLists {
        let read_files = self.read.difference(&self.modified).cloned().collect();
        FileLists { read_files, modified_files: self.modified.into_iter().collect() }
    }
}
