use std::collections::{BTreeSet, HashMap};

use pi_brain_session::Millis;
use proptest::prelude::*;

use super::keys::{Keys, Kind};
use super::{ErrorFact, LessonFact, Linker, MOST_LINKS, NodeFacts, lesson_id};
use crate::edge::{Edge, EdgeCreator, EdgeType};
use crate::ids::NodeId;
use crate::node::{LessonLevel, Outcome};

/// A node that has nothing in common with others but a few words that all have.
fn node(number: u64) -> NodeFacts {
    NodeFacts {
        id: NodeId::from_u64(number),
        project: format!("/home/dev/p{number}"),
        session: format!("session-{number}"),
        started: Millis(i64::try_from(number).unwrap() * 1000),
        outcome: Outcome::Partial,
        text: format!(
            "Improve the software carefully, topic{} matter{}",
            letters(number),
            letters(number + 7777)
        ),
        decisions: String::new(),
        files: vec![format!("src/f{number}.rs"), "README.md".to_owned()],
        tags: vec!["rust".to_owned()],
        tools: vec!["bash".to_owned(), "edit".to_owned()],
        errors: vec![error(&format!("nobody else has this {}", letters(number)))],
        lessons: Vec::new(),
    }
}

/// Writes a number with letters, so that it makes a word of its own.
fn letters(number: u64) -> String {
    number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect::<String>()
        + "x"
}

fn error(message: &str) -> ErrorFact {
    ErrorFact { error_type: "Error".to_owned(), message: message.to_owned() }
}

fn lesson(summary: &str, tags: &[&str]) -> LessonFact {
    LessonFact {
        level: LessonLevel::Project,
        text: summary.to_owned(),
        summary: summary.to_owned(),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
    }
}

/// Forty nodes; what `change` does to some of them is all that can link them.
fn crowd(change: impl Fn(u64, &mut NodeFacts)) -> Vec<NodeFacts> {
    let changed = |number| {
        let mut facts = node(number);
        change(number, &mut facts);
        facts
    };
    (1..=40).map(changed).collect()
}

fn link_nodes(mut nodes: Vec<NodeFacts>, linked: &BTreeSet<(NodeId, NodeId)>) -> Vec<Edge> {
    nodes.sort_by_key(|node| (node.started, node.id));
    let mut pass = Linker::default();
    for node in nodes {
        pass.add(node);
    }
    pass.finish(linked)
}

fn links(nodes: Vec<NodeFacts>) -> Vec<Edge> {
    link_nodes(nodes, &BTreeSet::new())
}

/// Returns the only link, as numbers, type and reason.
fn only_link(nodes: Vec<NodeFacts>) -> (u64, u64, EdgeType, String) {
    let links = links(nodes);
    assert_eq!(links.len(), 1, "{links:?}");
    let edge = &links[0];
    assert_eq!(edge.created_by, EdgeCreator::Daemon);
    let similarity = edge.metadata.similarity.unwrap();
    assert!(similarity > 0.0 && similarity <= 1.0, "{similarity}");
    let reason = edge.ext.as_ref().unwrap().reason.to_string();
    (edge.source_node_id.as_u64(), edge.target_node_id.as_u64(), edge.kind, reason)
}

#[test]
fn what_everybody_has_links_nothing() {
    assert_eq!(links(crowd(|_, _| ())), []);
    // A tag, a file of a project, an error, a word: each in half of the nodes.
    let common = crowd(|number, facts| {
        if number % 2 == 0 {
            facts.project = "/home/dev/shop".to_owned();
            facts.tags.extend(["redis".to_owned(), "carts".to_owned()]);
            facts.errors.push(error("the connection was refused by the server"));
            facts.text += " redis connection pool";
        }
    });
    assert_eq!(links(common), []);
}

#[test]
fn a_phrase_is_a_key_once_a_second_node_says_it() {
    let mut keys = Keys::default();
    let mut say = |text: &str| {
        keys.add(&NodeFacts { text: text.to_owned(), ..node(1) });
        let phrases = keys.all(Kind::Phrase);
        let phrases: Vec<(String, Vec<usize>)> =
            phrases.map(|key| (keys.said(key).to_owned(), keys.nodes(key).collect())).collect();
        (phrases, keys.own(0)[Kind::Phrase as usize])
    };
    assert_eq!(say("Mailboxes of brokers. Drained mailboxes of brokers."), (vec![], 2));
    let shared = |nodes: &[usize]| vec![("mailboxes of the broker".to_owned(), nodes.to_vec())];
    assert_eq!(say("the mailboxes of the broker"), (shared(&[0, 1]), 1), "as the second says it");
    assert_eq!(say("a broker mailbox"), (shared(&[0, 1, 2]), 1));
}

