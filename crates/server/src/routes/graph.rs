//! The graph, to be drawn.

use pi_brain_app::{Drawn, Window};
use pi_brain_brain::NodeId;
use schemars::JsonSchema;
use serde::Deserialize;

use super::nodes::{Which, check_extent};
use crate::api::Api;
use crate::brains::Brain;
use crate::failure::Answered;

pub(super) fn add(api: Api) -> Api {
    api.get("/api/v1/graph", "A part of the graph, with a place for each node", graph)
}

/// Which part of the graph.
#[derive(Deserialize, JsonSchema)]
struct Part {
    /// The node in the middle; without one, the newest nodes that fit.
    focus: Option<NodeId>,
    /// How many links around it.
    #[serde(default = "Part::usual_depth")]
    #[schemars(range(min = 1, max = 5))]
    depth: u32,
    /// How many nodes at most.
    #[serde(default = "Part::usual_limit")]
    #[schemars(range(min = 1, max = 20_000))]
    limit: usize,
}

impl Part {
    const MOST: usize = 20_000;

    fn usual_depth() -> u32 {
        2
    }

    fn usual_limit() -> usize {
        300
    }
}

fn graph(brain: &mut Brain, (which, part): (Which, Part)) -> Answered<Drawn> {
    check_extent(part.depth, part.limit, Part::MOST)?;
    let focus = part.focus.map(|focus| (focus, part.depth));
    Ok(brain.app.draw(&Window { filter: which.into(), focus, limit: part.limit })?)
}
