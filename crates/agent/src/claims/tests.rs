use super::Known;

fn check(log: &str, claim: &str, unknown: Option<&str>) {
    let mut known = Known::default();
    known.hear(log);
    assert_eq!(known.unknown(claim, &[], &[]), unknown, "{claim}");
}

#[test]
fn files_in_statements_must_be_in_the_log() {
    let log = r#"{"path":"/home/dev/shop/src/cart.ts"} and docs/notes.md:12 failed"#;
    check(log, "The cart is in src/cart.ts.", None);
    check(log, "See `shop/src/cart.ts:40`, and docs/notes.md", None);
    check(log, "In /home/dev/shop/docs/notes.md it says so", None);
    check(log, "The fix is in src/checkout.ts.", Some("src/checkout.ts"));
    check(log, "Either and/or works, and so does 1.5/2.0, TCP/IP v1.2", None);
    check(log, "No path at all", None);
}

#[test]
fn files_and_tools_that_are_named_must_be_in_the_log() {
    let mut known = Known::default();
    known.hear("edit src/cart.ts");
    known.tools.insert("edit".to_owned());
    let of = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    assert_eq!(known.unknown("", &of(&["cart.ts", "./src/cart.ts"]), &of(&["Edit", ""])), None);
    assert_eq!(known.unknown("", &of(&["main.ts"]), &[]), Some("main.ts"));
    assert_eq!(known.unknown("", &[], &of(&["edit", "grep"])), Some("grep"));
}
