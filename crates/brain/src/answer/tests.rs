use pi_brain_session::Millis;

use super::question::{Bearing, QuestionWord};
use super::sentences::sentences;
use super::words::{fold, likeness};
use super::*;
use crate::node::Confidence;

#[test]
fn questions_are_cut_down_to_what_they_are_about() {
    let check = |question: &str, words: &str| {
        let question = Question::parse(question);
        let is_heavy = |word: &&QuestionWord| word.bearing != Bearing::Light;
        let found: Vec<&str> =
            question.words.iter().filter(is_heavy).map(|word| &*word.text).collect();
        assert_eq!(found.join(" "), words);
    };
    check("why did we choose postgres at first?", "postgres");
    check("Warum benutzen wir die DNS-Challenge für das Zertifikat?", "DNS Challenge Zertifikat");
    check("pourquoi open-in-view est désactivé ?", "open view désactivé");
    check("¿por qué no usamos git para sincronizar las notas?", "git sincronizar notas");
    check("por que não usamos git para sincronizar as notas?", "git sincronizar notas");
    check("is read_node_error still in src/main.rs?", "read_node_error src main rs");
    check("重启服务的原因是什么？", "重启 启服 服务");
    check("what is it?", "");
}

#[test]
fn questions_say_what_they_want() {
    let check = |question: &str, asks: Asks, is_about_time: bool, table: Option<Table>| {
        let parsed = Question::parse(question);
        assert_eq!(
            (parsed.asks, parsed.is_about_time, parsed.table),
            (asks, is_about_time, table),
            "{question}"
        );
    };
    check("why is it slow?", Asks::Why, false, None);
    check("how long does the build take?", Asks::HowLong, false, None);
    check("when did we drop redis?", Asks::HowMuch, true, None);
    check("what did auth cost last month?", Asks::HowMuch, true, Some(Table::Cost));
    check("how many tokens went into shop?", Asks::HowMuch, false, Some(Table::Cost));
    check("which sessions changed src/cart.ts?", Asks::What, false, Some(Table::Files));
    check("what changed in version 1.2?", Asks::What, false, None);
    check("which errors came up in shop?", Asks::What, false, Some(Table::Errors));
    check("which models did I use?", Asks::What, false, Some(Table::Models));
    check("welche Projekte gab es?", Asks::What, false, Some(Table::Projects));
    // A price is not in the tables.
    check("what does the search service cost us per month?", Asks::HowMuch, false, None);
}

#[test]
fn files_are_told_from_other_words() {
    assert_eq!(file_in("who touched `src/cart.ts`?"), Some("src/cart.ts"));
    assert_eq!(file_in("did we edit ~/.zshrc or main.rs."), Some("~/.zshrc"));
    assert_eq!(file_in("what is new in 3.14?"), None);
    assert_eq!(file_in("see https://example.com/a.html"), None);
    assert_eq!(file_in("why? because."), None);
}

#[test]
fn forms_of_a_word_are_alike() {
    for words in
        ["cache caches cached caching", "query queries", "run running", "retry retries retried"]
    {
        let mut forms = words.split(' ').map(fold);
        let first = forms.next().unwrap();
        for form in forms {
            assert!(likeness(&first, &form) >= 0.8, "{words}: {first} {form}");
        }
    }
    for (one, other) in
        [("migrate", "migration"), ("désactivé", "desactiver"), ("Zertifikat", "Zertifikate")]
    {
        assert!(likeness(&fold(one), &fold(other)) > 0.0, "{one} {other}");
    }
    for (one, other) in
        [("postgres", "postponed"), ("db1", "db2"), ("port", "portal"), ("react", "reach")]
    {
        assert!(likeness(&fold(one), &fold(other)).abs() < f64::EPSILON, "{one} {other}");
    }
}

