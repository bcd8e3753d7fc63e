//! Reads the notation that the demo's sessions are written in, one file for each.
//!
//! What stands before the first `:: ` line says what the story is about. Each such line tells one step,
//! and the lines below it are that step's text. All times are UTC.
//!
//! ```text
//! :: session PROJECT DATE TIME MODEL LEVEL    or   :: fork STORY MARK DATE TIME
//! :: user [image]          :: think           :: say           (think, say and a call make one answer)
//! :: bash[!CODE][~TIME] COMMAND               (its output; `⏎` is a line break; `!` says that it failed)
//! :: read PATH [OFFSET]    :: write PATH      :: edit PATH LINE (old, `=>`, new; `&& LINE` for a second)
//! :: also read PATH        (one more call in the same answer)
//! :: shell[!CODE] COMMAND  :: hidden COMMAND  (typed by the person; hidden from models)
//! :: error                 :: aborted         (what the provider said; what the model had said so far)
//! :: mark NAME             :: label [@MARK] TEXT               :: name TEXT
//! :: branch MARK           (a summary, or nothing)             :: compact MARK (a summary; MARK is kept)
//! :: model MODEL           :: thinking LEVEL  :: pause TIME    :: at DATE TIME
//! :: note TYPE             :: state TYPE JSON (an extension's message, and its state)
//! ```

use anyhow::{Context, bail, ensure};
use pi_brain_session::Millis;

pub(super) struct Story<'a> {
    pub(super) opening: Opening<'a>,
    pub(super) start: Millis,
    pub(super) steps: Vec<Step<'a>>,
}

pub(super) enum Opening<'a> {
    Session { project: &'a str, model: &'a str, level: &'a str },
    Fork { story: &'a str, mark: &'a str },
}

