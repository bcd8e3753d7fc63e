use super::*;
use crate::tree::{Tree, View};

/// Writes out a template: `[H]` is a header, `[a]` a user message that follows the one before it,
/// `[a^x]` one that follows x. All else stands as it is.
fn written_out(template: &str) -> String {
    let mut before = "null".to_owned();
    let mut text = String::new();
    let mut rest = template;
    while let Some((plain, (word, after))) =
        rest.split_once('[').and_then(|(plain, tail)| Some((plain, tail.split_once(']')?)))
    {
        text += plain;
        rest = after;
        if word == "H" {
            text += r#"{"type":"session","version":3,"id":"s"}"#;
            continue;
        }
        let (id, parent) = match word.split_once('^') {
            Some((id, parent)) => (id, format!("\"{parent}\"")),
            None => (word, before),
        };
        let line = format!(
            r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"2026-01-01T00:00:00.000Z","message":{{"role":"user","content":"{id}"}}}}"#
        );
        text += &line;
        before = format!("\"{id}\"");
    }
    text + rest
}

/// What became of a file: `entries / leaf / problems`, the problems of the lines and of pi's tree.
fn outcome(bytes: &[u8]) -> String {
    let Ok(log) = Log::read(bytes) else { return "no session".to_owned() };
    for entry in log.entries() {
        let span =
            usize::try_from(entry.span.start).unwrap()..usize::try_from(entry.span.end).unwrap();
        assert!(Raw::parse(&bytes[span]).is_some_and(Raw::is_object));
    }
    let tree = Tree::new(&log, View::AsPi);
    let name = |at: usize| {
        let id = log.entries()[at].id.as_ref();
        id.map_or("_", EntryId::as_str).to_owned()
    };
    let entries: Vec<String> = (0..log.entries().len()).map(name).collect();
    let mut problems = [log.problems(), tree.problems()].concat();
    problems.sort_by_key(|problem| problem.line);
    let problems: Vec<String> =
        problems.iter().map(|problem| format!("{} {:?}", problem.line, problem.kind)).collect();
    let leaf = tree.leaf().map(name).unwrap_or_default();
    format!("{} / {leaf} / {}", entries.join(" "), problems.join(", "))
}

#[track_caller]
fn check(template: &str, expected: &str) {
    assert_eq!(outcome(written_out(template).as_bytes()), expected, "{template:?}");
}

#[track_caller]
fn check_bytes(before: &str, odd: &[u8], after: &str, expected: &str) {
    let bytes = [written_out(before).as_bytes(), odd, written_out(after).as_bytes()].concat();
    assert_eq!(outcome(&bytes), expected, "{:?}", String::from_utf8_lossy(&bytes));
}

#[test]
fn a_whole_file_has_no_problems() {
    check("[H]\n[a]\n[b]\n", "a b / b / ");
    check("[H]\n", " /  / ");
}

#[test]
fn lines_that_cannot_be_read_cost_a_line() {
    check("[H]\n[a]\nnonsense\n[b]\n", "a b / b / 3 NotJson");
    check("[H]\n[a]\n\n   \n[b]\n\n", "a b / b / ");
    check("[H]\n[a]\n{\"type\":\"message\",\n[b]\n", "a b / b / 3 NotJson");
    // The parent stood on the lost line.
    check("[H]\n[a]\n{\"id\":\"b\n[c^b]\n[d]\n", "a c d / d / 3 NotJson, 4 UnknownParent");
}

#[test]
fn a_torn_last_line_is_left_out() {
    check("[H]\n[a]\n{\"type\":\"mess", "a / a / 3 TornTail");
    check("[H]\n[a]\n{", "a / a / 3 TornTail");
    check("[H]\n{\"type\":\"mess", " /  / 2 TornTail");
}

#[test]
fn a_missing_last_line_break_costs_nothing() {
    check("[H]\n[a]\n[b]", "a b / b / 3 NoFinalNewline");
    check("[H]", " /  / 1 NoFinalNewline");
    check("[H]\n42", " /  / 2 NotAnObject");
    // Blanks at the end are no line.
    check("[H]\n[a]\n  ", "a / a / ");
}

