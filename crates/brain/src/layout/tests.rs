use super::*;

fn distance(one: Point, other: Point) -> f64 {
    (one.x - other.x).hypot(one.y - other.y)
}

/// Two rings of ten, and one link between them.
fn two_rings() -> (Vec<usize>, Vec<Link>) {
    let ring = |first: usize| (0..10).map(move |at| (first + at, first + (at + 1) % 10, 1.0));
    let links = ring(0).chain(ring(10)).chain([(0, 10, 0.3)]).collect();
    ((0..20).map(|at| at / 10).collect(), links)
}

/// Nodes of ten projects that are mostly linked with the nodes before them of the same project, as in a brain; projects are groups.
fn lifelike(count: usize) -> (Vec<usize>, Vec<Link>) {
    let mut state: u64 = 7;
    let mut random = move |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    let mut projects: Vec<usize> = Vec::new();
    let mut links = Vec::new();
    for at in 0..count {
        let project = random(10).min(at);
        let before: Vec<usize> = (0..at).filter(|&one| projects[one] == project).collect();
        projects.push(project);
        for _ in 0..2 {
            if let Some(&other) =
                before.len().checked_sub(1).and_then(|last| before.get(last - random(last + 1) / 4))
            {
                links.push((other, at, 0.8));
            }
        }
        if at > 0 && random(20) == 0 {
            links.push((random(at), at, 0.3));
        }
    }
    (projects, links)
}

#[test]
fn the_same_graph_is_drawn_in_the_same_way() {
    let (groups, links) = lifelike(400);
    assert_eq!(layout(&groups, &links), layout(&groups, &links));
}

#[test]
fn what_is_linked_stands_nearer_than_what_is_not() {
    let (groups, links) = two_rings();
    let points = layout(&groups, &links);
    let mean = |pairs: &[(usize, usize)]| {
        let distances = pairs.iter().map(|&(one, other)| distance(points[one], points[other]));
        let (sum, count) = distances.fold((0.0, 0.0), |(sum, count), one| (sum + one, count + 1.0));
        sum / count
    };
    let linked: Vec<(usize, usize)> = links.iter().map(|&(one, other, _)| (one, other)).collect();
    let across: Vec<(usize, usize)> =
        (0..10).flat_map(|one| (10..20).map(move |other| (one, other))).collect();
    assert!(mean(&linked) * 2.0 < mean(&across), "{} {}", mean(&linked), mean(&across));
}

#[test]
fn none_stands_on_top_of_another_and_all_stand_somewhere() {
    let points = layout(&[0; 300], &[(0, 0, 1.0), (5, 900, 1.0), (1, 2, 1.0)]);
    for (at, one) in points.iter().enumerate() {
        assert!(one.x.is_finite() && one.y.is_finite());
        for other in &points[at + 1..] {
            assert!(distance(*one, *other) > 0.1);
        }
    }
    assert_eq!(layout(&[], &[]), []);
    assert_eq!(layout(&[0], &[]).len(), 1);
}

#[test]
fn what_comes_later_hardly_moves_what_was_there() {
    let (before, after) = (lifelike(600), lifelike(612));
    let (old, new) = (layout(&before.0, &before.1), layout(&after.0, &after.1));
    let mut moves: Vec<f64> =
        old.iter().zip(&new).map(|(one, other)| distance(*one, *other)).collect();
    moves.sort_by(f64::total_cmp);
    let width = old.iter().map(|point| point.x.hypot(point.y)).fold(0.0, f64::max);
    let median = moves[moves.len() / 2];
    assert!(
        median < 0.1 * width,
        "half of all moved by more than {median} in a picture of {width}"
    );
}

#[test]
fn groups_keep_to_themselves() {
    let (groups, links) = lifelike(500);
    let points = layout(&groups, &links);
    let count = groups.iter().max().unwrap() + 1;
    let middles: Vec<Point> = (0..count)
        .map(|group| {
            let members: Vec<Point> =
                (0..500).filter(|&at| groups[at] == group).map(|at| points[at]).collect();
            #[expect(clippy::cast_precision_loss, reason = "there are five hundred")]
            let size = members.len() as f64;
            let (x, y) = members.iter().fold((0.0, 0.0), |(x, y), one| (x + one.x, y + one.y));
            Point { x: x / size, y: y / size }
        })
        .collect();
    let is_home = |at: &usize| {
        let own = distance(points[*at], middles[groups[*at]]);
        middles.iter().all(|middle| distance(points[*at], *middle) >= own)
    };
    assert!((0..500).filter(is_home).count() > 400);
}
