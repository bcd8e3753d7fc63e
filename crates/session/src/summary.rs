//! Summaries of what a branch or a long context held, made from the text alone, without a model.

use std::io;

use serde::Serialize;

use crate::content::{Block, FileLists, FileOperations, blocks, text_of};
use crate::context::Selected;
use crate::entry::{Body, EntryId, Role};
use crate::json::Raw;
use crate::session::Session;
use crate::tree::Tree;

/// Who wrote a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SummarySource {
    /// A person.
    User,
    /// A language model.
    Model,
    /// pi-brain itself, from the text alone.
    BuiltIn,
}

/// What stands in `details` of the summaries we write: pi's file lists, and where the text is from.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SummaryDetails<'a> {
    /// The files, in the fields that pi reads.
    #[serde(flatten)]
    pub files: &'a FileLists,
    /// Who wrote the summary.
    pub source: SummarySource,
    /// The leaf that was left, on branch summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abandoned_leaf_id: Option<&'a EntryId>,
    /// Why it was left, if somebody said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
    /// What a summary was asked to look at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<&'a str>,
}

/// What is left behind when the leaf moves.
#[derive(Debug, PartialEq, Eq)]
pub struct Abandoned {
    /// The last entry that the old and the new path share.
    pub common_ancestor: Option<usize>,
    /// The entries after it up to the old leaf, oldest first.
    pub entries: Vec<usize>,
}

impl Abandoned {
    /// Finds what going from one leaf to another entry leaves behind.
    pub fn new(tree: &Tree, old_leaf: usize, target: Option<usize>) -> Self {
        let common_ancestor = target.and_then(|target| tree.common_ancestor(old_leaf, target));
        let path = std::iter::successors(Some(old_leaf), |&at| tree.parent(at));
        let mut entries: Vec<usize> = path.take_while(|&at| Some(at) != common_ancestor).collect();
        entries.reverse();
        Self { common_ancestor, entries }
    }
}

/// The conversation of some entries, ready to be summarised.
#[derive(Debug, Default)]
pub struct Conversation {
    messages: Vec<String>,
    /// The files that were touched.
    pub files: FileLists,
}

impl Session {
    /// Gathers what was said and done in some entries, with the files that earlier summaries name.
    pub fn conversation(&self, entries: &[usize]) -> io::Result<Conversation> {
        let mut messages = Vec::new();
        let mut files = FileOperations::default();
        for &at in entries {
            let entry = &self.log().entries()[at];
            if entry.role() == Some(&Role::System) {
                continue;
            }
            if let Body::BranchSummary { from_hook: false, .. } = &entry.body
                && let Some(details) = self.entry_raw(at)?.raw().get("details")
            {
                files.add_details(details);
            }
            for message in self.project(Selected { entry: at, edit: None, silent: false })? {
                files.add_message(message.raw()?);
                messages.push(message.raw()?.text().into_owned());
            }
        }
        Ok(Conversation { messages, files: files.into_lists() })
    }
}

