//! Tells a story: drives a [`SessionWriter`] through it, along the story's own clock.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use pi_brain_session::{
    Abandoned, EntryId, Millis, NewBranchSummary, NewCompaction, SessionFolder, SessionWriter,
    View, estimate_tokens,
};
use serde_json::value::{RawValue, to_raw_value};

use super::clock::StoryMint;
use super::make_private_folder;
use super::message::{Block, Message, Model, Sections, Usage};
use super::story::{Answer, Opening, Step, Story};
use super::tools::Run;

/// A story that has been told.
pub(super) struct Told {
    pub(super) path: PathBuf,
    /// The session it was forked from.
    pub(super) parent: Option<PathBuf>,
    pub(super) end: Millis,
    marks: HashMap<String, EntryId>,
}

/// Tells a story into a session file. `told` has those that it may be a fork of, by name.
pub(super) fn tell(
    name: &str,
    story: &Story<'_>,
    sessions: &SessionFolder,
    told: &HashMap<&str, Told>,
) -> anyhow::Result<Told> {
    let mint = StoryMint::new(name, story.start);
    let mut teller = match story.opening {
        Opening::Session { project, model, level } => {
            let cwd = format!("/home/dev/{project}");
            let folder = sessions.for_cwd(&cwd);
            make_private_folder(&folder)?;
            let writer = SessionWriter::create(&cwd, &folder, mint.clone());
            Teller::new(writer, mint, Model::find(model)?, level)
        }
        Opening::Fork { story, mark } => {
            let parent = told.get(story).with_context(|| format!("no story {story} before it"))?;
            let mark = parent.marks.get(mark).with_context(|| format!("{story} has no {mark}"))?;
            Teller::fork(&parent.path, mark, mint)?
        }
    };
    let parent = match story.opening {
        Opening::Session { .. } => {
            teller.begin()?;
            None
        }
        Opening::Fork { story, .. } => Some(told[story].path.clone()),
    };
    for step in &story.steps {
        teller.tell(step)?;
    }
    let path = teller.writer.path().unwrap_or(Path::new("")).to_owned();
    let last = teller.writer.session().log().entries().last();
    let end = last.and_then(|entry| entry.timestamp).context("a story has steps")?;
    Ok(Told { path, parent, end, marks: teller.marks })
}

struct Teller {
    writer: SessionWriter<StoryMint>,
    mint: StoryMint,
    marks: HashMap<String, EntryId>,
    model: &'static Model,
    level: String,
    /// What was said last, which a label without a mark is for.
    said: Option<EntryId>,
    /// Tokens of the prompt that the provider still knows, and since when.
    cached: (u32, Millis),
    /// How long the last answer takes to read.
    to_read: usize,
}

impl Teller {
    fn new(
        writer: SessionWriter<StoryMint>,
        mint: StoryMint,
        model: &'static Model,
        level: &str,
    ) -> Self {
        let cached = (0, mint.time());
        let level = level.to_owned();
        let marks = HashMap::new();
        Self { writer, mint, marks, model, level, said: None, cached, to_read: 0 }
    }

    /// Opens a copy of the path up to an entry, with the model and level in force there.
    fn fork(parent: &Path, at: &EntryId, mint: StoryMint) -> anyhow::Result<Self> {
        let mut writer = SessionWriter::open(parent, "", mint.clone())?;
        writer.create_branched_session(at)?;
        let session = writer.session();
        let tree = session.tree(View::AsPi);
        let context = session.context(&tree, tree.leaf())?;
        let model = context.model.context("a fork knows its model")?;
        let part = |part: &Option<std::sync::Arc<str>>| part.as_deref().unwrap_or("").to_owned();
        let model = Model::find(&format!("{}/{}", part(&model.provider), part(&model.model_id)))?;
        Ok(Self::new(writer, mint, model, &context.thinking_level))
    }

    /// Writes what pi writes before the first question.
    fn begin(&mut self) -> anyhow::Result<()> {
        self.mint.wait(200, 400);
        self.writer.append_model_change(self.model.provider, self.model.id)?;
        self.writer.append_thinking_level_change(&self.level)?;
        self.mint.wait(20_000, 70_000);
        let cwd = self.writer.session().header().cwd.as_deref().unwrap_or_default();
        let sections = Sections {
            preamble: "You work inside pi, a coding agent for the terminal. You read, run and change \
                       things in the project that you were started in, and say what you did.",
            tools: "<tools>\n- read: Look at a file\n- bash: Run a command\n- edit: Replace exact text \
                    in a file\n- write: Make a file, or replace all of it\n</tools>",
            rules: "<rules>\n- Look before you change something\n- Prefer edit to write for files that \
                    exist\n- Say plainly when something failed\n- Be short\n</rules>",
            cwd: format!("<cwd>\n{cwd}\n</cwd>"),
        };
        let timestamp = self.mint.time().0;
        self.append(&Message::System { content: "", sections, timestamp })?;
        Ok(())
    }

