//! The lists across sessions: errors, models, projects, tags, cost, stats, file, graph.

use insta::assert_snapshot;
use pi_brain_forest::Forest;
use pi_brain_forest::Store as _;
use pi_brain_store::{DataFolder, Store};
use serde_json::Value;

use super::{errors_of, fork_of_shop, shop};
use crate::support::Home;

/// The demo, with a data folder of its own.
struct Demo(Home);

impl Demo {
    fn new() -> Self {
        let home = Home::new();
        home.pi_brain(&["demo"]).success();
        Self(home)
    }

    fn command(&self, arguments: &[&str]) -> assert_cmd::Command {
        let mut command = self.0.command(arguments);
        command.env("PI_CODING_AGENT_DIR", self.0.path().join(".pi-brain/demo/agent"));
        command
    }

    fn stdout(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).assert().success().get_output().stdout.clone();
        String::from_utf8(output).unwrap()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.stdout(arguments)).unwrap()
    }
}

#[test]
fn lists_of_the_demo() {
    let demo = Demo::new();
    let mut settings = insta::Settings::clone_current();
    // How long ago something was depends on the day; sizes depend on the machine.
    settings.add_filter(r"(\d{4}-\d\d-\d\d|\d+ (d|h|min) ago) *", "[when] ");
    settings.add_filter(r"\d+(\.\d+)? [kM]?B", "[size]");
    settings.add_filter(r"\(\d+ %\)", "([share])");
    settings.bind(|| {
        for command in ["errors", "models", "projects", "tags", "stats"] {
            assert_snapshot!(command, demo.stdout(&[command]));
        }
        for by in ["project", "model", "session"] {
            assert_snapshot!(format!("cost_by_{by}"), demo.stdout(&["cost", "--by", by]));
        }
        assert_snapshot!("file", demo.stdout(&["file", "src/server/orders.ts"]));
    });
    // Days do not move.
    for by in ["day", "week", "month"] {
        assert_snapshot!(format!("cost_by_{by}"), demo.stdout(&["cost", "--by", by]));
    }
    let graph = demo.stdout(&["graph", "--dot", "--project", "dotfiles"]);
    assert_snapshot!("graph", graph);
}

#[test]
fn cost_is_the_same_whichever_way_it_is_added_up_and_honest() {
    let demo = Demo::new();
    let sum = |json: &Value, key: &str| {
        json["rows"].as_array().unwrap().iter().map(|row| row[key].as_f64().unwrap()).sum::<f64>()
    };
    let total = demo.json(&["cost", "--json"])["total"].clone();
    let (cost, tokens) = (total["cost"].as_f64().unwrap(), total["totalTokens"].as_f64().unwrap());
    assert!(cost > 0.1, "{total}");
    let close = |one: f64, other: f64| (one - other).abs() < 1e-6;
    for by in ["day", "week", "month", "project", "model", "session"] {
        let json = demo.json(&["cost", "--by", by, "--json"]);
        assert_eq!(json["by"], by);
        assert!(close(sum(&json, "cost"), cost), "{by}");
        assert!(close(sum(&json, "totalTokens"), tokens), "{by}");
        assert!(close(json["total"]["cost"].as_f64().unwrap(), cost), "{by}");
        for zone in ["<+0545>-5:45", "NST3:30"] {
            let output = demo.command(&["cost", "--by", by, "--json"]).env("TZ", zone).output();
            let json: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
            assert!(close(sum(&json, "cost"), cost), "{by} in {zone}");
        }
    }
    let folder = DataFolder::create(&demo.0.path().join(".pi-brain")).unwrap();
    let forest = Forest::new(Store::open(&folder).unwrap().families());
    let roots = forest.store().roots().unwrap();
    let families = roots.iter().filter_map(|root| forest.family_cost(root.id).ok());
    let (honest, naive) = families.fold((0.0, 0.0), |(honest, naive), family| {
        (honest + family.honest.cost, naive + family.naive.cost)
    });
    assert!(close(honest, cost), "{honest} is not {cost}");
    assert!(naive > honest + 1e-6, "the demo has forks");
    let of = |command: &str| {
        let json = demo.json(&[command, "--json"]);
        let rows = json.as_array().unwrap().iter();
        rows.map(|row| row["cost"].as_f64().unwrap()).sum::<f64>()
    };
    assert!(close(of("models"), cost) && close(of("projects"), cost));
    assert!(close(demo.json(&["stats", "--json"])["spent"]["cost"].as_f64().unwrap(), cost));
    // A limit shortens the list and leaves the total.
    let json = demo.json(&["cost", "--by", "session", "--limit", "2", "--json"]);
    assert_eq!(json["rows"].as_array().unwrap().len(), 2);
    assert!(close(json["total"]["cost"].as_f64().unwrap(), cost));
    // What is before a day and what is since then are all.
    let part = |option: &str| {
        let json = demo.json(&["cost", option, "2026-10-20", "--json"]);
        json["total"]["cost"].as_f64().unwrap()
    };
    assert!(part("--since") > 0.0 && part("--before") > 0.0);
    assert!(close(part("--since") + part("--before"), cost));
}

