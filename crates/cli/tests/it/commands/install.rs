//! `pi-brain install mcp`: what agents are told, in their own files.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::errors_of;
use crate::support::Home;

const CLIENTS: [(&str, &str); 4] = [
    ("claude-code", ".claude.json"),
    ("cursor", ".cursor/mcp.json"),
    ("codex", ".codex/config.toml"),
    ("pi", ".pi/agent/mcp.json"),
];

fn program() -> String {
    let program = assert_cmd::cargo::cargo_bin("pi-brain");
    program.canonicalize().unwrap().to_str().unwrap().to_owned()
}

fn backup(path: &Path) -> PathBuf {
    PathBuf::from(format!("{}.bak", path.display()))
}

/// Returns what a file says of our server, as JSON.
fn server(text: &str, is_toml: bool) -> Value {
    if is_toml {
        // The few lines that we write are easily read by hand.
        let (_, ours) = text.split_once("[mcp_servers.brain]\n").unwrap();
        let value = |key: &str| {
            let line = ours.lines().find(|line| line.starts_with(key)).unwrap();
            serde_json::from_str::<Value>(line.split_once(" = ").unwrap().1).unwrap()
        };
        return json!({"command": value("command"), "args": value("args")});
    }
    serde_json::from_str::<Value>(text).unwrap()["mcpServers"]["brain"].clone()
}

#[test]
fn it_prints_and_writes_nothing_unless_asked_to() {
    let home = Home::new();
    for (client, file) in CLIENTS {
        let said = home.stdout(&["install", "mcp", "--client", client]);
        assert!(
            said.starts_with(&format!("in ~/{file}:\n\n")) && said.contains("--write"),
            "{said}"
        );
        assert!(said.contains(&program()), "{said}");
        let told = home.json(&["install", "mcp", "--client", client, "--json"]);
        assert_eq!((&told["client"], &told["written"]), (&json!(client), &json!(false)));
        assert_eq!(told["file"], json!(home.path().join(file)));
        assert_eq!((&told["command"], &told["args"]), (&json!(program()), &json!(["mcp"])));
        assert!(said.contains(told["settings"].as_str().unwrap()), "{told}");
    }
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn a_file_is_made_and_the_second_time_nothing_happens() {
    let home = Home::new();
    for (client, file) in CLIENTS {
        let path = home.path().join(file);
        let told = home.json(&["install", "mcp", "--client", client, "--write", "--json"]);
        assert_eq!((&told["written"], &told["backup"]), (&json!(true), &Value::Null));
        let text = fs::read_to_string(&path).unwrap();
        let server = server(&text, client == "codex");
        assert_eq!((&server["command"], &server["args"]), (&json!(program()), &json!(["mcp"])));
        let exposure = if client == "pi" { json!("direct") } else { Value::Null };
        assert_eq!(server["exposure"], exposure);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let said = home.stdout(&["install", "mcp", "--client", client, "--write"]);
        assert_eq!(said, format!("~/{file} says so already\n"));
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        let folder = path.parent().unwrap();
        let ours = |entry: &fs::DirEntry| {
            entry
                .file_name()
                .to_string_lossy()
                .contains(&*path.file_name().unwrap().to_string_lossy())
        };
        let files = fs::read_dir(folder).unwrap().map(Result::unwrap).filter(ours).count();
        assert_eq!(files, 1, "{client} left something behind");
    }
}

#[test]
fn what_others_wrote_stays_and_is_kept_beside_it() {
    let home = Home::new();
    for (client, file) in CLIENTS {
        let path = home.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let (before, parts) = if client == "codex" {
            (
                "# mine\nmodel = \"x\"\n\n[mcp_servers.docs]\nurl = \"http://d\"\n",
                ["# mine\nmodel", "docs]\nurl"],
            )
        } else {
            (
                "{\n    \"zeta\": [1, 2.50],\n    \"mcpServers\": {\n        \"docs\": {\"url\": \"http://d\"}\n    },\n    \"alpha\": null\n}\n",
                [
                    "\n    \"zeta\": [1, 2.50],\n    \"mcpServers\"",
                    "\n    },\n    \"alpha\": null\n}\n",
                ],
            )
        };
        fs::write(&path, before).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let said = home.stdout(&["install", "mcp", "--client", client, "--write"]);
        assert!(said.contains(&format!("written: ~/{file}")) && said.contains(".bak"), "{said}");
        let after = fs::read_to_string(&path).unwrap();
        assert!(parts.iter().all(|part| after.contains(part)), "{after}");
        assert_eq!(server(&after, client == "codex")["command"], json!(program()));
        assert_eq!(fs::read_to_string(backup(&path)).unwrap(), before);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    }
}

#[test]
fn a_file_that_cannot_be_read_is_refused_and_left_alone() {
    let home = Home::new();
    for (client, file) in CLIENTS {
        let path = home.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        for broken in [&b"{ \"mcpServers\": "[..], b"[\"x\"", b"\xff\xfe{}"] {
            fs::write(&path, broken).unwrap();
            let assert = home.pi_brain(&["install", "mcp", "--client", client, "--write"]).code(1);
            let errors = errors_of(&assert);
            assert!(errors.contains("was not changed"), "{errors}");
            assert_eq!(fs::read(&path).unwrap(), broken);
            assert!(!backup(&path).exists());
        }
    }
}

#[test]
fn a_link_stays_a_link_and_a_project_has_its_own_file() {
    let home = Home::new();
    let kept = home.path().join("dotfiles.json");
    fs::write(&kept, "{}").unwrap();
    symlink(&kept, home.path().join(".claude.json")).unwrap();
    home.stdout(&["install", "mcp", "--client", "claude-code", "--write"]);
    assert!(home.path().join(".claude.json").is_symlink());
    assert!(fs::read_to_string(&kept).unwrap().contains("\"brain\""));
    for (client, file) in
        [("claude-code", ".mcp.json"), ("cursor", ".cursor/mcp.json"), ("pi", ".pi/mcp.json")]
    {
        home.stdout(&["install", "mcp", "--client", client, "--project", "--write"]);
        assert!(fs::read_to_string(home.path().join(file)).unwrap().contains("\"brain\""));
    }
    let assert = home.pi_brain(&["install", "mcp", "--client", "codex", "--project"]).code(2);
    assert!(errors_of(&assert).contains("leave out --project"));
    home.pi_brain(&["install", "mcp"]).code(2);
    home.pi_brain(&["install", "mcp", "--client", "emacs"]).code(2);
}

#[test]
fn the_server_finds_the_same_sessions_from_anywhere() {
    let home = Home::new();
    let mut command =
        home.command(&["--session-dir", "mine", "install", "mcp", "--client", "pi", "--json"]);
    let output = command.env("PI_BRAIN_HOME", "data").output().unwrap();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let absolute = |name: &str| home.path().canonicalize().unwrap().join(name);
    assert_eq!(told["args"], json!(["--session-dir", absolute("mine"), "mcp"]));
    assert_eq!(told["env"], json!({"PI_BRAIN_HOME": absolute("data")}));
    let settings: Value = serde_json::from_str(told["settings"].as_str().unwrap()).unwrap();
    assert_eq!(settings["mcpServers"]["brain"]["env"], told["env"]);
}
