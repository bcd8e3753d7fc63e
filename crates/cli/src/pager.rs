//! Long text goes through a pager where there is a terminal.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::process::{Child, Command, Stdio};

use anstream::AutoStream;

/// Where a transcript goes: to a pager, or straight out.
pub(crate) enum Output {
    Pager(Child, AutoStream<Box<dyn Write>>),
    Direct(AutoStream<io::Stdout>),
}

impl Output {
    /// Starts `$PAGER` (else `less`) if standard output is a terminal and nobody objects.
    ///
    /// `line` is where it should open; only `less` can do that.
    pub(crate) fn open(wanted: bool, line: Option<usize>) -> Self {
        let direct = || Self::Direct(AutoStream::auto(io::stdout()));
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
        let Ok(mut child) = command.spawn() else { return direct() };
        let stdin = child.stdin.take().expect("the pager was started with a pipe");
        // The pager draws on our standard output: what is decided about colours there holds for it too.
        let choice = AutoStream::choice(&io::stdout());
        Self::Pager(child, AutoStream::new(Box::new(stdin), choice))
    }

    /// Waits until the reader has finished.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self {
            Self::Pager(mut child, input) => {
                drop(input);
                child.wait().map(|_| ())
            }
            Self::Direct(mut stdout) => stdout.flush(),
        }
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::Pager(_, input) => input,
            Self::Direct(stdout) => stdout,
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }
}
