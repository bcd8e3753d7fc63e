//! Session files that people write, fork, copy and shorten.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pi_brain_session::Millis;
use proptest::sample::Index;
use serde_json::{Value, json};
use tempfile::TempDir;

/// All files of some people.
pub(crate) struct World {
    folder: TempDir,
    files: Vec<File>,
    /// What nobody has read since it changed.
    changed: BTreeSet<usize>,
    names: u32,
}

struct File {
    path: PathBuf,
    header: Value,
    entries: Vec<Value>,
    leaf: Value,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        Self { folder, files: Vec::new(), changed: BTreeSet::new(), names: 0 }
    }

    pub(crate) fn begin(&mut self) {
        self.begin_file();
    }

    pub(crate) fn begin_file(&mut self) -> usize {
        self.new_file(&Value::Null, Vec::new())
    }

    pub(crate) fn path(&self, file: usize) -> &Path {
        &self.files[file].path
    }

    pub(crate) fn say(&mut self, file: Index, kind: usize, words: usize) {
        // Few words, so that people often say the same.
        let text = ["continue", "yes", "no ", "é🧠"][words];
        let file = file.index(self.files.len());
        self.add(file, kind, text);
    }

    /// Adds so many messages that all differ.
    pub(crate) fn say_much(&mut self, file: usize, count: usize) {
        for _ in 0..count {
            let text = format!("line {}", self.names);
            self.add(file, self.names as usize % 2, &text);
        }
    }

    pub(crate) fn go(&mut self, file: Index, to: Index) {
        let file = file.index(self.files.len());
        match to.index(self.files[file].entries.len() + 1).checked_sub(1) {
            Some(entry) => self.go_to(file, entry),
            None => self.files[file].leaf = Value::Null,
        }
    }

    /// Moves the leaf to an entry.
    pub(crate) fn go_to(&mut self, file: usize, entry: usize) {
        self.files[file].leaf = self.files[file].entries[entry]["id"].clone();
    }

    pub(crate) fn fork(&mut self, file: Index) {
        let file = file.index(self.files.len());
        if let Some(last) = self.files[file].entries.len().checked_sub(1) {
            self.fork_file(file, last);
        }
    }

    /// Forks the path to an entry.
    pub(crate) fn fork_file(&mut self, file: usize, entry: usize) -> usize {
        let original = &self.files[file];
        let mut path: Vec<Value> = Vec::new();
        let mut wanted = original.entries[entry]["id"].clone();
        for entry in original.entries[..=entry].iter().rev() {
            if entry["id"] == wanted {
                wanted = entry["parentId"].clone();
                path.push(entry.clone());
            }
        }
        path.reverse();
        let parent = original.path.to_str().unwrap().into();
        self.new_file(&parent, path)
    }

    pub(crate) fn back_up(&mut self, file: Index) {
        let original = &self.files[file.index(self.files.len())];
        let (header, entries) = (original.header.clone(), original.entries.clone());
        let copy = self.new_file(&Value::Null, entries);
        self.files[copy].header = header;
    }

    pub(crate) fn repeat(&mut self, file: Index, entry: Index) {
        let file = file.index(self.files.len());
        if !self.files[file].entries.is_empty() {
            self.repeat_entry(file, entry.index(self.files[file].entries.len()));
        }
    }

    /// Writes an entry down once more, as it stands.
    pub(crate) fn repeat_entry(&mut self, file: usize, entry: usize) {
        let File { entries, .. } = &mut self.files[file];
        entries.push(entries[entry].clone());
        self.changed.insert(file);
    }

    pub(crate) fn shorten(&mut self, file: Index, by: usize) {
        self.shorten_file(file.index(self.files.len()), by);
    }

    /// Takes the last entries away.
    pub(crate) fn shorten_file(&mut self, file: usize, by: usize) {
        let File { entries, leaf, .. } = &mut self.files[file];
        entries.truncate(entries.len().saturating_sub(by));
        *leaf = entries.last().map_or(Value::Null, |entry| entry["id"].clone());
        self.changed.insert(file);
    }

    /// Writes what has changed to the disk; returns these files.
    pub(crate) fn changed(&mut self) -> Vec<PathBuf> {
        let write = |file: usize| {
            let File { path, header, entries, .. } = &self.files[file];
            let lines = [header].into_iter().chain(entries);
            let text: String = lines.flat_map(|line| [line.to_string(), "\n".to_owned()]).collect();
            std::fs::write(path, text).unwrap();
            path.clone()
        };
        std::mem::take(&mut self.changed).into_iter().map(write).collect()
    }

    /// Writes a file to the disk, of whose last line the end is not there yet.
    pub(crate) fn write_torn(&mut self, file: usize) -> PathBuf {
        self.changed.insert(file);
        let path = self.changed().remove(0);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.trim_end()).unwrap();
        path
    }

    /// Lets a file be read again.
    pub(crate) fn forget_reading(&mut self, path: &str) {
        let file = self.files.iter().position(|file| file.path.to_str() == Some(path));
        self.changed.extend(file);
    }

    fn new_file(&mut self, parent: &Value, entries: Vec<Value>) -> usize {
        let id = format!("session-{}", self.name());
        let mut header = json!({
            "type": "session", "version": 3, "id": id, "timestamp": time(self.names), "cwd": "/home/dev",
        });
        if !parent.is_null() {
            header["parentSession"] = parent.clone();
        }
        let leaf = entries.last().map_or(Value::Null, |entry| entry["id"].clone());
        let path = self.folder.path().join(format!("2026_{id}.jsonl"));
        self.files.push(File { path, header, entries, leaf });
        self.changed.insert(self.files.len() - 1);
        self.files.len() - 1
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("{:08x}", self.names)
    }

    fn add(&mut self, file: usize, kind: usize, text: &str) {
        let id = self.name();
        let mut entry = body(kind, text, self.names, &self.files[file].leaf);
        entry["id"] = id.clone().into();
        entry["parentId"] = self.files[file].leaf.clone();
        entry["timestamp"] = time(self.names).into();
        self.files[file].entries.push(entry);
        self.files[file].leaf = id.into();
        self.changed.insert(file);
    }
}

fn time(second: u32) -> String {
    Millis(1_767_225_600_000 + i64::from(second) * 1000).to_string()
}

fn body(kind: usize, text: &str, second: u32, leaf: &Value) -> Value {
    let usage = json!({
        "input": second, "output": 2, "cacheRead": 0, "cacheWrite": 0, "totalTokens": second + 2,
        "cost": {"total": f64::from(second) / 4.0},
    });
    match kind {
        0 => json!({"type": "message", "message": {"role": "user", "content": text}}),
        1 => json!({"type": "message", "message": {
            "role": "assistant", "content": [{"type": "text", "text": text}], "provider": "p", "model": "m",
            "usage": usage, "stopReason": "stop", "timestamp": 1_767_225_600_000_i64 + i64::from(second),
        }}),
        2 => json!({"type": "message", "message": {
            "role": "toolResult", "toolCallId": "t1", "toolName": "bash", "content": text, "isError": false,
        }}),
        3 => json!({"type": "label", "targetId": leaf, "label": text}),
        4 => json!({"type": "session_info", "name": text}),
        5 => {
            json!({"type": "usage", "kind": "extension", "model": "m", "provider": "p", "usage": usage})
        }
        _ => json!({"type": "custom", "customType": "memo", "data": text}),
    }
}
