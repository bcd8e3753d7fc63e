//! A model's version of a node beside the one that the log alone gave.

use pi_brain_agent::{KeySource, OpenAi, OpenAiSettings};
use pi_brain_brain::{
    Analysis, Analyzer, EntryFacts, Node, NodeId, SegmentContext, SegmentRange, VersionTrigger,
    compute_diff, next_version,
};
use pi_brain_real_pi::{ScriptedModel, say};
use pi_brain_session::{Entry, Millis};

use crate::world::{PATIENCE, good_answer, lines, run, transcript};

const BEGUN: Millis = Millis(1_793_527_200_000);
const NOW: Millis = Millis(1_793_530_800_000);

fn built_in(turns: usize) -> Node {
    let lines = lines(turns);
    let mut analysis = Analysis::new(SegmentContext {
        node_id: "0123456789abcdef".parse::<NodeId>().unwrap(),
        session_file: "/s.jsonl".to_owned(),
        session_id: "s".to_owned(),
        parent_session: None,
        computer: "here".to_owned(),
        project: "/home/dev/shop".to_owned(),
        is_new_project: true,
        segment: SegmentRange {
            start_entry_id: "u0".to_owned(),
            end_entry_id: "m0".to_owned(),
            entry_count: lines.len() as u64,
        },
        opened_by: None,
        ended_by: None,
        started: BEGUN,
        now: BEGUN,
    });
    for (id, line) in &lines {
        let (entry, raw) = Entry::parse(line.as_bytes(), 1, 0).unwrap();
        let counted = entry.usage.as_deref().copied();
        analysis.hear(EntryFacts { id, time: entry.timestamp, entry: &entry, raw, counted });
    }
    analysis.finish()
}

#[test]
fn a_model_makes_the_second_version_and_numbers_stay() {
    let model = ScriptedModel::new([say(&good_answer("Carts are fast now."))]);
    let mut openai = OpenAi::new(OpenAiSettings {
        base_url: model.url.clone(),
        model: "stub-1".to_owned(),
        key: KeySource::None,
        price: None,
        timeout: PATIENCE,
    });
    let analysed = run(&mut openai, &transcript(1)).unwrap();
    let (version, first) = (analysed.prompt_version.clone(), built_in(1));
    let draft = analysed.into_draft(first.clone(), Analyzer::OpenAi, NOW);
    let second = next_version(Some(&first), draft, VersionTrigger::PromptUpdate).unwrap();

    assert_eq!((second.version, second.analyzer()), (2, Analyzer::OpenAi));
    assert_eq!(second.content.summary, "Carts are fast now.");
    assert_eq!(second.metadata.analyzer_version, version);
    assert_eq!(second.metadata.tokens_used, 15);
    assert_eq!(second.content.files_touched, first.content.files_touched);
    assert_eq!(second.content.files_touched, ["src/cart.ts"]);
    assert_eq!(second.daemon_meta.decisions[0].decision, "Left out: Prices are in src/price.ts");
    assert_eq!(second.daemon_meta.decisions[0].needs_review, Some(true));
    let evidence = &second.ext.as_ref().unwrap().evidence;
    assert_eq!(evidence["content.keyDecisions[0]"], ["u0", "m0"]);
    assert!(evidence.contains_key("ext.goal"), "{evidence:?}");
    assert!(
        !evidence.contains_key("content.outcome"),
        "the built-in rules' reason is gone: {evidence:?}"
    );
    // It is a node like all others.
    assert_eq!(Node::from_json(second.to_json().as_bytes()).unwrap(), second);
    let changed = compute_diff(&first, &second).changes;
    assert!(changed.iter().any(|change| change.path == "content.summary"), "{changed:?}");
    assert!(
        !changed.iter().any(|change| change.path.starts_with("metadata.tokens")),
        "{changed:?}"
    );
}
