//! Lessons, decisions, quirks and patterns, asked of tables that were filled by hand.

use pi_brain_brain::{LessonLevel, NodeId};
use pi_brain_session::Millis;
use pi_brain_store::{DataFolder, NodeFilter, Order, Store};
use rusqlite::{Connection, params};
use tempfile::TempDir;

const DAY: i64 = 24 * 3600 * 1000;
const NOW: Millis = Millis(100 * DAY);

struct Brain {
    _folder: TempDir,
    store: Store,
    tables: Connection,
}

impl Brain {
    /// Three nodes: two in the shop, of days 90 and 95, and one in the ledger, of day 50.
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let data = DataFolder::create(folder.path()).unwrap();
        let store = Store::open(&data).unwrap();
        let tables = Connection::open(data.database()).unwrap();
        let brain = Self { _folder: folder, store, tables };
        for (id, project, day) in
            [(1, "/dev/shop", 90), (2, "/dev/shop", 95), (3, "/dev/ledger", 50)]
        {
            brain.put(
                "INSERT INTO node (id, version, path, project, type, outcome, summary, started, minutes, tokens, cost,
                 entries, computer, session_id, session_file, start_entry, end_entry, analyzer)
                 VALUES (?1, 1, '', ?2, 'other', 'success', 'did ' || ?1, ?3, 1, 0, 0, 1, '', 's', '', '', '', 'x')",
                params![id, project, day * DAY],
            );
        }
        brain
    }

    fn put(&self, sql: &str, row: impl rusqlite::Params) {
        self.tables.execute(sql, row).unwrap();
    }

    fn lesson(&self, node: i64, level: &str, summary: &str, tags: &str) {
        let sql = "INSERT INTO lesson (node, level, ordinal, summary, details, confidence, tags, actionable)
                   VALUES (?1, ?2, (SELECT count(*) FROM lesson), ?3, '', 'high', ?4, NULL)";
        self.put(sql, params![node, level, summary, tags]);
    }

    fn model(&self, node: i64, model: &str) {
        let sql = "INSERT INTO spending (segment, provider, model, quarter, answers, input, output, cache_read,
             cache_write, tokens, cost) VALUES (?1, 'p', ?2, 1, 1, 1, 1, 0, 0, 2, 0)";
        self.put(sql, params![node, model]);
    }
}

fn id(number: u64) -> NodeId {
    NodeId::from_u64(number)
}

fn in_shop() -> NodeFilter {
    NodeFilter { project: Some("shop".to_owned()), ..NodeFilter::default() }
}

