//! What the lists across sessions have in common.

use std::collections::BTreeSet;

use jiff::Zoned;
use pi_brain_app::App;
use pi_brain_brain::NodeId;
use pi_brain_store::{NodeFilter, SpendingFilter};

use super::say;
use crate::args::{Among, ListOptions, Narrow};
use crate::describe::{DIM, one_line};
use crate::locate::Locations;
use crate::table::{fit, how_many};

impl Narrow {
    /// Returns which nodes are meant.
    pub(super) fn nodes(&self) -> NodeFilter {
        let SpendingFilter { project, after, before, .. } = self.spending();
        NodeFilter { project, after, before, ..NodeFilter::default() }
    }

    /// Returns which spending is meant.
    pub(super) fn spending(&self) -> SpendingFilter {
        let now = Zoned::now();
        SpendingFilter {
            project: self.project.clone(),
            model: None,
            after: self.since.map(|day| day.start(&now)),
            before: self.before.map(|day| day.start(&now)),
        }
    }

    /// Returns whether anything is left out.
    pub(super) fn is_narrow(&self) -> bool {
        self.project.is_some() || self.since.is_some() || self.before.is_some()
    }
}

impl Among {
    /// Returns which nodes are meant.
    pub(super) fn nodes(&self) -> NodeFilter {
        NodeFilter { tag: self.tag.clone(), model: self.model.clone(), ..self.narrow.nodes() }
    }

    /// Returns whether anything is left out.
    pub(super) fn is_narrow(&self) -> bool {
        self.narrow.is_narrow() || self.tag.is_some() || self.model.is_some()
    }
}

/// Cuts a list to what is wanted of it; returns how many there were behind what was passed over.
pub(super) fn cut<T>(list: &mut Vec<T>, options: &ListOptions) -> usize {
    const USUAL: usize = 30;
    list.drain(..options.offset.min(list.len()));
    let total = list.len();
    let usual = if options.json { usize::MAX } else { USUAL };
    list.truncate(options.limit.unwrap_or(usual));
    total
}

/// Says how many were left out, if any.
pub(super) fn say_more(shown: usize, total: usize) -> anyhow::Result<()> {
    if shown < total {
        say!("{DIM}… and {} more: --limit {total}{DIM:#}", total - shown)?;
    }
    Ok(())
}

/// Says why a list is empty, and what to do about it.
///
/// `what` is what it lists, `command` the command without options.
pub(super) fn say_nothing(
    locations: &Locations,
    app: &App,
    what: &str,
    command: Option<&str>,
) -> anyhow::Result<()> {
    let sessions = app.store().sessions()?.len();
    let program = locations.program();
    if sessions == 0 {
        let files = app.settings().sources.folders.iter().map(|source| source.folder.files().len());
        if files.sum::<usize>() == 0 {
            return Err(locations.no_sessions());
        }
        return say!("Nothing was taken in yet; `{program} ingest` does that.");
    }
    match command {
        Some(command) => {
            say!("No {what} that fit. `{program} {command}` without options lists all.")
        }
        None => say!("No {what} in {}.", how_many(sessions, "session", "sessions")),
    }
}

/// Returns the last part of a working directory.
pub(super) fn project_name(project: &str) -> String {
    let name = project.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    match (name.is_empty(), project.is_empty()) {
        (true, true) => "(unknown)".to_owned(),
        (true, false) => "/".to_owned(),
        (false, _) => one_line(name),
    }
}

/// Names some projects in little room.
pub(super) fn project_names(projects: &BTreeSet<String>) -> String {
    const WIDEST: usize = 24;
    let names: Vec<String> = projects.iter().map(|project| project_name(project)).collect();
    let all = names.join(", ");
    let shown = fit(&all, WIDEST);
    match names.len() {
        many if many > 2 && shown != all => format!("{} and {} more", names[0], many - 1),
        _ => shown,
    }
}

/// Returns as much of a node's name as one types.
pub(super) fn short_id(id: NodeId) -> String {
    const DIGITS: usize = 8;
    id.to_string().chars().take(DIGITS).collect()
}

/// Draws numbers as bars beside each other, the largest as high as the line.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "what is drawn is between 0 and 7"
)]
pub(super) fn sparkline(numbers: impl Iterator<Item = f64> + Clone) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = numbers.clone().fold(0.0, f64::max);
    // Whatever is more than nothing is seen to be.
    let bar = |number: f64| {
        let least = usize::from(number > 0.0);
        BARS[((number / most * 7.0).round() as usize).clamp(least, 7)]
    };
    numbers.map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::{project_name, project_names, sparkline};

    #[test]
    fn bars_are_as_high_as_their_numbers() {
        assert_eq!(sparkline([0.0, 0.001, 1.0, 2.0].into_iter()), "▁▂▅█");
        assert_eq!(sparkline([0.0, 0.0].into_iter()), "▁▁");
        assert_eq!(sparkline([].into_iter()), "");
    }

    #[test]
    fn projects_are_named_by_their_last_folder() {
        for (project, name) in
            [("/home/dev/shop", "shop"), ("/home/dev/shop/", "shop"), ("/", "/"), ("", "(unknown)")]
        {
            assert_eq!(project_name(project), name);
        }
        let names = |projects: &[&str]| {
            project_names(&projects.iter().map(|project| (*project).to_owned()).collect())
        };
        assert_eq!(names(&["/a/b", "/c/d", "/e/f"]), "b, d, f");
        let long = ["/a/a-rather-long-name", "/b/another", "/c/third"];
        assert_eq!(names(&long), "a-rather-long-name and 2 more");
    }
}
