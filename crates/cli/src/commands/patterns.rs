//! `pi-brain patterns`: what goes wrong again and again, and how it was put right.

use pi_brain_brain::FailurePattern;

use super::lessons::arrow;
use super::listing::{cut, project_names, say_more, say_nothing, short_id};
use super::{print_json, say};
use crate::args::PatternsOptions;
use crate::brain::open_fresh;
use crate::describe::one_line;
use crate::locate::Locations;
use crate::mint::now;
use crate::table::{Column, draw};
use crate::when;

pub(crate) fn run(locations: &Locations, options: &PatternsOptions) -> anyhow::Result<()> {
    let app = open_fresh(locations, &options.list.refresh)?;
    let mut patterns = app.store().patterns(&options.among.nodes(), now())?;
    let total = cut(&mut patterns, &options.list);
    if options.list.json {
        return print_json(&patterns);
    }
    if total == 0 {
        let command = options.among.is_narrow().then_some("patterns");
        return say_nothing(locations, &app, "errors that came up twice", command);
    }
    say!("{}", draw_list(&patterns))?;
    say_more(patterns.len(), total)
}

fn draw_list(patterns: &[FailurePattern]) -> String {
    let columns = [
        Column::Number("NODES"),
        Column::Text("TREND"),
        Column::Text("SOLVED"),
        Column::Text("LAST"),
        Column::Text("TOOLS"),
        Column::Text("PROJECTS"),
        Column::Text("NODE"),
        Column::Rest("ERROR"),
    ];
    let now = now();
    let row = |pattern: &FailurePattern| {
        let solved = match &pattern.resolution {
            Some(resolution) => format!("{}×, {}", pattern.resolved, short_id(resolution.node)),
            None => "no".to_owned(),
        };
        let tools: Vec<String> = pattern.tools.iter().map(|tool| one_line(tool)).collect();
        vec![
            pattern.count.to_string(),
            arrow(pattern.trend).to_owned(),
            solved,
            when::ago(pattern.last_seen, now),
            tools.join(", "),
            project_names(&pattern.projects),
            pattern.nodes.first().map(|&node| short_id(node)).unwrap_or_default(),
            format!("{}: {}", one_line(&pattern.error_type), one_line(&pattern.message)),
        ]
    };
    draw(&columns, &patterns.iter().map(row).collect::<Vec<_>>())
}