#[test]
fn texts_are_cut_into_sentences() {
    let check = |text: &str, expected: &[&str]| assert_eq!(sentences(text), expected, "{text}");
    check("One. Two! three? four", &["One.", "Two!", "three?", "four"]);
    check(
        "- first, e.g. this\n- version 1.2 is out. ok",
        &["first, e.g. this", "version 1.2 is out.", "ok"],
    );
    check("z. B. so. Nein", &["z. B. so.", "Nein"]);
    check("一。二？三", &["一。", "二？", "三"]);
    check("---\n\n***", &[]);
    check(
        "> - **FTS5**: built in\n* * *\n## `-q` is quiet",
        &["**FTS5**: built in", "`-q` is quiet"],
    );
    check("-1 is less", &["-1 is less"]);
    let long = "word ".repeat(200);
    assert!(sentences(&long).len() > 1 && sentences(&long).iter().all(|text| text.len() <= 400));
}

/// A small world: what was said, one passage after the other.
fn said(lines: &[(u32, u32, Voice, &str)]) -> Vec<Passage> {
    let passage = |&(session, position, voice, text): &(u32, u32, Voice, &str)| Passage {
        text: text.to_owned(),
        voice,
        time: Some(Millis(i64::from(session) * 1_000_000 + i64::from(position))),
        session,
        position,
        work: u64::from(session),
        project: "/home/dev/shop".to_owned(),
        about: String::new(),
        is_abandoned: false,
        is_decision: false,
        evidence: 1.0,
    };
    lines.iter().map(passage).collect()
}

/// Counts the passages that have each word, as an index would.
fn ask(question: &str, passages: &[Passage]) -> Option<Chosen> {
    let question = Question::parse(question);
    let has = |word: &str| {
        let word = word.to_lowercase();
        passages.iter().filter(|passage| passage.text.to_lowercase().contains(&word)).count() as u64
    };
    let commonness = Commonness { documents: 1000, with_word: question.words().map(has).collect() };
    choose(&question, passages, &commonness, 5)
}

fn first(question: &str, passages: &[Passage]) -> String {
    ask(question, passages).map(|chosen| chosen.quotes[0].text.clone()).unwrap_or_default()
}

#[test]
fn a_sentence_answers_not_the_whole_message() {
    let passages = said(&[
        (1, 1, Voice::Person, "good morning. why is the checkout test flaky?"),
        (
            1,
            2,
            Voice::Model,
            "I looked at it. The checkout test is flaky because the clock is read twice. Shall I go on?",
        ),
        (2, 1, Voice::Model, "The build is green."),
    ]);
    assert_eq!(
        first("why was the checkout test flaky?", &passages),
        "The checkout test is flaky because the clock is read twice."
    );
}

#[test]
fn what_follows_a_question_can_answer_it_without_its_words() {
    let passages = said(&[
        (1, 1, Voice::Person, "which package blocks the react upgrade?"),
        (1, 2, Voice::Model, "It is the date picker, nobody maintains it."),
    ]);
    let chosen = ask("which package blocks the react upgrade?", &passages).unwrap();
    assert!(chosen.quotes.iter().any(|quote| quote.passage == 1));
}

#[test]
fn where_more_was_found_is_where_the_answer_is() {
    let mut passages = said(&[
        (1, 1, Voice::Model, "The invoice import is slow because it reads each row twice."),
        (2, 1, Voice::Model, "The invoice import is slow because the disk of the server is full."),
    ]);
    let question = "why is the invoice import slow?";
    passages[0].evidence = 0.2;
    assert!(first(question, &passages).contains("disk"));
    passages[0].evidence = 1.0;
    passages[1].evidence = 0.2;
    assert!(first(question, &passages).contains("row"));
}

#[test]
fn what_came_of_it_is_said_late() {
    let passages = said(&[
        (1, 1, Voice::Person, "look at the nightly import of invoices please"),
        (1, 2, Voice::Model, "The nightly import reads the invoices in one thread."),
        (1, 8, Voice::Model, "The nightly import reads the invoices in four threads."),
    ]);
    assert!(first("how does the nightly import read invoices?", &passages).contains("four"));
}

#[test]
fn an_entry_is_quoted_once() {
    let passages = said(&[
        (1, 1, Voice::Model, "The export goes through the new queue."),
        (1, 1, Voice::Tool, "grep -rn queue src/export to see how the export goes"),
    ]);
    let chosen = ask("does the export go through the new queue?", &passages).unwrap();
    assert_eq!(chosen.quotes.len(), 1);
}

