//! Session files line by line, as pi writes them.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use pi_brain_session::{CURRENT_VERSION, Millis, encode_cwd, quote};

use super::random::Random;

/// Milliseconds since 1970; the corpus begins on 1 July 2025.
const BEGINNING: u64 = 1_751_328_000_000;

/// Writes one session file. Each entry follows the leaf, and becomes it.
pub(crate) struct SessionFile<'a> {
    pub(crate) random: &'a mut Random,
    pub(crate) path: PathBuf,
    file: BufWriter<File>,
    line: Vec<u8>,
    pub(crate) header_bytes: u64,
    pub(crate) bytes: u64,
    pub(crate) now: u64,
    /// The entry that the next one will follow.
    pub(crate) leaf: Option<u32>,
    /// The entry on the last line.
    pub(crate) last: Option<u32>,
}

/// Where a session's file lies, and what its header says.
pub(crate) struct Identity {
    path: PathBuf,
    id: String,
    cwd: String,
    started: u64,
}

impl Identity {
    /// Makes up a session in a folder as pi has it: one folder for each working directory.
    pub(crate) fn in_agent_folder(
        agent: &Path,
        cwd: &str,
        started: u64,
        random: &mut Random,
    ) -> Self {
        let id = session_id(random, started);
        let name = format!("{}_{id}.jsonl", iso(started).replace([':', '.'], "-"));
        let path = agent.join("sessions").join(encode_cwd(cwd)).join(name);
        Self { path, id, cwd: cwd.to_owned(), started }
    }

    /// Makes up a session whose file is given.
    pub(crate) fn of_file(path: &Path, random: &mut Random) -> Self {
        let id = session_id(random, BEGINNING);
        Self { path: path.to_owned(), id, cwd: "/home/dev/large".to_owned(), started: BEGINNING }
    }
}

/// Returns a time within half a year after the beginning.
pub(crate) fn some_time(random: &mut Random) -> u64 {
    BEGINNING + random.between(0, 180 * 24 * 60 * 60 * 1000)
}

/// Makes a UUID of version 7, as pi does.
fn session_id(random: &mut Random, time: u64) -> String {
    let (high, low) = (time >> 16, time & 0xffff);
    let (version, variant) = (0x7000 | random.bits(12), 0x8000 | random.bits(14));
    format!("{high:08x}-{low:04x}-{version:04x}-{variant:04x}-{:012x}", random.bits(48))
}

fn iso(time: u64) -> String {
    Millis(i64::try_from(time).expect("a time of this century")).to_string()
}

impl<'a> SessionFile<'a> {
    pub(crate) fn create(
        identity: Identity,
        parent: Option<&Path>,
        random: &'a mut Random,
    ) -> io::Result<Self> {
        let Identity { path, id, cwd, started } = identity;
        fs::create_dir_all(path.parent().unwrap_or(Path::new("")))?;
        let parent =
            parent.map(|path| format!(",\"parentSession\":{}", quote(&path.to_string_lossy())));
        let header = format!(
            "{{\"type\":\"session\",\"version\":{CURRENT_VERSION},\"id\":\"{id}\",\"timestamp\":\"{}\",\"cwd\":{}{}}}\n",
            iso(started),
            quote(&cwd),
            parent.unwrap_or_default(),
        );
        let mut file = BufWriter::with_capacity(1 << 20, File::create(&path)?);
        file.write_all(header.as_bytes())?;
        let header_bytes = header.len() as u64;
        Ok(Self {
            random,
            path,
            file,
            line: Vec::new(),
            header_bytes,
            bytes: header_bytes,
            now: started,
            leaf: None,
            last: None,
        })
    }

    /// Copies lines of another session, the last of which is `last`.
    pub(crate) fn copy(&mut self, from: &Path, start: u64, end: u64, last: u32) -> io::Result<()> {
        let mut original = File::open(from)?;
        original.seek(io::SeekFrom::Start(start))?;
        self.bytes += io::copy(&mut original.take(end - start), &mut self.file)?;
        self.leaf = Some(last);
        self.last = Some(last);
        Ok(())
    }

    /// Appends an entry; `write_fields` adds `,"name":value` for each field of its kind.
    pub(crate) fn put(
        &mut self,
        kind: &str,
        write_fields: impl FnOnce(&mut Vec<u8>, &mut Random, u64),
    ) -> io::Result<u32> {
        let id = self.random.fresh_id();
        let parent = self.leaf.map_or("null".to_owned(), |leaf| format!("\"{leaf:08x}\""));
        self.now += self.random.between(200, 20_000);
        self.line.clear();
        write!(
            self.line,
            "{{\"type\":\"{kind}\",\"id\":\"{id:08x}\",\"parentId\":{parent},\"timestamp\":\"{}\"",
            iso(self.now)
        )?;
        write_fields(&mut self.line, self.random, self.now);
        self.line.extend_from_slice(b"}\n");
        self.file.write_all(&self.line)?;
        self.bytes += self.line.len() as u64;
        self.leaf = Some(id);
        self.last = Some(id);
        Ok(id)
    }

    /// Appends a `message` entry; `write_fields` adds the fields of the message, but for its time.
    pub(crate) fn put_message(
        &mut self,
        write_fields: impl FnOnce(&mut Vec<u8>, &mut Random),
    ) -> io::Result<u32> {
        self.put("message", |line, random, now| {
            line.extend_from_slice(b",\"message\":{");
            write_fields(line, random);
            line.extend_from_slice(format!(",\"timestamp\":{now}}}").as_bytes());
        })
    }

    /// Ends the file, and makes it as old as its last entry.
    pub(crate) fn finish(self) -> io::Result<()> {
        let file = self.file.into_inner()?;
        file.set_modified(UNIX_EPOCH + Duration::from_millis(self.now))
    }
}
