//! The lists, asked of tables that were filled by hand.

use pi_brain_brain::{Edge, EdgeCreator, EdgeType, NodeId};
use pi_brain_session::Millis;
use pi_brain_store::{DataFolder, FileWanted, NodeFilter, QUARTER, SpendingFilter, SpentOn, Store};
use rusqlite::{Connection, params};
use tempfile::TempDir;

const SHOP: &str = "/home/dev/shop";
const LEDGER: &str = "/home/dev/ledger";

/// A data folder with a few nodes.
struct Brain {
    _folder: TempDir,
    store: Store,
    tables: Connection,
}

impl Brain {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let data = DataFolder::create(folder.path()).unwrap();
        let store = Store::open(&data).unwrap();
        let tables = Connection::open(data.database()).unwrap();
        Self { _folder: folder, store, tables }
    }

    /// Adds a node that began in the given quarter of an hour.
    fn node(&self, id: i64, project: &str, quarter: i64) -> &Self {
        let sql = "INSERT INTO node (id, version, path, project, type, outcome, summary, started, minutes, tokens, cost,
             entries, computer, session_id, session_file, start_entry, end_entry, analyzer)
             VALUES (?1, 1, '', ?2, 'other', 'success', 'did it', ?3, 1, 0, 0, 1, '', 's', '', '', '', 'builtin')";
        self.tables.execute(sql, params![id, project, quarter * QUARTER]).unwrap();
        self
    }

    /// Adds a segment; the node that is made of it has the same number.
    fn segment(&self, id: i64, session: u32, project: &str) -> &Self {
        let sql = "INSERT INTO segment (id, root, ordinal, session, project, started, ended, speaks, fingerprint)
             VALUES (?1, 1, ?1, ?2, ?3, 0, 120000, 1, 0)";
        self.tables.execute(sql, params![id, session, project]).unwrap();
        self
    }

    fn spending(&self, segment: i64, model: &str, quarter: i64, cost: f64) -> &Self {
        let sql = "INSERT INTO spending (segment, provider, model, quarter, answers, input, output, cache_read,
             cache_write, tokens, cost) VALUES (?1, 'p', ?2, ?3, 1, 10, 2, 0, 0, 12, ?4)";
        self.tables.execute(sql, params![segment, model, quarter, cost]).unwrap();
        self
    }

    fn error(&self, node: i64, ordinal: i64, message: &str, resolved: bool) -> &Self {
        let sql = "INSERT INTO error (node, ordinal, type, message, resolved) VALUES (?1, ?2, 'command', ?3, ?4)";
        self.tables.execute(sql, params![node, ordinal, message, resolved]).unwrap();
        self
    }

    fn touch(&self, node: i64, path: &str, modified: bool) -> &Self {
        let [read, modified] = if modified { ["", path] } else { [path, ""] };
        let sql = "INSERT INTO files_touched (node, read, modified) VALUES (?1, ?2, ?3)
             ON CONFLICT (node) DO UPDATE
             SET read = read || char(10) || ?2, modified = modified || char(10) || ?3";
        self.tables.execute(sql, params![node, read, modified]).unwrap();
        self
    }

    fn tag(&self, node: i64, kind: &str, tag: &str) -> &Self {
        let sql = "INSERT INTO tag (node, kind, tag) VALUES (?1, ?2, ?3)";
        self.tables.execute(sql, params![node, kind, tag]).unwrap();
        self
    }

    fn edge(&self, source: i64, target: i64) -> &Self {
        let id = |number: i64| NodeId::from_u64(number.cast_unsigned());
        let edge =
            Edge::new(id(source), id(target), EdgeType::Resume, Millis(0), EdgeCreator::Boundary);
        let sql = "INSERT INTO edge (id, source, target, type, created_by, data)
             VALUES (?1, ?2, ?3, 'resume', 'boundary', ?4)";
        let data = r#"{"metadata":{},"createdAt":"1970-01-01T00:00:00.000Z"}"#;
        self.tables.execute(sql, params![edge.id.to_string(), source, target, data]).unwrap();
        self
    }

    fn hide(&self, node: i64) -> &Self {
        self.tables.execute("INSERT INTO hidden (node) VALUES (?1)", [node]).unwrap();
        self
    }
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