    fn tell(&mut self, step: &Step<'_>) -> anyhow::Result<()> {
        match *step {
            Step::User { text, has_image } => self.user(text, has_image)?,
            Step::Answer(ref answer) => self.answer(answer)?,
            Step::Error(error) => self.failed_answer("", "error", error)?,
            Step::Aborted(text) => self.failed_answer(text, "aborted", "Request was aborted.")?,
            Step::Shell { command, output, code, is_hidden } => {
                self.mint.wait(8000, 40_000);
                let output = if output.is_empty() { String::new() } else { format!("{output}\n") };
                self.append(&Message::BashExecution {
                    command,
                    output,
                    exit_code: code,
                    cancelled: false,
                    truncated: false,
                    timestamp: self.mint.time().0,
                    exclude_from_context: is_hidden.then_some(true),
                })?;
            }
            Step::Mark(name) => {
                let said = self.said.clone().context("nothing was said yet")?;
                self.marks.insert(name.to_owned(), said);
            }
            Step::Label { mark, text } => {
                self.mint.wait(3000, 9000);
                let target = match mark {
                    Some(mark) => self.marked(mark)?,
                    None => self.said.clone().context("nothing was said yet")?,
                };
                self.writer.append_label_change(&target, Some(text))?;
            }
            Step::Name(name) => {
                self.mint.wait(4000, 12_000);
                self.writer.append_session_info(name)?;
            }
            Step::Branch { to, summary } => self.branch(to, summary)?,
            Step::Compact { keep, summary } => self.compact(keep, summary)?,
            Step::Model(name) => {
                self.mint.wait(2000, 6000);
                self.model = Model::find(name)?;
                self.cached.0 = 0;
                self.writer.append_model_change(self.model.provider, self.model.id)?;
            }
            Step::Thinking(level) => {
                self.mint.wait(1000, 3000);
                level.clone_into(&mut self.level);
                self.writer.append_thinking_level_change(level)?;
            }
            Step::Pause { millis } => self.mint.wait(millis, millis + 20_000),
            Step::At(time) => self.mint.go_to(time)?,
            Step::Note { kind, text } => {
                self.mint.wait(300, 900);
                let content = to_raw_value(text)?;
                let id = self.writer.append_custom_message_entry(kind, &content, true, None)?;
                self.said = Some(id);
            }
            Step::State { kind, json } => {
                self.mint.wait(500, 1500);
                let data: &RawValue = serde_json::from_str(json)?;
                self.writer.append_custom_entry(kind, Some(data))?;
            }
        }
        Ok(())
    }

    fn user(&mut self, text: &str, has_image: bool) -> anyhow::Result<()> {
        // People read faster than they type, and do neither for ever.
        let pause = (self.to_read * 60).min(150_000) + (text.len() * 300).min(180_000);
        let pause = i64::try_from(pause)?;
        self.mint.wait(pause + 12_000, pause + 170_000);
        let mut content = vec![Block::text(text)];
        content.extend(has_image.then(Block::picture));
        let timestamp = self.mint.time().0;
        self.mint.wait(2, 15);
        self.append(&Message::User { content, timestamp })
    }

    fn answer(&mut self, answer: &Answer<'_>) -> anyhow::Result<()> {
        let mut content = Vec::new();
        if !answer.thinking.is_empty() {
            content.push(Block::Thinking { thinking: answer.thinking });
        }
        if !answer.text.is_empty() {
            content.push(Block::text(answer.text));
        }
        let mut runs = Vec::new();
        for call in &answer.calls {
            let run =
                Run::of(call).with_context(|| format!("at `{} {}`", call.tool, call.subject))?;
            let id = self.mint.id(self.model.id_prefixes.0);
            let arguments = run.arguments.clone();
            content.push(Block::ToolCall { id: id.clone(), name: call.tool, arguments });
            runs.push((id, call, run));
        }
        self.to_read = answer.text.len();
        let stop_reason = if runs.is_empty() { "stop" } else { "toolUse" };
        self.append_answer(content, stop_reason, None)?;
        for (tool_call_id, call, run) in runs {
            let started = self.mint.time().0;
            match (call.millis, call.tool) {
                (Some(millis), _) => self.mint.wait(millis, millis + 900),
                (None, "bash") => self.mint.wait(150, 25_000),
                (None, _) => self.mint.wait(4, 60),
            }
            let timestamp = self.mint.time().0;
            self.append(&Message::ToolResult {
                tool_call_id,
                tool_name: call.tool,
                content: run.content,
                details: run.details,
                is_error: call.failed.is_some(),
                duration_ms: timestamp - started,
                timestamp,
            })?;
        }
        Ok(())
    }

    fn failed_answer(&mut self, text: &str, stop_reason: &str, error: &str) -> anyhow::Result<()> {
        let content = if text.is_empty() { Vec::new() } else { vec![Block::text(text)] };
        self.append_answer(content, stop_reason, Some(error))
    }