#[test]
fn lessons_are_grouped_and_filtered() {
    let brain = Brain::new();
    brain.lesson(1, "project", "Run migrations before the tests", r#"["db"]"#);
    brain.lesson(2, "project", "Before tests, run the migration", "[]");
    brain.lesson(3, "project", "Running migrations comes before testing", "[]");
    brain.lesson(3, "tool", "Use rg with --hidden", "[]");
    brain.put("INSERT INTO tag (node, kind, tag) VALUES (3, 'tag', 'Search')", []);
    brain.model(3, "big");
    let counts = |filter: &NodeFilter, level| {
        let groups = brain.store.lessons(filter, level, NOW).unwrap();
        groups.iter().map(|group| group.count).collect::<Vec<_>>()
    };
    let all = NodeFilter::default();
    assert_eq!(counts(&all, None), [3, 1]);
    assert_eq!(counts(&in_shop(), None), [2]);
    assert_eq!(counts(&all, Some(LessonLevel::Tool)), [1]);
    assert_eq!(
        counts(&NodeFilter { model: Some("P/BIG".to_owned()), ..all.clone() }, None),
        [1, 1]
    );
    assert_eq!(counts(&NodeFilter { after: Some(Millis(60 * DAY)), ..all.clone() }, None), [2]);
    // A tag of the lesson, or of its node.
    let tagged = |tag: &str| NodeFilter { tag: Some(tag.to_owned()), ..all.clone() };
    assert_eq!(counts(&tagged("DB"), None), [1]);
    assert_eq!(counts(&tagged("search"), None), [1, 1]);
    assert_eq!(counts(&tagged("nothing"), None), [] as [usize; 0]);
    let group = &brain.store.lessons(&all, None, NOW).unwrap()[0];
    assert_eq!(group.summary, "Before tests, run the migration", "the latest wording");
    assert_eq!((group.recent, group.before), (2, 1));
}

#[test]
fn decisions_come_latest_first() {
    let brain = Brain::new();
    for (node, what) in [(1, "use redis"), (2, "drop redis"), (3, "csv")] {
        let sql = "INSERT INTO decision (node, ordinal, what, why, alternatives) VALUES (?1, 0, ?2, '', '[\"x\"]')";
        brain.put(sql, params![node, what]);
    }
    let what = |filter: &NodeFilter| {
        let rows = brain.store.decisions(filter).unwrap();
        rows.into_iter().map(|row| row.what).collect::<Vec<_>>()
    };
    assert_eq!(what(&NodeFilter::default()), ["drop redis", "use redis", "csv"]);
    assert_eq!(what(&in_shop()), ["drop redis", "use redis"]);
    assert_eq!(brain.store.decisions(&in_shop()).unwrap()[0].alternatives_considered, ["x"]);
}

#[test]
fn quirks_are_one_for_each_model_and_observation() {
    let brain = Brain::new();
    for (node, model, text, workaround) in [
        (1, "p/big", "Forgets  the imports", Some("ask twice")),
        (2, "p/big", "forgets the imports", None),
        (3, "p/small", "forgets the imports", None),
    ] {
        let sql =
            "INSERT INTO quirk (node, ordinal, model, observation, frequency, severity, workaround)
                   VALUES (?1, 0, ?2, ?3, 'often', 'low', ?4)";
        brain.put(sql, params![node, model, text, workaround]);
    }
    let quirks = brain.store.quirks(&NodeFilter::default(), None).unwrap();
    assert_eq!(quirks.len(), 2);
    assert_eq!((&*quirks[0].model, &quirks[0].nodes), ("p/big", &vec![id(2), id(1)]));
    assert_eq!(quirks[0].workaround.as_deref(), Some("ask twice"));
    assert_eq!(brain.store.quirks(&NodeFilter::default(), Some("SMALL")).unwrap().len(), 1);
}

#[test]
fn patterns_know_their_tools_and_how_they_were_resolved() {
    let brain = Brain::new();
    for (node, message, resolved) in
        [(1, "no file /a", true), (2, "no file /b", false), (3, "other", true)]
    {
        let sql = "INSERT INTO error (node, ordinal, type, message, resolved) VALUES (?1, 0, 'ENOENT', ?2, ?3)";
        brain.put(sql, params![node, message, resolved]);
        let sql = "INSERT INTO tool_error (node, ordinal, tool, type, model, context, retried)
                   VALUES (?1, 0, 'read', 'ENOENT', 'p/m' || ?1, '', 1)";
        brain.put(sql, [node]);
    }
    let found = brain.store.patterns(&NodeFilter::default(), NOW).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].count, found[0].resolved), (2, 1));
    assert_eq!(found[0].tools.iter().collect::<Vec<_>>(), ["read"]);
    assert_eq!(found[0].models.iter().collect::<Vec<_>>(), ["p/m1", "p/m2"]);
    let resolution = found[0].resolution.as_ref().unwrap();
    assert_eq!((resolution.node, &*resolution.summary), (id(1), "did 1"));
    let since = NodeFilter { after: Some(Millis(92 * DAY)), ..NodeFilter::default() };
    assert!(brain.store.patterns(&since, NOW).unwrap().is_empty());
}

#[test]
fn nodes_that_need_a_look_are_listed() {
    let brain = Brain::new();
    let sql =
        "INSERT INTO review (node, ordinal, decision, reasoning) VALUES (2, 0, 'kept', 'unsure')";
    brain.put(sql, []);
    let filter = NodeFilter { needs_review: true, ..NodeFilter::default() };
    let (nodes, total) = brain.store.nodes(&filter, Order::Newest, 10, 0).unwrap();
    assert_eq!((nodes[0].id, total), (id(2), 1));
}
