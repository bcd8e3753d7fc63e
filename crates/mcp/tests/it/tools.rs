//! What each tool answers, and how it refuses.

use pi_brain_store::DataFolder;
use serde_json::json;

use crate::world::{ID, PROJECT, World, user};

/// Returns what stands behind a word on a page, up to the next blank or comma.
fn after<'a>(page: &'a str, word: &str) -> &'a str {
    let (_, rest) = page.split_once(word).unwrap_or_else(|| panic!("no {word:?} in {page}"));
    rest.split([' ', ',', '\n', ':']).next().unwrap()
}

#[tokio::test]
async fn a_question_is_answered_with_numbers_that_lead_to_the_lines() {
    let world = World::shop();
    let client = world.connect().await;
    let page = client.ask("brain_query", json!({"question": "what are carts keyed by?"})).await;
    assert!(page.contains("\n[1] 2025-01-01") && page.contains("keyed by user id"), "{page}");
    assert!(page.contains(&format!("> session {ID}, entry ")), "{page}");
    // The citation can be followed.
    let entry = after(&page, ", entry ");
    let around = client.ask("brain_session", json!({"session": ID, "entry": entry})).await;
    assert!(around.contains(&format!("> [{entry}]")) && around.contains("carts"), "{around}");
    let node = after(&page, ", node ");
    let page = client.ask("brain_node", json!({"id": node})).await;
    assert!(page.contains(&format!("Unit of work {node}-v1")), "{page}");

    let page = client.ask("brain_query", json!({"question": "what did shop cost?"})).await;
    assert!(page.contains("> $") && page.contains("on shop"), "{page}");
    let nothing = json!({"question": "why did we migrate the kafka cluster to zebrafish?"});
    let page = client.ask("brain_query", nothing).await;
    assert!(page.contains("Nothing in the sessions answers") && page.contains("brain_search"));
    let page = client.refused("brain_query", json!({"question": " "})).await;
    assert!(page.contains("nothing to look for"), "{page}");
    client.end().await;
}

#[tokio::test]
async fn a_search_knows_the_query_language_and_goes_on() {
    let world = World::shop();
    let client = world.connect().await;
    let page = client
        .ask("brain_search", json!({"query": "\"session id changed\" tool:bash kind:message"}))
        .await;
    assert!(page.contains("1. tool, 2025-01-01, node ") && page.contains("line 4"), "{page}");
    let page =
        client.ask("brain_search", json!({"query": "warehouse role:user", "limit": 400})).await;
    assert!(page.contains("60 results") && page.len() <= 1_600, "{page}");
    let next: u64 = after(&page, "`offset`: ").parse().unwrap();
    let shown = page.matches("\n> ").count() / 2;
    assert_eq!(next, shown as u64);
    assert!(page.contains(&format!("Left out: {} more.", 60 - shown)), "{page}");
    let more = json!({"query": "warehouse role:user", "limit": 400, "offset": next});
    let page = client.ask("brain_search", more).await;
    assert!(page.contains(&format!("\n{}. user", next + 1)), "{page}");
    let page = client.ask("brain_search", json!({"query": "warehouse", "offset": 5000})).await;
    assert!(page.contains("There are only "), "{page}");
    let page = client.ask("brain_search", json!({"query": "zebrafish"})).await;
    assert!(page.contains("Nothing found"), "{page}");
    let page = client.refused("brain_search", json!({"query": "cart after:someday"})).await;
    assert!(page.contains("someday"), "{page}");
    client.end().await;
}

#[tokio::test]
async fn a_unit_of_work_is_shown_and_noted() {
    let world = World::shop();
    let client = world.connect().await;
    let found = client.ask("brain_search", json!({"query": "cart kind:node"})).await;
    let id = after(&found, ", node ").to_owned();
    let page = client.ask("brain_node", json!({"id": id})).await;
    for part in ["Summary:", "Decisions:", "Files changed:\n> - src/cart.ts", "because", PROJECT] {
        assert!(page.contains(part), "no {part} in {page}");
    }
    let note = json!({"id": id, "kind": "win", "message": "A plan first\n> worked."});
    let page = client.ask("brain_flag", note).await;
    assert!(page.contains(&format!("Stored on node {id} as win:\n> A plan first\n> > worked.")));
    let page = client.ask("brain_node", json!({"id": format!("{id}-v1"), "limit": 4000})).await;
    assert!(page.contains("Notes:\n> - win: A plan first > worked."), "{page}");

    for (tool, arguments, advice) in [
        ("brain_node", json!({"id": "0000000000000000"}), "brain_search"),
        ("brain_node", json!({"id": "../../etc/passwd"}), "brain_search"),
        ("brain_node", json!({"id": format!("{id}-v99")}), "leave out the -v"),
        (
            "brain_flag",
            json!({"id": format!("{id}-v1"), "kind": "note", "message": "x"}),
            "leave out",
        ),
        ("brain_flag", json!({"id": id, "kind": "note", "message": " \n"}), "empty"),
        ("brain_flag", json!({"id": "ffff", "kind": "note", "message": "x"}), "brain_search"),
    ] {
        let text = client.refused(tool, arguments).await;
        assert!(text.contains(advice) && !text.contains('\n'), "{text}");
    }
    client.end().await;
}

