//! Where things are: pi's folders, our own, and what SESSION and ENTRY arguments mean.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use pi_brain_app::{Settings as BrainSettings, Source, display_path, shell_path};
use pi_brain_session::{
    EntryId, EntryMatch, Session, SessionFolder, Tree, encode_cwd, id_in_file_name, newest,
    read_header, read_headers,
};
use pi_brain_store::DataFolder;
use serde_json::Value;

use crate::describe::{clean_path, describe, one_line};
use crate::failure::{Failure, warn};
use crate::table::fit;

/// The folders in use, found once at the start.
pub(crate) struct Locations {
    pub(crate) sessions: SessionFolder,
    pub(crate) settings: Settings,
    home: PathBuf,
    /// pi's own folder.
    agent: PathBuf,
    /// The flag that somebody used to say where the sessions are.
    flag: Option<(&'static str, PathBuf)>,
}

/// What we read of pi's settings. They are pi's business: whatever is odd about them is passed over.
#[derive(Default)]
pub(crate) struct Settings {
    session_dir: Option<String>,
    pub(crate) keep_recent_tokens: Option<u64>,
}

impl Settings {
    /// Reads a settings file; one that is missing says nothing.
    fn read(path: &Path) -> Self {
        let text = match std::fs::read(path) {
            Ok(text) => text,
            Err(error) => {
                if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
                    warn(&format!("pi's settings in {} are ignored: {error}", clean_path(path)));
                }
                return Self::default();
            }
        };
        match serde_json::from_slice::<Value>(&text) {
            Ok(settings) => Self {
                session_dir: settings["sessionDir"].as_str().map(str::to_owned),
                keep_recent_tokens: whole(&settings["compaction"]["keepRecentTokens"]),
            },
            Err(error) => {
                let file = clean_path(path);
                warn(&format!("pi's settings in {file} are not JSON and are ignored: {error}"));
                Self::default()
            }
        }
    }

    fn or(self, other: Self) -> Self {
        Self {
            session_dir: self.session_dir.or(other.session_dir),
            keep_recent_tokens: self.keep_recent_tokens.or(other.keep_recent_tokens),
        }
    }
}

/// Reads a number as JavaScript does, to which 20000 and 2e4 are the same.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is not negative")]
fn whole(value: &Value) -> Option<u64> {
    value.as_f64().filter(|&number| number >= 0.0).map(|number| number as u64)
}

impl Locations {
    /// Finds pi's folders as pi does: flags, then the environment, then its settings, then the default.
    pub(crate) fn find(agent: Option<PathBuf>, sessions: Option<PathBuf>) -> anyhow::Result<Self> {
        let home = env::home_dir().filter(|home| !home.as_os_str().is_empty());
        let home = home.context("there is no home folder: set HOME")?;
        let flag = |name, value: &Option<PathBuf>| value.clone().map(|path| (name, path));
        let flag = flag("--session-dir", &sessions).or_else(|| flag("--agent-dir", &agent));
        let variable =
            |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let agent =
            agent.or_else(|| variable("PI_CODING_AGENT_DIR").map(|path| expand(&path, &home)));
        let agent = agent.unwrap_or_else(|| home.join(".pi/agent"));
        let settings = Settings::read(Path::new(".pi/settings.json"))
            .or(Settings::read(&agent.join("settings.json")));
        let named = settings.session_dir.as_deref().filter(|folder| !folder.is_empty());
        let chosen = sessions
            .or_else(|| variable("PI_CODING_AGENT_SESSION_DIR").map(|path| expand(&path, &home)))
            .or_else(|| named.map(|folder| expand(Path::new(folder), &home)));
        let sessions = match chosen {
            Some(folder) => SessionFolder::Flat(std::path::absolute(folder)?),
            None => SessionFolder::ByProject(std::path::absolute(agent.join("sessions"))?),
        };
        Ok(Self { sessions, settings, home, agent, flag })
    }

    /// Returns the home folder.
    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// Returns pi's own folder.
    pub(crate) fn agent(&self) -> &Path {
        &self.agent
    }

