//! `pi-brain quirks`: odd behaviour of models, and how to live with it.

use pi_brain_store::QuirkRow;

use super::listing::{cut, say_more, say_nothing, short_id};
use super::{print_json, say};
use crate::args::QuirksOptions;
use crate::brain::open_fresh;
use crate::describe::one_line;
use crate::locate::Locations;
use crate::mint::now;
use crate::table::{Column, draw};
use crate::when;

pub(crate) fn run(locations: &Locations, options: &QuirksOptions) -> anyhow::Result<()> {
    let app = open_fresh(locations, &options.list.refresh)?;
    let mut quirks = app.store().quirks(&options.narrow.nodes(), options.model.as_deref())?;
    let total = cut(&mut quirks, &options.list);
    if options.list.json {
        return print_json(&quirks);
    }
    if total == 0 {
        let is_narrow = options.narrow.is_narrow() || options.model.is_some();
        return say_nothing(locations, &app, "quirks", is_narrow.then_some("quirks"));
    }
    say!("{}", draw_list(&quirks))?;
    say_more(quirks.len(), total)
}

fn draw_list(quirks: &[QuirkRow]) -> String {
    let columns = [
        Column::Number("NODES"),
        Column::Text("MODEL"),
        Column::Text("HOW OFTEN"),
        Column::Text("HOW BAD"),
        Column::Text("LAST"),
        Column::Text("NODE"),
        Column::Rest("QUIRK"),
    ];
    let now = now();
    let row = |quirk: &QuirkRow| {
        let workaround = quirk.workaround.as_deref().map(one_line).unwrap_or_default();
        let workaround =
            if workaround.is_empty() { workaround } else { format!(" → {workaround}") };
        vec![
            quirk.nodes.len().to_string(),
            one_line(&quirk.model),
            one_line(&quirk.frequency),
            one_line(&quirk.severity),
            when::ago(quirk.last_seen, now),
            quirk.nodes.first().map(|&node| short_id(node)).unwrap_or_default(),
            format!("{}{workaround}", one_line(&quirk.observation)),
        ]
    };
    draw(&columns, &quirks.iter().map(row).collect::<Vec<_>>())
}
