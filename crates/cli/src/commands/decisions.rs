//! `pi-brain decisions`: what was decided, and why.

use pi_brain_store::DecisionRow;

use super::listing::{cut, project_name, say_more, say_nothing, short_id};
use super::{print_json, say};
use crate::args::DecisionsOptions;
use crate::brain::open_fresh;
use crate::describe::one_line;
use crate::locate::Locations;
use crate::mint::now;
use crate::table::{Column, draw};
use crate::when;

pub(crate) fn run(locations: &Locations, options: &DecisionsOptions) -> anyhow::Result<()> {
    let app = open_fresh(locations, &options.list.refresh)?;
    let mut decisions = app.store().decisions(&options.among.nodes())?;
    let total = cut(&mut decisions, &options.list);
    if options.list.json {
        return print_json(&decisions);
    }
    if total == 0 {
        let command = options.among.is_narrow().then_some("decisions");
        return say_nothing(locations, &app, "decisions", command);
    }
    say!("{}", draw_list(&decisions))?;
    say_more(decisions.len(), total)
}

fn draw_list(decisions: &[DecisionRow]) -> String {
    let columns = [
        Column::Text("WHEN"),
        Column::Text("PROJECT"),
        Column::Text("NODE"),
        Column::Rest("DECISION"),
    ];
    let now = now();
    let row = |made: &DecisionRow| {
        let why = one_line(&made.why);
        let why = if why.is_empty() { why } else { format!(" — {why}") };
        vec![
            when::ago(made.decided, now),
            project_name(&made.project),
            short_id(made.node),
            format!("{}{why}", one_line(&made.what)),
        ]
    };
    draw(&columns, &decisions.iter().map(row).collect::<Vec<_>>())
}