    /// Returns our own folder for data.
    pub(crate) fn data_folder() -> anyhow::Result<PathBuf> {
        let home = || env::home_dir().map(|home| home.join(".pi-brain"));
        let folder =
            env::var_os("PI_BRAIN_HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
        folder.or_else(home).context("there is no home folder: set HOME or PI_BRAIN_HOME")
    }

    /// Returns the folder for what is derived from these sessions.
    ///
    /// Sessions that a flag names have one of their own: they are not to be mixed with the user's.
    pub(crate) fn brain_folder(&self) -> anyhow::Result<PathBuf> {
        let folder = Self::data_folder()?;
        Ok(match &self.flag {
            None => folder,
            Some(_) => {
                let name = encode_cwd(&self.sessions.path().to_string_lossy());
                folder.join("others").join(name)
            }
        })
    }

    /// Returns the settings in our own folder; sessions come from where pi writes, and from what they name.
    pub(crate) fn brain_settings(&self) -> anyhow::Result<BrainSettings> {
        Ok(self.brain_settings_of(&self.brain_folder()?)?)
    }

    /// Does the same for a data folder that is known.
    pub(crate) fn brain_settings_of(&self, folder: &Path) -> pi_brain_app::Result<BrainSettings> {
        BrainSettings::read(&DataFolder::at(folder).config(), self.usual_source(), &self.home)
    }

    /// Reads settings that stand, or shall stand, in a file.
    pub(crate) fn parse_brain_settings(
        &self,
        text: &str,
        path: &Path,
    ) -> pi_brain_app::Result<BrainSettings> {
        BrainSettings::parse(text, path, self.usual_source(), &self.home)
    }

    fn usual_source(&self) -> Source {
        let computer = rustix::system::uname().nodename().to_string_lossy().into_owned();
        Source { folder: self.sessions.clone(), computer }
    }

    /// Returns the flags with which another process finds the same sessions, from wherever it is started.
    pub(crate) fn arguments(&self) -> io::Result<Vec<OsString>> {
        let Some((name, path)) = &self.flag else { return Ok(Vec::new()) };
        Ok(vec![(*name).into(), std::path::absolute(path)?.into_os_string()])
    }

    /// Returns how to call the program so that it finds the same sessions.
    pub(crate) fn program(&self) -> String {
        match &self.flag {
            Some((name, path)) => format!("pi-brain {name} {}", self.shell_word(path)),
            None => "pi-brain".to_owned(),
        }
    }

    /// Writes a path as a person would, with `~` for the home folder.
    pub(crate) fn display(&self, path: &Path) -> String {
        display_path(path, &self.home)
    }

    /// Puts the home folder in place of a leading `~`.
    pub(crate) fn expand(&self, path: &Path) -> PathBuf {
        expand(path, &self.home)
    }

    /// Writes a path in the home folder from `~`, as tools are told of it.
    pub(crate) fn below_home(&self, path: &Path) -> Option<String> {
        let inside = path.strip_prefix(&self.home).ok()?;
        Some(format!("~/{}", inside.to_string_lossy()))
    }

    /// Writes a path so that a shell reads it as one word; there is no `~` within quotes.
    pub(crate) fn shell_word(&self, path: &Path) -> String {
        shell_path(path, &self.home)
    }

    /// Finds the file that a SESSION argument means.
    pub(crate) fn find_session(&self, argument: &OsStr) -> anyhow::Result<PathBuf> {
        let named = Path::new(argument);
        if argument.as_encoded_bytes().contains(&b'/')
            || named.extension().is_some_and(|ending| ending == "jsonl")
        {
            return Ok(std::path::absolute(expand(named, &self.home))?);
        }
        let files = self.sessions.files();
        if argument == "latest" {
            let newest = newest(files).find(|path| read_header(path).is_some());
            return newest.ok_or_else(|| self.no_sessions());
        }
        let prefix = &*argument.to_string_lossy();
        match &*matching(&files, prefix) {
            [] if files.is_empty() => Err(self.no_sessions()),
            [] => Err(Failure::NotFound(format!(
                "no session {prefix} in {}. `pi-brain sessions` lists what is there",
                self.display(self.sessions.path())
            ))
            .into()),
            [only] => Ok(only.to_path_buf()),
            several => {
                let list: Vec<String> =
                    several.iter().map(|path| format!("\n  {}", self.display(path))).collect();
                Err(Failure::Usage(format!(
                    "{prefix} could be any of these; name one by its file or a longer id:{}",
                    list.concat()
                ))
                .into())
            }
        }
    }

    pub(crate) fn no_sessions(&self) -> anyhow::Error {
        let folder = self.display(self.sessions.path());
        let text = format!("no sessions in {folder}. `pi-brain demo` makes some to try things on");
        Failure::NotFound(text).into()
    }
}

/// Returns what of the environment says where things are, so that it holds everywhere.
pub(crate) fn absolute_variables() -> anyhow::Result<Vec<(&'static str, PathBuf)>> {
    const NAMES: [&str; 3] =
        ["PI_BRAIN_HOME", "PI_CODING_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR"];
    let mut variables = Vec::new();
    for name in NAMES {
        if let Some(value) = env::var_os(name).filter(|value| !value.is_empty()) {
            let is_from_home = value.as_encoded_bytes().starts_with(b"~");
            let value = PathBuf::from(value);
            let value = if is_from_home { value } else { std::path::absolute(value)? };
            variables.push((name, value));
        }
    }
    Ok(variables)
}

/// Returns a session file by the name that it has among `files`, if it is one of them by another name.
///
/// A file that is named in two ways would be taken for two.
pub(crate) fn by_listed_name(files: &[PathBuf], path: PathBuf) -> PathBuf {
    if files.contains(&path) {
        return path;
    }
    let Ok(real) = path.canonicalize() else { return path };
    let is_same = |file: &&PathBuf| file.canonicalize().is_ok_and(|file| file == real);
    files.iter().find(is_same).cloned().unwrap_or(path)
}

/// Returns the files whose name or header has an id that begins so; only whole ids if there are any.
fn matching<'a>(files: &'a [PathBuf], prefix: &str) -> Vec<&'a Path> {
    let fits = |id: &str| id.starts_with(prefix).then(|| id == prefix);
    let found = read_headers(files).into_iter().filter_map(|(path, header)| {
        let by_name = id_in_file_name(path).and_then(fits);
        Some((path, by_name.max(fits(&header.id))?))
    });
    let found: Vec<(&Path, bool)> = found.collect();
    let exact = found.iter().any(|&(_, exact)| exact);
    found.into_iter().filter(|&(_, whole)| whole || !exact).map(|(path, _)| path).collect()
}

