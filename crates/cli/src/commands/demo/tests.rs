use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt;
use std::sync::OnceLock;

use pi_brain_session::{
    Body, Branches, Entry, Lineage, Role, Session, SessionInfo, View, list_sessions,
};
use tempfile::TempDir;

use super::*;

/// One demo for all tests that only look.
fn demo() -> &'static Path {
    static DEMO: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, agent) = DEMO.get_or_init(|| {
        let folder = TempDir::new().unwrap();
        let agent = make(folder.path()).unwrap();
        (folder, agent)
    });
    agent
}

fn files(agent: &Path) -> Vec<PathBuf> {
    SessionFolder::ByProject(agent.join("sessions")).files()
}

fn infos(agent: &Path) -> Vec<SessionInfo> {
    let (infos, unreadable) = list_sessions(&files(agent), || {});
    assert_eq!(unreadable.len(), 0);
    infos
}

fn sessions() -> Vec<Session> {
    files(demo()).iter().map(|path| Session::open(path).unwrap()).collect()
}

/// Everything in a demo, by path: bytes, and when they were written.
fn snapshot(agent: &Path) -> BTreeMap<PathBuf, (String, Millis)> {
    let read = |path: PathBuf| {
        let written = fs::metadata(&path).unwrap().modified().unwrap();
        let relative = path.strip_prefix(agent).unwrap().to_owned();
        (relative, (fs::read_to_string(path).unwrap(), written.into()))
    };
    files(agent).into_iter().map(read).collect()
}

#[test]
fn the_set_holds_what_it_promises() {
    let sessions = sessions();
    let infos = infos(demo());
    assert_eq!(infos.len(), STORIES.len());
    let projects: BTreeSet<&str> = infos.iter().map(|info| &*info.cwd).collect();
    assert_eq!(projects.len(), 4);
    let size: u64 = infos.iter().map(|info| info.size).sum();
    assert!((300_000..1_500_000).contains(&size), "{size} bytes");

    let mut totals: BTreeMap<String, usize> = BTreeMap::new();
    for session in &sessions {
        let stats = session.stats(&session.tree(View::AsPi)).unwrap();
        let mut count = |what: &str, number| *totals.entry(what.to_owned()).or_default() += number;
        count("compactions", stats.compactions);
        count("images", stats.images);
        count("sessions with several branches", usize::from(stats.branches > 1));
        count("named", usize::from(session.log().name().is_some()));
        for (kind, number) in stats.by_kind.iter().chain(&stats.stop_reasons) {
            count(kind, *number);
        }
        for model in stats.models.keys() {
            count(model, 1);
        }
        for tool in stats.tools.values() {
            count("tool errors", tool.errors);
        }
        count("shell", stats.by_role.get("bashExecution").copied().unwrap_or(0));
    }
    let wanted = "aborted branch_summary custom custom_message error images label model_change session_info shell \
                  thinking_level_change anthropic/claude-sonnet-4-5 openai/gpt-5.2 zai/glm-4.7";
    let missing: Vec<&str> =
        wanted.split_whitespace().filter(|&what| !totals.contains_key(what)).collect();
    assert_eq!(missing, Vec::<&str>::new(), "in {totals:?}");
    assert_eq!(totals["compactions"], 3);
    assert_eq!(totals["branch_summary"], 4, "three, and one that was copied by a clone");
    assert_eq!(totals["sessions with several branches"], 3);
    assert!(totals["tool errors"] > 30, "{totals:?}");
    assert!(totals["named"] > 12, "{totals:?}");
}

#[test]
fn nothing_is_wrong_with_any_file() {
    for session in sessions() {
        assert_eq!(session.problems(&session.tree(View::Repaired)), []);
        assert_eq!(session.problems(&session.tree(View::AsPi)), []);
    }
}

#[test]
fn one_session_went_three_ways() {
    let sessions = sessions();
    let find = |name: &str| sessions.iter().find(|session| session.log().name() == Some(name));
    let session = find("Categories: rules, Bayes or a model").unwrap();
    let tree = session.tree(View::AsPi);
    assert_eq!(Branches::new(session.log(), &tree).list.len(), 3);
    assert_eq!(tree.leaf(), session.log().entries().len().checked_sub(1));
}

#[test]
fn forks_hold_nothing_from_after_they_were_made() {
    let infos = infos(demo());
    let lineage = Lineage::read(&files(demo()));
    let forks: Vec<&SessionInfo> =
        infos.iter().filter(|info| info.parent_session_path.is_some()).collect();
    assert_eq!(forks.len(), 2);
    for info in forks {
        let original = lineage.parent(&info.path).unwrap();
        assert_eq!(info.parent_session_path.as_deref(), original.to_str());
        let (original, fork) =
            (Session::open(original).unwrap(), Session::open(&info.path).unwrap());
        let known: BTreeSet<_> =
            original.log().entries().iter().map(|entry| entry.id.clone()).collect();
        let is_shared = |entry: &&Entry| known.contains(&entry.id);
        let shared: Vec<&Entry> = fork.log().entries().iter().filter(is_shared).collect();
        let made = fork.header().created();
        assert!(shared.len() > 10);
        assert!(shared.iter().all(|entry| entry.timestamp <= made), "{}", info.path.display());
        assert!(fork.log().entries().len() > shared.len() + 5, "it goes on");
        assert!(original.log().entries().len() > shared.len() + 5, "and so does the original");
    }
}

