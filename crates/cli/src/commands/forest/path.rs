//! `pi-brain forest path`: a conversation to read.

use std::io::Write;
use std::sync::Arc;

use anstyle::Style;
use pi_brain_app::MessageView;
use pi_brain_forest::{Block, Forest, Message, Node, Object, Role, SourceInfo, Store};
use pi_brain_session::Raw;
use serde_json::Value;

use super::open;
use super::outline::Marks;
use super::place::{find, name, names};
use super::roots::title;
use super::words::{call_argument, custom_text, is_for_the_model, line_of, member};
use crate::args::PathOptions;
use crate::commands::print_json;
use crate::commands::transcript::{write_head, write_lines};
use crate::describe::{ANSWER, BOLD, DIM, FAILURE, NOTE, USER, clean, one_line};
use crate::pager::Output;
use crate::table::{count, dollars};

pub(super) fn run(options: &PathOptions) -> anyhow::Result<()> {
    let forest = open()?;
    let to = find(&forest, &options.place)?;
    let from = options.from.as_ref().map(|from| find(&forest, from)).transpose()?;
    let path = forest.path(from, to)?;
    if options.output.json {
        let list: anyhow::Result<Vec<Value>> =
            path.iter().map(|node| to_json(&forest, node)).collect();
        return print_json(&list?);
    }
    let mut out = Output::open(!options.no_pager, None);
    let transcript = Transcript::new(&forest, options.full, options.thinking)?;
    let title = title(&forest, to)?;
    let written = transcript.write_all(&mut out, &title, &path);
    out.finish()?;
    written
}

/// Returns everything that is known about a message.
pub(super) fn to_json<S: Store>(forest: &Forest<S>, node: &Node) -> anyhow::Result<Value> {
    Ok(serde_json::to_value(MessageView::new(forest, node.id)?)?)
}

struct Transcript<'a, S> {
    forest: &'a Forest<S>,
    marks: Marks,
    full: bool,
    thinking: bool,
}

impl<'a, S: Store> Transcript<'a, S> {
    fn new(forest: &'a Forest<S>, full: bool, thinking: bool) -> anyhow::Result<Self> {
        Ok(Self { forest, marks: Marks::new(forest)?, full, thinking })
    }

    fn write_all(
        &self,
        out: &mut impl Write,
        title: &str,
        path: &[Arc<Node>],
    ) -> anyhow::Result<()> {
        writeln!(out, "{BOLD}{title}{BOLD:#}")?;
        if path.is_empty() {
            writeln!(out, "Nothing was said yet.")?;
        }
        path.iter().try_for_each(|node| self.write(out, node))
    }

    fn write(&self, out: &mut impl Write, node: &Node) -> anyhow::Result<()> {
        let message = self.forest.store().message(node.id)?;
        if is_for_the_model(self.forest, node.id, &message)? {
            return self.write_other_ways(out, node);
        }
        match (node.role, message.content()) {
            (Role::User, [Block::Other(members)]) => self.write_entry(out, node, members)?,
            (Role::User, _) => {
                self.write_node_head(out, node, "you", USER)?;
                self.write_content(out, &message)?;
            }
            (Role::Assistant, _) => {
                let Answer { who, failure } = self.answer(node)?;
                self.write_node_head(out, node, &who, ANSWER)?;
                self.write_content(out, &message)?;
                if let Some(failure) = failure {
                    writeln!(out, "{FAILURE}{failure}{FAILURE:#}")?;
                }
            }
            (Role::Tool, _) => self.write_result(out, node, &message)?,
        }
        self.write_other_ways(out, node)
    }

    fn write_node_head(
        &self,
        out: &mut impl Write,
        node: &Node,
        who: &str,
        style: Style,
    ) -> anyhow::Result<()> {
        Ok(write_head(out, who, node.metadata.created, &self.name_with_notes(node), style)?)
    }

    fn name_with_notes(&self, node: &Node) -> String {
        let title = node.metadata.title.iter().map(|title| format!("“{title}”"));
        let tags = node.metadata.tags.iter().map(|tag| format!("#{tag}"));
        let parts = [name(node.id)].into_iter().chain(title);
        parts.chain(self.marks.titles_of(node.id)).chain(tags).collect::<Vec<_>>().join(" ")
    }

    /// Writes what pi keeps in a form of its own.
    fn write_entry(
        &self,
        out: &mut impl Write,
        node: &Node,
        members: &Object,
    ) -> anyhow::Result<()> {
        let text = |key: &str| clean(member(members, key).trim_end());
        let as_note = |text: String| format!("{NOTE}{text}{NOTE:#}");
        match &*member(members, "type") {
            "shell" => {
                self.write_node_head(out, node, "you ran", USER)?;
                writeln!(out, "$ {}", text("command"))?;
                write_lines(out, &text("output"), self.full, DIM)?;
            }
            "custom" => {
                let who = one_line(&member(members, "customType"));
                self.write_node_head(out, node, &who, NOTE)?;
                writeln!(out, "{}", as_note(clean(custom_text(members).trim_end())))?;
            }
            "compaction" => {
                self.write_node_head(out, node, "compaction", NOTE)?;
                writeln!(out, "{}", as_note(text("summary")))?;
            }
            "branch-summary" => {
                self.write_node_head(out, node, "came back from another branch", NOTE)?;
                writeln!(out, "{}", as_note(text("summary")))?;
            }
            _ => {
                self.write_node_head(out, node, "you", USER)?;
                self.write_block(out, members)?;
            }
        }
        Ok(())
    }