#[test]
fn rare_words_make_a_semantic_link() {
    let nodes = crowd(|number, facts| {
        if number == 30 {
            facts.text = "Drain the websocket backpressure mailbox of the broker".to_owned();
        } else if number == 7 {
            facts.text =
                "websockets: backpressure when mailboxes of brokers are drained".to_owned();
        }
    });
    let (source, target, kind, reason) = only_link(nodes);
    assert_eq!((source, target, kind), (7, 30, EdgeType::Semantic));
    assert!(reason.contains("“mailbox of the broker”"), "{reason}");
    assert!(reason.ends_with("words in common: drained, websockets"), "{reason}");
    // These say nothing: they come up in all kinds of work.
    let everyday = crowd(|number, facts| {
        if number == 30 {
            facts.text += " cache timeout backup retry login";
        } else if number == 7 {
            facts.text += " login. backup. cache. retry. timeout";
        }
    });
    assert_eq!(links(everyday), []);
    // One word that two have may be chance.
    let one = crowd(|number, facts| {
        if number == 30 || number == 7 {
            facts.text += " websocket";
        }
    });
    assert_eq!(links(one), []);
}

#[test]
fn files_of_a_project_make_a_project_link() {
    let change = |number: u64, facts: &mut NodeFacts| {
        if number == 3 || number == 9 {
            facts.project = "/home/dev/shop".to_owned();
            facts.files = vec!["src/cart.ts".to_owned(), "src/order.ts".to_owned()];
        }
    };
    let (source, target, kind, reason) = only_link(crowd(change));
    assert_eq!((source, target, kind), (3, 9, EdgeType::ProjectRelated));
    assert_eq!(reason, "files: src/cart.ts, src/order.ts");
    // The same names in another project are other files, and a session goes on by itself.
    let elsewhere = crowd(|number, facts| {
        change(number, facts);
        if number == 9 {
            facts.project = "/home/dev/blog".to_owned();
        }
    });
    assert_eq!(links(elsewhere), []);
    let one_session = crowd(|number, facts| {
        change(number, facts);
        facts.session = "the same".to_owned();
    });
    assert_eq!(links(one_session), []);
}

#[test]
fn files_that_everybody_reads_link_nothing() {
    let nodes = |files: &'static [&'static str]| {
        crowd(move |number, facts| {
            if number == 3 || number == 9 {
                facts.project = "/home/dev/shop".to_owned();
                facts.files = files.iter().map(|file| (*file).to_owned()).collect();
            }
        })
    };
    let everybodys =
        ["AGENTS.md", "docs/README.de.md", "package.json", "web/pnpm-lock.yaml", "Cargo.lock"];
    for file in everybodys {
        assert_eq!(links(nodes(Vec::leak(vec![file]))), [], "{file}");
    }
    assert_eq!(links(nodes(&["src/cart.ts"])).len(), 1);
}

#[test]
fn in_one_project_it_takes_less() {
    let nodes = |project: [&'static str; 2], texts: [&'static str; 2]| {
        crowd(move |number, facts| {
            if let Some(place) = [12, 31].iter().position(|&it| it == number) {
                facts.project = format!("/home/dev/{}", project[place]);
                facts.text = texts[place].to_owned();
            }
        })
    };
    let texts =
        ["why is the bayes classifier so unsure", "the bayes classifier shall propose categories"];
    let (source, target, kind, reason) = only_link(nodes(["ledger", "ledger"], texts));
    assert_eq!((source, target, kind), (12, 31, EdgeType::Semantic));
    assert_eq!(reason, "both say: “bayes classifier”");
    assert_eq!(links(nodes(["ledger", "garden"], texts)), []);
    // Calling the other project by its name brings the two together.
    let called = ["the payout of the ledgerbook, for its bayes classifier", texts[1]];
    let (.., reason) = only_link(nodes(["kiosk", "ledgerbook"], called));
    assert_eq!(reason, "one speaks of ledgerbook; both say: “bayes classifier”");
    // The name alone says nothing of the work.
    let alone = ["the payout of the ledgerbook", "ledgerbook grows moss"];
    assert_eq!(links(nodes(["kiosk", "ledgerbook"], alone)), []);
}

