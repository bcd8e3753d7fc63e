use std::sync::atomic::AtomicBool;

use super::*;
use crate::model::Reply;

/// Says something in pieces, and means something else.
struct Muddled(&'static [&'static str], &'static str);

impl Model for Muddled {
    fn ask(&mut self, _: &Request<'_>, watch: &Watch<'_>, _: &mut Spent) -> Result<Reply> {
        for piece in self.0 {
            (watch.on_event)(Event::Answering { bytes: piece.len(), text: piece });
        }
        Ok(Reply { text: self.1.to_owned(), is_cut_off: false })
    }
}

const EVIDENCE: Evidence<'static> = Evidence {
    day: None,
    project: "shop",
    standing: Standing::Superseded,
    excerpt: "Keyed by user.",
    passage: "Keyed by user.",
};

#[test]
fn whoever_looks_on_has_seen_the_answer_in_the_end() {
    for pieces in [&["By user", " [1", "][2]."][..], &["By "], &[]] {
        let mut model = Muddled(pieces, "By user [1][2].");
        let (stop, seen) = (AtomicBool::new(false), RefCell::new(String::new()));
        let on_event = |event: Event<'_>| match event {
            Event::Answering { text, .. } => seen.borrow_mut().push_str(text),
            Event::Anew => seen.borrow_mut().clear(),
            _ => {}
        };
        let watch = Watch { stop: &stop, on_event: &on_event };
        let (prompts, mut allowance) = (Prompts::built_in(), Allowance::tokens(100_000));
        let limits = Limits::default();
        let answered =
            answer("how?", &[EVIDENCE], &mut model, &prompts, limits, &mut allowance, &watch);
        assert_eq!(answered.unwrap().text, "By user [1].");
        assert_eq!(*seen.borrow(), "By user [1].", "{pieces:?}");
    }
}

#[test]
fn evidence_has_no_more_room_than_there_is() {
    let long = "word ".repeat(10_000);
    let evidence = [Evidence { excerpt: &long, passage: &long, ..EVIDENCE }; 20];
    let shown = |part_tokens| {
        let limits = Limits { part_tokens, ..Limits::default() };
        estimate_tokens(&shown(&long, &evidence, limits))
    };
    assert!((10_000..16_000).contains(&shown(48_000)), "{}", shown(48_000));
    assert!(shown(1_000) < 3_500, "{}", shown(1_000));
}

#[test]
fn a_sentence_out_of_a_secret_is_not_shown() {
    let passage = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7VJTUt9Us\n-----END PRIVATE KEY-----\nIt is in vault.";
    let excerpt = "BKcwggSjAgEAAoIBAQC7VJTUt9Us";
    let text =
        shown("where is the key?", &[Evidence { excerpt, passage, ..EVIDENCE }], Limits::default());
    assert!(text.contains("It is in vault.") && !text.contains("BKcwgg"), "{text}");
}
