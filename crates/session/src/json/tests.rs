use super::*;
use proptest::prelude::*;

fn accepts(text: &[u8]) -> bool {
    Raw::parse(text).is_some()
}

#[test]
fn borders_of_the_grammar() {
    for good in [
        "null",
        " true ",
        "-0",
        "0.5e+9",
        "1e400",
        "\"\"",
        "[]",
        "{}",
        "[[],{}]",
        "{\"a\":[1,{\"b\":null}]}",
        "\"\\ud800\"",
        "\"\\\\\"",
        "\"\\/\\u00e9\"",
        "{\"a\":1,\"a\":2}",
        "[1 , 2]",
        "\"\u{2028}\u{7f}\"",
    ] {
        assert!(accepts(good.as_bytes()), "{good}");
    }
    for bad in [
        "",
        "nul",
        "+1",
        "01",
        "1.",
        ".5",
        "1e",
        "-",
        "\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\t\"",
        "[1,]",
        "[,1]",
        "{,}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "[1 2]",
        "[1]]",
        "{}{}",
        "[}",
        "'a'",
        "\u{feff}1",
        "NaN",
    ] {
        assert!(!accepts(bad.as_bytes()), "{bad}");
    }
}

#[test]
fn strings_decode_as_javascript_reads_them() {
    let decoded = |text: &str| Raw::parse(text.as_bytes()).unwrap().as_str().unwrap().into_owned();
    assert_eq!(decoded(r#""a\n\t\"\\\/\u00e9""#), "a\n\t\"\\/é");
    assert_eq!(decoded(r#""\ud83e\udde0""#), "🧠");
    assert_eq!(decoded(r#""x\ud800y""#), "x\u{fffd}y");
    assert_eq!(decoded(r#""\ud800\u0041""#), "\u{fffd}A");
    assert_eq!(Raw::parse(b"\"a\xffb\"").unwrap().as_str().unwrap(), "a\u{fffd}b");
}

#[test]
fn the_last_of_repeated_keys_counts() {
    let raw = Raw::parse(br#"{"a":1,"b":2,"a":3}"#).unwrap();
    assert_eq!(raw.get("a").unwrap().as_f64(), Some(3.0));
    assert_eq!(raw.with_members(&[("b", None), ("c", Some("4"))]), r#"{"a":3,"c":4}"#);
}

#[test]
fn depth_is_no_limit() {
    let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
    assert!(accepts(deep.as_bytes()));
    assert!(!accepts(&deep.as_bytes()[..1_999_999]));
}

#[test]
fn members_and_items_of_odd_spacing() {
    let raw = Raw::parse(b"{ \"k\\u0065y\" : [ 1 ,\t\"two\" , { } ] , \"z\":0 }").unwrap();
    let keys: Vec<_> = raw.members().map(|member| member.key.into_owned()).collect();
    assert_eq!(keys, ["key", "z"]);
    let items: Vec<_> =
        raw.get("key").unwrap().items().map(|item| item.text().into_owned()).collect();
    assert_eq!(items, ["1", "\"two\"", "{ }"]);
}

fn json_like() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<i32>().prop_map(|number| number.to_string()),
        any::<f32>()
            .prop_filter("finite", |number| number.is_finite())
            .prop_map(|number| format!("{number:e}")),
        any::<String>().prop_map(|text| quote(&text)),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6)
                .prop_map(|items| format!("[{}]", items.join(" , "))),
            prop::collection::vec((any::<String>(), inner), 0..6).prop_map(|members| {
                let members: Vec<_> =
                    members.iter().map(|(key, value)| format!("{}: {value}", quote(key))).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

proptest! {
    /// Damaged or whole, we accept exactly what `serde_json` accepts when it decodes nothing.
    #[test]
    fn accepts_what_serde_accepts(text in json_like(), at in any::<prop::sample::Index>(), byte in any::<u8>(), damage in any::<bool>()) {
        let mut bytes = text.into_bytes();
        if damage {
            let at = at.index(bytes.len());
            bytes[at] = byte & 0x7f;
        }
        let theirs = serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_ok();
        prop_assert_eq!(accepts(&bytes), theirs, "{}", String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn strings_survive_a_round_trip(text in any::<String>()) {
        let quoted = quote(&text);
        prop_assert_eq!(Raw::parse(quoted.as_bytes()).unwrap().as_str().unwrap(), text);
    }

    /// Whatever stands where in a long string, its end is found as one byte at a time would find it.
    #[test]
    fn ends_of_strings_are_found_where_they_are(
        bytes in prop::collection::vec(prop_oneof![8 => 0x20u8..0xff, 2 => Just(b'\\'), 1 => Just(b'"'), 1 => any::<u8>()], 0..200),
        plain in 0usize..100,
    ) {
        let text = [&b"x".repeat(plain)[..], &bytes].concat();
        prop_assert_eq!(strings::content_length(&text), slow_length(&text), "{:?}", String::from_utf8_lossy(&text));
    }
}

fn slow_length(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        match *text.get(at)? {
            b'"' => return Some(at),
            0..0x20 => return None,
            b'\\' => match *text.get(at + 1)? {
                b'u' => {
                    text.get(at + 2..at + 6)?.iter().all(u8::is_ascii_hexdigit).then_some(())?;
                    at += 6;
                }
                escape => {
                    br#""\/bfnrt"#.contains(&escape).then_some(())?;
                    at += 2;
                }
            },
            _ => at += 1,
        }
    }
}