#[test]
fn a_fork_is_paid_once() {
    let home = Home::new();
    fork_of_shop(&home);
    let json = home.json(&["cost", "--by", "session", "--json"]);
    let mut costs: Vec<f64> =
        json["rows"].as_array().unwrap().iter().map(|row| row["cost"].as_f64().unwrap()).collect();
    costs.sort_by(f64::total_cmp);
    // 0.05, 0.1, 0.2 and 0.01 in the original; the fork has 0.5 of its own.
    assert!((costs[0] - 0.36).abs() < 1e-9 && (costs[1] - 0.5).abs() < 1e-9, "{costs:?}");
    let models = home.json(&["models", "--json"]);
    assert_eq!(models[0]["provider"], "anthropic");
    assert_eq!((&models[0]["answers"], &models[0]["sessions"]), (&4.into(), &2.into()));
    let small = home.json(&["cost", "--model", "openai/small", "--json"]);
    assert_eq!(small["total"]["answers"], 1);
    let day = home.json(&["cost", "--json"]);
    assert_eq!(day["rows"][0]["day"], "2025-01-02");
    assert_eq!(day["rows"][1]["day"], "2025-01-01");
    // Eleven hours to the west it was still the day before.
    let output = home.command(&["cost", "--json"]).env("TZ", "<-11>11").output().unwrap();
    let day: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(day["rows"][1]["day"], "2024-12-31");
    let stats = home.json(&["stats", "--json"]);
    assert_eq!((&stats["sessions"], &stats["families"]), (&2.into(), &1.into()));
    assert_eq!(stats["hours"][10], 5);
    assert!(stats["disk"]["database"].as_u64().unwrap() > 0);
}

#[test]
fn a_file_is_found_from_where_one_is() {
    let home = Home::new();
    shop(&home);
    let found = |arguments: &[&str]| {
        let json = home.json(&[&["file", "--json"], arguments].concat());
        json.as_array().unwrap().len()
    };
    let all = found(&["/home/dev/shop/src/cart.ts"]);
    assert!(all > 0);
    for name in ["src/cart.ts", "./src/cart.ts", "cart.ts", "shop/src/cart.ts"] {
        assert_eq!(found(&[name]), all, "{name}");
    }
    for name in ["/src/cart.ts", "../src/cart.ts", "art.ts", "/home/dev/shop/src"] {
        assert_eq!(found(&[name]), 0, "{name}");
    }
    assert_eq!(found(&["cart.ts", "--project", "ledger"]), 0);
    assert_eq!(found(&["cart.ts", "--before", "2025-01-01"]), 0);
    assert_eq!(found(&["cart.ts", "--since", "2025-01-01"]), all);
    let assert = home.pi_brain(&["file", "no/such.ts"]).code(3);
    assert!(errors_of(&assert).contains("search file:"), "{}", errors_of(&assert));
}

#[test]
fn empty_lists_say_what_to_do() {
    let home = Home::new();
    let commands =
        ["errors", "models", "projects", "tags", "cost", "stats", "graph"].map(|name| vec![name]);
    for command in commands.iter().chain([&vec!["file", "x.ts"]]) {
        let assert = home.pi_brain(command).code(3);
        assert!(errors_of(&assert).contains("pi-brain demo"), "{command:?}");
        let json = home.stdout(&[&command[..], &["--json"]].concat());
        serde_json::from_str::<Value>(&json).unwrap();
    }
    shop(&home);
    // Nothing is taken in unless one wants it.
    for command in &commands {
        let text = home.stdout(&[&command[..], &["--no-refresh"]].concat());
        assert!(text.contains("pi-brain ingest"), "{command:?}: {text}");
    }
    for command in ["errors", "models", "tags", "cost", "graph"] {
        let text = home.stdout(&[command, "--project", "nowhere"]);
        assert!(text.contains(&format!("`pi-brain {command}` without options")), "{text}");
    }
}

#[test]
fn lists_are_filtered_and_cut() {
    let demo = Demo::new();
    let length = |arguments: &[&str]| {
        demo.json(&[arguments, &["--json"]].concat()).as_array().unwrap().len()
    };
    let (all, open) = (length(&["errors"]), length(&["errors", "--unresolved"]));
    assert!(0 < open && open < all, "{open} of {all}");
    assert_eq!(length(&["errors", "--limit", "2"]), 2);
    let text = demo.stdout(&["errors", "--limit", "2"]);
    assert!(text.ends_with(&format!("… and {} more: --limit {all}\n", all - 2)), "{text}");
    let shop = demo.json(&["tags", "--project", "shop", "--json"]);
    let in_shop = |row: &Value| row["projects"].as_array().unwrap().len() == 1;
    assert!(shop.as_array().unwrap().iter().all(in_shop));
    assert!(length(&["tags", "--project", "shop"]) < length(&["tags"]));
    let graph = demo.json(&["graph", "--json"]);
    let nodes: Vec<&Value> =
        graph["nodes"].as_array().unwrap().iter().map(|node| &node["id"]).collect();
    assert_eq!(graph["total"], nodes.len());
    let edges = graph["edges"].as_array().unwrap();
    assert!(!edges.is_empty());
    for edge in edges {
        assert!(nodes.contains(&&edge["sourceNodeId"]) && nodes.contains(&&edge["targetNodeId"]));
    }
    let assert = demo.command(&["graph", "--limit", "3"]).assert().success();
    assert!(errors_of(&assert).contains("newest 3 of"), "{}", errors_of(&assert));
}
