//! Short conversations, written line by line: what was asked, done and said last, with how it ended.
//!
//! A block begins with the outcome and the type. Then come `> ` the person, `< ` the agent, `run COMMAND => output`,
//! `fail COMMAND => output`, `read`, `edit` or `write PATH`, `stop` if the person broke the answer off, and at last `pause` if
//! the conversation went on hours later.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use jiff::Timestamp;

use crate::script::{Call, Script, Step, Unit};

/// Reads all conversations in the files of a folder.
pub(crate) fn read_all(folder: &Path) -> anyhow::Result<Vec<Script>> {
    let list = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths = list.map(|file| Ok(file?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    let mut scripts = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let blocks = text.split("\n\n").map(str::trim).filter(|block| !block.is_empty());
        for (block, number) in blocks.zip(1..) {
            let name = format!("{name}-{number}");
            scripts.push(read(&name, block).with_context(|| format!("{name}: {block}"))?);
        }
    }
    Ok(scripts)
}

fn read(name: &str, block: &str) -> anyhow::Result<Script> {
    let (head, rest) = block.split_once('\n').context("nothing happens")?;
    let (outcome, node_type) = head.split_once(' ').context("the outcome and the type")?;
    let mut steps = Vec::new();
    for line in rest.lines() {
        let (sign, text) = line.split_once(' ').unwrap_or((line, ""));
        steps.extend(happened(sign, text)?);
    }
    let to = steps.iter().filter(|step| step.wait_minutes.is_none()).count();
    let unit = Unit::judged(to, node_type, outcome);
    Ok(Script {
        name: name.to_owned(),
        project: "/home/dev/work".to_owned(),
        started: Timestamp::UNIX_EPOCH,
        model: "scripted/scripted".to_owned(),
        parent: None,
        parent_step: 0,
        steps,
        units: vec![unit],
    })
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
        "pause" => vec![Step { wait_minutes: Some(600), ..Step::default() }],
        _ => bail!("“{sign}” is no sign"),
    })
}