#[test]
fn spending_adds_up_to_the_same_whichever_way() {
    let brain = Brain::new();
    brain.segment(1, 1, SHOP).segment(2, 1, SHOP).segment(3, 2, LEDGER).node(1, SHOP, 0);
    brain.spending(1, "big", 10, 0.1).spending(1, "small", 10, 0.2).spending(2, "big", 11, 0.4);
    brain.spending(3, "big", 200, 0.8);
    let all = SpendingFilter::default();
    let sums = |filter: &SpendingFilter| {
        let by_quarter = brain.store.spending_by_quarter(filter).unwrap();
        let by_project = brain.store.spending_by_project(filter).unwrap();
        let by_model = brain.store.spending_by_model(filter).unwrap();
        let by_session = brain.store.spending_by_session(filter).unwrap();
        [
            by_quarter.iter().map(|(_, spent)| spent.usage.cost).sum::<f64>(),
            by_project.iter().map(|(_, spent)| spent.usage.cost).sum(),
            by_model.iter().map(|row| row.spent.usage.cost).sum(),
            by_session.iter().map(|row| row.spent.usage.cost).sum(),
        ]
    };
    assert!(sums(&all).into_iter().all(|sum| close(sum, 1.5)), "{:?}", sums(&all));
    let shop = SpendingFilter { project: Some("SHOP".into()), ..all.clone() };
    assert!(sums(&shop).into_iter().all(|sum| close(sum, 0.7)), "{:?}", sums(&shop));
    let small = SpendingFilter { model: Some("p/Small".into()), ..all.clone() };
    assert!(sums(&small).into_iter().all(|sum| close(sum, 0.2)), "{:?}", sums(&small));
    // Every time divides all spending in two.
    for time in [10 * QUARTER, 10 * QUARTER + 1, 11 * QUARTER, 12 * QUARTER, 500 * QUARTER] {
        let before = SpendingFilter { before: Some(Millis(time)), ..all.clone() };
        let after = SpendingFilter { after: Some(Millis(time)), ..all.clone() };
        for (one, other) in sums(&before).into_iter().zip(sums(&after)) {
            assert!(close(one + other, 1.5), "{time}");
        }
    }
    for by in [SpentOn::Project, SpentOn::Model] {
        let parts = brain.store.spending_by_quarter_and(&shop, by).unwrap();
        assert!(close(parts.iter().map(|(_, _, spent)| spent.usage.cost).sum(), 0.7), "{parts:?}");
    }
    let parts = brain.store.spending_by_quarter_and(&all, SpentOn::Model).unwrap();
    let names: Vec<(i64, &str)> = parts.iter().map(|(at, name, _)| (*at, &**name)).collect();
    assert_eq!(names, [(10, "p/big"), (10, "p/small"), (11, "p/big"), (200, "p/big")]);
    let models = brain.store.spending_by_model(&all).unwrap();
    let big = models.iter().find(|model| model.model == "big").unwrap();
    assert_eq!((big.sessions, big.spent.answers, big.spent.usage.input), (2, 3, 30));
    assert_eq!((big.first_used, big.last_used), (Millis(10 * QUARTER), Millis(200 * QUARTER)));
}

#[test]
fn work_is_told_by_when_it_was_done_and_in_what() {
    let brain = Brain::new();
    brain.segment(1, 1, SHOP).segment(2, 1, SHOP).segment(3, 2, LEDGER).segment(4, 3, SHOP);
    brain.node(1, SHOP, 0).node(3, LEDGER, 0).node(4, LEDGER, 0).hide(3);
    brain.spending(1, "big", 0, 0.1).spending(3, "small", 0, 0.1);
    let work = |filter: SpendingFilter| {
        let spans = brain.store.work(&filter).unwrap();
        spans.iter().map(|span| (span.session, span.has_node)).collect::<Vec<_>>()
    };
    let all = SpendingFilter::default();
    assert_eq!(work(all.clone()), [(1, true), (1, false), (2, false), (3, true)]);
    let shop = SpendingFilter { project: Some("shop".into()), ..all.clone() };
    assert_eq!(work(shop), [(1, true), (1, false)]);
    let big = SpendingFilter { model: Some("BIG".into()), ..all.clone() };
    assert_eq!(work(big), [(1, true)]);
    let later = SpendingFilter { after: Some(Millis(1)), ..all.clone() };
    assert_eq!(work(later), []);
    let spans = brain.store.work(&all).unwrap();
    assert!(spans.iter().all(|span| span.ended.0 - span.started.0 == 120_000));
}

#[test]
fn what_the_user_puts_elsewhere_is_counted_there() {
    let brain = Brain::new();
    brain.segment(1, 1, SHOP).spending(1, "big", 10, 1.0).node(1, LEDGER, 10);
    let projects = brain.store.spending_by_project(&SpendingFilter::default()).unwrap();
    assert_eq!(projects.iter().map(|(project, _)| &**project).collect::<Vec<_>>(), [LEDGER]);
    let projects = brain.store.projects().unwrap();
    assert_eq!(projects.len(), 1);
    assert_eq!((&*projects[0].project, projects[0].nodes), (LEDGER, 1));
    assert!(close(projects[0].minutes, 2.0));
}

