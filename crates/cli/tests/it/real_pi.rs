//! Beside the real pi: the same files read, the same operations written, and turns taken on our files.

mod continuing;
mod exceptions;
mod reading;
mod writing;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use crate::support::project;

pub(crate) const VERSIONS: [&str; 3] = ["0.73.1", "0.87.1", "1.5.0"];

/// An installed pi.
#[derive(Clone, Copy)]
pub(crate) struct Pi {
    version: &'static str,
}

impl Pi {
    pub(crate) fn new(version: &'static str) -> Self {
        let pi = Self { version };
        let node = pi.folder().join("node");
        assert!(
            node.exists(),
            "pi {version} is not installed: run `make tools` ({})",
            node.display()
        );
        pi
    }

    fn folder(self) -> PathBuf {
        project().join(".tools/pi").join(self.version)
    }

    /// Runs one of the scripts in `tests/pi` with this pi; what it prints is JSON.
    fn run(self, script: &str, arguments: &[&str], input: &str) -> String {
        let output = self.try_run(script, arguments, input);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{script} with pi {}: {errors}", self.version);
        String::from_utf8(output.stdout).unwrap()
    }

    fn try_run(self, script: &str, arguments: &[&str], input: &str) -> Output {
        let mut child = Command::new(self.folder().join("node"))
            .arg(project().join("tests/pi").join(script))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_owned();
        let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
        let output = child.wait_with_output().unwrap();
        // A script that is done early leaves the rest of its input unread.
        let _ = writer.join();
        output
    }

    fn folder_argument(self) -> String {
        self.folder().to_str().unwrap().to_owned()
    }
}
