//! Which ways a session went, and which other sessions it belongs with.

use pi_brain_app::{BranchView, branch_views};
use pi_brain_session::View;

use super::Which;
use crate::api::Api;
use crate::brains::Brain;
use crate::failure::Answered;
use crate::params::{Listed, Paging};

pub(super) fn add(api: Api) -> Api {
    api.get("/api/v1/sessions/{session}/branches", "The ways that a session went", branches)
}

fn branches(brain: &mut Brain, (which, paging): (Which, Paging)) -> Answered<Listed<BranchView>> {
    let (session, tree) = which.open(brain, View::Repaired)?;
    let all = branch_views(&session, &tree)?;
    paging.cut(all, |branch| branch.leaf_id.clone().unwrap_or_default())
}
