//! Where the text of a summary comes from: a person, a program, or the conversation itself.

use std::io::{self, Read, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use pi_brain_session::{Conversation, SummarySource};

use crate::args::SummaryOptions;

/// What the program that makes a summary is told.
const REQUEST: &str = "\
Summarise the conversation above for someone who will carry on with the work. Say what the goal was, what \
was done and decided and why, what failed, and what comes next. Keep file paths, names and error messages \
exact. Answer with the summary alone.";

/// Gets the summary that was asked for; without a wish, the built-in one.
///
/// Who writes it themselves needs no copy of the conversation.
pub(super) fn summarize(
    options: &SummaryOptions,
    conversation: impl FnOnce() -> io::Result<Conversation>,
    earlier: Option<&str>,
    instructions: Option<&str>,
) -> anyhow::Result<(String, SummarySource)> {
    if let Some(text) = &options.summary {
        let text = if text == "-" { read_stdin()? } else { text.clone() };
        if text.trim().is_empty() {
            bail!("the summary is empty");
        }
        return Ok((text.trim().to_owned(), SummarySource::User));
    }
    let conversation = conversation()?;
    if let Some(command) = &options.summary_command {
        let part = |title: &str, text: Option<&str>| text.map(|text| format!("[{title}]: {text}"));
        let parts = [
            Some(conversation.to_text()),
            part("Summary of what came before", earlier),
            part("Look especially at", instructions),
            Some(REQUEST.to_owned()),
        ];
        let request = parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n");
        let text = run_command(command, &request)?;
        return Ok((text + &conversation.files.to_blocks(), SummarySource::Model));
    }
    Ok((conversation.summarize(earlier, instructions), SummarySource::BuiltIn))
}

fn read_stdin() -> anyhow::Result<String> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).context("reading the summary from standard input")?;
    Ok(text)
}

fn run_command(command: &str, input: &str) -> anyhow::Result<String> {
    let mut child = Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("starting `{command}`"))?;
    let stdin = child.stdin.take();
    // The program may print before it has read everything, so one of the two must not wait for the other.
    let output = std::thread::scope(|scope| {
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input.as_bytes())));
        child.wait_with_output()
    })?;
    if !output.status.success() {
        bail!("`{command}` failed ({}); nothing was written", output.status);
    }
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if text.is_empty() {
        bail!("`{command}` printed no summary; nothing was written");
    }
    Ok(text)
}
