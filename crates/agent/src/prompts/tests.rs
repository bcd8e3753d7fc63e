use super::Prompts;

#[test]
fn the_version_follows_from_what_the_prompts_say() {
    let version =
        |analyse: &str| Prompts::new(analyse, "merge", "repair", "answer").version().to_owned();
    let plain = version("Read it.\nSay what it is.");
    assert!(plain.starts_with("v1-") && plain.len() == 11, "{plain}");
    assert_eq!(version("Read it. <!-- a note --> Say\n  what it is."), plain);
    assert_ne!(version("Read it. Say what it was."), plain);
    assert_eq!(
        version("<!-- v12, shorter -->\nRead it. Say what it is."),
        plain.replace("v1-", "v12-")
    );
    assert!(Prompts::built_in().version().starts_with("v1-"));
    assert!(!Prompts::built_in().analyse.contains("<!--"));
}

#[test]
fn how_questions_are_answered_makes_no_other_version() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("answer.md"), "Answer in rhymes. <!-- for fun -->").unwrap();
    let prompts = Prompts::with_overrides(folder.path()).unwrap();
    assert_eq!(prompts.answer, "Answer in rhymes.");
    assert_eq!(prompts.version(), Prompts::built_in().version());
}

#[test]
fn a_folder_overrides_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(Prompts::with_overrides(folder.path()).unwrap(), Prompts::built_in());
    std::fs::write(folder.path().join("merge.md"), "Put them together.").unwrap();
    let prompts = Prompts::with_overrides(folder.path()).unwrap();
    assert_eq!(prompts.merge, "Put them together.");
    assert_eq!(prompts.analyse, Prompts::built_in().analyse);
    assert_ne!(prompts.version(), Prompts::built_in().version());
    std::fs::create_dir(folder.path().join("repair.md")).unwrap();
    let error = Prompts::with_overrides(folder.path()).unwrap_err().to_string();
    assert!(error.contains("repair.md"), "{error}");
}