#[test]
fn line_ends_of_windows_are_white_space() {
    check("[H]\r\n[a]\r\n\r\n[b]\r\n", "a b / b / ");
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    check("\u{feff}[H]\n[a]\n", "a / a / 1 ByteOrderMark");
    check("\u{feff}\n[H]\n[a]\n", "a / a / 1 ByteOrderMark");
    check("\u{feff}[H][a]\n", "a / a / 1 ByteOrderMark, 1 GluedEntries");
    // Only at the start of the file.
    check(
        "[H]\n\u{feff}[a^x]\n[b^x]\n",
        "a b / b / 2 GluedToTorn, 2 UnknownParent, 3 UnknownParent",
    );
}

#[test]
fn what_stands_before_the_header() {
    check("\n \n[H]\n[a]\n", "a / a / ");
    check("garbage\n[H]\n[a]\n", "a / a / 1 NotJson");
    check("42\n[H]\n[a]\n", "a / a / 1 NotAnObject");
    check("[a]\n[H]\n[b]\n", "a b / b / 1 BeforeHeader");
}

#[test]
fn without_a_header_there_is_no_session() {
    for template in
        ["", "\n", "\u{feff}", "[a]\n[b]\n", "{}\n", "null\n", "{\"type\":\"session\"}\n", "[1]\n"]
    {
        check(template, "no session");
    }
    check("{\"type\":\"session\",\"id\":7}\n", "no session");
    check("{\"type\":\"session\",\"id\":\"s", "no session");
}

#[test]
fn only_the_first_header_counts() {
    check("[H]\n[a]\n[H]\n[b]\n", "a b / b / 3 SecondHeader");
    let log = Log::read(
        &b"{\"type\":\"session\",\"id\":\"1\"}\n{\"type\":\"session\",\"id\":\"2\"}\n"[..],
    )
    .unwrap();
    assert_eq!(log.header().id, "1");
}

#[test]
fn versions_of_headers() {
    let version = |field: &str| {
        let text = format!("{{\"type\":\"session\",\"id\":\"s\"{field}}}\n");
        Log::read(text.as_bytes()).unwrap().header().version
    };
    assert_eq!(version(""), 1);
    assert_eq!(version(",\"version\":2"), 2);
    assert_eq!(version(",\"version\":4"), 4);
    assert_eq!(version(",\"version\":1e99"), u32::MAX);
    assert_eq!(version(",\"version\":\"x\""), CURRENT_VERSION);
    assert_eq!(version(",\"version\":\"2\""), 2);
    check("{\"type\":\"session\",\"id\":\"s\",\"version\":4}\n[a]\n", "a / a / ");
}

#[test]
fn unknown_kinds_are_entries() {
    check("[H]\n[a]\n{\"type\":\"zzz\",\"id\":\"z\",\"parentId\":\"a\"}\n", "a z / z / ");
    check("[H]\n{}\n", "_ / _ / 2 NoId, 2 UnknownParent");
    check("[H]\n{\"type\":7,\"id\":\"z\",\"parentId\":null}\n", "z / z / ");
}

#[test]
fn repeated_ids() {
    check("[H]\n[a]\n[b]\n[a]\n", "a b a / a / 3 Cycle, 4 DuplicateId");
    check("[H]\n[a]\n[b]\n[b^a]\n", "a b b / b / 4 DuplicateId");
}

#[test]
fn own_parents_and_circles() {
    check("[H]\n[a^a]\n[b]\n", "a b / b / 2 SelfParent");
    check("[H]\n[a^c]\n[b]\n[c]\n", "a b c / c / 2 Cycle");
    check("[H]\n[x]\n[a^c]\n[b]\n[c]\n[d]\n", "x a b c d / d / 3 Cycle");
}

#[test]
fn a_child_may_stand_before_its_parent() {
    check("[H]\n[b^a]\n[a^x]\n", "b a / a / 3 UnknownParent");
    check("[H]\n[b^a]\n[c]\n{\"type\":\"zzz\",\"id\":\"a\",\"parentId\":null}\n", "b c a / a / ");
}

