//! The end of a session file, as it grows.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::file_of;
use crate::desk::Desk;
use crate::failure::Answered;

/// How much of a file is read at once. What is more comes with the next look.
const PIECE: u64 = 1024 * 1024;

/// A session file, up to where it was told.
pub(super) struct Tail {
    path: PathBuf,
    place: Place,
}

/// A place between two lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Place {
    offset: u64,
    lines: u64,
}

impl Tail {
    /// Begins at the end of the file of a session.
    pub(super) async fn open(desk: &Arc<Desk>, session: &str) -> Answered<Self> {
        let path = file_of(desk, session).await?;
        let file = path.clone();
        let place = tokio::task::spawn_blocking(move || end(&file)).await;
        Ok(Self { path, place: place.unwrap_or(Ok(Place::default()))? })
    }

    /// Reads what was written since, as messages.
    pub(super) async fn read(&mut self, channel: &str) -> Vec<Value> {
        let (path, mut place) = (self.path.clone(), self.place);
        let read = tokio::task::spawn_blocking(move || {
            let lines = more(&path, &mut place);
            (lines, place)
        });
        let Ok((lines, place)) = read.await else { return Vec::new() };
        let first = self.place.lines + 1;
        match lines {
            // A file that has gone is told by what is taken in.
            Err(_) => Vec::new(),
            Ok(None) => {
                self.place = Place::default();
                vec![json!({ "type": "rewritten", "channel": channel })]
            }
            Ok(Some(lines)) => {
                self.place = place;
                let entries: Vec<Value> = (first..)
                    .zip(lines)
                    .filter_map(|(line, text)| {
                        let entry: Box<RawValue> = serde_json::from_str(&text).ok()?;
                        Some(json!({ "line": line, "entry": entry }))
                    })
                    .collect();
                if entries.is_empty() {
                    return Vec::new();
                }
                vec![json!({ "type": "entries", "channel": channel, "entries": entries })]
            }
        }
    }
}

/// Returns the place behind the last whole line.
fn end(path: &Path) -> io::Result<Place> {
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 64 * 1024];
    let (mut place, mut offset) = (Place::default(), 0);
    loop {
        let length = file.read(&mut buffer)?;
        if length == 0 {
            return Ok(place);
        }
        for (at, _) in buffer[..length].iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
            place = Place { offset: offset + at as u64 + 1, lines: place.lines + 1 };
        }
        offset += length as u64;
    }
}

/// Reads whole lines from a place on, and moves it behind them; `None` if the file is shorter than it was.
fn more(path: &Path, place: &mut Place) -> io::Result<Option<Vec<String>>> {
    let mut file = File::open(path)?;
    if file.metadata()?.len() < place.offset {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(place.offset))?;
    let mut bytes = Vec::new();
    file.take(PIECE).read_to_end(&mut bytes)?;
    let Some(end) = bytes.iter().rposition(|&byte| byte == b'\n') else {
        return Ok(Some(Vec::new()));
    };
    bytes.truncate(end);
    let lines: Vec<String> = bytes
        .split(|&byte| byte == b'\n')
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .collect();
    place.offset += end as u64 + 1;
    place.lines += lines.len() as u64;
    Ok(Some(lines))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn whole_lines_are_told_once_and_a_shorter_file_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        std::fs::write(&path, "one\ntwo\nhal").unwrap();
        let mut place = end(&path).unwrap();
        assert_eq!(place, Place { offset: 8, lines: 2 });
        let mut file = File::options().append(true).open(&path).unwrap();
        assert_eq!(more(&path, &mut place).unwrap(), Some(Vec::new()));
        file.write_all(b"f\nthree\nfo").unwrap();
        assert_eq!(more(&path, &mut place).unwrap(), Some(vec!["half".into(), "three".into()]));
        assert_eq!(place.lines, 4);
        assert_eq!(more(&path, &mut place).unwrap(), Some(Vec::new()));
        std::fs::write(&path, "x\n").unwrap();
        assert_eq!(more(&path, &mut place).unwrap(), None);
    }
}