#[tokio::test]
async fn a_session_is_read_around_an_entry_or_from_line_to_line() {
    let world = World::shop();
    let client = world.connect().await;
    let page = client
        .ask("brain_session", json!({"session": &ID[..8], "entry": "00000020", "limit": 400}))
        .await;
    // What was asked for, and as much on both sides as there is room for.
    assert!(page.contains("> [00000020]") && page.contains("> [00000021]"), "{page}");
    assert!(page.contains("> [0000001f]") && page.len() <= 1_600, "{page}");
    assert!(page.contains("These are lines "), "{page}");
    let lines = json!({"session": ID, "from_line": 4, "to_line": 5});
    let page = client.ask("brain_session", lines).await;
    assert!(page.contains("line 4: tool, failed") && page.contains("line 5: assistant"), "{page}");
    assert!(!page.contains("line 3:") && !page.contains("line 6:"), "{page}");
    // The whole of it, page by page, without a gap.
    let (mut line, mut seen) = (0, Vec::new());
    loop {
        let page = client.ask("brain_session", json!({"session": ID, "from_line": line})).await;
        let told = page.lines().filter_map(|text| text.strip_prefix("line "));
        seen.extend(told.map(|text| text.split(':').next().unwrap().parse::<u64>().unwrap()));
        if !page.contains("Left out") {
            break;
        }
        line = after(&page, "`from_line`: ").parse().unwrap();
    }
    assert_eq!(seen, (2..=133).collect::<Vec<u64>>());

    for (arguments, advice) in [
        (json!({"session": "nobody"}), "brain_search"),
        (json!({"session": ""}), "no session"),
        (json!({"session": ID, "entry": "ffffffff"}), "from_line"),
        (json!({"session": ID, "from_line": 900}), "lines 2 to 133"),
        (json!({"session": "/etc/passwd"}), "no session"),
    ] {
        let text = client.refused("brain_session", arguments).await;
        assert!(text.contains(advice), "{text}");
    }
    world.session("0190aaaa-0000-7000-8000-00000000ffff", PROJECT, &[user("Another.")]);
    let text = client.refused("brain_session", json!({"session": "0190aaaa"})).await;
    assert!(text.contains("any of 2 sessions"), "{text}");
    client.end().await;
}

#[tokio::test]
async fn lessons_are_told_for_a_project_a_file_or_a_tool() {
    let world = World::shop();
    let client = world.connect().await;
    for arguments in [json!({}), json!({"file": "cart.ts"}), json!({"project": "*"})] {
        let page = client.ask("brain_lessons", arguments).await;
        assert!(page.contains("About the ") && page.contains("session id"), "{page}");
    }
    let page = client.ask("brain_lessons", json!({"project": "nowhere"})).await;
    assert!(page.contains("No lessons fit"), "{page}");
    let page = client.ask("brain_lessons", json!({"tool": "kubectl"})).await;
    assert!(page.contains("No lessons fit"), "{page}");
    client.end().await;
}

#[tokio::test]
async fn without_sessions_every_tool_says_so() {
    let world = World::empty();
    let client = world.connect().await;
    let page = client.ask("brain_query", json!({"question": "why no redis?"})).await;
    assert!(page.contains("Nothing in the sessions"), "{page}");
    assert!(client.ask("brain_search", json!({"query": "redis"})).await.contains("Nothing found"));
    assert!(client.ask("brain_lessons", json!({})).await.contains("No lessons fit"));
    assert!(client.client.list_all_resources().await.unwrap().is_empty());
    // What is written from now on is known at once.
    world.session(ID, PROJECT, &[user("We dropped redis because it was too much for one server.")]);
    let page = client.ask("brain_query", json!({"question": "why did we drop redis?"})).await;
    assert!(page.contains("too much for one server"), "{page}");
    client.end().await;
}

#[tokio::test]
async fn while_another_process_takes_sessions_in_an_answer_says_so() {
    let world = World::shop();
    let client = world.connect().await;
    client.ask("brain_search", json!({"query": "cart"})).await;
    world.session("0190bbbb", PROJECT, &[user("Where do the flamingos sleep?")]);
    let lock = DataFolder::at(&world.path().join("brain")).lock("a test").unwrap();
    let page = client.ask("brain_search", json!({"query": "cart flamingos"})).await;
    assert!(page.contains("being taken in just now") && page.contains("cart"), "{page}");
    assert!(!page.contains("flamingos sleep"), "{page}");
    drop(lock);
    let page = client.ask("brain_search", json!({"query": "cart flamingos"})).await;
    assert!(!page.contains("just now") && page.contains("flamingos sleep"), "{page}");
    client.end().await;
}
