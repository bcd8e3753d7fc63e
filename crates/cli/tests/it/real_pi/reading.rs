//! Every session file that can exist is read as pi reads it, apart from the exceptions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pi_brain_real_pi::{EXCEPTIONS, NEVER_COMES_BACK, Pi, Samples, VERSIONS};
use pi_brain_session::{Abandoned, Session, View};
use serde_json::Value;

use crate::support::Home;

/// Runs `pi-brain session dump`; exit code 4 says that the file is no session.
fn dump(home: &Home, path: &Path) -> String {
    let mut command = home.command(&["session", "dump", "--json", path.to_str().unwrap()]);
    let output = command.current_dir("/").output().unwrap();
    match output.status.code() {
        Some(0) => String::from_utf8(output.stdout).unwrap().replace('\n', ""),
        Some(4) => r#"{"error":"no session"}"#.to_owned(),
        code => panic!(
            "{}: exit code {code:?}: {}",
            path.display(),
            String::from_utf8_lossy(&output.stderr)
        ),
    }
}

fn reads_as_pi_does(version: &'static str) {
    let pi = Pi::new(version);
    let samples = Samples::make(pi);
    let (names, files): (Vec<&String>, Vec<&PathBuf>) = samples.readable().unzip();
    assert!(files.len() > 150, "only {} session files were made", files.len());
    let home = Home::new();
    let theirs = samples.folder().join("pi.jsonl");
    let ours = samples.folder().join("ours.jsonl");
    std::fs::write(&theirs, pi.read(&files, &[])).unwrap();
    let dumps: Vec<String> = files.iter().map(|path| dump(&home, path)).collect();
    std::fs::write(&ours, dumps.join("\n") + "\n").unwrap();
    let compared = pi.run("compare.mjs", &[theirs.to_str().unwrap(), ours.to_str().unwrap()], "");

    let mut expected: BTreeMap<&str, (BTreeSet<&str>, &str)> = BTreeMap::new();
    for exception in EXCEPTIONS.iter().filter(|exception| exception.versions.contains(&version)) {
        expected
            .insert(exception.file, (exception.fields.iter().copied().collect(), exception.reason));
    }
    let by_path: BTreeMap<&str, &str> = files
        .iter()
        .map(|path| path.to_str().unwrap())
        .zip(names.iter().map(|name| name.as_str()))
        .collect();
    let differences: Vec<Value> = serde_json::from_str(&compared).unwrap();
    let mut wrong = Vec::new();
    for difference in &differences {
        let name = by_path[difference["file"].as_str().unwrap()];
        let fields: BTreeSet<&str> = difference["fields"]
            .as_array()
            .unwrap()
            .iter()
            .map(|field| field.as_str().unwrap())
            .collect();
        // What is not listed must be equal; what is listed may be, where pi did not come that far.
        let allowed = expected.remove(name).unwrap_or_default().0;
        if !fields.is_subset(&allowed) {
            wrong.push(format!("{name}: {fields:?} differ: {:#}", difference["show"]));
        }
    }
    assert!(wrong.is_empty(), "pi {version} reads these differently:\n{}", wrong.join("\n"));
    let stale: Vec<String> =
        expected.iter().map(|(name, (_, reason))| format!("{name} ({reason})")).collect();
    assert!(
        stale.is_empty(),
        "pi {version} reads these as we do; they are no exceptions: {stale:?}"
    );
}

#[test]
fn reads_as_pi_0_73_1_does() {
    reads_as_pi_does("0.73.1");
}

#[test]
fn reads_as_pi_0_87_1_does() {
    reads_as_pi_does("0.87.1");
}

#[test]
fn reads_as_pi_1_5_0_does() {
    reads_as_pi_does("1.5.0");
}

