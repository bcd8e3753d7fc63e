use pi_brain_session::Millis;

use super::{SeenError, find_patterns};
use crate::ids::NodeId;
use crate::lesson_groups::Trend;

const DAY: i64 = 24 * 3600 * 1000;
const NOW: Millis = Millis(1000 * DAY);

fn seen(node: u64, days_ago: i64, message: &str, resolved: bool) -> SeenError {
    SeenError {
        node: NodeId::from_u64(node),
        seen: Millis(NOW.0 - days_ago * DAY),
        project: format!("/p{node}"),
        error_type: "ENOENT".to_owned(),
        message: message.to_owned(),
        resolved,
        summary: format!("what {node} did"),
        tools: vec!["bash".to_owned()],
        models: vec![format!("m{node}")],
    }
}

#[test]
fn an_error_of_several_nodes_is_a_pattern() {
    let errors = vec![
        seen(1, 50, "cannot open '/a/b.ts' (3)", true),
        seen(2, 20, "cannot open \"/c.ts\" (44)", true),
        seen(2, 20, "cannot open '/d.ts' (5)", false),
        seen(3, 1, "Cannot open `/e/f.ts` (6)", false),
        seen(4, 1, "only once", true),
    ];
    let found = find_patterns(errors.clone(), NOW);
    assert_eq!(found.len(), 1);
    let pattern = &found[0];
    assert_eq!((pattern.count, pattern.resolved), (3, 1), "the second got rid of only one of two");
    assert_eq!(pattern.message, "Cannot open `/e/f.ts` (6)");
    assert_eq!((pattern.recent, pattern.before, pattern.trend), (2, 1, Trend::Rising));
    assert_eq!(pattern.resolution.as_ref().unwrap().summary, "what 1 did");
    assert_eq!(pattern.nodes.iter().map(|node| node.as_u64()).collect::<Vec<_>>(), [3, 2, 1]);
    assert_eq!((pattern.models.len(), pattern.tools.len(), pattern.projects.len()), (3, 1, 3));
    let mut turned = errors;
    turned.reverse();
    assert_eq!(find_patterns(turned, NOW), found);
}

#[test]
fn one_node_makes_no_pattern() {
    let errors = vec![seen(1, 1, "oh no 1", false), seen(1, 1, "oh no 2", false)];
    assert!(find_patterns(errors, NOW).is_empty());
    let same_words = [seen(1, 1, "oh no", false), seen(2, 1, "oh yes", false)];
    assert!(find_patterns(same_words.into(), NOW).is_empty());
}
