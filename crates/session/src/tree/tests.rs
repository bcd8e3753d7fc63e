use super::*;

#[path = "../../tests/it/notation.rs"]
mod notation;

struct Sketch {
    log: Log,
    tree: Tree,
}

impl Sketch {
    fn new(notation: &str, view: View) -> Self {
        let log = Log::read(notation::session(notation).as_bytes()).unwrap();
        assert_eq!(log.problems().iter().find(|problem| problem.kind != ProblemKind::NoId), None);
        let tree = Tree::new(&log, view);
        Self { log, tree }
    }

    fn name(&self, at: usize) -> &str {
        self.log.entries()[at].id.as_ref().map_or("_", EntryId::as_str)
    }

    fn names(&self, list: impl IntoIterator<Item = usize>) -> String {
        list.into_iter().map(|at| self.name(at)).collect::<Vec<_>>().join(" ")
    }

    /// Writes the tree out: `a(b(c d))` is what `a b c; b d` makes.
    fn shape(&self) -> String {
        let nodes =
            |list: &[usize]| list.iter().map(|&at| self.node(at)).collect::<Vec<_>>().join(" ");
        nodes(self.tree.roots())
    }

    fn node(&self, at: usize) -> String {
        let children: Vec<String> =
            self.tree.children(at).iter().map(|&child| self.node(child)).collect();
        match &*children {
            [] => self.name(at).to_owned(),
            children => format!("{}({})", self.name(at), children.join(" ")),
        }
    }

    fn problems(&self) -> String {
        let problem = |problem: &Problem| format!("{} {:?}", problem.line, problem.kind);
        self.tree.problems().iter().map(problem).collect::<Vec<_>>().join(", ")
    }
}

#[track_caller]
fn check_view(notation: &str, view: View, shape: &str, problems: &str) {
    let sketch = Sketch::new(notation, view);
    assert_eq!((&*sketch.shape(), &*sketch.problems()), (shape, problems), "{notation} {view:?}");
}

/// Both views agree.
#[track_caller]
fn check(notation: &str, shape: &str, problems: &str) {
    check_view(notation, View::AsPi, shape, problems);
    check_view(notation, View::Repaired, shape, problems);
}

#[test]
fn chains_and_branches() {
    check("", "", "");
    check("a", "a", "");
    check("a b c", "a(b(c))", "");
    check("a b c; b d", "a(b(c d))", "");
    check("a b c; b d; a e f", "a(b(c d) e(f))", "");
    check("a b; c d; a e", "a(b e) c(d)", "");
}

#[test]
fn every_kind_is_a_node() {
    check("a l:label(a,x) n:name(y) m:model(p,q) b:answer z:zzz", "a(l(n(m(b(z)))))", "");
}

#[test]
fn children_are_sorted_by_time_and_roots_are_not() {
    check("a b@9; a c@5; a d@7", "a(c d b)", "");
    check("a b@5; a c@5; a d@5", "a(b c d)", "");
    check("b@9; a@1", "b a", "");
    // One child without a time: nobody can say where it belongs, so the file's order stays.
    check("a b@9; a c@; a d@7", "a(b c d)", "");
}

#[test]
fn a_child_may_stand_before_its_parent() {
    check("b^a; a", "a(b)", "");
    check("c^b b^a a^", "a(b(c))", "4 UnknownParent");
}

#[test]
fn own_parents_are_roots() {
    check("a^a b", "a(b)", "2 SelfParent");
    check("a b^b c", "a b(c)", "3 SelfParent");
}

#[test]
fn circles_are_cut_before_their_earliest_entry() {
    check("a^c b c", "a(b(c))", "2 Cycle");
    check("a^b b^a", "a(b)", "2 Cycle");
    check("x a^c b c d; b e", "x a(b(c(d) e))", "3 Cycle");
    check("b^a a^b; d^c c^d", "b(a) d(c)", "2 Cycle, 4 Cycle");
    // Entries that hang on a circle are not on it.
    check("d^a a^c b c", "a(d b(c))", "3 Cycle");
}

#[test]
fn orphans_are_roots() {
    check("a b^x c", "a b(c)", "3 UnknownParent");
    check("a b^ c", "a b(c)", "3 UnknownParent");
    check("a^x", "a", "2 UnknownParent");
}

#[test]
fn orphans_of_a_fork_belong_to_the_line_before() {
    let fork = "fork: a b^x c";
    check_view(fork, View::AsPi, "a b(c)", "3 UnknownParent");
    check_view(fork, View::Repaired, "a(b(c))", "3 Reattached");
    // Nothing stands before the first line; a root says so itself; a self-parent is no orphan.
    check_view("fork: a^x b", View::Repaired, "a(b)", "2 UnknownParent");
    check_view("fork: a; b c", View::Repaired, "a b(c)", "");
    check_view("fork: a b^b", View::Repaired, "a b", "3 SelfParent");
    // The line before may itself come after the orphan.
    check_view("fork: b^a a^x", View::Repaired, "b(a)", "2 Cycle, 3 Reattached");
}

#[test]
fn of_repeated_ids_pi_sees_the_last() {
    let sketch = Sketch::new("a b c; a !b d", View::AsPi);
    assert_eq!((&*sketch.shape(), &*sketch.problems()), ("a(b(c d))", "5 DuplicateId"));
    assert_eq!(sketch.tree.echoes(), [1]);
    assert_eq!(sketch.tree.find("b"), Some(3));
    assert_eq!(sketch.tree.parent(2), Some(3));
    assert_eq!(sketch.names(sketch.tree.leaves()), "c d");
}