#[test]
fn small_brains_have_links_and_large_ones_have_the_same() {
    let told = |number: u64, facts: &mut NodeFacts| {
        if number == 2 || number == 19 {
            facts.project = "/home/dev/ledger".to_owned();
            facts.text = format!("{} the clearing account of the payout provider", facts.text);
        }
    };
    let ends = |nodes| {
        let (source, target, kind, _) = only_link(nodes);
        (source, target, kind)
    };
    for count in [20, 200, 2000] {
        let nodes = (1..=count).map(|number| {
            let mut facts = node(number);
            told(number, &mut facts);
            facts
        });
        assert_eq!(ends(nodes.collect()), (2, 19, EdgeType::Semantic), "{count} nodes");
    }
}

#[test]
fn what_was_decided_counts_more() {
    let nodes = |decided: bool| {
        crowd(move |number, facts| {
            if number == 12 || number == 31 {
                facts.text += ". umlauts. trigrams. stemming. tokenizer";
                facts.tags.push("fulltext".to_owned());
                if decided {
                    facts.decisions = "tokenizer. trigrams".to_owned();
                }
            }
        })
    };
    assert_eq!(links(nodes(false)), []);
    let (.., reason) = only_link(nodes(true));
    assert!(reason.contains("decisions about: tokenizer, trigrams"), "{reason}");
}

#[test]
fn rare_tags_across_projects_make_a_technique_link() {
    let change = |tags: &'static [&'static str]| {
        move |number: u64, facts: &mut NodeFacts| {
            if number == 5 || number == 6 {
                facts.text += " shifted traffic: canary";
                facts.tags.extend(tags.iter().map(|tag| (*tag).to_owned()));
            }
        }
    };
    let (source, target, kind, reason) = only_link(crowd(change(&["terraform", "blue-green"])));
    assert_eq!((source, target, kind), (5, 6, EdgeType::TechniqueShared));
    assert_eq!(
        reason,
        "tags and tools: blue-green, terraform; both say: “shifted traffic”; words in common: canary"
    );
    assert_eq!(links(crowd(change(&["terraform"]))), []);
}

#[test]
fn the_same_error_makes_a_chain() {
    let nodes = crowd(|number, facts| {
        if [4, 20, 33].contains(&number) {
            facts.errors.push(error(&format!("lock '/tmp/x{number}' is held by process {number}")));
        }
    });
    let links = links(nodes);
    let ends: Vec<(u64, u64)> = links
        .iter()
        .map(|edge| (edge.source_node_id.as_u64(), edge.target_node_id.as_u64()))
        .collect();
    assert_eq!(ends, [(4, 20), (20, 33)]);
    assert!(links.iter().all(|edge| edge.kind == EdgeType::FailurePattern));
    assert!(links[0].metadata.pattern_id.is_some());
    assert_eq!(links[0].metadata.pattern_id, links[1].metadata.pattern_id);
    assert_eq!(
        &*links[0].ext.as_ref().unwrap().reason,
        "the same error: Error: lock '…' is held by process #"
    );
}

#[test]
fn an_error_that_a_text_quotes_is_the_same_error() {
    let nodes = crowd(|number, facts| {
        if number == 4 {
            facts.errors.push(error("sqlite3.OperationalError: database is locked"));
        } else if number == 20 {
            facts.text = "the worker dies: SqliteError: database is locked. log below".to_owned();
        }
    });
    let (source, target, kind, reason) = only_link(nodes);
    assert_eq!((source, target, kind), (4, 20, EdgeType::FailurePattern));
    assert_eq!(reason, "the same error: database is locked");
}

#[test]
fn a_lesson_that_comes_up_again_with_success_was_applied() {
    let summary = "Flush the replication slot before upgrading postgres";
    let change = |outcome: Outcome, common: bool, order: (u64, u64)| {
        move |number: u64, facts: &mut NodeFacts| {
            if number == order.0 {
                facts.lessons.push(lesson(summary, &["postgres"]));
            } else if number == order.1 {
                facts.text =
                    "Upgraded postgres; flushed the replication slot beforehand".to_owned();
                facts.outcome = outcome;
                if common {
                    facts.tags.push("Postgres".to_owned());
                }
            }
        }
    };
    let (source, target, kind, reason) = only_link(crowd(change(Outcome::Success, true, (8, 21))));
    assert_eq!((source, target, kind), (8, 21, EdgeType::LessonApplication));
    assert!(reason.contains(summary), "{reason}");
    let edge = &links(crowd(change(Outcome::Success, true, (8, 21))))[0];
    let id = lesson_id(NodeId::from_u64(8), LessonLevel::Project, summary);
    assert_eq!(edge.metadata.lesson_id.as_deref(), Some(&*id));
    // Without success, without common ground, or earlier, the words are all there is.
    for (outcome, common, order) in [
        (Outcome::Failed, true, (8, 21)),
        (Outcome::Success, false, (8, 21)),
        (Outcome::Success, true, (21, 8)),
    ] {
        let found = links(crowd(change(outcome, common, order)));
        assert!(found.iter().all(|edge| edge.kind == EdgeType::Semantic), "{found:?}");
    }
}

