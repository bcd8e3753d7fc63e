use proptest::prelude::*;

use super::{Path, Step};

#[test]
fn what_is_no_path() {
    for text in [
        "", ".", "a.", ".a", "a..b", "a[", "a[x]", "a[-1]", "a[+1]", "a[]", "a b", "a[\"b]",
        "a[0]b",
    ] {
        assert_eq!(Path::parse(text), None, "{text}");
    }
}

#[test]
fn odd_keys_are_quoted() {
    let path = Path::default().key("ext").key("evidence").key("content.errorsSeen[0]").index(2);
    assert_eq!(path.to_string(), r#"ext.evidence["content.errorsSeen[0]"][2]"#);
}

proptest! {
    #[test]
    fn a_path_is_read_as_it_is_written(steps in prop::collection::vec(
        prop_oneof![
            any::<String>().prop_map(Step::Key),
            "[a-z.\\[\\]\"]{1,6}".prop_map(Step::Key),
            (0..100_usize).prop_map(Step::Index),
        ],
        1..6,
    )) {
        let path = Path(steps);
        prop_assert_eq!(Path::parse(&path.to_string()), Some(path));
    }
}
