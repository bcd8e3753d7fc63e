use super::notation::{Family, outline, session};
use pi_brain_brain::{Aside, Kind, Outline, Sketch};

#[test]
fn kinds_are_told_apart() {
    let kinds = |notation: &str| -> Vec<Kind> {
        session(notation).entries.iter().map(|sketch| sketch.kind).collect()
    };
    assert_eq!(
        kinds("a b:answer c:result(1) d:bash e:put f:system"),
        [
            Kind::User,
            Kind::Assistant,
            Kind::ToolResult,
            Kind::Bash,
            Kind::CustomMessage,
            Kind::System,
        ]
    );
    assert_eq!(
        kinds("a:compaction b:summary(x) c:model d:level e:label(a) f:name"),
        [
            Kind::Compaction,
            Kind::BranchSummary,
            Kind::Setting,
            Kind::Setting,
            Kind::Note,
            Kind::Note,
        ]
    );
    assert_eq!(
        kinds("a:usage b:custom c:context_edit d:zzz e:strange"),
        [Kind::Usage, Kind::Custom, Kind::Other, Kind::Other, Kind::Other,]
    );
}

#[test]
fn only_words_of_people_and_models_count_as_speech() {
    let speaks = |notation: &str| session(notation).entries[0].speaks;
    for word in ["a", "a:answer", "a:say(hello)", "a:says(hello)"] {
        assert!(speaks(word), "{word}");
    }
    let silent = ["say(_)", "says(_)", "image", "thinks", "calls(1)", "result(1)", "bash", "put"];
    for kind in silent.into_iter().chain(["system", "strange", "compaction", "summary(x)"]) {
        assert!(!speaks(&format!("a:{kind}")), "{kind}");
    }
}

#[test]
fn white_space_is_no_speech_however_it_is_written() {
    let speaks = |content: &str| {
        let header = r#"{"type":"session","version":3,"id":"s"}"#;
        let message = format!(r#"{{"role":"user","content":{content}}}"#);
        let entry = format!(r#"{{"type":"message","id":"a","parentId":null,"message":{message}}}"#);
        outline(&format!("{header}\n{entry}\n")).entries[0].speaks
    };
    for blank in [r#""""#, r#"" ""#, r#""\n\t\u00a0""#, "null", "7", "[]", r#"[{"type":"text"}]"#] {
        assert!(!speaks(blank), "{blank}");
    }
    for words in [r#""x""#, r#""\n x""#, r#""\"""#, r#""é""#, r#"[{"text":"x","type":"text"}]"#] {
        assert!(speaks(words), "{words}");
    }
}

#[test]
fn tool_calls_and_their_answers_have_the_same_digest() {
    let outline = session("a:calls(x,y) b:result(y) c:result(x)");
    let [a, b, c] = &outline.entries[..] else { panic!("there are three entries") };
    assert_eq!(a.calls.len(), 2);
    assert_eq!([b.answers, c.answers], [Some(a.calls[1]), Some(a.calls[0])]);
    assert_ne!(a.calls[0], a.calls[1]);
}

#[test]
fn what_few_entries_have_is_kept_aside() {
    let aside = |notation: &str| session(notation).entries.remove(0).aside.map(|aside| *aside);
    let summary = "so far".into();
    assert_eq!(
        aside("a:compaction"),
        Some(Aside::Compaction { summary, tokens_before: Some(100) })
    );
    let summary = "was".into();
    assert_eq!(
        aside("a:summary(x)"),
        Some(Aside::BranchSummary { summary, from: Some("x".into()) })
    );
    assert_eq!(aside("a:handoff(x)"), Some(Aside::Handoff { target: Some("x".into()) }));
    assert_eq!(aside("a"), None);
}

#[test]
fn an_outline_knows_where_everything_stands() {
    let outline = Family::new("r: a b:answer; a c:answer u:usage n:name\n s<r: a").outlines;
    let (fork, outline) = (&outline[1], &outline[0]);
    let parents: Vec<Option<u32>> = outline.entries.iter().map(|sketch| sketch.parent).collect();
    assert_eq!(parents, [None, Some(0), Some(0), Some(2), Some(3)]);
    let lines: Vec<u32> = outline.entries.iter().map(|sketch| sketch.line).collect();
    assert_eq!(lines, [2, 3, 4, 5, 6]);
    let ends = |sketch: &Sketch| sketch.start + u64::from(sketch.length) + 1;
    assert!(outline.entries.windows(2).all(|pair| ends(&pair[0]) == pair[1].start));
    let models: Vec<Option<u32>> = outline.entries.iter().map(|sketch| sketch.model).collect();
    assert_eq!(models, [None, Some(0), Some(0), Some(0), None]);
    assert_eq!((&*outline.models[0].provider, &*outline.models[0].model), ("p", "m"));
    assert_eq!(outline.session.name.as_deref(), Some("x"));
    assert_eq!(outline.session.cwd.as_deref(), Some("/work"));
    assert_eq!(fork.session.parent_session.as_deref(), Some("/sessions/t_r.jsonl"));
}

#[test]
fn a_parent_that_comes_later_is_none_yet() {
    let parents = |notation: &str| -> Vec<Option<u32>> {
        session(notation).entries.iter().map(|sketch| sketch.parent).collect()
    };
    assert_eq!(parents("a b c^d d^a"), [None, Some(0), None, Some(0)]);
    // In a fork the line before is taken for a parent that is missing.
    assert_eq!(parents("s<r: a b c^d d^a"), [None, Some(0), Some(1), Some(0)]);
    assert_eq!(parents("s<r: a b c^zzz d^a"), [None, Some(0), Some(1), Some(0)]);
}

#[test]
fn outlines_are_small_and_lose_nothing() {
    let turn = |turn: u32| {
        format!("u{turn:07} c{turn:07}:calls({turn}) r{turn:07}:result({turn}) a{turn:07}:answer")
    };
    let turns: Vec<String> = (0..1000).map(turn).collect();
    let outline = session(&format!("{} k:compaction b:summary(k) h:handoff(x)", turns.join(" ")));
    let packed = postcard::to_stdvec(&outline).unwrap();
    assert_eq!(postcard::from_bytes::<Outline>(&packed).unwrap(), outline);
    let each = packed.len() / outline.entries.len();
    assert!((20..=40).contains(&each), "{each} bytes an entry");
}