#[test]
fn names_of_nodes_and_sessions_are_references() {
    let names = |number: u64, text: &str| {
        let text = text.to_owned();
        crowd(move |at, facts| {
            if at == number {
                facts.decisions = text.clone();
            }
            if at > 38 {
                facts.session = "0190aaaa-0000-7000-8000-000000000001".to_owned();
            }
        })
    };
    let of_node = |text: &str| {
        let (source, target, kind, reason) = only_link(names(12, text));
        assert_eq!(kind, EdgeType::Reference);
        assert!(reason.starts_with("it names "), "{reason}");
        (source, target)
    };
    assert_eq!(of_node("as in 0000000000000003, again"), (12, 3));
    assert_eq!(of_node("as in 0000000000000003-v2."), (12, 3));
    assert_eq!(of_node("see session 0190aaaa-0000-7000-8000-000000000001"), (12, 39));
    for nothing in
        ["0000000000000003ff", "000000000000000c", "00000000000000ff", "0190aaaa-0000-7000"]
    {
        assert_eq!(links(names(12, nothing)), [], "{nothing}");
    }
}

#[test]
fn what_is_linked_already_is_left_alone() {
    let nodes = crowd(|number, facts| {
        if number == 30 || number == 7 {
            facts.text = "Drain the websocket backpressure queue of the broker".to_owned();
        }
    });
    let pair = (NodeId::from_u64(7), NodeId::from_u64(30));
    assert_eq!(link_nodes(nodes, &BTreeSet::from([pair])), []);
}

/// What a random node says, its tags, its project, and whether it failed.
type Traits = (Vec<&'static str>, Vec<&'static str>, u64, bool);

/// Nodes that have a lot in common, at random.
fn any_nodes() -> impl Strategy<Value = Vec<NodeFacts>> {
    let words =
        ["websocket", "backpressure", "drain", "queue", "ledger", "cursor", "planner", "vacuum"];
    let word = move || prop::sample::select(words.to_vec());
    let one = (
        prop::collection::vec(word(), 0..5),
        prop::collection::vec(word(), 0..3),
        0..4_u64,
        any::<bool>(),
    );
    prop::collection::vec(one, 0..60).prop_map(|all| {
        let facts = |(number, (said, tagged, project, failed)): (u64, Traits)| {
            let mut facts = node(number);
            facts.text = format!("{} {}", facts.text, said.join(" "));
            facts.project = format!("/p{project}");
            facts.files.extend(said.iter().map(|word| format!("src/{word}.rs")));
            facts.lessons.extend(failed.then(|| lesson(&tagged.join(" "), &tagged)));
            facts
                .errors
                .extend(failed.then(|| error(&format!("cannot {} the thing", said.join(" ")))));
            facts.outcome = if failed { Outcome::Failed } else { Outcome::Success };
            facts.tags.extend(tagged.into_iter().map(str::to_owned));
            facts
        };
        (1..).zip(all).map(facts).collect()
    })
}

proptest! {
    #[test]
    fn links_are_few_and_depend_on_nothing_but_the_nodes(
        nodes in any_nodes(),
        keys in prop::collection::vec(any::<u64>(), 60),
    ) {
        let found = links(nodes.clone());
        let mut degrees: HashMap<NodeId, usize> = HashMap::new();
        let mut pairs = BTreeSet::new();
        for edge in &found {
            let (one, other) = (edge.source_node_id, edge.target_node_id);
            prop_assert_ne!(one, other);
            prop_assert!(pairs.insert((one.min(other), one.max(other))));
            *degrees.entry(one).or_default() += 1;
            *degrees.entry(other).or_default() += 1;
            prop_assert!(!edge.ext.as_ref().unwrap().reason.is_empty());
        }
        prop_assert!(degrees.values().all(|&degree| degree <= MOST_LINKS));
        let mut shuffled: Vec<(u64, NodeFacts)> = keys.into_iter().zip(nodes.clone()).collect();
        shuffled.sort_by_key(|(key, _)| *key);
        let shuffled = shuffled.into_iter().map(|(_, node)| node).collect();
        prop_assert_eq!(links(shuffled), found);
        // Those that were linked by others in the meantime stay out, whoever linked them.
        let without = link_nodes(nodes, &pairs);
        let is_known = |edge: &Edge| {
            let (one, other) = (edge.source_node_id, edge.target_node_id);
            pairs.contains(&(one.min(other), one.max(other)))
        };
        prop_assert!(!without.iter().any(is_known));
    }
}
