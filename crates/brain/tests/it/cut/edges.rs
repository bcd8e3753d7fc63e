use super::notation::{Family, check_edges};
use pi_brain_brain::{EdgeId, structural_edges};

#[test]
fn each_boundary_gives_an_edge_of_its_type() {
    check_edges("a b c", &[]);
    check_edges("a b; a s:summary(b) c", &["a -branch-> s"]);
    check_edges("a b; a c", &["a -tree_jump-> c"]);
    check_edges("a b; c d", &["a -tree_jump-> c"]);
    check_edges("a c:compaction b", &["a -compaction-> c"]);
    check_edges("a b+10", &["a -resume-> b"]);
    check_edges("a h:handoff(x) b", &["a -continuation-> h"]);
    check_edges("r: a b c\n s<r: a b d", &["a -fork-> d"]);
}

#[test]
fn the_weightiest_boundary_gives_the_type() {
    check_edges("a b; a s:summary(b)+30 c", &["a -branch-> s"]);
    check_edges("a b; a h:say(handoff_to_x)+30", &["a -tree_jump-> h"]);
    check_edges("a c:compaction+30 b", &["a -compaction-> c"]);
}

#[test]
fn the_node_that_is_gone_on_with_gives_another_edge() {
    check_edges("a b c+10; b d", &["a -resume-> c", "c -tree_jump-> d", "a -continuation-> d"]);
    // A label stands under what it was written for, wherever that is in the file.
    check_edges(
        "a b; a x; b l:label(b); x s:summary(l) y",
        &["a -tree_jump-> x", "a -branch-> s", "x -continuation-> s"],
    );
    check_edges("r: a b c; b d\n s<r: a b c; d e", &["a -tree_jump-> d", "d -fork-> e"]);
    check_edges("r: a b c+10\n s<r: a b c; b s:summary(c) e", &["a -resume-> c", "a -fork-> s"]);
}

#[test]
fn an_edge_starts_in_the_nearest_node_before() {
    // Nothing is said between the compactions.
    check_edges("a c:compaction m:model d:compaction b", &["a -compaction-> d"]);
    check_edges("m:model a:compaction+30 b", &[]);
    check_edges("r: a b m:model+30\n s<r: a b m d", &["a -fork-> d"]);
}

#[test]
fn a_clone_without_turns_has_no_edge() {
    check_edges("r: a b\n s<r: a b", &[]);
    check_edges("r: a b\n s<r: a b l:label(a) m:model", &[]);
}

#[test]
fn nodes_that_are_one_are_not_linked_to_themselves() {
    let family = Family::new("a b+10 c+10 d+10");
    let cut = family.cut();
    let one = family.node_of(&cut, 0);
    assert_eq!(structural_edges(&cut, &family.files(), |_| one), []);
    let two = |number: usize| family.node_of(&cut, number % 2);
    assert_eq!(structural_edges(&cut, &family.files(), two).len(), 2);
}

#[test]
fn edges_have_one_form_in_json() {
    let edges = |notation: &str| {
        let family = Family::new(notation);
        let cut = family.cut();
        structural_edges(&cut, &family.files(), |segment| family.node_of(&cut, segment))
    };
    let [edge] = &edges("r: a b\n s<r: a c")[..] else { panic!("there is one edge") };
    let json = serde_json::to_value(edge).unwrap();
    assert_eq!(
        json,
        serde_json::json!({
            "id": "e24a685b-83a2-5e4e-b470-c3908a164cab",
            "sourceNodeId": edge.source_node_id.to_string(),
            "targetNodeId": edge.target_node_id.to_string(),
            "type": "fork",
            "metadata": {"parentSession": "r", "childSession": "s"},
            "createdAt": "2026-01-01T00:00:03.002Z",
            "createdBy": "boundary",
        })
    );
    assert_eq!(&serde_json::from_value::<pi_brain_brain::Edge>(json).unwrap(), edge);
    assert!("nonsense".parse::<EdgeId>().is_err());
    let metadata = |notation: &str| serde_json::to_value(&edges(notation)[0].metadata).unwrap();
    assert_eq!(metadata("a b; a s:summary(b) c"), serde_json::json!({"summary": "was"}));
    assert_eq!(metadata("a b+10.5"), serde_json::json!({"gapMinutes": 10.5}));
    assert_eq!(metadata("a c:compaction b"), serde_json::json!({}));
    assert_eq!(
        metadata("s<gone@5: a b c+6"),
        serde_json::json!({"parentSession": "gone", "childSession": "s"})
    );
}
