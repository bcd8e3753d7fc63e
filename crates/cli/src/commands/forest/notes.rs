//! `pi-brain forest bookmark`, `title`, `tag` and `data`: what is noted about messages.

use pi_brain_app::BookmarkView;
use pi_brain_forest::{NodeId, Object};
use serde_json::{Value, json};

use super::outline::Marks;
use super::place::{find_node, name};
use super::{KeptForest, change, open, open_if_there};
use crate::args::{BookmarkOptions, DataOptions, TagOptions, TitleOptions};
use crate::commands::{print_json, say};
use crate::describe::{DIM, clean, one_line};
use crate::mint::now;
use crate::table::{Column, draw};
use crate::when;

pub(super) fn bookmark(options: &BookmarkOptions) -> anyhow::Result<()> {
    let json = options.output.json;
    if let (Some(node), Some(title)) = (&options.node, &options.title) {
        let node = change(|forest| {
            let node = find_node(forest, node)?;
            forest.bookmark(node, title, now())?;
            Ok(node)
        })?;
        if json {
            return print_json(&json!({ "node": node, "title": title.trim() }));
        }
        return say!("{} is now bookmarked as “{}”", name(node), one_line(title));
    }
    if let Some([old, new]) = options.rename.as_deref() {
        change(|forest| Ok(forest.rename_bookmark(old, new, now())?))?;
        if json {
            return print_json(&json!({ "renamed": old, "title": new.trim() }));
        }
        return say!("“{}” is now called “{}”", one_line(old), one_line(new));
    }
    if let Some(title) = &options.remove {
        change(|forest| Ok(forest.remove_bookmark(title)?))?;
        if json {
            return print_json(&json!({ "removed": title }));
        }
        return say!("“{}” is gone; the message stays", one_line(title));
    }
    list_bookmarks(json)
}

fn list_bookmarks(json: bool) -> anyhow::Result<()> {
    let Some(forest) = open_if_there()? else {
        return tell_bookmarks(&[], &Marks::default(), json);
    };
    tell_bookmarks(&BookmarkView::all(&forest)?, &Marks::new(&forest)?, json)
}

fn tell_bookmarks(rows: &[BookmarkView], marks: &Marks, json: bool) -> anyhow::Result<()> {
    if json {
        return print_json(&serde_json::to_value(rows)?);
    }
    if rows.is_empty() {
        return say!("No bookmarks yet: pi-brain forest bookmark NODE TITLE");
    }
    let now = now();
    let row = |row: &BookmarkView| {
        let kind = match &*row.sessions {
            [] => "bookmark".to_owned(),
            [session] => format!("label of {}", marks.short_id(session)),
            several => format!("label of {} sessions", several.len()),
        };
        let since = row.created.map(|time| when::ago(time, now)).unwrap_or_default();
        vec![one_line(&row.title), name(row.node), since, kind, row.words.clone()]
    };
    let columns = [
        Column::Text("TITLE"),
        Column::Text("PLACE"),
        Column::Text("SINCE"),
        Column::Text("KIND"),
        Column::Rest("MESSAGE"),
    ];
    say!("{}", draw(&columns, &rows.iter().map(row).collect::<Vec<_>>()))
}

pub(super) fn title(options: &TitleOptions) -> anyhow::Result<()> {
    let json = options.output.json;
    let changes = options.title.is_some() || options.clear || options.auto;
    if !changes {
        let forest = open()?;
        let node = find_node(&forest, &options.node)?;
        return tell_title(&forest, node, json);
    }
    change(|forest| {
        let node = find_node(forest, &options.node)?;
        match &options.title {
            Some(title) => forest.set_title(node, title)?,
            None if options.clear => forest.set_title(node, "")?,
            None => forest.set_auto_title(node, None)?,
        }
        tell_title(forest, node, json)
    })
}

fn tell_title(forest: &KeptForest, node: NodeId, json: bool) -> anyhow::Result<()> {
    let found = forest.node(node)?;
    let (title, auto_title) = (&found.metadata.title, &found.metadata.auto_title);
    let shown = forest.title(&found)?;
    if json {
        return print_json(&json!({
            "node": node, "shown": shown, "title": title, "autoTitle": auto_title,
        }));
    }
    let origin = match title {
        Some(_) => "",
        None if auto_title.as_ref() == Some(&shown) => "  (made from the text)",
        None => "  (how it begins)",
    };
    say!("{}  {}{DIM}{origin}{DIM:#}", name(node), one_line(&shown))
}

pub(super) fn tag(options: &TagOptions) -> anyhow::Result<()> {
    let json = options.output.json;
    if options.tags.is_empty() && options.remove.is_empty() {
        let forest = open()?;
        let node = find_node(&forest, &options.node)?;
        return tell_tags(&forest, node, json);
    }
    change(|forest| {
        let node = find_node(forest, &options.node)?;
        forest.tag(node, &options.tags, &options.remove)?;
        tell_tags(forest, node, json)
    })
}

fn tell_tags(forest: &KeptForest, node: NodeId, json: bool) -> anyhow::Result<()> {
    let tags = &forest.node(node)?.metadata.tags;
    if json {
        return print_json(&json!({ "node": node, "tags": tags }));
    }
    let list: Vec<String> = tags.iter().map(|tag| format!("#{}", one_line(tag))).collect();
    let list = if list.is_empty() { "no tags".to_owned() } else { list.join(" ") };
    say!("{}  {list}", name(node))
}

pub(super) fn data(options: DataOptions) -> anyhow::Result<()> {
    let json = options.output.json;
    if options.changes.is_empty() {
        let forest = open()?;
        let node = find_node(&forest, &options.node)?;
        return tell_data(&forest, node, json);
    }
    let changes: Object =
        options.changes.into_iter().map(|change| (change.key, change.value)).collect();
    change(|forest| {
        let node = find_node(forest, &options.node)?;
        forest.merge_custom_data(node, changes)?;
        tell_data(forest, node, json)
    })
}

fn tell_data(forest: &KeptForest, node: NodeId, json: bool) -> anyhow::Result<()> {
    let data = &forest.node(node)?.metadata.custom_data;
    if json {
        return print_json(&json!({ "node": node, "data": data }));
    }
    if data.is_empty() {
        return say!("{}  no data", name(node));
    }
    for (key, value) in data {
        let value: &Value = value;
        say!("{}  {}={}", name(node), one_line(key), clean(&value.to_string()))?;
    }
    Ok(())
}
