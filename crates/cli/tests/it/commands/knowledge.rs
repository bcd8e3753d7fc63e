//! What was learnt, and how units of work hang together: lessons, decisions, quirks, patterns, related, export.

use serde_json::{Value, json};

use super::{errors_of, shop};
use crate::support::Home;

/// The demo, of which three units of work were corrected to have learnt something.
struct Brain {
    home: Home,
    nodes: Vec<String>,
}

impl Brain {
    fn new() -> Self {
        let home = Home::new();
        home.pi_brain(&["demo"]).success();
        let mut brain = Self { home, nodes: Vec::new() };
        let list = brain.json(&["nodes", "--json"]);
        let ids = list.as_array().unwrap().iter().map(|node| node["id"].as_str().unwrap());
        brain.nodes = ids.map(str::to_owned).collect();
        brain
    }

    fn command(&self, arguments: &[&str]) -> assert_cmd::Command {
        let mut command = self.home.command(arguments);
        command.env("PI_CODING_AGENT_DIR", self.home.path().join(".pi-brain/demo/agent"));
        command
    }

    fn stdout(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).assert().success().get_output().stdout.clone();
        String::from_utf8(output).unwrap()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.stdout(arguments)).unwrap()
    }

    fn correct(&self, node: usize, path: &str, value: &Value) {
        self.stdout(&["node", "feedback", &self.nodes[node], path, &value.to_string()]);
    }

    fn learn(&self, node: usize, summary: &str, tag: &str) {
        let lesson = json!([{
            "level": "project", "summary": summary, "details": "", "confidence": "high", "tags": [tag],
            "actionable": "Do it <b>first</b>",
        }]);
        self.correct(node, "lessons.project", &lesson);
    }
}

const EVIL: &str = "``` \n# Forged\n<script>alert(1)</script> --> `x`";

#[test]
fn what_was_learnt_is_listed() {
    let brain = Brain::new();
    brain.learn(0, "Run the migrations before the integration tests", "db");
    brain.learn(1, "Integration tests: run migrations first", "db");
    brain.learn(2, EVIL, "other");
    let lessons = brain.json(&["lessons", "--tag", "db", "--json"]);
    assert_eq!(lessons.as_array().unwrap().len(), 1, "{lessons}");
    assert_eq!((&lessons[0]["count"], &lessons[0]["level"]), (&2.into(), &"project".into()));
    assert_eq!(lessons[0]["wordings"].as_array().unwrap().len(), 2);
    let text = brain.stdout(&["lessons", "--tag", "db"]);
    assert!(text.contains("LESSON") && text.lines().count() == 2, "{text}");
    let none = brain.stdout(&["lessons", "--tag", "db", "--level", "tool"]);
    assert!(none.contains("without options lists all"), "{none}");
    let all = brain.json(&["lessons", "--json"]).as_array().unwrap().len();
    let rest = brain.json(&["lessons", "--json", "--offset", "1"]);
    assert_eq!(rest.as_array().unwrap().len(), all - 1);

    let block = brain.stdout(&["lessons", "--level", "project", "--format", "agents-md"]);
    assert!(block.starts_with("<!-- pi-brain lessons: begin -->\n## Lessons\n"), "{block}");
    assert!(block.ends_with("<!-- pi-brain lessons: end -->\n"), "{block}");
    assert!(block.contains("(2×)") && block.contains("Do it &lt;b&gt;first"), "{block}");
    assert!(!block.contains("\n# Forged") && !block.contains("<script>"), "{block}");
    assert_eq!(block.matches("-->").count(), 2, "no text ends the block: {block}");

    let made =
        json!([{"what": "Drop redis", "why": "one box", "alternativesConsidered": ["keep it"]}]);
    brain.correct(0, "content.keyDecisions", &made);
    let decisions = brain.json(&["decisions", "--json"]);
    let mine = decisions.as_array().unwrap().iter().find(|one| one["what"] == "Drop redis");
    assert_eq!(mine.unwrap()["node"], *brain.nodes[0]);
    assert!(brain.stdout(&["decisions"]).contains("Drop redis — one box"));

    let seen = json!([{
        "model": "p/big", "observation": "forgets imports", "frequency": "often", "severity": "low",
        "workaround": "ask twice",
    }]);
    brain.correct(0, "observations.modelQuirks", &seen);
    brain.correct(1, "observations.modelQuirks", &seen);
    let quirks = brain.json(&["quirks", "--model", "p/big", "--json"]);
    assert_eq!(quirks[0]["nodes"].as_array().unwrap().len(), 2);
    assert!(brain.stdout(&["quirks", "--model", "big"]).contains("forgets imports → ask twice"));
    assert!(brain.stdout(&["quirks", "--model", "nobody"]).contains("without options"));

    let ids = |list: Value| -> Vec<String> {
        list.as_array()
            .unwrap()
            .iter()
            .map(|node| node["id"].as_str().unwrap().to_owned())
            .collect()
    };
    let before = ids(brain.json(&["nodes", "--needs-review", "--json"]));
    let certain = brain.nodes.iter().position(|id| !before.contains(id)).unwrap();
    let doubt = json!([{
        "timestamp": "2026-10-01T10:00:00.000Z", "decision": "guessed", "reasoning": "unclear", "needsReview": true,
    }]);
    brain.correct(certain, "daemonMeta.decisions", &doubt);
    let after = ids(brain.json(&["nodes", "--needs-review", "--json"]));
    assert_eq!(after.len(), before.len() + 1);
    assert!(after.contains(&brain.nodes[certain]));
}

