//! Short conversations, written line by line: what was asked, done and said last, with how it ended.
//!
//! A block begins with the outcome and the type, and, where it was read again, the lines in which something is settled (or `-`).
//! Then come `> ` the person, `< ` the agent, `run COMMAND => output`, `fail COMMAND => output`, `read`, `edit` or `write PATH`,
//! and `stop` if the person broke the answer off. At last may stand how it went on: `pause` hours later, `elsewhere` after the
//! person went back to try another way, `summary` after all was summarised. A `\n` breaks the line.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use jiff::Timestamp;

use crate::script::{Call, Script, Step, Unit};

/// A short conversation.
pub(crate) struct Ending {
    pub(crate) script: Script,
    /// Whether somebody has looked for what was settled in it.
    pub(crate) is_read_again: bool,
}

/// Reads all conversations in the files of a folder.
pub(crate) fn read_all(folder: &Path) -> anyhow::Result<Vec<Ending>> {
    let list = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths = list.map(|file| Ok(file?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    let mut endings = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let blocks = text.split("\n\n").map(str::trim).filter(|block| !block.is_empty());
        for (block, number) in blocks.zip(1..) {
            let name = format!("{name}-{number}");
            endings.push(read(&name, block).with_context(|| format!("{name}: {block}"))?);
        }
    }
    Ok(endings)
}

fn read(name: &str, block: &str) -> anyhow::Result<Ending> {
    let (head, rest) = block.split_once('\n').context("nothing happens")?;
    let mut head = head.split(' ');
    let outcome = head.next().context("the outcome")?;
    let node_type = head.next().context("the type")?;
    let settling = head.next();
    let settles = |line: usize| {
        let mut lines = settling.unwrap_or_default().split(',');
        lines.any(|settling| settling.parse() == Ok(line))
    };
    let (mut steps, mut settled, mut next) = (Vec::new(), Vec::new(), None);
    for (line, number) in rest.lines().zip(1..) {
        ensure!(next.is_none(), "“{line}” comes after the end");
        next = what_follows(line);
        if next.is_none() {
            let (sign, text) = line.split_once(' ').unwrap_or((line, ""));
            steps.extend(happened(sign, &text.replace("\\n", "\n"))?);
            settled.extend(settles(number).then_some(steps.len()));
        }
    }
    let unit = Unit { settled, ..Unit::judged(steps.len(), node_type, outcome) };
    steps.extend(next);
    let script = Script {
        name: name.to_owned(),
        project: "/home/dev/work".to_owned(),
        started: Timestamp::UNIX_EPOCH,
        model: "scripted/scripted".to_owned(),
        parent: None,
        parent_step: 0,
        steps,
        units: vec![unit],
    };
    Ok(Ending { script, is_read_again: settling.is_some() })
}

/// Returns the step with which the conversation goes on after its end, if a line tells it.
fn what_follows(line: &str) -> Option<Step> {
    match line {
        "pause" => Some(Step { wait_minutes: Some(600), ..Step::default() }),
        "elsewhere" => Some(Step { jump: Some(1), ..Step::default() }),
        "summary" => Some(Step { compaction: Some("What was done".to_owned()), ..Step::default() }),
        _ => None,
    }
}

fn happened(sign: &str, text: &str) -> anyhow::Result<Vec<Step>> {
    let called = |tool: &str, argument: &str, value: &str, output: &str, error| {
        let arguments = BTreeMap::from([(argument.to_owned(), value.into())]);
        let call = Call { tool: tool.to_owned(), arguments };
        let answer = Step { assistant: Some(String::new()), calls: vec![call], ..Step::default() };
        vec![answer, Step { result: Some(output.to_owned()), error, ..Step::default() }]
    };
    Ok(match sign {
        ">" => vec![Step { user: Some(text.to_owned()), ..Step::default() }],
        "<" => vec![Step { assistant: Some(text.to_owned()), ..Step::default() }],
        "run" | "fail" => {
            let (command, output) = text.split_once(" => ").unwrap_or((text, ""));
            called("bash", "command", command, output, sign == "fail")
        }
        "read" | "edit" | "write" => called(sign, "path", text, "ok", false),
        "stop" => {
            let answer = Some(String::new());
            vec![Step { assistant: answer, aborted: true, ..Step::default() }]
        }
        _ => bail!("“{sign}” is no sign"),
    })
}
