//! Long text goes through a pager where there is a terminal.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::process::{Child, Command, Stdio};

/// Where a transcript goes: to a pager, or straight out.
pub(crate) enum Output {
    Pager(Child),
    Direct(anstream::AutoStream<io::Stdout>),
}

impl Output {
    /// Starts `$PAGER` (else `less`) if standard output is a terminal and nobody objects.
    ///
    /// `line` is where it should open; only `less` can do that.
    pub(crate) fn open(wanted: bool, line: Option<usize>) -> Self {
        let direct = || Self::Direct(anstream::AutoStream::auto(io::stdout()));
        if !wanted || !io::stdout().is_terminal() {
            return direct();
        }
        let chosen = env::var("PAGER").ok().filter(|pager| !pager.trim().is_empty());
        let chosen = chosen.unwrap_or_else(|| "less".to_owned());
        let mut words = chosen.split_whitespace();
        let program = words.next().unwrap_or("less");
        let mut command = Command::new(program);
        command.args(words).stdin(Stdio::piped());
        if program.ends_with("less") {
            // Keep colours, leave short text on the screen, and do not clear it at the end.
            command.args(["-R", "-F", "-X"]);
            command.args(line.map(|line| format!("+{line}g")));
        }
        command.spawn().map_or_else(|_| direct(), Self::Pager)
    }

    /// Waits until the reader has finished.
    pub(crate) fn finish(self) -> io::Result<()> {
        if let Self::Pager(mut child) = self {
            drop(child.stdin.take());
            child.wait()?;
        }
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Pager(child) => match &mut child.stdin {
                Some(stdin) => stdin.write(bytes),
                None => Err(io::ErrorKind::BrokenPipe.into()),
            },
            Self::Direct(stdout) => stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Pager(child) => child.stdin.as_mut().map_or(Ok(()), Write::flush),
            Self::Direct(stdout) => stdout.flush(),
        }
    }
}
