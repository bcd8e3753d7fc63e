//! `pi-brain graph`: units of work and the links between them, for other programs to draw.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use pi_brain_store::{Graph, NodeRow};
use serde_json::json;

use super::listing::{project_name, say_nothing};
use super::{print_json, say};
use crate::args::GraphOptions;
use crate::brain::open_fresh;
use crate::describe::one_line;
use crate::failure::warn;
use crate::locate::Locations;
use crate::table::fit;
use crate::when;

pub(crate) fn run(locations: &Locations, options: &GraphOptions) -> anyhow::Result<()> {
    let app = open_fresh(locations, &options.refresh)?;
    let (graph, total) = app.store().graph(&options.narrow.nodes(), options.limit)?;
    if options.json {
        let Graph { nodes, edges } = graph;
        return print_json(&json!({ "nodes": nodes, "edges": edges, "total": total }));
    }
    if total == 0 && !options.dot {
        let command = options.narrow.is_narrow().then_some("graph");
        return say_nothing(locations, &app, "units of work", command);
    }
    if graph.nodes.len() < total {
        let shown = graph.nodes.len();
        warn(&format!("these are the newest {shown} of {total} nodes; --limit {total} takes all"));
    }
    say!("{}", dot(&graph))
}

/// Writes a graph in the language of Graphviz, each project in a box.
fn dot(graph: &Graph) -> String {
    let mut text = "digraph \"pi-brain\" {\n  rankdir=LR;\n  \
                    node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\", fontsize=10];\n  \
                    edge [fontname=\"sans-serif\", fontsize=9, color=\"#888888\"];\n"
        .to_owned();
    let mut projects: BTreeMap<&str, Vec<&NodeRow>> = BTreeMap::new();
    for node in &graph.nodes {
        projects.entry(&node.project).or_default().push(node);
    }
    for (number, (project, nodes)) in projects.iter().enumerate() {
        let name = quoted(&project_name(project));
        let _ = writeln!(text, "  subgraph cluster_{number} {{\n    label={name};");
        for node in nodes {
            let _ = writeln!(text, "    {}", dot_node(node));
        }
        text.push_str("  }\n");
    }
    for edge in &graph.edges {
        let (source, target) = (edge.source_node_id, edge.target_node_id);
        let kind = quoted(edge.kind.as_str());
        let _ = writeln!(text, "  \"{source}\" -> \"{target}\" [label={kind}];");
    }
    text.push('}');
    text
}

fn dot_node(node: &NodeRow) -> String {
    const WIDEST: usize = 60;
    let colour = match &*node.outcome {
        "success" => "#dff0d8",
        "partial" => "#fcf8e3",
        "failed" => "#f2dede",
        _ => "#eeeeee",
    };
    let label = format!(
        "{}\n{}, {}",
        fit(&one_line(&node.summary), WIDEST),
        when::date(node.started),
        one_line(&node.node_type)
    );
    let goal = one_line(node.goal.as_deref().unwrap_or(&node.summary));
    format!(
        "\"{}\" [label={}, tooltip={}, fillcolor=\"{colour}\"];",
        node.id,
        quoted(&label),
        quoted(&goal)
    )
}

/// Writes a text so that Graphviz shows it as it is: a backslash would begin an escape.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    // Names of characters are understood even within quotes.
    format!("\"{}\"", escaped.replace('&', "&amp;"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn no_text_breaks_out_of_its_quotes() {
        for (text, written) in [
            ("plain", r#""plain""#),
            (r#"say "hi""#, r#""say \"hi\"""#),
            (r"C:\new \N", r#""C:\\new \\N""#),
            ("\\", r#""\\""#),
            ("two\nlines", r#""two\nlines""#),
            ("a &lt; b", r#""a &amp;lt; b""#),
            ("<b>x</b> ]; }", r#""<b>x</b> ]; }""#),
        ] {
            assert_eq!(quoted(text), written);
        }
    }
}
