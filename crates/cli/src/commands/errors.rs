//! `pi-brain errors`: what went wrong, equal errors as one.

use pi_brain_store::ErrorGroup;

use super::listing::{cut, project_names, say_more, say_nothing, short_id};
use super::{print_json, say};
use crate::args::ErrorsOptions;
use crate::brain::open_fresh;
use crate::describe::one_line;
use crate::locate::Locations;
use crate::mint::now;
use crate::table::{Column, draw};
use crate::when;

pub(crate) fn run(locations: &Locations, options: &ErrorsOptions) -> anyhow::Result<()> {
    let app = open_fresh(locations, &options.list.refresh)?;
    let mut errors = app.store().errors(&options.narrow.nodes(), options.unresolved)?;
    let total = cut(&mut errors, &options.list);
    if options.list.json {
        return print_json(&errors);
    }
    if total == 0 {
        let is_narrow = options.narrow.is_narrow() || options.unresolved;
        return say_nothing(locations, &app, "errors", is_narrow.then_some("errors"));
    }
    say!("{}", draw_list(&errors))?;
    say_more(errors.len(), total)
}

fn draw_list(errors: &[ErrorGroup]) -> String {
    let columns = [
        Column::Number("NODES"),
        Column::Text("SOLVED"),
        Column::Text("LAST"),
        Column::Text("PROJECTS"),
        Column::Text("NODE"),
        Column::Rest("ERROR"),
    ];
    let now = now();
    let row = |error: &ErrorGroup| {
        let solved = match error.resolved {
            0 => "no".to_owned(),
            _ if error.is_resolved() => "yes".to_owned(),
            some => format!("{some} of {}", error.nodes),
        };
        vec![
            error.nodes.to_string(),
            solved,
            when::ago(error.last_seen, now),
            project_names(&error.projects),
            short_id(error.example),
            words(error),
        ]
    };
    draw(&columns, &errors.iter().map(row).collect::<Vec<_>>())
}

/// Says what kind of error it is, unless its message does.
fn words(error: &ErrorGroup) -> String {
    let (kind, message) = (one_line(&error.error_type), one_line(&error.message));
    let says_kind = message.to_lowercase().contains(&kind.to_lowercase());
    if says_kind { message } else { format!("{kind}: {message}") }
}
