//! Where things are: pi's folders, our own, and what SESSION and ENTRY arguments mean.

use std::env;
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};
use anyhow::Context;
use pi_brain_session::{
    EntryId, Log, Millis, Problem, Session, SessionFolder, SessionWriter, Tree, View,
    id_in_file_name, labels, newest, read_header,
};
use serde::Deserialize;

use crate::failure::Failure;
use crate::mint::{SystemMint, now};

/// The folders in use, found once at the start.
pub(crate) struct Locations {
    pub(crate) sessions: SessionFolder,
    pub(crate) settings: Settings,
    home: PathBuf,
    /// The flag that somebody used to say where the sessions are.
    flag: Option<(&'static str, PathBuf)>,
}

/// What we read of pi's settings.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Settings {
    session_dir: Option<String>,
    compaction: CompactionSettings,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct CompactionSettings {
    keep_recent_tokens: Option<u64>,
}

impl Settings {
    /// Reads a settings file; one that is missing says nothing.
    fn read(path: &Path) -> anyhow::Result<Self> {
        match std::fs::read_to_string(path) {
            Ok(text) => serde_json::from_str(&text)
                .with_context(|| format!("pi's settings in {} are not valid JSON", path.display())),
            Err(_) => Ok(Self::default()),
        }
    }

    pub(crate) fn keep_recent_tokens(&self) -> Option<u64> {
        self.compaction.keep_recent_tokens
    }
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
        let mut settings = Settings::read(&agent.join("settings.json"))?;
        let project = Settings::read(Path::new(".pi/settings.json"))?;
        settings.session_dir = project.session_dir.or(settings.session_dir);
        settings.compaction.keep_recent_tokens =
            project.compaction.keep_recent_tokens.or(settings.compaction.keep_recent_tokens);
        let chosen = sessions
            .or_else(|| variable("PI_CODING_AGENT_SESSION_DIR").map(|path| expand(&path, &home)))
            .or_else(|| settings.session_dir.as_ref().map(|path| expand(Path::new(path), &home)));
        let sessions = match chosen {
            Some(folder) => SessionFolder::Flat(folder),
            None => SessionFolder::ByProject(agent.join("sessions")),
        };
        Ok(Self { sessions, settings, home, flag })
    }

