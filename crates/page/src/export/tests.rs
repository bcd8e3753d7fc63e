use pi_brain_session::View;

use super::*;

const HOSTILE: &str = r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}
{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"</script><script>alert(1)</script><!--"}}
{"type":"message","id":"b","parentId":"a","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"token ghp_0123456789abcdefghijABCDEFGHIJ012345"},{"type":"image","mimeType":"image/png","data":"ghp_0123456789abcdefghijABCDEFGHIJ012345"}]}}
{"type":"message","id":"c","parentId":"a","timestamp":"2026-01-01T00:00:03.000Z","message":{"role":"user","content":"other way"}}
"#;

fn written(options: &ExportOptions) -> String {
    let session = Session::from_bytes(HOSTILE.into()).expect("a session");
    let tree = session.tree(View::Repaired);
    let mut out = Vec::new();
    write_session(&session, &tree, options, "title", &mut Harmless(&mut out)).expect("written");
    String::from_utf8(out).expect("text")
}

#[test]
fn nothing_in_a_session_can_end_the_element_around_it() {
    let text = written(&ExportOptions::default());
    assert!(!text.contains('<'), "{text}");
    let data: Value = serde_json::from_str(&text).expect("JSON");
    let said = &data["entries"][0][2]["message"]["content"];
    assert_eq!(said, "</script><script>alert(1)</script><!--");
}

#[test]
fn it_is_told_what_stands_on_each_line_and_where_pi_would_go_on() {
    let data: Value = serde_json::from_str(&written(&ExportOptions::default())).expect("JSON");
    let column = |of: usize| (0..3).map(|at| data["entries"][at][of].as_u64()).collect::<Vec<_>>();
    assert_eq!(column(0), [Some(2), Some(3), Some(4)]);
    assert_eq!(column(1), [None, Some(2), Some(2)]);
    assert_eq!((&data["leaf"], &data["header"]["id"]), (&4.into(), &"s1".into()));
    let chosen = ExportOptions { leaf: Some(1), ..ExportOptions::default() };
    let data: Value = serde_json::from_str(&written(&chosen)).expect("JSON");
    assert_eq!(data["leaf"], 3);
}

#[test]
fn secrets_are_taken_out_of_texts_and_images_stay_whole() {
    let options = ExportOptions { is_redacted: true, ..ExportOptions::default() };
    let data: Value = serde_json::from_str(&written(&options)).expect("JSON");
    let content = &data["entries"][1][2]["message"]["content"];
    assert_eq!(content[0]["text"], "token [redacted: GitHub token]");
    assert_eq!(content[1]["data"], "ghp_0123456789abcdefghijABCDEFGHIJ012345");
}

#[test]
fn only_the_viewer_may_run() {
    let session = Session::from_bytes(HOSTILE.into()).expect("a session");
    let tree = session.tree(View::Repaired);
    let options = ExportOptions { title: "<b>&".into(), ..ExportOptions::default() };
    let mut out = Vec::new();
    export(&session, &tree, &options, &mut out).expect("`make web` builds the viewer");
    let page = String::from_utf8(out).expect("text");
    assert!(page.contains("<title>&lt;b&gt;&amp;</title>"));
    let viewer = Viewer::find().expect("a viewer");
    assert!(page.contains(&viewer.policy()));
    // The data, and the viewer: no other script is opened, and both are closed.
    assert_eq!(page.matches("<script").count() - viewer.script.matches("<script").count(), 2);
    assert_eq!(page.matches("</script>").count(), 2);
}