#[test]
fn who_said_it_first_is_quoted() {
    let passages = said(&[
        (1, 4, Voice::Model, "The export goes through the new queue."),
        (2, 1, Voice::Person, "does the export go through the new queue?"),
        (2, 2, Voice::Model, "The export goes through the new queue."),
    ]);
    let chosen = ask("does the export go through the new queue?", &passages).unwrap();
    assert_eq!(chosen.quotes[0].passage, 0, "{chosen:?}");
    assert!(chosen.quotes.iter().all(|quote| quote.passage != 2), "{chosen:?}");
}

#[test]
fn a_question_in_other_words_or_another_language_is_answered() {
    let passages = said(&[
        (1, 1, Voice::Person, "which laptop for the lab, the T14 or the P1?"),
        (1, 2, Voice::Person, "T14 then, the battery of this laptop lasts a day."),
        (2, 1, Voice::Model, "The invoice was sent twice because the worker retried."),
    ]);
    assert!(first("which notebook has the better Akku?", &passages).starts_with("T14 then"));
    assert!(first("warum ging die Rechnung doppelt raus?", &passages).starts_with("The invoice"));
    let question = Question::parse("which notebook?");
    let (word, others) = question.words_in_other_words().next().unwrap();
    assert!(word == "notebook" && others.contains(&"laptop"), "{word} {others:?}");
}

#[test]
fn who_knows_no_answer_gives_none() {
    let passages = said(&[
        (1, 1, Voice::Model, "Why we did not take meilisearch for the search I cannot tell."),
        (
            2,
            1,
            Voice::Model,
            "I would not take meilisearch for the search: it dumps on each upgrade.",
        ),
    ]);
    let answer = first("why did we not take meilisearch for the search?", &passages);
    assert!(answer.contains("upgrade"), "{answer}");
}

#[test]
fn nothing_is_said_when_nothing_fits() {
    let passages = said(&[
        (1, 1, Voice::Person, "the gateway should use less memory"),
        (1, 2, Voice::Model, "The gateway caches responses now."),
    ]);
    assert_eq!(ask("why did we move the gateway to kubernetes?", &passages), None);
    assert_eq!(ask("what is it?", &passages), None);
    assert_eq!(ask("why does the gateway cache responses?", &[]), None);
    assert!(
        ask("does the gateway cache responses?", &passages)
            .is_some_and(|chosen| chosen.confidence == Confidence::High)
    );
}

#[test]
fn a_later_decision_wins_and_a_given_up_one_is_marked() {
    let mut passages = said(&[
        (1, 1, Voice::Person, "We take postgres for the product search."),
        (2, 1, Voice::Person, "The product search goes to meilisearch, forget postgres."),
        (3, 1, Voice::Model, "Product search with elastic would need java."),
    ]);
    passages[0].is_decision = true;
    passages[1].is_decision = true;
    passages[2].is_abandoned = true;
    let order = |question: &str| -> Vec<(usize, Standing)> {
        let chosen = ask(question, &passages).unwrap();
        chosen.quotes.iter().map(|quote| (quote.passage, quote.standing)).collect()
    };
    let quotes = order("what do we use for the product search?");
    assert_eq!(quotes.last(), Some(&(0, Standing::Superseded)));
    assert!(quotes.contains(&(1, Standing::Stands)) && quotes.contains(&(2, Standing::Abandoned)));
    // Asked about time, it is told in the order in which it happened.
    let passages: Vec<usize> =
        order("when did the product search change?").iter().map(|quote| quote.0).collect();
    assert_eq!(passages, [0, 1, 2]);
}

#[test]
fn what_was_said_twice_is_quoted_once() {
    let passages = said(&[
        (1, 1, Voice::Model, "The nightly import takes nine minutes since polars."),
        (2, 1, Voice::Summary, "the nightly import takes nine minutes since polars"),
    ]);
    let chosen = ask("how long does the nightly import take since polars?", &passages).unwrap();
    assert_eq!(chosen.quotes.len(), 1);
}
