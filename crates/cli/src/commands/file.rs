//! `pi-brain file`: which units of work touched a file, and why.

use std::path::{Component, Path, PathBuf};

use pi_brain_store::{FileTouch, FileWanted};

use super::listing::{cut, say_more, say_nothing, short_id};
use super::{print_json, say};
use crate::args::FileOptions;
use crate::brain::open_fresh;
use crate::describe::{BOLD, DIM, clean_path, one_line};
use crate::failure::Failure;
use crate::locate::Locations;
use crate::table::{fit, how_many, room};
use crate::when;

pub(crate) fn run(locations: &Locations, options: &FileOptions) -> anyhow::Result<()> {
    let app = open_fresh(locations, &options.list.refresh)?;
    let wanted = wanted(locations, &options.path)?;
    let mut touches = app.store().touches(&wanted)?;
    let filter = options.narrow.nodes();
    let project = filter.project.map(|project| project.to_lowercase());
    touches.retain(|touch| {
        let started = touch.node.started;
        (!options.changed || touch.modified)
            && filter.after.is_none_or(|after| started >= after)
            && filter.before.is_none_or(|before| started < before)
            && project.as_ref().is_none_or(|part| touch.node.project.to_lowercase().contains(part))
    });
    // The file that was named comes before those that only end like it.
    touches.sort_by_key(|touch| !wanted.names.contains(&touch.path));
    let total = cut(&mut touches, &options.list);
    if options.list.json {
        return print_json(&touches);
    }
    if total == 0 {
        if app.store().sessions()?.is_empty() {
            return say_nothing(locations, &app, "files", None);
        }
        let name = clean_path(&options.path);
        let text = format!(
            "no unit of work touched {name}. Its last part alone finds it in all projects; \
             `{} search file:NAME` finds those whose names are alike",
            locations.program()
        );
        return Err(Failure::NotFound(text).into());
    }
    say_files(locations, &touches)?;
    say_more(touches.len(), total)
}

/// Finds out which files an argument may mean.
fn wanted(locations: &Locations, path: &Path) -> anyhow::Result<FileWanted> {
    let path = locations.expand(path);
    let whole = resolve(&std::path::absolute(&path)?);
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let mut names = vec![text(&whole)];
    names.extend(locations.below_home(&whole));
    let goes_up = path.components().any(|part| part == Component::ParentDir);
    let ending = (path.is_relative() && !goes_up).then(|| text(&resolve(&path)));
    Ok(FileWanted { names, ending: ending.filter(|ending| !ending.is_empty()) })
}

/// Takes `.` and `..` out of a path, without looking at the disk: the file may be long gone.
fn resolve(path: &Path) -> PathBuf {
    let mut resolved = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                resolved.pop();
            }
            part => resolved.push(part),
        }
    }
    resolved
}

fn say_files(locations: &Locations, touches: &[FileTouch]) -> anyhow::Result<()> {
    let mut paths: Vec<&str> = Vec::new();
    for touch in touches {
        if !paths.contains(&&*touch.path) {
            paths.push(&touch.path);
        }
    }
    for (number, path) in paths.into_iter().enumerate() {
        let of_file: Vec<&FileTouch> = touches.iter().filter(|touch| touch.path == path).collect();
        let changed = of_file.iter().filter(|touch| touch.modified).count();
        if number > 0 {
            say!("")?;
        }
        let units = how_many(of_file.len(), "unit of work", "units of work");
        let did = match changed {
            0 => format!("{units} read it"),
            all if all == of_file.len() => format!("{units} changed it"),
            some => format!("{units}, {some} changed it"),
        };
        say!("{BOLD}{}{BOLD:#}  {DIM}{did}{DIM:#}", locations.display(Path::new(path)))?;
        for touch in of_file {
            say_touch(touch)?;
        }
    }
    Ok(())
}

/// Says what the user wanted, and what came of it.
fn say_touch(touch: &FileTouch) -> anyhow::Result<()> {
    const INDENT: usize = 23;
    let FileTouch { node, modified, .. } = touch;
    let (goal, summary) = (node.goal.as_deref().map(one_line), one_line(&node.summary));
    let title = goal.as_deref().unwrap_or(&summary);
    say!(
        "  {}  {}  {}",
        when::date(node.started),
        if *modified { "changed" } else { "read   " },
        fit(title, room(INDENT))
    )?;
    let rest = goal.as_ref().map_or("", |goal| without_goal(&summary, goal));
    let label = format!("{}, node {}", one_line(&node.outcome), short_id(node.id));
    let line = if rest.is_empty() { label } else { format!("{label}: {rest}") };
    say!("{}{DIM}{}{DIM:#}", " ".repeat(INDENT), fit(&line, room(INDENT)))
}

/// Returns what a summary says beyond what the user wanted: the plain one opens with that, or with its beginning.
fn without_goal<'a>(summary: &'a str, goal: &str) -> &'a str {
    let same = summary.chars().zip(goal.chars()).take_while(|(one, other)| one == other);
    let shared: usize = same.map(|(character, _)| character.len_utf8()).sum();
    let (said, rest) = summary.split_at(shared);
    let rest = match rest.strip_prefix('…') {
        Some(rest) => rest,
        None if shared == goal.len() => rest,
        // Two words may begin alike.
        None => &summary[said.rfind(' ').map_or(0, |blank| blank + 1)..],
    };
    rest.trim_start_matches(['.', ' '])
}

#[cfg(test)]
mod tests {
    use super::without_goal;

    #[test]
    fn the_goal_is_not_said_twice() {
        for (summary, goal, rest) in [
            ("fix it. Changed a.rs.", "fix it", "Changed a.rs."),
            ("fix it. Changed a.rs.", "fix it. Check twice.", "Changed a.rs."),
            ("fix it all, it is br… Used bash.", "fix it all, it is broken", "Used bash."),
            ("Repaired the cart.", "fix it", "Repaired the cart."),
            ("fix it", "fix it", ""),
            ("", "fix it", ""),
        ] {
            assert_eq!(without_goal(summary, goal), rest, "{summary}");
        }
    }
}
