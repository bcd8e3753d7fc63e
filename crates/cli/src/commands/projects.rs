//! `pi-brain projects`: where people worked, and how much.

use std::path::Path;

use pi_brain_store::ProjectRow;

use super::listing::{cut, say_more, say_nothing};
use super::{print_json, say};
use crate::args::ProjectsOptions;
use crate::brain::open_fresh;
use crate::locate::Locations;
use crate::mint::now;
use crate::table::{Column, count, dollars, draw};
use crate::when;

pub(crate) fn run(locations: &Locations, options: &ProjectsOptions) -> anyhow::Result<()> {
    let app = open_fresh(locations, &options.list.refresh)?;
    let mut projects = app.store().projects()?;
    let total = cut(&mut projects, &options.list);
    if options.list.json {
        return print_json(&projects);
    }
    if total == 0 {
        return say_nothing(locations, &app, "projects", None);
    }
    say!("{}", draw_list(locations, &projects))?;
    say_more(projects.len(), total)
}

fn draw_list(locations: &Locations, projects: &[ProjectRow]) -> String {
    let columns = [
        Column::Text("LAST"),
        Column::Number("SESSIONS"),
        Column::Number("NODES"),
        Column::Number("TIME"),
        Column::Number("TOKENS"),
        Column::Number("COST"),
        Column::Rest("PROJECT"),
    ];
    let now = now();
    let row = |project: &ProjectRow| {
        let name = match &*project.project {
            "" => "(unknown)".to_owned(),
            path => locations.display(Path::new(path)),
        };
        vec![
            project.last_active.map_or("–".to_owned(), |time| when::ago(time, now)),
            project.sessions.to_string(),
            project.nodes.to_string(),
            duration(project.minutes),
            count(project.spent.usage.total_tokens),
            dollars(project.spent.usage.cost),
            name,
        ]
    };
    draw(&columns, &projects.iter().map(row).collect::<Vec<_>>())
}

/// Writes a length of time in little room.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "nobody works for a negative time, or for so long"
)]
fn duration(minutes: f64) -> String {
    let minutes = minutes.round() as u64;
    format!("{}:{:02} h", minutes / 60, minutes % 60)
}