#[test]
fn of_repeated_ids_every_line_has_its_place() {
    let sketch = Sketch::new("a b c; a !b d", View::Repaired);
    assert_eq!((&*sketch.shape(), &*sketch.problems()), ("a(b(c) b(d))", "5 DuplicateId"));
    assert_eq!(sketch.tree.echoes(), [0_usize; 0]);
    assert_eq!(sketch.tree.find("b"), Some(3));
    assert_eq!(sketch.tree.parent(2), Some(1));
}

#[test]
fn repeated_ids_that_pi_runs_in_circles_on() {
    // A file that was glued together of two copies of itself.
    check_view("a b; !a !b", View::AsPi, "a(b)", "4 DuplicateId, 5 DuplicateId");
    check_view("a b; !a !b", View::Repaired, "a(b) a(b)", "4 DuplicateId, 5 DuplicateId");
    check_view("a b !a", View::AsPi, "b(a)", "3 Cycle, 4 DuplicateId");
    check_view("a b !a", View::Repaired, "a(b(a))", "4 DuplicateId");
    check_view("a !a^a", View::AsPi, "a", "3 DuplicateId, 3 SelfParent");
    check_view("a !a^a", View::Repaired, "a(a)", "3 DuplicateId");
}

#[test]
fn entries_without_id_are_in_the_tree() {
    check("a _ b^a", "a(_ b)", "");
    check("_ _", "_ _", "3 UnknownParent");
}

#[test]
fn the_leaf_is_the_last_line() {
    let leaf = |notation: &str| {
        let sketch = Sketch::new(notation, View::AsPi);
        sketch.tree.leaf().map(|at| sketch.name(at).to_owned())
    };
    assert_eq!(leaf(""), None);
    assert_eq!(leaf("a b c; b d").as_deref(), Some("d"));
    assert_eq!(leaf("a b@9; a c@1").as_deref(), Some("c"));
    assert_eq!(leaf("a b l:label(a,x)").as_deref(), Some("l"));
    assert_eq!(leaf("b^a; a").as_deref(), Some("a"));
}

#[test]
fn paths_leaves_and_branch_points() {
    let sketch = Sketch::new("a b c; b d e; a f; g", View::AsPi);
    let path = |id: &str| sketch.names(sketch.tree.branch(sketch.tree.find(id).unwrap()));
    assert_eq!(path("e"), "a b d e");
    assert_eq!(path("g"), "g");
    assert_eq!(sketch.names(sketch.tree.leaves()), "c e f g");
    assert_eq!(sketch.tree.depths(), [0, 1, 2, 2, 3, 1, 0]);
}

#[test]
fn common_ancestors() {
    let sketch = Sketch::new("a b c d; b e f; g h", View::AsPi);
    let common = |one: &str, other: &str| {
        let find = |id: &str| sketch.tree.find(id).unwrap();
        sketch.tree.common_ancestor(find(one), find(other)).map(|at| sketch.name(at))
    };
    assert_eq!(common("d", "f"), Some("b"));
    assert_eq!(common("f", "d"), Some("b"));
    assert_eq!(common("d", "c"), Some("c"));
    assert_eq!(common("a", "d"), Some("a"));
    assert_eq!(common("d", "d"), Some("d"));
    assert_eq!(common("d", "h"), None);
}

#[track_caller]
fn check_labels(notation: &str, expected: &[(&str, &str)]) {
    let log = Log::read(notation::session(notation).as_bytes()).unwrap();
    let labels = labels(&log);
    let labels: Vec<(&str, &str)> =
        labels.iter().map(|(target, label)| (target.as_str(), &*label.text)).collect();
    assert_eq!(labels, expected, "{notation}");
}

#[test]
fn the_last_label_of_the_file_counts() {
    check_labels("a b", &[]);
    check_labels("a b l:label(a,x)", &[("a", "x")]);
    check_labels("a l:label(a,x) m:label(a,y)", &[("a", "y")]);
    // Also one that stands on another branch.
    check_labels("a b l:label(a,x); a c m:label(a,y); b d", &[("a", "y")]);
    check_labels("a l:label(a,x) m:label(a)", &[]);
    check_labels("a l:label(a,x) m:label(a) n:label(a,z)", &[("a", "z")]);
    check_labels("a l:label(nobody,x)", &[("nobody", "x")]);
}

#[test]
fn labels_come_in_the_order_of_the_first_labelling() {
    check_labels("a b l:label(b,1) m:label(a,2) n:label(b,3)", &[("b", "3"), ("a", "2")]);
    check_labels(
        "a b l:label(b,1) m:label(a,2) n:label(b) o:label(b,4)",
        &[("a", "2"), ("b", "4")],
    );
}

#[test]
fn labels_keep_their_time_as_written() {
    let log = Log::read(
        notation::session("a l:label(a,x)@70 m:label(a,y)@80; a n:label(l,z)@").as_bytes(),
    )
    .unwrap();
    let times: Vec<Option<Box<str>>> =
        labels(&log).into_iter().map(|(_, label)| label.timestamp).collect();
    assert_eq!(times, [Some("2026-01-01T00:01:20.000Z".into()), None]);
}

#[test]
fn a_very_long_chat_is_a_very_deep_tree() {
    let names: Vec<String> = (0..20_000).map(|number| format!("e{number}")).collect();
    let sketch = Sketch::new(&names.join(" "), View::Repaired);
    assert_eq!(sketch.tree.depths().last(), Some(&19_999));
    assert_eq!(sketch.tree.branch(19_999).len(), 20_000);
}
