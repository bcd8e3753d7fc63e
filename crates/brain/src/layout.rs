//! Where nodes stand when a graph is drawn: linked ones near each other, none on top of another.
//!
//! First the groups find their places, each as a disc that is as large as its members need; then the members find theirs around the
//! middle of their group. Links pull, nodes push each other away as long as they are near. How far a node may move falls until all
//! stand still.
//!
//! The same graph is always drawn in the same way. What is added later hardly moves what was there: nodes are numbered from the
//! oldest, every start is a matter of these numbers, and groups are placed one after the other.

use std::collections::{BTreeMap, HashMap};

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
const REACH: f64 = 2.5 * LENGTH;

/// How strongly members are drawn to the middle of their group.
const GRAVITY: f64 = 0.05;

/// How many steps are taken; fewer for large graphs, whose steps take longer.
const STEPS: usize = 200;
const FEWEST_STEPS: usize = 40;
const WORK: usize = 120_000;

/// A link between two nodes by their numbers, and how strongly it pulls, from 0 to 1.
type Link = (usize, usize, f64);

/// Finds a place for each node. `groups` has the number of the group of each node, such as its project;
/// groups are numbered by their first nodes.
pub fn layout(groups: &[usize], links: &[Link]) -> Vec<Point> {
    let count = groups.len();
    let is_there = |(one, other, _): &&Link| one != other && *one < count && *other < count;
    let links: Vec<Link> = links.iter().filter(is_there).copied().collect();
    let middles = place_groups(groups, &links);
    let mut before = vec![0.0; middles.len()];
    let mut points: Vec<Point> = groups
        .iter()
        .enumerate()
        .map(|(number, group)| {
            let (middle, start) = (middles[*group], around(number, before[*group]));
            before[*group] += 1.0;
            Point { x: middle.x + start.x, y: middle.y + start.y }
        })
        .collect();
    let steps = (WORK / count.max(1)).clamp(FEWEST_STEPS, STEPS);
    for step in 0..steps {
        let mut pushes = push(&points);
        for &(one, other, strength) in &links {
            // What leads to another group shows that, and moves nothing.
            let force = if groups[one] == groups[other] { 0.3 } else { 0.01 };
            pull(&points, &mut pushes, (one, other), force * strength.clamp(0.05, 1.0), LENGTH);
        }
        for ((point, push), group) in points.iter_mut().zip(pushes).zip(groups) {
            // A steady pull: one that grows with the distance would crush large groups.
            let (dx, dy) = (middles[*group].x - point.x, middles[*group].y - point.y);
            let (x, y) = along(dx, dy, GRAVITY * dx.hypot(dy).min(REACH));
            advance(point, push.x + x, push.y + y, heat(step, steps));
        }
    }
    points
}

/// Finds a place for each group, one after the other: as near as can be to those that it is linked with and that have a place.
///
/// A group is given room for half as many members again before it needs more, and those before it do not care. So most of what is
/// added moves no group at all.
fn place_groups(groups: &[usize], links: &[Link]) -> Vec<Point> {
    let count = groups.iter().max().map_or(0, |most| most + 1);
    let mut sizes = vec![0.0; count];
    for group in groups {
        sizes[*group] += 1.0;
    }
    let mut ties: BTreeMap<usize, BTreeMap<usize, f64>> = BTreeMap::new();
    for &(one, other, strength) in links {
        let (one, other) = (groups[one].min(groups[other]), groups[one].max(groups[other]));
        if one != other {
            *ties.entry(other).or_default().entry(one).or_default() += strength;
        }
    }
    let mut discs: Vec<Disc> = Vec::with_capacity(count);
    for (group, size) in sizes.into_iter().enumerate() {
        let radius = LENGTH * (1.6 + 0.8 * roomy(size).sqrt());
        let target = ties.get(&group).map_or_else(Point::default, |ties| middle_of(ties, &discs));
        let middle = free_place(&discs, target, radius, group);
        discs.push(Disc { middle, radius });
    }
    discs.into_iter().map(|disc| disc.middle).collect()
}

/// The room that a group takes.
struct Disc {
    middle: Point,
    radius: f64,
}

/// Finds room for a disc from a place on, straight away in a direction of its own. There may be room that is nearer, but that would
/// be another one tomorrow.
fn free_place(discs: &[Disc], target: Point, radius: f64, number: usize) -> Point {
    let way = around(number, 1.0);
    let (mut far, unit) = (0.0, way.x.hypot(way.y));
    loop {
        let point = Point { x: target.x + way.x / unit * far, y: target.y + way.y / unit * far };
        let overlap = |disc: &Disc| {
            disc.radius + radius - (disc.middle.x - point.x).hypot(disc.middle.y - point.y)
        };
        let most = discs.iter().map(overlap).fold(0.0, f64::max);
        if most <= 0.0 {
            return point;
        }
        far += most.max(0.1 * LENGTH);
    }
}

