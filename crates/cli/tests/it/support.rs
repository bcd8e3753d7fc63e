//! What all tests of the program share: a folder of its own, and the program with nothing around it.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

/// A home folder that is nobody's, with session files in it.
pub(crate) struct Home {
    folder: TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a session file of the project `/home/dev/shop` that was last written long ago.
    pub(crate) fn session(&self, name: &str, lines: &[&str]) -> PathBuf {
        let folder = self.path().join(".pi/agent/sessions/--home-dev-shop--");
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("2025-01-01T00-00-00-000Z_{name}.jsonl"));
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        age(&path);
        path
    }

    /// Runs the program here, with no other environment, in UTC.
    pub(crate) fn pi_brain(&self, arguments: &[&str]) -> assert_cmd::assert::Assert {
        self.command(arguments).assert()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("pi-brain").unwrap();
        command.env_clear().env("HOME", self.path()).env("TZ", "UTC").env("PATH", "/usr/bin:/bin");
        command.current_dir(self.path()).args(arguments);
        command
    }

    pub(crate) fn stdout(&self, arguments: &[&str]) -> String {
        let output = self.pi_brain(arguments).success().get_output().stdout.clone();
        String::from_utf8(output).unwrap()
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> serde_json::Value {
        serde_json::from_str(&self.stdout(arguments)).unwrap()
    }
}

/// Makes a file look as if nobody had written to it for an hour.
pub(crate) fn age(path: &Path) {
    let hour_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    std::fs::File::options().append(true).open(path).unwrap().set_modified(hour_ago).unwrap();
}
