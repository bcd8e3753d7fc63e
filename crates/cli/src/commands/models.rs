//! `pi-brain models`: the models that answered, and what they cost.

use pi_brain_store::ModelSpending;

use super::listing::{cut, say_more, say_nothing};
use super::{print_json, say};
use crate::args::ModelsOptions;
use crate::brain::open_fresh;
use crate::describe::one_line;
use crate::locate::Locations;
use crate::mint::now;
use crate::table::{Column, count, dollars, draw};
use crate::when;

pub(crate) fn run(locations: &Locations, options: &ModelsOptions) -> anyhow::Result<()> {
    let app = open_fresh(locations, &options.list.refresh)?;
    let mut models = app.store().spending_by_model(&options.narrow.spending())?;
    models.sort_by(|one, other| other.spent.usage.cost.total_cmp(&one.spent.usage.cost));
    let total = cut(&mut models, &options.list);
    if options.list.json {
        return print_json(&models);
    }
    if total == 0 {
        let command = options.narrow.is_narrow().then_some("models");
        return say_nothing(locations, &app, "answers of models", command);
    }
    say!("{}", draw_list(&models))?;
    say_more(models.len(), total)
}

fn draw_list(models: &[ModelSpending]) -> String {
    let columns = [
        Column::Text("MODEL"),
        Column::Number("ANSWERS"),
        Column::Number("IN"),
        Column::Number("OUT"),
        Column::Number("CACHED"),
        Column::Number("COST"),
        Column::Number("SESSIONS"),
        Column::Number("TOOL ERRORS"),
        Column::Text("LAST"),
    ];
    let now = now();
    let row = |model: &ModelSpending| {
        let usage = &model.spent.usage;
        vec![
            model_name(&model.provider, &model.model),
            model.spent.answers.to_string(),
            count(usage.input + usage.cache_write),
            count(usage.output),
            count(usage.cache_read),
            dollars(usage.cost),
            model.sessions.to_string(),
            model.tool_errors.to_string(),
            when::ago(model.last_used, now),
        ]
    };
    draw(&columns, &models.iter().map(row).collect::<Vec<_>>())
}

/// Names a model with its provider.
pub(super) fn model_name(provider: &str, model: &str) -> String {
    match (provider, model) {
        ("", "") => "(unknown)".to_owned(),
        ("", model) => one_line(model),
        (provider, model) => one_line(&format!("{provider}/{model}")),
    }
}