#[test]
fn reads_files_from_which_pi_never_comes_back() {
    let pi = Pi::new("1.5.0");
    let samples = Samples::make(pi);
    let home = Home::new();
    for name in NEVER_COMES_BACK {
        let path = &samples.files[*name];
        let arguments = ["--pi", &pi.folder_argument(), "--timeout", "3"];
        let output = pi.try_run("oracle.mjs", &arguments, &format!("{}\n", path.display()));
        assert_eq!(
            output.status.code(),
            Some(9),
            "pi comes back from {name}: it is no exception any more"
        );
        let dump: Value = serde_json::from_str(&dump(&home, path)).unwrap();
        let problems = dump["problems"].as_array().unwrap();
        let kinds: Vec<&str> =
            problems.iter().map(|problem| problem["kind"].as_str().unwrap()).collect();
        assert!(kinds.contains(&"cycle") || kinds.contains(&"self-parent"), "{name}: {kinds:?}");
        assert!(!dump["context"]["messages"].as_array().unwrap().is_empty(), "{name}");
    }
}

/// How many tokens to keep, in the order in which the script asks pi.
const KEPT_TOKENS: [u64; 5] = [1, 10, 50, 200, 20_000];

/// Where pi would cut for a compaction, and what it would summarise on leaving a branch.
///
/// pi 0.73.1 and 0.87.1 planned compactions differently; what they left in files is read all the same.
#[test]
fn plans_compactions_and_branch_summaries_as_pi_does() {
    let pi = Pi::new("1.5.0");
    let samples = Samples::make(pi);
    let (names, files): (Vec<&String>, Vec<&PathBuf>) = samples.readable().unzip();
    let answers = pi.read(&files, &[]);
    let mut compared = 0;
    for ((name, path), line) in names.iter().zip(&files).zip(answers.lines()) {
        // Trees of thousands of levels are more than this JSON reader takes; they have no compactions.
        let Ok(answer) = serde_json::from_str::<Value>(&line.replace("\\ud800", "\\ufffd")) else {
            continue;
        };
        let read_alike = !EXCEPTIONS.iter().any(|exception| exception.file == *name);
        let old = name.starts_with("v1") || name.as_str() == "version-0";
        let Ok(session) = Session::open(path) else { continue };
        if !read_alike || old || answer.get("compaction").is_none() {
            continue;
        }
        let tree = session.tree(View::AsPi);
        let entries = session.log().entries();
        let ids = |list: &[usize]| -> Vec<Value> {
            list.iter().map(|&at| serde_json::to_value(&entries[at].id).unwrap()).collect()
        };
        for (asked, keep) in answer["compaction"].as_array().unwrap().iter().zip(KEPT_TOKENS) {
            if asked.get("error").is_some() {
                continue;
            }
            compared += 1;
            let plan = tree.leaf().map(|leaf| session.plan_compaction(&tree, leaf, keep).unwrap());
            let Some(plan) = plan.flatten() else {
                assert!(asked.is_null(), "{name}: pi would compact, keeping {keep}");
                continue;
            };
            let ours = serde_json::json!({
                "keepRecentTokens": keep,
                "firstKeptEntryId": plan.first_kept,
                "isSplitTurn": plan.is_split_turn,
                "tokensBefore": plan.tokens_before,
                "previousSummary": plan.previous_summaries.first(),
                "summarized": plan.summarized.len(),
                "turnPrefix": plan.turn_prefix.len(),
                "readFiles": plan.files.read_files,
                "modifiedFiles": plan.files.modified_files,
            });
            assert_eq!(&ours, asked, "{name}");
        }
        for asked in answer["abandoned"].as_array().into_iter().flatten() {
            let target = tree.find(asked["target"].as_str().unwrap());
            let abandoned = Abandoned::new(&tree, tree.leaf().unwrap(), target);
            let ancestor = abandoned.common_ancestor.and_then(|at| entries[at].id.clone());
            assert_eq!(
                serde_json::to_value(ancestor).unwrap(),
                asked["commonAncestorId"],
                "{name}"
            );
            assert_eq!(Value::from(ids(&abandoned.entries)), asked["entries"], "{name}");
            compared += 1;
        }
    }
    assert!(compared > 300, "only {compared} plans were compared");
}

#[test]
fn the_exceptions_speak_of_versions_we_test() {
    for exception in EXCEPTIONS {
        assert!(
            exception.versions.iter().all(|version| VERSIONS.contains(version)),
            "{}",
            exception.file
        );
    }
}