/// Returns how many members a group of a size is given room for.
fn roomy(size: f64) -> f64 {
    1.5_f64.powf(size.max(1.0).log(1.5).ceil())
}

/// Returns the middle between groups, by how strongly each pulls.
fn middle_of(ties: &BTreeMap<usize, f64>, discs: &[Disc]) -> Point {
    let all: f64 = ties.values().sum();
    ties.iter().fold(Point::default(), |sum, (group, strength)| {
        let (point, share) = (discs[*group].middle, strength / all.max(f64::MIN_POSITIVE));
        Point { x: sum.x + point.x * share, y: sum.y + point.y * share }
    })
}

/// Draws two nodes to the distance that they like.
fn pull(
    points: &[Point],
    pushes: &mut [Point],
    (one, other): (usize, usize),
    force: f64,
    distance: f64,
) {
    let (from, to) = (points[one], points[other]);
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let (x, y) = along(dx, dy, (dx.hypot(dy) - distance) * force);
    pushes[one].x += x;
    pushes[one].y += y;
    pushes[other].x -= x;
    pushes[other].y -= y;
}

/// Returns how far anything may move in a step.
#[expect(clippy::cast_precision_loss, reason = "there are a few hundred steps")]
fn heat(step: usize, steps: usize) -> f64 {
    LENGTH * (1.0 - step as f64 / steps as f64).powi(2)
}

fn advance(point: &mut Point, dx: f64, dy: f64, most: f64) {
    let (x, y) = along(dx, dy, dx.hypot(dy).min(most));
    point.x += x;
    point.y += y;
}

/// Returns where something stands at first: so far from the middle that what came before it has room, in a direction that is a
/// matter of its number alone. So nothing turns around because something else came or went.
fn around(number: usize, area: f64) -> Point {
    const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
    #[expect(clippy::cast_precision_loss, reason = "there are not so many nodes")]
    let (sin, cos) = (number as f64 * GOLDEN_ANGLE).sin_cos();
    let radius = LENGTH * 0.8 * area.sqrt();
    Point { x: radius * cos, y: radius * sin }
}

/// Returns how much each node is pushed away by those that are near. They are looked for in squares, because far ones do not
/// matter and all pairs would be too many.
fn push(points: &[Point]) -> Vec<Point> {
    #[expect(clippy::cast_possible_truncation, reason = "places are small numbers")]
    let square =
        |point: &Point| ((point.x / REACH).floor() as i64, (point.y / REACH).floor() as i64);
    // In an order that is always the same: sums of numbers depend on it, and soon everything would.
    let mut order: Vec<((i64, i64), usize)> =
        points.iter().enumerate().map(|(at, point)| (square(point), at)).collect();
    order.sort_unstable();
    let mut squares: HashMap<(i64, i64), std::ops::Range<usize>> = HashMap::new();
    for (at, (square, _)) in order.iter().enumerate() {
        squares.entry(*square).or_insert(at..at).end = at + 1;
    }
    let members =
        |square: (i64, i64)| squares.get(&square).map_or(&[][..], |range| &order[range.clone()]);
    let mut pushes = vec![Point::default(); points.len()];
    for (at, &((column, row), one)) in order.iter().enumerate() {
        // Each pair once: within a square, and with the four squares that come after it.
        let here = &order[at + 1..squares[&(column, row)].end];
        let after = [(1, -1), (1, 0), (1, 1), (0, 1)];
        let after = after.iter().flat_map(|(x, y)| members((column + x, row + y)));
        for &(_, other) in here.iter().chain(after) {
            push_pair(points, &mut pushes, one.min(other), one.max(other));
        }
    }
    pushes
}

fn push_pair(points: &[Point], pushes: &mut [Point], one: usize, other: usize) {
    let (dx, dy) = apart(points, one, other);
    let distance = dx.hypot(dy);
    if distance < REACH {
        let (x, y) = along(dx, dy, 0.4 * LENGTH * LENGTH / distance.max(0.05));
        pushes[one].x += x;
        pushes[one].y += y;
        pushes[other].x -= x;
        pushes[other].y -= y;
    }
}

/// Returns the way from the second to the first. Two in the same place have to part somehow: by their numbers.
fn apart(points: &[Point], one: usize, other: usize) -> (f64, f64) {
    let (dx, dy) = (points[one].x - points[other].x, points[one].y - points[other].y);
    if dx == 0.0 && dy == 0.0 { (if one < other { -0.01 } else { 0.01 }, 0.0) } else { (dx, dy) }
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