    fn write_content(&self, out: &mut impl Write, message: &Message) -> anyhow::Result<()> {
        for block in message.content() {
            match block {
                Block::Text(text) => writeln!(out, "{}", clean(text.trim_end()))?,
                Block::ToolUse(call) => {
                    let argument = if self.full {
                        Value::Object(call.parameters.clone()).to_string()
                    } else {
                        call_argument(call)
                    };
                    let tool = one_line(&call.name);
                    writeln!(out, "{ANSWER}→ {tool}{ANSWER:#} {}", clean(&argument))?;
                }
                Block::Other(members) => self.write_block(out, members)?,
            }
        }
        Ok(())
    }

    /// Writes a block that is neither text nor a tool call.
    fn write_block(&self, out: &mut impl Write, members: &Object) -> anyhow::Result<()> {
        let text = |key: &str| clean(member(members, key).trim_end());
        match &*member(members, "type") {
            "thinking" if !self.thinking => {}
            "thinking" => writeln!(out, "{DIM}{}{DIM:#}", text("thinking"))?,
            "image" => writeln!(out, "{DIM}[{}]{DIM:#}", one_line(&member(members, "mimeType")))?,
            "empty" => writeln!(out, "{DIM}(nothing){DIM:#}")?,
            _ => {
                let json = Value::Object(members.clone()).to_string();
                writeln!(out, "{DIM}{}{DIM:#}", clean(&json))?;
            }
        }
        Ok(())
    }

    fn write_result(
        &self,
        out: &mut impl Write,
        node: &Node,
        message: &Message,
    ) -> anyhow::Result<()> {
        let style = if message.is_error() { FAILURE } else { DIM };
        let mark = if message.is_error() { "✗" } else { "✓" };
        let tool = self.tool_of(node, message)?.unwrap_or_else(|| "tool".to_owned());
        let (tool, name) = (one_line(&tool), one_line(&self.name_with_notes(node)));
        writeln!(out, "{style}{mark} {tool}{style:#}  {DIM}{name}{DIM:#}")?;
        for block in message.content() {
            match block {
                Block::Text(text) => write_lines(out, &clean(text), self.full, style)?,
                Block::ToolUse(_) => {}
                Block::Other(members) => {
                    write!(out, "  ")?;
                    self.write_block(out, members)?;
                }
            }
        }
        Ok(())
    }

    /// Finds which tool a result comes from: the call stands a few messages before it.
    fn tool_of(&self, node: &Node, message: &Message) -> anyhow::Result<Option<String>> {
        const FURTHEST: usize = 100;
        let call = message.tool_call_id().unwrap_or_default();
        let mut at = node.parent;
        for _ in 0..FURTHEST {
            let Some(id) = at.node() else { break };
            let before = self.forest.store().message(id)?;
            if let Some(found) = before.tool_uses().find(|made| made.id == call) {
                return Ok(Some(found.name.clone()));
            }
            at = self.forest.node(id)?.parent;
        }
        Ok(None)
    }

    /// Finds out which model gave an answer, what it cost, and how it failed.
    fn answer(&self, node: &Node) -> anyhow::Result<Answer> {
        if let Some(SourceInfo::Model(model)) = &node.metadata.source {
            return Ok(Answer { who: one_line(&model.model_name), failure: None });
        }
        let line = line_of(self.forest, node.id)?;
        let said = line
            .as_ref()
            .and_then(|(entry, line)| Some((entry, Raw::parse(line)?.get("message")?)));
        let Some((entry, message)) = said else {
            return Ok(Answer { who: "assistant".to_owned(), failure: None });
        };
        let field = |key: &str| one_line(&message.get_str(key).unwrap_or_default());
        let usage = entry.usage.as_deref().copied().unwrap_or_default();
        let who = format!(
            "{}, {} tokens, {}",
            field("model"),
            count(usage.total_tokens),
            dollars(usage.cost)
        );
        let failure = message.get_str("errorMessage");
        let failure = failure.map(|error| format!("{}: {}", field("stopReason"), clean(&error)));
        Ok(Answer { who, failure })
    }

    /// Says where the conversation also went another way.
    fn write_other_ways(&self, out: &mut impl Write, node: &Node) -> anyhow::Result<()> {
        let children = self.forest.children(node.id.into())?;
        if children.len() > 1 {
            let ways: Vec<_> = children.iter().map(|child| child.id).collect();
            writeln!(out, "{DIM}⑂ goes on in several ways: {}{DIM:#}", names(&ways))?;
        }
        Ok(())
    }
}

struct Answer {
    who: String,
    failure: Option<String>,
}