#[test]
fn patterns_are_errors_of_several_units() {
    let brain = Brain::new();
    let failed = |message: &str, resolved: bool| json!([{"type": "ELOCK", "message": message, "resolved": resolved}]);
    brain.correct(0, "content.errorsSeen", &failed("the lock /run/a.lock is held by 12", false));
    brain.correct(4, "content.errorsSeen", &failed("the lock /tmp/b.lock is held by 7", true));
    let patterns = brain.json(&["patterns", "--json"]);
    let mine = patterns.as_array().unwrap().iter().find(|one| one["type"] == "ELOCK").unwrap();
    assert_eq!((&mine["count"], &mine["resolved"]), (&2.into(), &1.into()));
    assert_eq!(mine["resolution"]["node"], *brain.nodes[4]);
    assert!(brain.stdout(&["patterns"]).contains("ELOCK: the lock /run/a.lock is held by 12"));
    // The link pass says so of the two nodes, too.
    let related = brain.json(&["related", &brain.nodes[0], "--type", "failure_pattern", "--json"]);
    let other = related.as_array().unwrap().iter().find(|one| one["node"] == *brain.nodes[4]);
    let reason = other.unwrap()["reason"].as_str().unwrap();
    assert_eq!(reason, "the same error: ELOCK: the lock … is held by #");
    assert_eq!(
        mine["id"],
        brain
            .json(&["edges", "list", &brain.nodes[0], "--json"])
            .as_array()
            .unwrap()
            .iter()
            .find(|edge| edge["type"] == "failure_pattern")
            .unwrap()["metadata"]["patternId"]
    );
}

#[test]
fn related_lists_all_kinds_of_links() {
    let brain = Brain::new();
    let edges = brain.json(&["edges", "list", "--json"]);
    let edges = edges.as_array().unwrap();
    let structural = edges.iter().find(|edge| edge["createdBy"] == "boundary").unwrap();
    let node = structural["sourceNodeId"].as_str().unwrap();
    let other = brain.nodes.iter().find(|id| {
        **id != *node
            && !edges
                .iter()
                .any(|edge| [&edge["sourceNodeId"], &edge["targetNodeId"]].contains(&&json!(id)))
    });
    let other = other.unwrap_or(&brain.nodes[0]);
    brain.stdout(&["edges", "add", node, other, "--reason", "I say so"]);
    let related = brain.json(&["related", node, "--json"]);
    let related = related.as_array().unwrap();
    assert_eq!(
        (&related[0]["createdBy"], &related[0]["reason"]),
        (&"user".into(), &"I say so".into())
    );
    assert!(related.iter().any(|link| link["createdBy"] == "boundary"), "{related:?}");
    for link in related.iter().filter(|link| link["createdBy"] == "daemon") {
        let similarity = link["similarity"].as_f64().unwrap();
        assert!(similarity > 0.0 && similarity <= 1.0 && link["reason"] != "", "{link}");
    }
    let text = brain.stdout(&["related", &node[..8]]);
    assert!(text.contains("by you") && text.contains("because   I say so"), "{text}");
    // A hidden one is not shown.
    brain.stdout(&["node", "hide", other]);
    assert!(!brain.stdout(&["related", node]).contains("I say so"));
    let assert = brain.command(&["related", "0000000000000000"]).assert().code(3);
    assert!(errors_of(&assert).contains("pi-brain nodes"), "{}", errors_of(&assert));
}