    /// Returns our own folder for data.
    pub(crate) fn data_folder() -> anyhow::Result<PathBuf> {
        let home = || env::home_dir().map(|home| home.join(".pi-brain"));
        let folder =
            env::var_os("PI_BRAIN_HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
        folder.or_else(home).context("there is no home folder: set HOME or PI_BRAIN_HOME")
    }

    /// Returns how to call the program so that it finds the same sessions.
    pub(crate) fn program(&self) -> String {
        match &self.flag {
            Some((name, path)) => format!("pi-brain {name} {}", self.display(path)),
            None => "pi-brain".to_owned(),
        }
    }

    /// Writes a path as a person would, with `~` for the home folder.
    pub(crate) fn display(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home) {
            Ok(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
            Ok(rest) => format!("~/{}", rest.display()),
            Err(_) => path.display().to_string(),
        }
    }

    /// Finds the file that a SESSION argument means.
    pub(crate) fn find_session(&self, argument: &str) -> anyhow::Result<PathBuf> {
        if argument.contains('/')
            || Path::new(argument).extension().is_some_and(|ending| ending == "jsonl")
        {
            return Ok(std::path::absolute(expand(Path::new(argument), &self.home))?);
        }
        let files = self.sessions.files();
        if argument == "latest" {
            let newest = newest(files).find(|path| read_header(path).is_some());
            return newest.ok_or_else(|| self.no_sessions());
        }
        let mut found = matching(&files, argument, |path| id_in_file_name(path).map(str::to_owned));
        if found.is_empty() {
            found = matching(&files, argument, |path| read_header(path).map(|header| header.id));
        }
        match &*found {
            [] if files.is_empty() => Err(self.no_sessions()),
            [] => Err(Failure::NotFound(format!(
                "no session {argument} in {}. `pi-brain sessions` lists what is there",
                self.display(self.sessions.path())
            ))
            .into()),
            [only] => Ok(only.clone()),
            several => {
                let list: Vec<String> =
                    several.iter().map(|path| format!("\n  {}", self.display(path))).collect();
                Err(Failure::Usage(format!(
                    "{argument} could be any of these; name one by its file or a longer id:{}",
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

    /// Opens a session for reading, and says on stderr what is wrong with it.
    pub(crate) fn open(&self, argument: &str, view: View) -> anyhow::Result<(Session, Tree)> {
        let path = self.find_session(argument)?;
        let session = Session::open(&path)?;
        let tree = session.tree(view);
        warn(&self.display(&path), &session.problems(&tree));
        Ok((session, tree))
    }

    /// Opens a session for writing, unless pi may have it open.
    pub(crate) fn open_to_write(
        &self,
        argument: &str,
        force: bool,
    ) -> anyhow::Result<SessionWriter<SystemMint>> {
        let path = self.find_session(argument)?;
        self.refuse_if_busy(&path, force)?;
        // A file that is missing must not be made by accident.
        Session::open(&path)?;
        let cwd = env::current_dir().unwrap_or_default();
        Ok(SessionWriter::open(&path, &cwd.to_string_lossy(), SystemMint)?)
    }

    /// pi keeps the leaf of an open session in memory: what we append would be left on a side branch.
    pub(crate) fn refuse_if_busy(&self, path: &Path, force: bool) -> anyhow::Result<()> {
        const QUIET: i64 = 2 * 60;
        let written = std::fs::metadata(path).and_then(|metadata| metadata.modified());
        if let Ok(written) = written {
            let seconds = (now().0 - Millis::from(written).0) / 1000;
            if seconds < QUIET && !force {
                return Err(
                    Failure::Busy { file: self.display(path), seconds: seconds.max(0) }.into()
                );
            }
        }
        Ok(())
    }
}

fn matching(files: &[PathBuf], prefix: &str, id: impl Fn(&Path) -> Option<String>) -> Vec<PathBuf> {
    let named: Vec<(&PathBuf, String)> = files
        .iter()
        .filter_map(|path| Some((path, id(path)?)))
        .filter(|(_, id)| id.starts_with(prefix))
        .collect();
    let exact = named.iter().any(|(_, id)| id == prefix);
    let wanted = named.into_iter().filter(|(_, id)| !exact || id == prefix);
    wanted.map(|(path, _)| path.clone()).collect()
}

fn expand(path: &Path, home: &Path) -> PathBuf {
    match path.strip_prefix("~") {
        Ok(rest) => home.join(rest),
        Err(_) => path.to_owned(),
    }
}

/// Finds the entry that an ENTRY argument means: an id, the beginning of one, or a label.
pub(crate) fn find_entry(log: &Log, tree: &Tree, argument: &str) -> anyhow::Result<usize> {
    if let Some(at) = tree.find(argument) {
        return Ok(at);
    }
    let labelled: Vec<usize> = labels(log)
        .iter()
        .filter(|(_, label)| &*label.text == argument)
        .filter_map(|(target, _)| tree.find(target.as_str()))
        .collect();
    let ids = log.entries().iter().filter_map(|entry| entry.id.as_ref());
    let mut named: Vec<&str> =
        ids.map(EntryId::as_str).filter(|id| id.starts_with(argument)).collect();
    named.sort_unstable();
    named.dedup();
    match (&*labelled, &*named) {
        ([only], _) => Ok(*only),
        ([], [only]) => Ok(tree.find(only).unwrap_or_default()),
        ([], []) => Err(Failure::NotFound(format!(
            "no entry {argument} in this session. `pi-brain session tree SESSION --filter all` shows them"
        ))
        .into()),
        _ => {
            let ids = named.iter().take(10).map(|id| format!("\n  {id}"));
            let text = format!("{argument} could be several entries; say more of the id:{}", ids.collect::<String>());
            Err(Failure::Usage(text).into())
        }
    }
}

fn warn(file: &str, problems: &[Problem]) {
    const SHOWN: usize = 8;
    let style = Style::new().fg_color(Some(AnsiColor::Yellow.into()));
    for problem in problems.iter().take(SHOWN) {
        anstream::eprintln!("{style}warning:{style:#} {file}:{}: {}", problem.line, problem.kind);
    }
    if let Some(more) = problems.len().checked_sub(SHOWN).filter(|&more| more > 0) {
        anstream::eprintln!(
            "{style}warning:{style:#} {file}: {more} more; `session dump` lists all"
        );
    }
}
