//! `pi-brain lessons`: what was learnt, lessons in other words as one.

use pi_brain_app::markdown_inline as inline;
use pi_brain_brain::{LessonGroup, Trend, word};

use super::listing::{cut, project_names, say_more, say_nothing, short_id};
use super::{print_json, say};
use crate::args::{LessonFormat, LessonsOptions};
use crate::brain::open_fresh;
use crate::describe::one_line;
use crate::locate::Locations;
use crate::mint::now;
use crate::table::{Column, draw};
use crate::when;

pub(crate) fn run(locations: &Locations, options: &LessonsOptions) -> anyhow::Result<()> {
    let app = open_fresh(locations, &options.list.refresh)?;
    let level = options.level.map(Into::into);
    let mut lessons = app.store().lessons(&options.among.nodes(), level, now())?;
    let total = cut(&mut lessons, &options.list);
    if options.list.json {
        return print_json(&lessons);
    }
    if total == 0 {
        let is_narrow = options.among.is_narrow() || options.level.is_some();
        return say_nothing(locations, &app, "lessons", is_narrow.then_some("lessons"));
    }
    if options.format == LessonFormat::AgentsMd {
        return say!("{}", agents_md(&lessons));
    }
    say!("{}", draw_list(&lessons))?;
    say_more(lessons.len(), total)
}

fn draw_list(lessons: &[LessonGroup]) -> String {
    let columns = [
        Column::Number("NODES"),
        Column::Text("TREND"),
        Column::Text("LEVEL"),
        Column::Text("LAST"),
        Column::Text("PROJECTS"),
        Column::Text("NODE"),
        Column::Rest("LESSON"),
    ];
    let now = now();
    let row = |lesson: &LessonGroup| {
        vec![
            lesson.count.to_string(),
            arrow(lesson.trend).to_owned(),
            word(&lesson.level),
            when::ago(lesson.last_seen, now),
            project_names(&lesson.projects),
            lesson.nodes.first().map(|&node| short_id(node)).unwrap_or_default(),
            one_line(&lesson.summary),
        ]
    };
    draw(&columns, &lessons.iter().map(row).collect::<Vec<_>>())
}

/// Draws a trend.
pub(super) fn arrow(trend: Trend) -> &'static str {
    match trend {
        Trend::Rising => "↑",
        Trend::Steady => "=",
        Trend::Falling => "↓",
    }
}

/// Writes lessons as a block for an AGENTS.md, between marks by which it is found again and replaced.
fn agents_md(lessons: &[LessonGroup]) -> String {
    let mut lines = vec!["<!-- pi-brain lessons: begin -->".to_owned(), "## Lessons".to_owned()];
    let mut levels: Vec<String> = Vec::new();
    for lesson in lessons {
        let level = word(&lesson.level);
        if !levels.contains(&level) {
            levels.push(level);
        }
    }
    for level in levels {
        lines.extend([String::new(), format!("### {level}"), String::new()]);
        for lesson in lessons.iter().filter(|lesson| word(&lesson.level) == level) {
            let action = lesson.actionable.as_deref().filter(|action| !action.trim().is_empty());
            let action = action.map(|action| format!(" → {}", inline(action))).unwrap_or_default();
            let times =
                if lesson.count > 1 { format!(" ({}×)", lesson.count) } else { String::new() };
            lines.push(format!("- {}{action}{times}", inline(&lesson.summary)));
        }
    }
    lines.push("<!-- pi-brain lessons: end -->".to_owned());
    lines.join("\n")
}
