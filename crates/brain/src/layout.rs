//! Where nodes stand when a graph is drawn: linked ones near each other, none on top of another.
//!
//! The same graph is always drawn in the same way. Links pull, nodes push each other away as long as they are near, and a weak
//! pull to the middle keeps parts together that nothing links. How far a node may move falls until all stand still.

use std::collections::HashMap;

/// Where something stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: f64,
}

/// The distance that two linked nodes like to have.
const LENGTH: f64 = 1.0;

/// Beyond this distance nodes do not push each other away.
const REACH: f64 = 3.0 * LENGTH;

/// How strongly everything is drawn to the middle.
const GRAVITY: f64 = 0.015;

/// How many steps are taken; fewer for large graphs, whose steps take longer.
const STEPS: usize = 240;
const FEWEST_STEPS: usize = 60;
const WORK: usize = 120_000;

/// Finds a place for each of `count` nodes. A link is two numbers of nodes, and how strongly it pulls, from 0 to 1.
pub fn layout(count: usize, links: &[(usize, usize, f64)]) -> Vec<Point> {
    let mut points: Vec<Point> = (0..count).map(start).collect();
    let steps = (WORK / count.max(1)).clamp(FEWEST_STEPS, STEPS);
    let links: Vec<&(usize, usize, f64)> = links
        .iter()
        .filter(|(one, other, _)| one != other && *one < count && *other < count)
        .collect();
    for step in 0..steps {
        let mut pushes = push(&points);
        for (one, other, strength) in &links {
            let (from, to) = (points[*one], points[*other]);
            let (dx, dy) = (to.x - from.x, to.y - from.y);
            let pull = (dx.hypot(dy) - LENGTH) * 0.3 * strength.clamp(0.05, 1.0);
            let (x, y) = along(dx, dy, pull);
            pushes[*one].x += x;
            pushes[*one].y += y;
            pushes[*other].x -= x;
            pushes[*other].y -= y;
        }
        #[expect(clippy::cast_precision_loss, reason = "there are a few hundred steps")]
        let heat = LENGTH * (1.0 - step as f64 / steps as f64).powi(2);
        for (point, push) in points.iter_mut().zip(pushes) {
            let (dx, dy) = (push.x - point.x * GRAVITY, push.y - point.y * GRAVITY);
            let (x, y) = along(dx, dy, dx.hypot(dy).min(heat));
            point.x += x;
            point.y += y;
        }
    }
    points
}

/// Returns where a node stands at first: on a spiral in which none is near another, the first in the middle.
fn start(number: usize) -> Point {
    const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
    #[expect(clippy::cast_precision_loss, reason = "there are not so many nodes")]
    let number = number as f64;
    let (sin, cos) = (number * GOLDEN_ANGLE).sin_cos();
    let radius = LENGTH * number.sqrt();
    Point { x: radius * cos, y: radius * sin }
}

/// Returns how much each node is pushed away by those that are near. They are looked for in squares, because far ones do not
/// matter and all pairs would be too many.
fn push(points: &[Point]) -> Vec<Point> {
    #[expect(clippy::cast_possible_truncation, reason = "places are small numbers")]
    let square =
        |point: &Point| ((point.x / REACH).floor() as i64, (point.y / REACH).floor() as i64);
    let mut squares: HashMap<(i64, i64), Vec<usize>> = HashMap::new();
    for (at, point) in points.iter().enumerate() {
        squares.entry(square(point)).or_default().push(at);
    }
    let push_of = |at: usize| {
        let point = points[at];
        let (column, row) = square(&point);
        let mut sum = Point::default();
        let around = (-1..=1).flat_map(|x| (-1..=1).map(move |y| (column + x, row + y)));
        for other in around.filter_map(|square| squares.get(&square)).flatten().copied() {
            let (dx, dy) = (point.x - points[other].x, point.y - points[other].y);
            let distance = dx.hypot(dy);
            if other == at || distance >= REACH {
                continue;
            }
            // Two in the same place have to part somehow: by their numbers.
            let (dx, dy) =
                if distance > 0.0 { (dx, dy) } else { (if at < other { -1.0 } else { 1.0 }, 0.0) };
            let (x, y) = along(dx, dy, 0.4 * LENGTH * LENGTH / distance.max(0.05));
            sum.x += x;
            sum.y += y;
        }
        sum
    };
    (0..points.len()).map(push_of).collect()
}

/// Returns a way of a length in a direction.
fn along(dx: f64, dy: f64, length: f64) -> (f64, f64) {
    match dx.hypot(dy) {
        0.0 => (0.0, 0.0),
        distance => (dx / distance * length, dy / distance * length),
    }
}

#[cfg(test)]
mod tests;
