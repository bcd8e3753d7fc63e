use pi_brain_session::Millis;

use super::{LearntLesson, LessonGroup, Trend, group_lessons};
use crate::ids::NodeId;
use crate::node::{Confidence, LessonLevel};

const DAY: i64 = 24 * 3600 * 1000;
const NOW: Millis = Millis(1000 * DAY);

fn lesson(node: u64, days_ago: i64, level: LessonLevel, summary: &str) -> LearntLesson {
    LearntLesson {
        node: NodeId::from_u64(node),
        learnt: Millis(NOW.0 - days_ago * DAY),
        project: format!("/p{}", node % 2),
        level,
        summary: summary.to_owned(),
        details: String::new(),
        confidence: if node == 2 { Confidence::High } else { Confidence::Low },
        tags: vec![format!("t{node}")],
        actionable: None,
    }
}

fn groups(lessons: Vec<LearntLesson>) -> Vec<LessonGroup> {
    group_lessons(lessons, NOW)
}

#[test]
fn lessons_in_other_words_are_one() {
    use LessonLevel::{Project, Tool};
    let lessons = vec![
        lesson(1, 40, Project, "Run the migrations before the integration tests"),
        lesson(2, 10, Project, "Always run migrations before running integration tests."),
        lesson(3, 5, Project, "Integration tests: run the migration first"),
        lesson(4, 3, Project, "The cart is keyed by user id"),
        lesson(5, 2, Tool, "Run the migrations before the integration tests"),
    ];
    let found = groups(lessons.clone());
    assert_eq!(found.iter().map(|group| group.count).collect::<Vec<_>>(), [3, 1, 1]);
    let first = &found[0];
    assert_eq!(first.summary, "Integration tests: run the migration first", "the latest wording");
    assert_eq!(first.wordings.len(), 3);
    assert_eq!((first.recent, first.before, first.trend), (2, 1, Trend::Rising));
    assert_eq!(first.nodes.iter().map(|node| node.as_u64()).collect::<Vec<_>>(), [3, 2, 1]);
    assert_eq!(first.projects.len(), 2);
    assert_eq!(first.confidence, Confidence::High, "the surest of them");
    assert_eq!(first.tags.len(), 3);
    assert_eq!(found[1].level, Tool, "levels are kept apart");
    // Whatever the order, the groups are the same.
    let mut turned = lessons;
    turned.reverse();
    assert_eq!(groups(turned), found);
}

#[test]
fn the_same_lesson_twice_in_a_node_counts_once() {
    let twice = vec![
        lesson(1, 1, LessonLevel::Task, "Pin the toolchain"),
        lesson(1, 1, LessonLevel::Task, "Pin the toolchains"),
    ];
    let found = groups(twice);
    assert_eq!((found.len(), found[0].count, found[0].wordings.len()), (1, 1, 2));
}

#[test]
fn lines_without_telling_words_are_only_like_themselves() {
    let lessons = ["Do it.", "do it.", "See?"];
    let lessons = (1..).zip(lessons).map(|(node, text)| lesson(node, 1, LessonLevel::User, text));
    let found = groups(lessons.collect());
    assert_eq!(found.iter().map(|group| group.count).collect::<Vec<_>>(), [2, 1]);
    assert!(groups(Vec::new()).is_empty());
}

#[test]
fn what_is_said_no_more_is_falling() {
    let lessons = [70, 45, 40].into_iter().zip(1..);
    let lessons = lessons.map(|(ago, node)| lesson(node, ago, LessonLevel::Task, "Pin toolchain"));
    let found = groups(lessons.collect());
    assert_eq!((found[0].recent, found[0].before, found[0].trend), (0, 2, Trend::Falling));
}
