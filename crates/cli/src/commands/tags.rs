//! `pi-brain tags`: tags and topics of units of work.

use pi_brain_store::TagRow;

use super::listing::{cut, project_names, say_more, say_nothing};
use super::{print_json, say};
use crate::args::TagsOptions;
use crate::brain::open_fresh;
use crate::describe::one_line;
use crate::locate::Locations;
use crate::mint::now;
use crate::table::{Column, draw};
use crate::when;

pub(crate) fn run(locations: &Locations, options: &TagsOptions) -> anyhow::Result<()> {
    let app = open_fresh(locations, &options.list.refresh)?;
    let mut tags = app.store().tags(&options.narrow.nodes())?;
    let total = cut(&mut tags, &options.list);
    if options.list.json {
        return print_json(&tags);
    }
    if total == 0 {
        let command = options.narrow.is_narrow().then_some("tags");
        return say_nothing(locations, &app, "tags", command);
    }
    say!("{}", draw_list(&tags))?;
    say_more(tags.len(), total)
}

fn draw_list(tags: &[TagRow]) -> String {
    let columns = [
        Column::Number("NODES"),
        Column::Text("KIND"),
        Column::Text("LAST"),
        Column::Text("PROJECTS"),
        Column::Rest("TAG"),
    ];
    let now = now();
    let row = |tag: &TagRow| {
        vec![
            tag.nodes.to_string(),
            one_line(&tag.kind),
            when::ago(tag.last_used, now),
            project_names(&tag.projects),
            one_line(&tag.tag),
        ]
    };
    draw(&columns, &tags.iter().map(row).collect::<Vec<_>>())
}
