//! `pi-brain export`: a unit of work, or a project, as a page of Markdown.

use std::fmt::Write as _;

use pi_brain_app::{
    App, NodeView, markdown_block as block, markdown_code as code, markdown_inline as inline,
};
use pi_brain_brain::{Node, NodeRef, word};
use pi_brain_store::{NodeFilter, NodeRow, Order};

use super::edges::why;
use super::listing::project_name;
use super::say;
use super::unit::about;
use crate::args::PageOptions;
use crate::brain::{find_node, open_linked};
use crate::failure::Failure;
use crate::locate::Locations;
use crate::mint::now;
use crate::table::dollars;
use crate::when;

pub(crate) fn run(locations: &Locations, options: &PageOptions) -> anyhow::Result<()> {
    let app = open_linked(locations, &options.refresh)?;
    // A name that fits a unit of work may be a project's all the same.
    let page = match find_node(&app, &options.markdown) {
        Ok(node) => node_page(&app, node)?,
        Err(error) => match project_page(&app, &options.markdown)? {
            Some(page) => page,
            None if options.markdown.contains(|digit: char| !digit.is_ascii_hexdigit()) => {
                let text = format!(
                    "no unit of work and no project {}. `pi-brain projects` lists them",
                    options.markdown
                );
                return Err(Failure::NotFound(text).into());
            }
            None => return Err(error),
        },
    };
    say!("{}", page.trim_end())
}

fn node_page(app: &App, node: NodeRef) -> anyhow::Result<String> {
    let view = app.view(node)?;
    let NodeView { node, links, flags, .. } = &view;
    let ext = node.ext.as_ref();
    let goal = ext.and_then(|ext| ext.goal.as_deref()).filter(|goal| !goal.trim().is_empty());
    let mut page = format!("# {}\n\n", inline(goal.unwrap_or(&node.content.summary)));
    let classification = &node.classification;
    let facts = [
        ("id", code(&node.reference())),
        ("when", when::date_and_time(node.metadata.timestamp)),
        ("project", code(&classification.project)),
        ("kind", word(&classification.node_type)),
        ("outcome", word(&node.content.outcome)),
        ("cost", dollars(node.metadata.cost)),
        ("session", code(&node.source.session_file)),
    ];
    list(&mut page, None, facts.into_iter().map(|(name, fact)| format!("{name}: {fact}")));
    section(&mut page, "Summary");
    let _ = writeln!(page, "{}\n", inline(&node.content.summary));
    list(&mut page, Some("Decisions"), decisions(node));
    list(&mut page, Some("Lessons"), lessons(node));
    let changed = ext.map_or(&node.content.files_touched, |ext| &ext.files_modified);
    list(&mut page, Some("Files changed"), changed.iter().map(|file| code(file)));
    if !node.content.errors_seen.is_empty() {
        section(&mut page, "Errors");
        for error in &node.content.errors_seen {
            let state = if error.resolved { "resolved" } else { "not resolved" };
            let _ = writeln!(page, "{} ({state})\n", inline(&error.error_type));
            let _ = writeln!(page, "{}\n", block(&error.message));
        }
    }
    let related = links.iter().map(|link| {
        let words = link.other.as_ref().map_or_else(|| "(gone)".to_owned(), about);
        let reason = match why(&link.edge) {
            nothing if nothing.is_empty() => nothing,
            reason => format!(": {}", inline(&reason)),
        };
        let kind = link.edge.kind.as_str().replace('_', " ");
        format!("{} {} ({kind}{reason})", code(&link.other_id().to_string()), inline(&words))
    });
    list(&mut page, Some("Related"), related);
    let notes = flags.iter().map(|flag| format!("{}: {}", flag.kind, inline(&flag.message)));
    list(&mut page, Some("Notes"), notes);
    Ok(page)
}

fn decisions(node: &Node) -> impl Iterator<Item = String> {
    node.content.key_decisions.iter().map(|made| decision(&made.what, &made.why))
}

fn decision(what: &str, why: &str) -> String {
    if why.trim().is_empty() {
        inline(what)
    } else {
        format!("{} — {}", inline(what), inline(why))
    }
}

fn lessons(node: &Node) -> impl Iterator<Item = String> {
    node.lessons.by_level().into_iter().flat_map(|(level, lessons)| {
        lessons.iter().map(move |lesson| format!("{}: {}", word(&level), inline(&lesson.summary)))
    })
}

/// Writes the page of the projects whose paths contain this; `None` if there are none.
fn project_page(app: &App, project: &str) -> anyhow::Result<Option<String>> {
    let filter = NodeFilter { project: Some(project.to_owned()), ..NodeFilter::default() };
    let (nodes, _) = app.store().nodes(&filter, Order::Newest, usize::MAX, 0)?;
    if nodes.is_empty() {
        return Ok(None);
    }
    let mut projects: Vec<&str> = nodes.iter().map(|node| &*node.project).collect();
    projects.sort_unstable();
    projects.dedup();
    let names: Vec<String> = projects.iter().map(|path| inline(&project_name(path))).collect();
    let mut page = format!("# {}\n\n", names.join(", "));
    list(&mut page, None, projects.iter().map(|path| code(path)));
    let decided = app.store().decisions(&filter)?;
    let decided = decided
        .iter()
        .map(|made| format!("{}: {}", when::date(made.decided), decision(&made.what, &made.why)));
    list(&mut page, Some("Decisions"), decided);
    let learnt = app.store().lessons(&filter, None, now())?;
    let learnt = learnt.iter().map(|lesson| {
        let times = if lesson.count > 1 { format!(" ({}×)", lesson.count) } else { String::new() };
        format!("{}: {}{times}", word(&lesson.level), inline(&lesson.summary))
    });
    list(&mut page, Some("Lessons"), learnt);
    let open = app.store().errors(&filter, true)?;
    if !open.is_empty() {
        section(&mut page, "Open problems");
        for error in &open {
            let (seen, node) = (when::date(error.last_seen), code(&error.example.to_string()));
            let _ = writeln!(page, "{}, last seen {seen} in {node}\n", inline(&error.error_type));
            let _ = writeln!(page, "{}\n", block(&error.message));
        }
    }
    section(&mut page, "Units of work");
    let mut day = String::new();
    for node in &nodes {
        let date = when::date(node.started);
        if date != day {
            let gap = if day.is_empty() { "" } else { "\n" };
            let _ = writeln!(page, "{gap}### {date}\n");
            day = date;
        }
        let _ = writeln!(page, "- {}", unit(node));
    }
    Ok(Some(page))
}

fn unit(node: &NodeRow) -> String {
    let (kind, outcome) = (inline(&node.node_type), inline(&node.outcome));
    format!("{} {} ({kind}, {outcome})", code(&node.id.to_string()), inline(&about(node)))
}

fn section(page: &mut String, title: &str) {
    let _ = writeln!(page, "## {title}\n");
}

/// Writes a list, if there is anything in it; its items are Markdown.
fn list(page: &mut String, title: Option<&str>, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.collect();
    if items.is_empty() {
        return;
    }
    if let Some(title) = title {
        section(page, title);
    }
    for item in items {
        let _ = writeln!(page, "- {item}");
    }
    page.push('\n');
}
