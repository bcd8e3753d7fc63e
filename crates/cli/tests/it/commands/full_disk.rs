//! A disk that is really full: a small one in memory, which only one process and its children see.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

use serde_json::Value;

use super::daemon::many_sessions;
use crate::support::Home;

/// What happens on the disk. Sessions lie elsewhere, and come in three parts.
const SCRIPT: &str = r#"
set -eu
brain=$HOME/.pi-brain
mount -t tmpfs -o size=32m,mode=700 tmpfs "$brain"
fill() { cat /dev/zero >"$brain/filler" 2>/dev/null || true; }
come() { mv "$HOME/$1"/* "$HOME/.pi/agent/sessions/--home-dev-shop--/"; }

come first
"$0" ingest >/dev/null
fill
come second
if "$0" ingest 2>"$HOME/ingest"; then echo 'an ingest needs no space'; exit 1; fi
if "$0" daemon start --port 0 2>"$HOME/start"; then echo 'a daemon needs no space'; exit 1; fi

rm "$brain/filler"
"$0" daemon start --port 0 >/dev/null
"$0" nodes >/dev/null
fill
come third
tries=0
until "$0" daemon status --json >"$HOME/status" && grep -q '"message"' "$HOME/status"; do
  tries=$((tries + 1))
  if [ $tries -gt 600 ]; then echo 'a daemon needs no space'; exit 1; fi
  sleep 0.1
done
rm "$brain/filler"
"$0" nodes --json --limit 100000 >"$HOME/nodes"
"$0" daemon stop >/dev/null
"$0" search --json --no-refresh customers >"$HOME/found"
"#;

#[test]
fn a_full_disk_is_an_error_that_one_can_read_and_costs_nothing() {
    let (home, calm) = (Home::new(), Home::new());
    many_sessions(&calm);
    let files = many_sessions(&home);
    for (at, part) in ["first", "second", "third"].into_iter().enumerate() {
        fs::create_dir(home.path().join(part)).unwrap();
        for path in files.iter().skip(at).step_by(3) {
            fs::rename(path, home.path().join(part).join(path.file_name().unwrap())).unwrap();
        }
    }
    fs::create_dir(home.path().join(".pi-brain")).unwrap();
    let is_root = fs::metadata(home.path()).unwrap().uid() == 0;
    let output = Command::new("unshare")
        .args(if is_root { &["--mount"][..] } else { &["--mount", "--map-root-user"] })
        .args(["sh", "-c", SCRIPT])
        .arg(assert_cmd::cargo::cargo_bin("pi-brain"))
        .env_clear()
        .envs([("HOME", home.path().to_str().unwrap()), ("TZ", "UTC"), ("PATH", "/usr/bin:/bin")])
        .current_dir(home.path())
        .output()
        .expect("unshare, of util-linux, is needed to mount a small disk");
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&said));

    let read = |name: &str| fs::read_to_string(home.path().join(name)).unwrap();
    let parse = |name: &str| serde_json::from_str::<Value>(&read(name)).unwrap();
    assert!(read("ingest").contains(" is full; nothing is lost"), "{}", read("ingest"));
    assert!(read("start").contains("is the disk full?"), "{}", read("start"));
    let trouble = parse("status")["errors"][0]["message"].to_string();
    assert!(trouble.contains(" is full; ") || trouble.contains("No space left"), "{trouble}");
    let ids = |nodes: &Value| {
        let nodes = nodes.as_array().unwrap().iter();
        let mut ids: Vec<String> = nodes.map(|node| node["id"].to_string()).collect();
        ids.sort();
        ids
    };
    let nodes = calm.json(&["nodes", "--json", "--limit", "100000"]);
    assert_eq!(ids(&parse("nodes")), ids(&nodes));
    assert!(!ids(&nodes).is_empty());
    let found = calm.json(&["search", "--json", "--no-refresh", "customers"]);
    assert_eq!(parse("found")["total"], found["total"]);
}
