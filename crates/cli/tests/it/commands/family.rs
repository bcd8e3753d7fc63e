//! `pi-brain session family`: a session and its forks as one tree.

use insta::assert_snapshot;

use super::{ID, errors_of, fork_of_shop, shop};
use crate::support::Home;

#[test]
fn a_session_and_its_fork_are_one_tree() {
    let home = Home::new();
    shop(&home);
    fork_of_shop(&home);
    assert_snapshot!(home.stdout(&["session", "family", ID]));
    assert_snapshot!("family_from_the_fork", home.stdout(&["session", "family", "0190bbbb"]));
    assert_snapshot!("family_in_full", home.stdout(&["session", "family", ID, "--full"]));
    assert!(!home.path().join(".pi-brain").exists(), "nothing is written");
}

#[test]
fn a_family_in_json_can_be_built_again() {
    let home = Home::new();
    let path = shop(&home);
    fork_of_shop(&home);
    let family = home.json(&["session", "family", "latest", "--json"]);
    let mut keys: Vec<&String> = family.as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(keys, ["branchPoints", "cost", "entries", "leaves", "messages", "sessions", "tree"]);
    assert_eq!(family["cost"].as_object().unwrap().len(), 2);
    let [shop, fork] = &family["sessions"].as_array().unwrap()[..] else { panic!("{family}") };
    assert_eq!(shop["file"], path.to_str().unwrap());
    assert_eq!((&shop["id"], &shop["name"]), (&ID.into(), &"Cart lost at login".into()));
    assert_eq!((&shop["entries"], &fork["entries"]), (&14.into(), &8.into()));
    assert_eq!(family["entries"], 22);
    assert_eq!((&shop["ownMessages"], &fork["ownMessages"]), (&7.into(), &2.into()));
    // Costs in dollars: what the fork copied is paid once.
    let near = |value: &serde_json::Value, wanted: f64| {
        assert!((value.as_f64().unwrap() - wanted).abs() < 1e-9, "{value} is not {wanted}");
    };
    near(&family["cost"]["honest"], 0.05 + 0.1 + 0.2 + 0.01 + 0.5);
    near(&family["cost"]["naive"], 2.0 * (0.05 + 0.1) + 0.2 + 0.01 + 0.5);
    // The tree is a list: everybody comes after what they follow, and each is counted.
    let tree = family["tree"].as_array().unwrap();
    assert_eq!(tree.len() as u64, family["messages"].as_u64().unwrap());
    for (number, node) in tree.iter().enumerate() {
        assert_eq!(node["id"], number + 1);
        let parent = node["parent"].as_u64();
        assert!(parent.is_none_or(|parent| parent <= number as u64));
        if let Some(parent) = parent {
            let siblings = &tree[usize::try_from(parent).unwrap() - 1]["children"];
            assert!(siblings.as_array().unwrap().contains(&node["id"]));
        }
    }
    let count = |fits: fn(usize) -> bool| {
        tree.iter().filter(|node| fits(node["children"].as_array().unwrap().len())).count()
    };
    assert_eq!(family["leaves"], count(|children| children == 0));
    assert_eq!(family["branchPoints"], count(|children| children > 1));
    assert_eq!(tree[0]["role"], "user");
    assert_eq!(tree[0]["words"], "Why is the cart empty after login?");
    assert_eq!(tree[0]["occurrences"].as_array().unwrap().len(), 2);
    assert_eq!(tree[0]["occurrences"][0]["entry"], "00000002");
    let leaf = usize::try_from(fork["leaf"].as_u64().unwrap()).unwrap();
    assert_eq!(tree[leaf - 1]["words"], "One cart for each device.");
}

#[test]
fn the_demo_has_a_fork_and_a_clone() {
    let home = Home::new();
    home.pi_brain(&["demo", "demo"]).success();
    let agent = ["--agent-dir", "demo/agent"];
    let list = home.json(&[&agent[..], &["sessions", "--json"]].concat());
    let forks = list.as_array().unwrap().iter().filter(|row| row["parentSessionPath"].is_string());
    let mut families = 0;
    for fork in forks {
        let arguments = ["session", "family", fork["id"].as_str().unwrap(), "--json"];
        let family = home.json(&[&agent[..], &arguments].concat());
        assert_eq!(family["sessions"].as_array().unwrap().len(), 2);
        assert_eq!(family["sessions"][0]["file"], fork["parentSessionPath"]);
        let (honest, naive) = (&family["cost"]["honest"], &family["cost"]["naive"]);
        assert!(honest.as_f64() < naive.as_f64(), "{honest} {naive}");
        assert_eq!(family["branchPoints"], 2);
        families += 1;
    }
    assert_eq!(families, 2);
}

#[test]
fn a_session_alone_is_a_family_too() {
    let home = Home::new();
    shop(&home);
    let told = home.stdout(&["session", "family", "latest"]);
    assert!(told.starts_with("1 session, 14 entries") && told.contains("no forks"), "{told}");
    assert!(told.contains("\n$0.36\n"), "{told}");
    let empty = home.session("0190eeee", &[r#"{"type":"session","version":3,"id":"0190eeee","timestamp":"2025-01-01T10:00:00.000Z","cwd":"/x"}"#]);
    let told = home.stdout(&["session", "family", empty.to_str().unwrap()]);
    assert!(told.contains("0 messages"), "{told}");
    let family = home.json(&["session", "family", empty.to_str().unwrap(), "--json"]);
    assert_eq!(family["tree"], serde_json::json!([]));
}

#[test]
fn a_family_that_cannot_be_read_is_explained() {
    let home = Home::new();
    let path = shop(&home);
    fork_of_shop(&home);
    let check = |argument: &str, code: i32, words: &str| {
        let assert = home.pi_brain(&["session", "family", argument]).code(code);
        assert!(errors_of(&assert).contains(words), "{}", errors_of(&assert));
    };
    check("0190cccc", 3, "pi-brain sessions");
    check("/no/such/file.jsonl", 3, "no file");
    let torn = path.with_file_name("torn.jsonl");
    std::fs::write(&torn, "nothing").unwrap();
    check(torn.to_str().unwrap(), 4, "not a pi session");
}

#[test]
fn a_wide_and_a_deep_family_are_ordinary() {
    let home = Home::new();
    let header = super::SHOP[0];
    let line = |id: usize, parent: usize| {
        format!(
            r#"{{"type":"message","id":"{id:08x}","parentId":"{parent:08x}","timestamp":"2025-01-01T10:00:00.000Z","message":{{"role":"user","content":"message {id}","timestamp":1735725601000}}}}"#
        )
    };
    let first = line(1, 0).replace(r#""00000000""#, "null");
    let wide: Vec<String> = (2..10_002).map(|id| line(id, 1)).collect();
    let deep: Vec<String> = (10_002..20_002).map(|id| line(id, id - 1)).collect();
    let all: Vec<&str> =
        [header, &first].into_iter().chain(wide.iter().chain(&deep).map(String::as_str)).collect();
    home.session(ID, &all);
    let told = home.stdout(&["session", "family", ID]);
    assert!(told.contains("1 branch point, 10000 leaves"), "{}", &told[..2000]);
    assert!(told.contains("more branches") && told.contains("more messages"));
    assert!(told.lines().count() < 40, "{}", told.lines().count());
    let family = home.json(&["session", "family", ID, "--json"]);
    assert_eq!(family["messages"], 20_001);
}