fn expand(path: &Path, home: &Path) -> PathBuf {
    match path.strip_prefix("~") {
        Ok(rest) => home.join(rest),
        Err(_) => path.to_owned(),
    }
}

/// Finds the entry that an ENTRY argument means: an id, the beginning of one, or a label.
pub(crate) fn find_entry(session: &Session, tree: &Tree, argument: &str) -> anyhow::Result<usize> {
    match EntryMatch::find(session.log(), tree, argument) {
        EntryMatch::One(at) => Ok(at),
        EntryMatch::Nothing => Err(Failure::NotFound(format!(
            "no entry {argument} in this session. `pi-brain session tree SESSION --filter all` shows them"
        ))
        .into()),
        EntryMatch::SeveralIds(entries) => {
            let list = list_entries(session, &entries)?;
            let text = format!("{argument} could be several entries; say more of the id:{list}");
            Err(Failure::Usage(text).into())
        }
        EntryMatch::SeveralLabels(entries) => {
            let list = list_entries(session, &entries)?;
            let text = format!("several entries are labelled “{argument}”; say which by its id:{list}");
            Err(Failure::Usage(text).into())
        }
    }
}

fn list_entries(session: &Session, entries: &[usize]) -> io::Result<String> {
    const SHOWN: usize = 10;
    let mut lines = Vec::new();
    for &at in entries.iter().take(SHOWN) {
        let id = session.log().entries()[at].id.as_ref().map_or("", EntryId::as_str);
        lines.push(format!("\n  {}  {}", one_line(id), fit(&describe(session, at)?.words, 60)));
    }
    if let Some(more) = entries.len().checked_sub(SHOWN).filter(|&more| more > 0) {
        lines.push(format!("\n  … and {more} more"));
    }
    Ok(lines.concat())
}
