//! Trees of files whose ids were damaged.

use std::collections::BTreeMap;

use pi_brain_session::{Log, ProblemKind, Tree, View};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::exercise::check_tree;
use crate::generate::{cases, time};

/// What an entry says of itself and its parent; most names are in the file.
#[derive(Clone, Debug)]
struct Links {
    id: Value,
    parent: Option<Value>,
    second: Option<u8>,
}

fn any_links(count: usize) -> impl Strategy<Value = Vec<Links>> {
    let name = move || (0..=count).prop_map(|number| json!(format!("e{number}")));
    let odd =
        || prop::sample::select(vec![json!(null), json!(""), json!(7), json!({}), json!("é")]);
    let parent = prop_oneof![
        10 => name().prop_map(Some),
        2 => Just(Some(Value::Null)),
        1 => odd().prop_map(Some),
        1 => Just(None),
    ];
    let second = prop_oneof![9 => any::<u8>().prop_map(Some), 1 => Just(None)];
    let links = (
        prop_oneof![12 => Just(None), 2 => name().prop_map(Some), 1 => odd().prop_map(Some)],
        parent,
        second,
    );
    prop::collection::vec(links, 0..count).prop_map(|list| {
        let links = |(at, (id, parent, second)): (usize, (Option<Value>, _, _))| Links {
            id: id.unwrap_or_else(|| json!(format!("e{at}"))),
            parent,
            second,
        };
        list.into_iter().enumerate().map(links).collect()
    })
}

fn read(links: &[Links], forked: bool) -> Log {
    let mut text = json!({"type": "session", "version": 3, "id": "s"});
    if forked {
        text["parentSession"] = json!("/parent.jsonl");
    }
    let mut text = text.to_string() + "\n";
    for links in links {
        let mut entry = Map::new();
        entry.insert("type".into(), json!("custom"));
        entry.insert("id".into(), links.id.clone());
        entry.extend(links.parent.clone().map(|parent| ("parentId".to_owned(), parent)));
        entry.extend(links.second.map(|second| ("timestamp".to_owned(), json!(time(second)))));
        text += &(Value::Object(entry).to_string() + "\n");
    }
    Log::read(text.as_bytes()).expect("a session")
}

/// The parents as pi sees them, found slowly; a circle is cut before its earliest entry.
fn slow_parents(links: &[Links]) -> Vec<Option<usize>> {
    let name = |value: &Value| value.as_str().filter(|name| !name.is_empty()).map(str::to_owned);
    let linked: Vec<Option<usize>> = links
        .iter()
        .map(|entry| {
            let parent = name(entry.parent.as_ref()?)?;
            let found =
                links.iter().rposition(|other| name(&other.id).as_ref() == Some(&parent))?;
            (name(&entry.id) != Some(parent)).then_some(found)
        })
        .collect();
    let circle = |at: usize| {
        let mut path = vec![at];
        while let Some(next) = linked[path[path.len() - 1]].filter(|_| path.len() <= links.len()) {
            if next == at {
                return Some(path);
            }
            path.push(next);
        }
        None
    };
    (0..links.len())
        .map(|at| match circle(at) {
            Some(circle) if circle.iter().min() == Some(&at) => None,
            _ => linked[at],
        })
        .collect()
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn every_entry_has_one_place(links in any_links(16), forked in any::<bool>()) {
        let log = read(&links, forked);
        for view in [View::AsPi, View::Repaired] {
            check_tree(&log, &Tree::new(&log, view));
        }
    }

    #[test]
    fn only_entries_with_a_later_namesake_are_echoes(links in any_links(16)) {
        let log = read(&links, false);
        let last: BTreeMap<_, _> = log.entries().iter().enumerate().map(|(at, entry)| (entry.id.clone(), at)).collect();
        let has_namesake = |&at: &usize| log.entries()[at].id.is_some() && last[&log.entries()[at].id] != at;
        let echoes: Vec<usize> = (0..links.len()).filter(has_namesake).collect();
        prop_assert_eq!(Tree::new(&log, View::AsPi).echoes().to_vec(), echoes);
        prop_assert!(Tree::new(&log, View::Repaired).echoes().is_empty());
    }

    #[test]
    fn parents_are_those_that_pi_sees(links in any_links(16), forked in any::<bool>()) {
        let log = read(&links, forked);
        let tree = Tree::new(&log, View::AsPi);
        let parents: Vec<Option<usize>> = (0..links.len()).map(|at| tree.parent(at)).collect();
        prop_assert_eq!(parents, slow_parents(&links));
    }

    /// Where nothing is wrong, nothing is repaired.
    #[test]
    fn both_views_of_a_whole_file_agree(links in any_links(16), forked in any::<bool>()) {
        let log = read(&links, forked);
        let (as_pi, repaired) = (Tree::new(&log, View::AsPi), Tree::new(&log, View::Repaired));
        if as_pi.problems().iter().all(|problem| problem.kind == ProblemKind::Cycle) {
            prop_assert_eq!(as_pi.problems(), repaired.problems());
            prop_assert_eq!(as_pi.roots(), repaired.roots());
            for at in 0..links.len() {
                prop_assert_eq!(as_pi.children(at), repaired.children(at));
            }
        }
    }

    #[test]
    fn children_are_in_the_order_of_time(links in any_links(16)) {
        let log = read(&links, false);
        let tree = Tree::new(&log, View::Repaired);
        for at in 0..links.len() {
            let children = tree.children(at);
            let timed = children.iter().all(|&child| links[child].second.is_some());
            let order = |child: &usize| (links[*child].second.filter(|_| timed), *child);
            prop_assert!(children.is_sorted_by_key(order), "{:?}", children);
        }
    }

    /// In a fork nothing hangs in the air but what stands first or says that it is a root.
    #[test]
    fn forks_have_no_orphans(links in any_links(16)) {
        let log = read(&links, true);
        let tree = Tree::new(&log, View::Repaired);
        for problem in tree.problems() {
            prop_assert!(problem.kind != ProblemKind::UnknownParent || problem.line == 2);
        }
    }
}
