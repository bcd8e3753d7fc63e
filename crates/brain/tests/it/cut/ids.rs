use super::notation::{Family, outline};
use pi_brain_brain::{NodeId, NodeRef, Rules, extract_segments};
use pi_brain_session::Millis;

#[test]
fn node_ids_have_one_spelling() {
    let id = NodeId::of_entry("a1b2c3d4", Millis(1_767_225_600_000));
    assert_eq!(id.to_string(), "f528da0d4187a867");
    assert_eq!(id.to_string().parse(), Ok(id));
    assert_eq!(serde_json::from_value::<NodeId>(serde_json::to_value(id).unwrap()).unwrap(), id);
    for wrong in
        ["", "0", "a1b2c3d4e5f6a7b", "a1b2c3d4e5f6a7b80", "A1B2C3D4E5F6A7B8", "g1b2c3d4e5f6a7b8"]
    {
        assert!(wrong.parse::<NodeId>().is_err(), "{wrong:?}");
    }
    assert_eq!("00000000000000ff".parse::<NodeId>().unwrap().to_string(), "00000000000000ff");
}

#[test]
fn a_version_may_be_meant() {
    for text in ["a1b2c3d4e5f6a7b8", "a1b2c3d4e5f6a7b8-v1", "a1b2c3d4e5f6a7b8-v12"] {
        assert_eq!(text.parse::<NodeRef>().unwrap().to_string(), text);
    }
    let reference: NodeRef = "a1b2c3d4e5f6a7b8-v3".parse().unwrap();
    assert_eq!(
        (reference.id.to_string().as_str(), reference.version),
        ("a1b2c3d4e5f6a7b8", Some(3))
    );
    for wrong in [
        "-v1",
        "a1b2c3d4e5f6a7b8-v",
        "a1b2c3d4e5f6a7b8-v0",
        "a1b2c3d4e5f6a7b8-v01",
        "a1b2c3d4e5f6a7b8-v+1",
        "x-v1",
    ] {
        assert!(wrong.parse::<NodeRef>().is_err(), "{wrong:?}");
    }
}

#[test]
fn a_copied_segment_is_the_same_node() {
    let family = Family::new("r: a b\n s<r: l:label(a) a b");
    let first = |file: usize| {
        let segments = extract_segments(&family.outlines[file], &Rules::default());
        segments[0].node_id(&family.outlines[file]).unwrap()
    };
    assert_eq!(first(0), first(1));
}

#[test]
fn without_ids_the_line_counts() {
    let text = r#"{"type":"session","id":"s","timestamp":"2025-01-01T00:00:00.000Z"}
{"type":"message","timestamp":"2025-01-01T00:00:01.000Z","message":{"role":"user","content":"hello"}}
"#;
    let outline = outline(text);
    let segments = extract_segments(&outline, &Rules::default());
    assert_eq!(segments[0].node_id(&outline), Some(NodeId::of_line("s", 2)));
}

#[test]
fn without_words_there_is_no_node() {
    let family = Family::new("m:model t:calls(1) r:result(1) x:bash p:put c:compaction u:usage");
    let cut = family.cut();
    assert_eq!(cut.segments.len(), 2);
    assert_eq!([family.node_of(&cut, 0), family.node_of(&cut, 1)], [None, None]);
}
