//! Summaries that need no model.

use pi_brain_session::{Conversation, FileLists, Raw, Session};

use crate::notation::session;

fn conversation(text: &str) -> Conversation {
    let session = Session::from_bytes(text.to_owned().into_bytes()).expect("a session");
    let all: Vec<usize> = (0..session.log().entries().len()).collect();
    session.conversation(&all).expect("nothing changes in memory")
}

#[track_caller]
fn check_text(notation: &str, expected: &str) {
    assert_eq!(conversation(&session(notation)).to_text(), expected, "{notation}");
}

#[test]
fn conversations_are_written_out() {
    check_text("", "");
    check_text("a b:answer", "[User]: a\n\n[Assistant]: b");
    check_text(
        "a b:calls(x) c:result(x)",
        "[User]: a\n\n[Assistant calls]: read({\"path\":\"x\"})\n\n[Tool result]: c",
    );
    check_text("a:bash", "[User ran]: a\n");
    check_text("s:summary(tried) k:compaction(s)", "[Summary]: tried\n\n[Summary]: k");
    check_text("a b:note", "[User]: a\n\n[User]: b");
    check_text("v2: a b:hook", "[User]: a\n\n[User]: b");
    // Instructions, settings and labels are not conversation.
    check_text("s:system a m:model(p,q) l:label(a,x) n:name(y) c:custom e:edit(a)", "[User]: a");
}

#[test]
fn files_of_tools_and_of_earlier_summaries_are_listed() {
    let text =
        session("b:calls(x,y) s:summary(t)").replacen("\"name\":\"read\"", "\"name\":\"edit\"", 1);
    let details = "\"details\":{\"readFiles\":[\"z\",\"x\"],\"modifiedFiles\":[\"w\"]},\"summary\"";
    let with_details = text.replace("\"summary\"", details);
    let lists = |read: &[&str], modified: &[&str]| {
        let owned = |list: &[&str]| list.iter().map(|&file| file.to_owned()).collect();
        FileLists { read_files: owned(read), modified_files: owned(modified) }
    };
    assert_eq!(conversation(&text).files, lists(&["y"], &["x"]));
    assert_eq!(conversation(&with_details).files, lists(&["y", "z"], &["w", "x"]));
    let from_hook = with_details.replace("\"fromId\"", "\"fromHook\":true,\"fromId\"");
    assert_eq!(conversation(&from_hook).files, lists(&["y"], &["x"]));
}

#[test]
fn a_summary_says_what_was_wanted_tried_and_reached() {
    let text = session("a:user b:calls(x) c:result(x) d:user e:bash f:answer")
        .replace("\"content\":\"a\"", "\"content\":\"Fix the parser. It drops lines.\"")
        .replace("\"isError\":false", "\"isError\":true")
        .replace("\"text\":\"c\"", "\"text\":\"line 1\\nerror: no such file\"")
        .replace("\"content\":\"d\"", "\"content\":\"Try the other one\"")
        .replace(
            "\"command\":\"e\",\"output\":\"\"",
            "\"command\":\"cargo test\",\"output\":\"\",\"exitCode\":101",
        )
        .replace("\"text\":\"f\"", "\"text\":\"The parser reads all lines now. Done.\"");
    insta::assert_snapshot!(
        conversation(&text).summarize(Some("before that"), Some("parser lines"))
    );
}

#[test]
fn a_summary_of_nothing_says_so() {
    let nothing = Conversation::from_messages(std::iter::empty::<Raw<'_>>(), FileLists::default());
    assert_eq!(nothing.summarize(None, None), "Nothing was said here.");
}