#[test]
fn every_question_is_asked_in_working_hours_and_every_call_is_answered() {
    for session in sessions() {
        let mut open = 0_usize;
        for entry in session.log().entries() {
            let time = entry.timestamp.unwrap().to_timestamp().to_zoned(jiff::tz::TimeZone::UTC);
            assert!((7..17).contains(&time.hour()), "{time} in {:?}", session.path());
            assert!(time.weekday().to_monday_zero_offset() < 5, "{time} in {:?}", session.path());
            match entry.role() {
                Some(Role::ToolResult) => open = open.checked_sub(1).expect("a call"),
                Some(Role::Assistant) => {
                    assert_eq!(open, 0, "line {} in {:?}", entry.line, session.path());
                    let at = session.log().entries().iter().position(|other| other == entry);
                    let text = session.entry_raw(at.unwrap()).unwrap().into_json();
                    open = text.matches("\"type\":\"toolCall\"").count();
                }
                _ => {}
            }
        }
        assert_eq!(open, 0, "{:?}", session.path());
    }
}

#[test]
fn compactions_keep_from_a_message_of_their_branch() {
    let mut checked = 0;
    for session in sessions() {
        let tree = session.tree(View::AsPi);
        for (at, entry) in session.log().entries().iter().enumerate() {
            if let Body::Compaction { first_kept: Some(kept), .. } = &entry.body {
                let kept = tree.find(kept.as_str()).unwrap();
                assert!(tree.branch(at).contains(&kept));
                assert_eq!(session.log().entries()[kept].role(), Some(&Role::User));
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 3);
}

#[test]
fn every_file_was_written_when_its_story_ended() {
    for (path, (_, written)) in snapshot(demo()) {
        let session = Session::open(&demo().join(path)).unwrap();
        assert_eq!(session.log().entries().last().unwrap().timestamp, Some(written));
    }
}

#[test]
fn folders_are_for_their_owner_alone() {
    let sessions = demo().join("sessions");
    let projects = fs::read_dir(&sessions).unwrap().map(|entry| entry.unwrap().path());
    for folder in [demo().to_owned(), sessions.clone()].into_iter().chain(projects) {
        assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    }
}

#[test]
fn two_runs_give_the_same_bytes() {
    let folder = TempDir::new().unwrap();
    let agent = make(&folder.path().join("deep/down")).unwrap();
    // Only a fork's header knows where the files lie.
    let moved = |(path, (text, written)): (PathBuf, (String, Millis))| {
        let text = text.replacen(agent.to_str().unwrap(), demo().to_str().unwrap(), 1);
        (path, (text, written))
    };
    let again: BTreeMap<_, _> = snapshot(&agent).into_iter().map(moved).collect();
    assert!(again == snapshot(demo()), "the files differ");
}

#[test]
fn a_second_run_changes_nothing() {
    let folder = TempDir::new().unwrap();
    let agent = make(folder.path()).unwrap();
    let path = &files(&agent)[0];
    let text = fs::read_to_string(path).unwrap();
    let shortened = text.lines().take(3).collect::<Vec<_>>().join("\n");
    fs::write(path, &shortened).unwrap();
    fs::write(agent.join("sessions/mine.jsonl"), "").unwrap();
    assert_eq!(make(folder.path()).unwrap(), agent);
    assert_eq!(fs::read_to_string(path).unwrap(), shortened);

    fs::remove_file(path).unwrap();
    refuses(folder.path(), "holds a demo that misses sessions/--home-dev-dotfiles--/");
    fs::write(agent.join(MARKER), "pi-brain demo, version 0\n").unwrap();
    refuses(folder.path(), "holds the demo of another version");
}

#[test]
fn what_is_not_ours_is_left_alone() {
    let folder = TempDir::new().unwrap();
    fs::create_dir_all(folder.path().join("agent/sessions")).unwrap();
    refuses(folder.path(), "is there already and is no demo of pi-brain; remove it, or name");
    fs::remove_dir_all(folder.path().join("agent")).unwrap();

    let unfinished = folder.path().join("agent.unfinished");
    fs::create_dir(&unfinished).unwrap();
    refuses(folder.path(), "could not write the demo");
    fs::write(unfinished.join(MARKER), "").unwrap();
    fs::write(unfinished.join("half"), "").unwrap();
    let agent = make(folder.path()).unwrap();
    assert!(!agent.join("half").exists());
    assert!(!unfinished.exists());
}

fn refuses(folder: &Path, why: &str) {
    let error = make(folder).unwrap_err();
    assert!(format!("{error:#}").contains(why), "{error:#}");
}

#[test]
fn mistakes_in_a_story_are_named() {
    let folder = TempDir::new().unwrap();
    let sessions = SessionFolder::ByProject(folder.path().to_owned());
    let check = |steps: &str, mistake: &str| {
        let text = format!("\n:: session shop 2026-10-05 08:12 zai/glm-4.7 off\n{steps}\n");
        let told = story::parse(&text)
            .and_then(|story| teller::tell("x", &story, &sessions, &HashMap::new()));
        let error = told.err().map(|error| format!("{error:#}")).unwrap_or_default();
        assert!(error.contains(mistake), "{error}");
    };
    check(":: sing\nla", "at `:: sing`: no step is called sing");
    check(":: also read a", "`also` follows a call");
    check(":: pause long", "long is no length of time");
    check(":: at 2026-10-05 08:11", "the story is already at 2026-10-05T08:");
    check(":: at 2026-13-05 08:11", "2026-13-05 08:11 is no time");
    check(":: branch nowhere", "nothing is marked nowhere");
    check(":: model zai/glm-3", "no model zai/glm-3");
    check(":: edit a.rs 1\nold", "an edit has a line `=>`");
    check(":: edit a.rs 1\nold\n=>\nold", "an edit changes something");
}