impl Conversation {
    /// Takes messages that are already in a model's form.
    pub fn from_messages<'a>(messages: impl Iterator<Item = Raw<'a>>, files: FileLists) -> Self {
        Self { messages: messages.map(|message| message.text().into_owned()).collect(), files }
    }

    /// Writes the conversation out as plain text, for a person or a model to summarise.
    pub fn to_text(&self) -> String {
        let parts: Vec<String> = self.raw_messages().filter_map(written_out).collect();
        parts.join("\n\n")
    }

    /// Makes a summary without a model: the goal, what was tried, what failed, and the last state.
    ///
    /// `focus` are words of the person that say what matters; sentences that speak of it are quoted.
    pub fn summarize(&self, earlier: Option<&str>, focus: Option<&str>) -> String {
        let facts = Facts::gather(self.raw_messages());
        let mut sections = Vec::new();
        if let Some(earlier) = earlier {
            sections.push(format!("## Earlier\n{}", shorten(earlier, 4000)));
        }
        sections.extend(facts.goal().map(|goal| format!("## Goal\n{goal}")));
        let list = |title: &str, items: Vec<String>| {
            let lines: Vec<String> = items.iter().map(|item| format!("- {item}")).collect();
            (!lines.is_empty()).then(|| format!("## {title}\n{}", lines.join("\n")))
        };
        sections.extend(list("What was tried", facts.tried()));
        sections.extend(list("What failed", newest(&facts.failures, 6)));
        if let Some(focus) = focus {
            sections.extend(list(
                &format!("On “{}”", shorten_line(focus, 80)),
                facts.sentences_on(focus),
            ));
        }
        sections.extend(
            facts.answers.last().map(|text| format!("## Last state\n{}", shorten(text, 800))),
        );
        if sections.is_empty() {
            sections.push("Nothing was said here.".to_owned());
        }
        sections.join("\n\n") + &self.files.to_blocks()
    }

    fn raw_messages(&self) -> impl Iterator<Item = Raw<'_>> {
        self.messages.iter().filter_map(|json| Raw::parse(json.as_bytes()))
    }
}

/// What can be read off a conversation without understanding it.
#[derive(Default)]
struct Facts {
    requests: Vec<String>,
    commands: Vec<String>,
    tools: Vec<(String, usize)>,
    failures: Vec<String>,
    summaries: Vec<String>,
    answers: Vec<String>,
}

impl Facts {
    fn gather<'a>(messages: impl Iterator<Item = Raw<'a>>) -> Self {
        let mut facts = Self::default();
        for message in messages {
            facts.add(message);
        }
        facts
    }

    fn add(&mut self, message: Raw<'_>) {
        let text =
            || message.get("content").map(|content| text_of(content, "\n")).unwrap_or_default();
        let summary = message.get_str("summary").map(std::borrow::Cow::into_owned);
        match message.get_str("role").as_deref() {
            Some("user") => {
                self.requests.extend(Some(text()).filter(|text| !text.trim().is_empty()));
            }
            Some("assistant") => {
                self.answers.extend(Some(text()).filter(|text| !text.trim().is_empty()));
                self.failures
                    .extend(message.get_str("errorMessage").map(|error| first_line(&error)));
                for block in message.get("content").into_iter().flat_map(blocks) {
                    if let Block::ToolCall { name, arguments, .. } = block {
                        self.count_tool(&first_line(&name));
                        let command = arguments.and_then(|arguments| arguments.get_str("command"));
                        self.commands.extend(command.map(|command| first_line(&command)));
                    }
                }
            }
            Some("toolResult") if message.get("isError").and_then(Raw::as_bool) == Some(true) => {
                let tool = first_line(&message.get_str("toolName").unwrap_or_default());
                self.failures.push(format!("{tool}: {}", telling_line(&text())));
            }
            Some("bashExecution") => {
                let command = message.get_str("command").unwrap_or_default();
                self.commands.push(first_line(&command));
                let code = message.get("exitCode").and_then(Raw::as_f64).unwrap_or(0.0);
                if code != 0.0 {
                    self.failures.push(format!("`{}` ended with {code}", first_line(&command)));
                }
            }
            _ => self.summaries.extend(summary),
        }
    }

    fn count_tool(&mut self, name: &str) {
        match self.tools.iter_mut().find(|(known, _)| known == name) {
            Some((_, count)) => *count += 1,
            None => self.tools.push((name.to_owned(), 1)),
        }
    }

    fn goal(&self) -> Option<String> {
        let summarized = || self.summaries.first().map(|summary| shorten(summary, 1500));
        self.requests.first().map(|request| shorten(request, 600)).or_else(summarized)
    }

    fn tried(&self) -> Vec<String> {
        let later = self
            .requests
            .iter()
            .skip(1)
            .map(|request| format!("asked: {}", shorten_line(request, 160)));
        let mut tried: Vec<String> = newest(&later.collect::<Vec<_>>(), 10);
        let mut commands = self.commands.clone();
        commands.dedup();
        tried.extend(newest(&commands, 8).into_iter().map(|command| format!("ran `{command}`")));
        let tools: Vec<String> =
            self.tools.iter().map(|(name, count)| format!("{name} ×{count}")).collect();
        if !tools.is_empty() {
            tried.push(format!("tools: {}", tools.join(", ")));
        }
        tried
    }

    /// Quotes the sentences that share a word with what the person asked to look at.
    fn sentences_on(&self, focus: &str) -> Vec<String> {
        let words = |text: &str| -> Vec<String> {
            let words = text.split(|character: char| !character.is_alphanumeric());
            words.filter(|word| word.chars().count() > 3).map(str::to_lowercase).collect()
        };
        let wanted = words(focus);
        let said = self.requests.iter().chain(&self.answers);
        let sentences = said.flat_map(|text| text.split_inclusive(['.', '!', '?', '\n']));
        let about =
            sentences.filter(|sentence| words(sentence).iter().any(|word| wanted.contains(word)));
        let mut quoted: Vec<String> = about.map(|sentence| shorten_line(sentence, 240)).collect();
        quoted.dedup();
        newest(&quoted, 8)
    }
}

