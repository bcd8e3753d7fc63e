//! Groups of nodes that hang together more closely than with the rest, and names for them.
//!
//! Groups are what makes the modularity of the graph large (the method of Louvain): nodes move to the group of a neighbour for as
//! long as that helps, then groups take the place of nodes and the same begins again. What nothing links is grouped by project. A
//! group is named by what most of its members share and few others have.

mod name;

pub use name::{Named, name_clusters};

use std::collections::{BTreeMap, HashMap};

/// How often all nodes are looked at before groups take their place. A few times suffice; the bound is for odd graphs.
const MOST_ROUNDS: usize = 12;

/// Finds groups: for each node the number of its group. Groups are numbered by their first nodes.
///
/// A link is two numbers of nodes, and how strongly it binds. `projects` has the project of each node.
pub fn find_clusters(projects: &[&str], links: &[(usize, usize, f64)]) -> Vec<usize> {
    let count = projects.len();
    let mut network = Network::of(count, links);
    let is_alone: Vec<bool> = network.neighbours.iter().map(BTreeMap::is_empty).collect();
    let mut groups: Vec<usize> = (0..count).collect();
    loop {
        let moved = network.groups();
        let network_of_groups = network.merged(&moved);
        let is_done = network_of_groups.len() == network.len();
        for group in &mut groups {
            *group = moved[*group];
        }
        if is_done {
            break;
        }
        network = network_of_groups;
    }
    let mut homes: HashMap<&str, usize> = HashMap::new();
    for (at, project) in projects.iter().enumerate() {
        if is_alone[at] {
            groups[at] = *homes.entry(project).or_insert(groups[at]);
        }
    }
    renumbered(&groups)
}

/// Nodes, or groups of them, and how strongly they are linked.
struct Network {
    neighbours: Vec<BTreeMap<usize, f64>>,
    /// How strongly each is linked in all, with itself among the others.
    degrees: Vec<f64>,
}

impl Network {
    fn of(count: usize, links: &[(usize, usize, f64)]) -> Self {
        let mut network =
            Self { neighbours: vec![BTreeMap::new(); count], degrees: vec![0.0; count] };
        for &(one, other, strength) in links {
            if one != other && one < count && other < count {
                network.degrees[one] += strength;
                network.degrees[other] += strength;
                network.link(one, other, strength);
            }
        }
        network
    }

    fn len(&self) -> usize {
        self.degrees.len()
    }

    fn link(&mut self, one: usize, other: usize, strength: f64) {
        *self.neighbours[one].entry(other).or_default() += strength;
        *self.neighbours[other].entry(one).or_default() += strength;
    }

    /// Moves everything to the group in which it is bound most closely; returns the groups, numbered without gaps.
    fn groups(&self) -> Vec<usize> {
        let mut groups: Vec<usize> = (0..self.len()).collect();
        let mut totals = self.degrees.clone();
        let all: f64 = self.degrees.iter().sum();
        if all <= 0.0 {
            return groups;
        }
        for _ in 0..MOST_ROUNDS {
            let mut has_moved = false;
            for at in 0..self.len() {
                let (own, degree) = (groups[at], self.degrees[at]);
                totals[own] -= degree;
                let mut ties: BTreeMap<usize, f64> = BTreeMap::from([(own, 0.0)]);
                for (&neighbour, strength) in &self.neighbours[at] {
                    *ties.entry(groups[neighbour]).or_default() += strength;
                }
                let gain = |group: usize| ties[&group] - totals[group] * degree / all;
                let best = ties.keys().copied().fold(own, |best, group| {
                    // Equal is not better, whatever the last digits say: else it would never end.
                    if gain(group) > gain(best) + 1e-9 { group } else { best }
                });
                totals[best] += degree;
                has_moved |= best != own;
                groups[at] = best;
            }
            if !has_moved {
                break;
            }
        }
        renumbered(&groups)
    }

    /// Returns the network of groups.
    fn merged(&self, groups: &[usize]) -> Self {
        let count = groups.iter().max().map_or(0, |most| most + 1);
        let mut merged =
            Self { neighbours: vec![BTreeMap::new(); count], degrees: vec![0.0; count] };
        for (at, neighbours) in self.neighbours.iter().enumerate() {
            merged.degrees[groups[at]] += self.degrees[at];
            for (&other, strength) in neighbours.range(at..) {
                let (one, other) = (groups[at], groups[other]);
                if one != other {
                    merged.link(one, other, *strength);
                }
            }
        }
        merged
    }
}

/// Numbers groups by their first members, without gaps.
fn renumbered(groups: &[usize]) -> Vec<usize> {
    let mut numbers: HashMap<usize, usize> = HashMap::new();
    let number = |group: &usize| {
        let next = numbers.len();
        *numbers.entry(*group).or_insert(next)
    };
    groups.iter().map(number).collect()
}

#[cfg(test)]
mod tests;