#[test]
fn equal_errors_are_one() {
    let brain = Brain::new();
    brain.node(1, SHOP, 1).node(2, LEDGER, 2).node(3, SHOP, 3).node(4, SHOP, 4);
    brain.error(1, 0, "exit code 1 in src/a.ts", true);
    brain.error(2, 0, "exit code 2 in /tmp/b.ts", false);
    // One node has it twice, and once nobody put it right.
    brain.error(3, 0, "exit code 3 in c/d.ts", true).error(3, 1, "exit code 4 in d/d.ts", false);
    brain.error(3, 2, "permission denied", false);
    brain.error(4, 0, "exit code 9 in src/a.ts", false).hide(4);
    let all = NodeFilter::default();
    let errors = brain.store.errors(&all, false).unwrap();
    assert_eq!(errors.len(), 2);
    let first = &errors[0];
    assert_eq!((first.nodes, first.resolved, first.is_resolved()), (3, 1, false));
    assert_eq!(first.projects.iter().collect::<Vec<_>>(), [LEDGER, SHOP]);
    assert_eq!((first.first_seen, first.last_seen), (Millis(QUARTER), Millis(3 * QUARTER)));
    assert_eq!(first.example, NodeId::from_u64(3));
    assert_eq!(first.message, "exit code 4 in d/d.ts");
    assert_eq!(first.latest, [3, 2, 1].map(NodeId::from_u64));
    // Not where one of two was left as it was.
    let resolution = first.resolution.as_ref().unwrap();
    assert_eq!((resolution.node, &*resolution.summary), (NodeId::from_u64(1), "did it"));
    assert_eq!(errors[1].resolution, None);
    let open = brain.store.errors(&all, true).unwrap();
    assert_eq!(open.iter().map(|error| error.nodes).collect::<Vec<_>>(), [2, 1]);
    let shop =
        NodeFilter { project: Some("shop".into()), before: Some(Millis(2 * QUARTER)), ..all };
    assert_eq!(brain.store.errors(&shop, false).unwrap()[0].nodes, 1);
    assert_eq!(brain.store.errors(&shop, true).unwrap(), []);
}

#[test]
fn a_file_is_found_by_its_path_and_by_the_end_of_it() {
    let brain = Brain::new();
    brain.node(1, SHOP, 1).node(2, LEDGER, 2).node(3, "", 3).node(4, SHOP, 4);
    brain.touch(1, "src/cart.ts", true).touch(2, "src/cart.ts", false);
    brain.touch(2, "/home/dev/shop/src/cart.ts", false).touch(3, "~/cart.ts", true);
    brain.touch(1, "src/old-cart.ts", true).touch(4, "src/cart.ts", true).hide(4);
    let find = |names: &[&str], ending: Option<&str>| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let wanted = FileWanted { names, ending: ending.map(str::to_owned) };
        let touches = brain.store.touches(&wanted).unwrap().into_iter();
        touches
            .map(|touch| (touch.node.id.as_u64(), touch.path, touch.modified))
            .collect::<Vec<_>>()
    };
    let in_shop = || "/home/dev/shop/src/cart.ts".to_owned();
    assert_eq!(
        find(&["/home/dev/shop/src/cart.ts"], None),
        [(2, in_shop(), false), (1, in_shop(), true)]
    );
    assert_eq!(
        find(&["/elsewhere/src/cart.ts"], Some("src/cart.ts")),
        [
            (2, "/home/dev/ledger/src/cart.ts".to_owned(), false),
            (2, in_shop(), false),
            (1, in_shop(), true)
        ]
    );
    assert_eq!(find(&[], Some("shop/src/cart.ts")).len(), 2);
    assert_eq!(find(&[], Some("cart.ts")).len(), 4);
    assert_eq!(find(&["/root/cart.ts", "~/cart.ts"], None), [(3, "~/cart.ts".to_owned(), true)]);
    assert_eq!(find(&[], Some("art.ts")), []);
    assert_eq!(find(&[], Some("c/cart.ts")), []);
}

#[test]
fn tags_are_counted_by_node_whatever_their_case() {
    let brain = Brain::new();
    brain.node(1, SHOP, 1).node(2, LEDGER, 2).node(3, SHOP, 3);
    brain.tag(1, "tag", "rust").tag(2, "tag", "Rust").tag(2, "topic", "rust").tag(3, "tag", "git");
    brain.tag(3, "topic", "hidden away").hide(3);
    let tags = brain.store.tags(&NodeFilter::default()).unwrap();
    let seen: Vec<_> =
        tags.iter().map(|tag| (&*tag.kind, tag.tag.to_lowercase(), tag.nodes)).collect();
    assert_eq!(seen, [("tag", "rust".to_owned(), 2), ("topic", "rust".to_owned(), 1)]);
    assert_eq!(tags[0].projects.iter().collect::<Vec<_>>(), [LEDGER, SHOP]);
    assert_eq!(tags[0].last_used, Millis(2 * QUARTER));
}

#[test]
fn a_graph_has_only_edges_between_its_nodes() {
    let brain = Brain::new();
    brain.node(1, SHOP, 1).node(2, SHOP, 2).node(3, SHOP, 3).node(4, LEDGER, 4);
    brain.edge(1, 2).edge(2, 3).edge(3, 4);
    let count = |filter: &NodeFilter, limit: usize| {
        let (graph, total) = brain.store.graph(filter, limit).unwrap();
        (graph.nodes.len(), graph.edges.len(), total)
    };
    let all = NodeFilter::default();
    assert_eq!(count(&all, 100), (4, 3, 4));
    assert_eq!(count(&all, 2), (2, 1, 4));
    assert_eq!(count(&NodeFilter { project: Some("shop".into()), ..all.clone() }, 100), (3, 2, 3));
    assert_eq!(count(&NodeFilter { after: Some(Millis(i64::MAX)), ..all }, 100), (0, 0, 0));
}