fn newest(items: &[String], most: usize) -> Vec<String> {
    items[items.len().saturating_sub(most)..].to_vec()
}

fn first_line(text: &str) -> String {
    shorten_line(text.trim().lines().next().unwrap_or_default(), 160)
}

/// Returns the line of a tool's output that says what went wrong, else the first one.
fn telling_line(text: &str) -> String {
    let tells = |line: &&str| {
        let line = line.to_lowercase();
        ["error", "failed", "not found", "no such", "denied", "panic"]
            .iter()
            .any(|word| line.contains(word))
    };
    text.lines().find(tells).map_or_else(|| first_line(text), first_line)
}

/// Cuts a text at a word, with an ellipsis; its lines stay.
fn shorten(text: &str, most: usize) -> String {
    let text = text.trim();
    let Some((end, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let cut = text[..end].rfind(char::is_whitespace).filter(|&at| at > end / 2).unwrap_or(end);
    format!("{}…", text[..cut].trim_end())
}

/// Puts a text on one line and cuts it at a word.
fn shorten_line(text: &str, most: usize) -> String {
    shorten(&text.split_whitespace().collect::<Vec<_>>().join(" "), most)
}

fn written_out(message: Raw<'_>) -> Option<String> {
    const LONGEST_RESULT: usize = 2000;
    let text = || message.get("content").map(|content| text_of(content, "\n")).unwrap_or_default();
    let said =
        |who: &str, what: String| (!what.trim().is_empty()).then(|| format!("[{who}]: {what}"));
    match message.get_str("role").as_deref() {
        Some("assistant") => {
            let calls =
                message.get("content").into_iter().flat_map(blocks).filter_map(
                    |block| match block {
                        Block::ToolCall { name, arguments, .. } => Some(format!(
                            "{name}({})",
                            arguments.map(Raw::text).unwrap_or_default()
                        )),
                        _ => None,
                    },
                );
            let calls: Vec<String> = calls.collect();
            let parts = [said("Assistant", text()), said("Assistant calls", calls.join("; "))];
            Some(parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n"))
                .filter(|text| !text.is_empty())
        }
        Some("toolResult") => said("Tool result", shorten(&text(), LONGEST_RESULT)),
        Some("bashExecution") => {
            let field = |key: &str| message.get_str(key).unwrap_or_default();
            said(
                "User ran",
                format!("{}\n{}", field("command"), shorten(&field("output"), LONGEST_RESULT)),
            )
        }
        Some("user" | "custom") => said("User", text()),
        _ => message.get_str("summary").and_then(|summary| said("Summary", summary.into_owned())),
    }
}

#[cfg(test)]
mod tests;