pub(super) enum Step<'a> {
    User { text: &'a str, has_image: bool },
    Answer(Answer<'a>),
    Error(&'a str),
    Aborted(&'a str),
    Shell { command: &'a str, output: &'a str, code: u8, is_hidden: bool },
    Mark(&'a str),
    Label { mark: Option<&'a str>, text: &'a str },
    Name(&'a str),
    Branch { to: &'a str, summary: &'a str },
    Compact { keep: &'a str, summary: &'a str },
    Model(&'a str),
    Thinking(&'a str),
    Pause { millis: i64 },
    At(Millis),
    Note { kind: &'a str, text: &'a str },
    State { kind: &'a str, json: &'a str },
}

/// One answer of a model, with the calls it makes and what they gave back.
#[derive(Default)]
pub(super) struct Answer<'a> {
    pub(super) thinking: &'a str,
    pub(super) text: &'a str,
    pub(super) calls: Vec<Call<'a>>,
}

pub(super) struct Call<'a> {
    pub(super) tool: &'a str,
    /// The path, or the command.
    pub(super) subject: &'a str,
    pub(super) body: &'a str,
    /// The exit code, if the call failed.
    pub(super) failed: Option<u8>,
    /// How long it ran, where that matters.
    pub(super) millis: Option<i64>,
}

pub(super) fn parse(text: &str) -> anyhow::Result<Story<'_>> {
    let mut chunks = text.split("\n:: ").skip(1);
    let (head, _) = divide(chunks.next().context("a story starts with `:: session` or `:: fork`")?);
    let (opening, start) = parse_opening(head).with_context(|| format!("at `:: {head}`"))?;
    let mut steps = Vec::new();
    for chunk in chunks {
        let (head, body) = divide(chunk);
        parse_step(head, body, &mut steps).with_context(|| format!("at `:: {head}`"))?;
    }
    Ok(Story { opening, start, steps })
}

fn divide(chunk: &str) -> (&str, &str) {
    let (head, body) = chunk.split_once('\n').unwrap_or((chunk, ""));
    (head.trim_end(), body.trim_matches('\n').trim_end())
}

fn parse_opening(head: &str) -> anyhow::Result<(Opening<'_>, Millis)> {
    let words: Vec<&str> = head.split_whitespace().collect();
    Ok(match *words {
        ["session", project, date, time, model, level] => {
            (Opening::Session { project, model, level }, parse_time(date, time)?)
        }
        ["fork", story, mark, date, time] => {
            (Opening::Fork { story, mark }, parse_time(date, time)?)
        }
        _ => bail!("a story starts with `:: session` or `:: fork`"),
    })
}

fn parse_step<'a>(head: &'a str, body: &'a str, steps: &mut Vec<Step<'a>>) -> anyhow::Result<()> {
    let (word, rest) = head.split_once(' ').unwrap_or((head, ""));
    let step = match word {
        "user" => Step::User { text: body, has_image: rest == "image" },
        "think" => Step::Answer(Answer { thinking: body, ..Answer::default() }),
        "say" => {
            let joins = |open: &Answer<'_>| open.text.is_empty() && open.calls.is_empty();
            open_answer(steps, joins).text = body;
            return Ok(());
        }
        "also" => {
            let (word, rest) = rest.split_once(' ').context("also what?")?;
            let call = parse_call(word, rest, body)?;
            ensure!(matches!(steps.last(), Some(Step::Answer(_))), "`also` follows a call");
            open_answer(steps, |_| true).calls.push(call);
            return Ok(());
        }
        "error" => Step::Error(body),
        "aborted" => Step::Aborted(body),
        "hidden" => Step::Shell { command: rest, output: body, code: 0, is_hidden: true },
        "mark" => Step::Mark(rest),
        "label" => match rest.strip_prefix('@').and_then(|rest| rest.split_once(' ')) {
            Some((mark, text)) => Step::Label { mark: Some(mark), text },
            None => Step::Label { mark: None, text: rest },
        },
        "name" => Step::Name(rest),
        "branch" => Step::Branch { to: rest, summary: body },
        "compact" => Step::Compact { keep: rest, summary: body },
        "model" => Step::Model(rest),
        "thinking" => Step::Thinking(rest),
        "pause" => Step::Pause { millis: parse_duration(rest)? },
        "at" => {
            let (date, time) = rest.split_once(' ').context("`at` takes a date and a time")?;
            Step::At(parse_time(date, time)?)
        }
        "note" => Step::Note { kind: rest, text: body },
        "state" => {
            let (kind, json) = rest.split_once(' ').context("`state` takes a type and JSON")?;
            Step::State { kind, json }
        }
        _ if word.starts_with("shell") => {
            let (_, failed, _) = parse_modifiers(word)?;
            Step::Shell { command: rest, output: body, code: failed.unwrap_or(0), is_hidden: false }
        }
        _ => {
            let call = parse_call(word, rest, body)?;
            open_answer(steps, |open| open.calls.is_empty()).calls.push(call);
            return Ok(());
        }
    };
    steps.push(step);
    Ok(())
}

/// Returns the answer that is being told if it `joins` with what comes, else a new one.
fn open_answer<'a, 'b>(
    steps: &'b mut Vec<Step<'a>>,
    joins: impl Fn(&Answer<'a>) -> bool,
) -> &'b mut Answer<'a> {
    if !matches!(steps.last(), Some(Step::Answer(open)) if joins(open)) {
        steps.push(Step::Answer(Answer::default()));
    }
    match steps.last_mut() {
        Some(Step::Answer(answer)) => answer,
        _ => unreachable!("the last step was just made an answer"),
    }
}

fn parse_call<'a>(word: &'a str, subject: &'a str, body: &'a str) -> anyhow::Result<Call<'a>> {
    let (tool, failed, millis) = parse_modifiers(word)?;
    ensure!(matches!(tool, "bash" | "read" | "write" | "edit"), "no step is called {tool}");
    Ok(Call { tool, subject, body, failed, millis })
}

/// Takes apart a word such as `bash!101~14m`.
fn parse_modifiers(word: &str) -> anyhow::Result<(&str, Option<u8>, Option<i64>)> {
    let (word, millis) = match word.split_once('~') {
        Some((word, duration)) => (word, Some(parse_duration(duration)?)),
        None => (word, None),
    };
    Ok(match word.split_once('!') {
        Some((word, "")) => (word, Some(1), millis),
        Some((word, code)) => (word, Some(code.parse()?), millis),
        None => (word, None, millis),
    })
}

fn parse_duration(text: &str) -> anyhow::Result<i64> {
    let unit = match text.chars().last() {
        Some('s') => 1000,
        Some('m') => 60_000,
        Some('h') => 3_600_000,
        _ => bail!("{text} is no length of time; say 90s, 45m or 2h"),
    };
    Ok(text[..text.len() - 1].parse::<i64>()? * unit)
}

fn parse_time(date: &str, time: &str) -> anyhow::Result<Millis> {
    Millis::parse(&format!("{date}T{time}:00Z"))
        .with_context(|| format!("{date} {time} is no time"))
}