    fn append_answer(
        &mut self,
        content: Vec<Block<'_>>,
        stop_reason: &str,
        error_message: Option<&str>,
    ) -> anyhow::Result<()> {
        let started = self.mint.time().0;
        let output = content.iter().map(Block::tokens).sum::<u32>() + 9;
        let pause = i64::from(output) * 22;
        self.mint.wait(pause + 2000, pause + 7000);
        // A request that failed is not paid for.
        let usage = if error_message.is_none() { self.spend(output)? } else { Usage::default() };
        let response_id = error_message.is_none().then(|| self.mint.id(self.model.id_prefixes.1));
        let level = self.level.clone();
        let message = Message::Assistant {
            content,
            api: self.model.api,
            provider: self.model.provider,
            model: self.model.id,
            usage,
            stop_reason,
            timestamp: started,
            error_message,
            response_id,
            duration_ms: self.mint.time().0 - started,
            thinking_level: &level,
        };
        self.append(&message)
    }

    fn branch(&mut self, to: &str, summary: &str) -> anyhow::Result<()> {
        self.mint.wait(6000, 30_000);
        let target = self.marked(to)?;
        self.cached.0 = self.cached.0.min(PROMPT_OVERHEAD);
        if summary.is_empty() {
            return Ok(self.writer.branch(&target)?);
        }
        let session = self.writer.session();
        let tree = session.tree(View::AsPi);
        let find = |id: &EntryId| tree.find(id.as_str());
        let leaf = self.writer.leaf().and_then(find).context("there is a leaf to leave")?;
        let abandoned = Abandoned::new(&tree, leaf, find(&target));
        let files = session.conversation(&abandoned.entries)?.files;
        let summary = format!(
            "The user explored a different conversation branch before returning here.\nSummary of \
             that exploration:\n\n{summary}{}",
            files.to_blocks()
        );
        let usage = to_raw_value(&self.spend_on_summary(&summary)?)?;
        let details = to_raw_value(&files)?;
        let new = NewBranchSummary {
            summary: &summary,
            details: Some(&details),
            usage: Some(&usage),
            from_hook: Some(false),
        };
        self.said = Some(self.writer.branch_with_summary(Some(&target), new)?);
        Ok(())
    }

    fn compact(&mut self, keep: &str, summary: &str) -> anyhow::Result<()> {
        self.mint.wait(5000, 15_000);
        let first_kept = self.marked(keep)?;
        let session = self.writer.session();
        let tree = session.tree(View::AsPi);
        let kept = tree.find(first_kept.as_str()).context("what is kept is in the session")?;
        let before: Vec<usize> = tree.branch(kept).into_iter().filter(|&at| at != kept).collect();
        let files = session.conversation(&before)?.files;
        let summary = format!("{summary}{}", files.to_blocks());
        let tokens_before = u64::from(self.prompt()?);
        let usage = to_raw_value(&self.spend_on_summary(&summary)?)?;
        let details = to_raw_value(&files)?;
        self.cached.0 = PROMPT_OVERHEAD;
        let new = NewCompaction {
            summary: &summary,
            first_kept: Some(&first_kept),
            tokens_before,
            details: Some(&details),
            usage: Some(&usage),
            from_hook: Some(false),
        };
        self.said = Some(self.writer.append_compaction(new)?);
        Ok(())
    }

    fn append(&mut self, message: &Message<'_>) -> anyhow::Result<()> {
        self.said = Some(self.writer.append_message(&to_raw_value(message)?)?);
        Ok(())
    }

    fn marked(&self, name: &str) -> anyhow::Result<EntryId> {
        self.marks.get(name).cloned().with_context(|| format!("nothing is marked {name}"))
    }

    /// Estimates the tokens of a request at the leaf.
    fn prompt(&self) -> anyhow::Result<u32> {
        let session = self.writer.session();
        let tree = session.tree(View::AsPi);
        let leaf = self.writer.leaf().and_then(|leaf| tree.find(leaf.as_str()));
        let mut tokens = u64::from(PROMPT_OVERHEAD);
        for message in &session.context(&tree, leaf)?.messages {
            tokens += estimate_tokens(message.raw()?);
        }
        Ok(u32::try_from(tokens)?)
    }

    /// Pays for an answer. Providers forget a prompt five minutes after they last saw it.
    fn spend(&mut self, output: u32) -> anyhow::Result<Usage> {
        const FORGOTTEN: i64 = 5 * 60 * 1000;
        let (known, since) = self.cached;
        let now = self.mint.time();
        let known = if now.0 - since.0 < FORGOTTEN { known } else { 0 };
        let prompt = self.prompt()?;
        self.cached = (prompt + output, now);
        Ok(self.model.usage(prompt, known, output))
    }

    fn spend_on_summary(&mut self, summary: &str) -> anyhow::Result<Usage> {
        let output = u32::try_from(summary.len() / 4)?;
        let usage = self.model.usage(self.prompt()?, 0, output);
        let pause = i64::from(output) * 16;
        self.mint.wait(pause + 1500, pause + 4000);
        Ok(usage)
    }
}

/// What tools, skills and the notes of a project add to each request.
const PROMPT_OVERHEAD: u32 = 9400;