#[test]
fn links_of_the_demo_are_few_and_say_why() {
    let brain = Brain::new();
    let edges = brain.json(&["edges", "list", "--json"]);
    let found: Vec<&Value> =
        edges.as_array().unwrap().iter().filter(|edge| edge["createdBy"] == "daemon").collect();
    assert!(!found.is_empty());
    for node in &brain.nodes {
        let ends =
            |edge: &&&Value| edge["sourceNodeId"] == **node || edge["targetNodeId"] == **node;
        assert!(found.iter().filter(ends).count() <= 5);
    }
    assert!(found.iter().all(|edge| !edge["ext"]["reason"].as_str().unwrap().is_empty()));
}

#[test]
fn pages_of_units_and_projects_are_written() {
    let brain = Brain::new();
    let node = &brain.nodes[0];
    brain.correct(0, "content.summary", &json!(EVIL));
    brain.correct(
        0,
        "content.errorsSeen",
        &json!([{"type": "x", "message": EVIL, "resolved": false}]),
    );
    brain.learn(0, EVIL, "x");
    let page = brain.stdout(&["export", "--markdown", node]);
    assert!(page.starts_with("# ") && page.contains(node.as_str()), "{page}");
    assert!(page.contains("\n## Lessons\n") && page.contains("\n## Errors\n"), "{page}");
    let outside = |page: &str| {
        // What is left without blocks of code.
        let mut fence: Option<String> = None;
        let mut lines = Vec::new();
        for line in page.lines() {
            let ticks: String = line.chars().take_while(|&tick| tick == '`').collect();
            match &fence {
                None if ticks.len() >= 3 => fence = Some(ticks),
                Some(open) if ticks.len() >= open.len() && line == ticks => fence = None,
                Some(_) => {}
                None => lines.push(line.to_owned()),
            }
        }
        assert_eq!(fence, None);
        lines
    };
    let lines = outside(&page);
    assert!(!lines.iter().any(|line| line.contains("<script") || line == "# Forged"), "{page}");
    let project = brain.json(&["node", "show", node, "--json"]);
    let project = project["node"]["classification"]["project"]
        .as_str()
        .or(project["classification"]["project"].as_str());
    let page = brain.stdout(&["export", "--markdown", project.unwrap()]);
    let lines = outside(&page);
    for title in ["## Lessons", "## Open problems", "## Units of work"] {
        assert!(lines.iter().any(|line| line == title), "{title}: {page}");
    }
    assert!(!lines.iter().any(|line| line.contains("<script") || line == "# Forged"), "{page}");
    let assert = brain.command(&["export", "--markdown", "nowhere"]).assert().code(3);
    assert!(errors_of(&assert).contains("pi-brain projects"), "{}", errors_of(&assert));
}

#[test]
fn empty_lists_say_what_to_do() {
    let home = Home::new();
    for command in ["lessons", "decisions", "quirks", "patterns"] {
        let assert = home.pi_brain(&[command]).code(3);
        assert!(errors_of(&assert).contains("pi-brain demo"), "{command}");
        assert_eq!(home.json(&[command, "--json"]), json!([]));
    }
    shop(&home);
    for command in ["lessons", "decisions", "quirks", "patterns"] {
        let text = home.stdout(&[command, "--project", "nowhere"]);
        assert!(text.contains(&format!("`pi-brain {command}` without options")), "{text}");
    }
}
