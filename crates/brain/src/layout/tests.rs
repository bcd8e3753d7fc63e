use super::*;

fn distance(one: Point, other: Point) -> f64 {
    (one.x - other.x).hypot(one.y - other.y)
}

/// Two rings of ten, and one link between them.
fn two_rings() -> Vec<(usize, usize, f64)> {
    let ring = |first: usize| (0..10).map(move |at| (first + at, first + (at + 1) % 10, 1.0));
    ring(0).chain(ring(10)).chain([(0, 10, 0.3)]).collect()
}

#[test]
fn the_same_graph_is_drawn_in_the_same_way() {
    assert_eq!(layout(20, &two_rings()), layout(20, &two_rings()));
}

#[test]
fn what_is_linked_stands_nearer_than_what_is_not() {
    let links = two_rings();
    let points = layout(20, &links);
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
    let points = layout(300, &[(0, 0, 1.0), (5, 900, 1.0), (1, 2, 1.0)]);
    for (at, one) in points.iter().enumerate() {
        assert!(one.x.is_finite() && one.y.is_finite());
        for other in &points[at + 1..] {
            assert!(distance(*one, *other) > 0.1);
        }
    }
    assert_eq!(layout(0, &[]), []);
    assert_eq!(layout(1, &[]).len(), 1);
}
