use proptest::prelude::*;

use super::*;

/// All pairs among some nodes.
fn clique(nodes: std::ops::Range<usize>) -> Vec<(usize, usize, f64)> {
    nodes.clone().flat_map(|one| (one + 1..nodes.end).map(move |other| (one, other, 1.0))).collect()
}

#[test]
fn what_is_linked_closely_is_a_group_and_a_single_link_does_not_join_two() {
    let mut links = clique(0..5);
    links.extend(clique(5..10));
    links.push((4, 5, 0.5));
    assert_eq!(find_clusters(&[""; 10], &links), [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
}

#[test]
fn what_nothing_links_is_grouped_by_project() {
    let projects = ["/shop", "/ledger", "/shop", "/shop", "/ledger"];
    assert_eq!(find_clusters(&projects, &[(2, 3, 1.0)]), [0, 1, 2, 2, 1]);
    assert_eq!(find_clusters(&[], &[]), [] as [usize; 0]);
}

#[test]
fn links_that_lead_nowhere_are_passed_over() {
    assert_eq!(find_clusters(&["/a", "/b"], &[(0, 0, 1.0), (0, 7, 1.0)]), [0, 1]);
}

#[test]
fn a_large_ring_of_cliques_falls_apart_into_its_cliques() {
    let mut links: Vec<(usize, usize, f64)> =
        (0..30).flat_map(|at| clique(at * 6..at * 6 + 6)).collect();
    links.extend((0..30).map(|at| (at * 6, (at * 6 + 6) % 180, 0.3)));
    let groups = find_clusters(&[""; 180], &links);
    for members in groups.chunks(6) {
        assert!(members.iter().all(|group| *group == members[0]), "{groups:?}");
    }
    assert!(groups.iter().max() > Some(&8), "{groups:?}");
}

proptest! {
    #[test]
    fn a_group_never_holds_nodes_that_no_way_leads_between(
        links in proptest::collection::vec((0_usize..30, 0_usize..30, 0.0..1.0_f64), 0..60),
    ) {
        let groups = find_clusters(&["/a"; 30], &links);
        let mut parts: Vec<usize> = (0..30).collect();
        for _ in 0..30 {
            for &(one, other, _) in &links {
                let least = parts[one].min(parts[other]);
                (parts[one], parts[other]) = (least, least);
            }
        }
        let is_linked = |at: usize| links.iter().any(|&(one, other, _)| one != other && (one == at || other == at));
        for one in (0..30).filter(|at| is_linked(*at)) {
            for other in (0..30).filter(|at| is_linked(*at)) {
                prop_assert!(groups[one] != groups[other] || parts[one] == parts[other]);
            }
        }
    }
}

fn node(project: &str, text: &str, tags: &[&str]) -> Named {
    Named {
        project: project.to_owned(),
        text: text.to_owned(),
        tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
    }
}

#[test]
fn a_group_is_named_by_what_its_members_share_and_others_do_not() {
    let nodes = [
        node("/home/dev/shop", "Fixed the retries of the webhook worker", &["webhooks"]),
        node("/home/dev/shop", "Webhook signatures are checked, tests fixed", &[]),
        node("/home/dev/shop", "Fixed the price of shipping", &[]),
        node("/home/dev/ledger", "Importing statements from CSV, tests fixed", &["csv"]),
        node("/home/dev/ledger", "CSV with semicolons, fixed", &["csv"]),
        node("/home/dev/notes", "Renamed a folder", &[]),
    ];
    let groups = [vec![0, 1], vec![3, 4], vec![5]];
    assert_eq!(name_clusters(&nodes, &groups), ["shop: webhook", "ledger: csv", "notes"]);
}

#[test]
fn a_group_of_many_projects_is_named_by_words_alone() {
    let nodes = [
        node("/a", "Moved the linter to a stricter preset", &["linter"]),
        node("/b", "Linter presets, again", &["linter"]),
        node("/c", "A linter for shell scripts", &["linter"]),
        node("/d", "Something else", &[]),
        node("/d", "Shell aliases, sorted", &[]),
        node("/e", "Shell prompt, shorter", &[]),
    ];
    assert_eq!(name_clusters(&nodes, &[vec![0, 1, 2]]), ["linter"]);
    assert_eq!(name_clusters(&nodes, &[vec![0, 3]]), ["various"]);
}

#[test]
fn what_everybody_says_names_nobody() {
    let work =
        |project: &str, what: &str| node(project, &format!("Handled the missing {what}"), &[]);
    let nodes: Vec<Named> = (0..8)
        .map(|at| {
            work(["/shop", "/ledger"][at % 2], ["invoice", "parser", "invoice", "lexer"][at % 4])
        })
        .collect();
    let groups = [vec![0, 2, 4, 6], vec![1, 3, 5, 7]];
    assert_eq!(name_clusters(&nodes, &groups), ["shop: invoice", "ledger: lexer, parser"]);
}