#[test]
fn messages_without_content() {
    let user = |message: &str| {
        format!(
            "[H]\n{{\"type\":\"message\",\"id\":\"u\",\"parentId\":null,\"message\":{message}}}\n"
        )
    };
    check(&user(r#"{"role":"user","content":null}"#), "u / u / 2 NoContent");
    check(&user(r#"{"role":"assistant","content":null}"#), "u / u / 2 NoContent");
    check(&user(r#"{"role":"toolResult","content":null}"#), "u / u / ");
    check(&user(r#"{"role":"user"}"#), "u / u / ");
    for message in ["null", "42", "\"x\"", "{}", r#"{"role":7}"#] {
        check(&user(message), "u / u / ");
    }
}

#[test]
fn lines_that_are_no_objects() {
    for line in ["null", "42", "\"x\"", "[1]", "true"] {
        check_bytes("[H]\n[a]\n", line.as_bytes(), "\n", "a / a / 3 NotAnObject");
    }
}

#[test]
fn any_text_is_an_id() {
    check("[H]\n[not hex]\n[é 🧠]\n", "not hex é 🧠 / é 🧠 / ");
    check("[H]\n{\"type\":\"zzz\",\"id\":\"\",\"parentId\":null}\n", "_ / _ / 2 NoId");
    check(
        "[H]\n{\"type\":\"zzz\",\"id\":5,\"parentId\":\"\"}\n",
        "_ / _ / 2 NoId, 2 UnknownParent",
    );
}

#[test]
fn entries_need_no_time() {
    let time = |field: &str| {
        let template = format!("[H]\n{{\"type\":\"zzz\",\"id\":\"a\",\"parentId\":null{field}}}\n");
        check(&template, "a / a / ");
        Log::read(written_out(&template).as_bytes()).unwrap().entries()[0].timestamp
    };
    for field in ["", ",\"timestamp\":\"\"", ",\"timestamp\":\"yesterday\"", ",\"timestamp\":null"]
    {
        assert_eq!(time(field), None, "{field}");
    }
    assert_eq!(time(",\"timestamp\":7"), Some(Millis(7)));
    assert_eq!(time(",\"timestamp\":\"1970-01-02\""), Some(Millis(86_400_000)));
    assert_eq!(time(",\"timestamp\":\"1970-01-01T01:00:00.001+01:00\""), Some(Millis(1)));
}

#[test]
fn glued_entries_are_all_read() {
    check("[H]\n[a][b]\n[c]\n", "a b c / c / 2 GluedEntries");
    check("[H]\n[a][b] [c]\n", "a b c / c / 2 GluedEntries");
    check("[H][a]\n[b]\n", "a b / b / 1 GluedEntries");
    check("[H]\n[a]\n[b][c]", "a b c / c / 3 GluedEntries");
}

#[test]
fn an_entry_glued_to_a_torn_one_is_read() {
    check("[H]\n{\"type\":\"mess[a^x][b]\n", "a b / b / 2 GluedToTorn, 2 UnknownParent");
    check(
        "[H]\n[a]\n{\"type\":\"message\",\"id\":\"b\",[c^b]\n",
        "a c / c / 3 GluedToTorn, 3 UnknownParent",
    );
    check(
        "[H]\n[a]\n{\"type\":\"message\",\"message\":{\"content\":\"half[c^a]\n[d]\n",
        "a c d / d / 3 GluedToTorn",
    );
    check("[H]\n{\"type\":\"x[a^x]", "a / a / 2 GluedToTorn, 2 UnknownParent");
}

#[test]
fn a_block_of_a_torn_message_is_no_entry() {
    let torn = br#"{"type":"message","message":{"content":[{"type":"text","text":"x"}"#;
    check_bytes("[H]\n", torn, "\n[a]\n", "a / a / 2 NotJson");
    let torn = br#"{"type":"message","message":{"content":[{"type":"text","text":"x"}]}"#;
    check_bytes("[H]\n", torn, "", " /  / 2 TornTail");
    // Nor is what an extension stored, whatever it looks like.
    let torn = br#"{"type":"custom","data":{"type":"x","timestamp":"2026-01-01T00:00:00Z"},"id":"#;
    check_bytes("[H]\n", torn, "", " /  / 2 TornTail");
}

#[test]
fn a_torn_entry_does_not_take_the_whole_one_before_it_along() {
    check("[H]\n[a]{\"type\":\"mess\n[b]\n", "a b / b / 2 GluedToTorn");
    check("[H]\n[a]{\"type\":\"mess", "a / a / 2 GluedToTorn");
    check("[H]\n[a]{\"type\":\"mess[b]\n", "a b / b / 2 GluedToTorn");
    check("[H]{\"type\":\"mess\n[a]\n", "a / a / 1 GluedToTorn");
}

#[test]
fn zero_bytes_as_a_crash_leaves_them() {
    check_bytes("[H]\n[a]\n", b"\0\0\0\0", "\n[b^a]\n", "a b / b / 3 NotJson");
    check_bytes("[H]\n[a]\n", b"\0\0\0\0", "[b^a]\n", "a b / b / 3 GluedToTorn");
    check_bytes("[H]\n[a]\n", b"\0\0\0\0", "", "a / a / 3 TornTail");
}

#[test]
fn bytes_that_are_not_utf_8_are_read() {
    let odd = b"{\"type\":\"zzz\",\"id\":\"a\xff\",\"parentId\":null}\n";
    check_bytes("[H]\n", odd, "", "a\u{fffd} / a\u{fffd} / 2 NotUtf8");
    check_bytes("[H]\n", b"\xff\xfe", "\n[a]\n", "a / a / 2 NotJson");
    let log = Log::read(&b"{\"type\":\"session\",\"id\":\"s\",\"cwd\":\"/\xc3\"}\n"[..]).unwrap();
    assert_eq!(log.header().cwd.as_deref(), Some("/\u{fffd}"));
}

#[test]
fn the_last_of_repeated_keys_counts() {
    check(
        "[H]\n{\"type\":\"zzz\",\"id\":\"a\",\"parentId\":\"x\",\"id\":\"b\",\"parentId\":null}\n",
        "b / b / ",
    );
    let role = |members: &str| {
        let text = written_out(&format!("[H]\n{{\"type\":\"message\",\"id\":\"a\",{members}}}\n"));
        let log = Log::read(text.as_bytes()).unwrap();
        log.entries()[0].role().unwrap().as_str().to_owned()
    };
    assert_eq!(role(r#""message":{"role":"user","role":"system"}"#), "system");
    assert_eq!(role(r#""message":{"role":"user"},"message":{"role":"system"}"#), "system");
    assert_eq!(role(r#""message":null,"message":{"role":"system"}"#), "system");
    assert_eq!(role(r#""message":{"role":"user"},"message":null"#), "");
    assert_eq!(role(r#""message":{"role":"user"},"message":"x""#), "");
}

#[test]
fn only_line_feeds_end_lines() {
    check("[H]\n[a\u{2028}b\u{2029}c]\n", "a\u{2028}b\u{2029}c / a\u{2028}b\u{2029}c / ");
    check("[H]\n[a\u{85}]\n[b]\n", "a\u{85} b / b / ");
    check("[H]\r[a]\r[b]\n", "a b / b / 1 GluedEntries");
}

#[test]
fn names_are_trimmed_and_the_last_counts() {
    let name = |names: &[&str]| {
        let info = |name| format!("{{\"type\":\"session_info\",\"name\":{name}}}\n");
        let infos = names.iter().map(info).collect::<Vec<_>>().concat();
        Log::read(written_out("[H]\n[a]\n").as_bytes().chain(infos.as_bytes()))
            .unwrap()
            .name()
            .map(str::to_owned)
    };
    assert_eq!(name(&[]), None);
    assert_eq!(name(&["\"one\"", "\" two \""]).as_deref(), Some("two"));
    assert_eq!(name(&["\"one\"", "\"\""]), None);
    assert_eq!(name(&["\"one\"", "null"]), None);
}

#[test]
fn entries_of_version_1_are_numbered() {
    let text = concat!(
        "{\"type\":\"session\",\"id\":\"old\"}\n",
        "{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"a\"}}\n",
        "{\"type\":\"message\",\"message\":{\"role\":\"hookMessage\",\"content\":\"b\"}}\n",
        "{\"type\":\"compaction\",\"summary\":\"c\",\"firstKeptEntryIndex\":2}\n",
        "{\"type\":\"compaction\",\"summary\":\"d\",\"firstKeptEntryIndex\":0}\n",
        "{\"type\":\"compaction\",\"summary\":\"e\",\"firstKeptEntryIndex\":9}\n",
    );
    let log = Log::read(text.as_bytes()).unwrap();
    let entries = log.entries();
    let kept = |at: usize| match &entries[at].body {
        Body::Compaction { first_kept, .. } => first_kept.clone(),
        body => panic!("{body:?}"),
    };
    assert_eq!(entries[0].parent, Parent::None);
    for pair in entries.windows(2) {
        assert_eq!(pair[1].parent, Parent::Id(pair[0].id.clone().unwrap()));
    }
    assert_eq!(entries[1].role(), Some(&Role::Custom));
    assert_eq!((kept(2), kept(3), kept(4)), (entries[1].id.clone(), None, None));
    assert_eq!(log.problems(), []);
}

#[test]
fn version_1_counts_the_values_that_pi_counts() {
    let kept = |lines: &[&str]| {
        let message = |text: &str| {
            format!(
                "{{\"type\":\"message\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}"
            )
        };
        let line = |line: &&str| match *line {
            "a" | "b" | "c" => message(line),
            "ab" => message("a") + &message("b"),
            other => other.to_owned(),
        };
        let text = lines.iter().map(line).collect::<Vec<_>>().join("\n");
        let compaction = "{\"type\":\"compaction\",\"firstKeptEntryIndex\":2}";
        let text = format!("{{\"type\":\"session\",\"id\":\"old\"}}\n{text}\n{compaction}\n");
        let log = Log::read(text.as_bytes()).unwrap();
        let Some(Body::Compaction { first_kept, .. }) =
            log.entries().last().map(|entry| &entry.body)
        else {
            panic!("{text}")
        };
        log.entries().iter().position(|entry| entry.id == *first_kept)
    };
    assert_eq!(kept(&["a", "b", "c"]), Some(1));
    assert_eq!(kept(&["a", "", "torn{", "null", "false", "b", "c"]), Some(1));
    // Number 2 is no entry.
    assert_eq!(kept(&["a", "42", "b", "c"]), None);
    assert_eq!(kept(&["a", "{\"type\":\"session\",\"id\":\"x\"}", "b", "c"]), None);
    // pi does not see what is glued together.
    assert_eq!(kept(&["a", "ab", "c"]), Some(3));
}

/// A file that grows: each piece is all there is until somebody looks again.
struct Growing<'a>(Vec<&'a [u8]>);

impl Read for Growing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let piece = if self.0.is_empty() { &[][..] } else { self.0.remove(0) };
        buffer[..piece.len()].copy_from_slice(piece);
        Ok(piece.len())
    }
}

#[test]
fn a_file_that_grows_while_it_is_read_loses_nothing() {
    let text = written_out("[H]\n[a]\n[b]\n");
    let (there, to_come) = text.as_bytes().split_at(text.len() - 30);
    let mut log = Log::read(Growing(vec![there, &[], to_come])).unwrap();
    let position = usize::try_from(log.position().offset).unwrap();
    log.extend(&text.as_bytes()[position..]).unwrap();
    assert_eq!(log.entries().len(), 2);
    assert_eq!(log.problems(), []);
}

#[test]
fn a_header_without_line_break_is_read_once() {
    let text = written_out("[H]\n[a]\n");
    let mut log = Log::read(written_out("[H]").as_bytes()).unwrap();
    log.extend(text.as_bytes()).unwrap();
    assert_eq!(log.problems(), []);
    assert_eq!(log.entries().len(), 1);
}

#[test]
fn a_header_that_turns_out_to_be_none_changes_nothing() {
    let mut log = Log::read(written_out("[H]").as_bytes()).unwrap();
    let extended = log.extend(&b"{\"type\":\"sessions\",\"id\":\"s\"}\n"[..]);
    assert!(matches!(extended, Err(ReadError::NoHeader)));
    assert_eq!(log.header().id, "s");
    assert_eq!(log.position(), Position::default());
}

#[test]
fn a_torn_tail_that_was_cut_off_is_forgotten() {
    let text = written_out("[H]\n[a]\n{\"ty");
    let mut log = Log::read(text.as_bytes()).unwrap();
    log.extend(&b""[..]).unwrap();
    assert_eq!(log.problems(), []);
    assert_eq!(log.end(), log.position().offset);
}
