use super::{AgentClient, ServerCommand};
use crate::error::McpError;

fn server() -> ServerCommand {
    ServerCommand {
        program: "/opt/pi \"brain\"".to_owned(),
        arguments: vec!["mcp".to_owned()],
        variables: Vec::new(),
    }
}

/// Merges into a text; twice gives the same as once.
fn check(client: AgentClient, before: &str, after: &str) {
    let merged = client.merge(before, &server()).unwrap();
    assert_eq!(merged, after, "\n{merged}");
    assert_eq!(client.merge(&merged, &server()).unwrap(), merged);
}

fn refuse(client: AgentClient, text: &str, why: &str) {
    let error = client.merge(text, &server()).unwrap_err();
    assert!(matches!(error, McpError::Unusable(_)));
    assert!(error.to_string().contains(why), "{error}");
}

#[test]
fn a_new_file_says_nothing_else() {
    let fresh = r#"{
  "mcpServers": {
    "brain": {
      "type": "stdio",
      "command": "/opt/pi \"brain\"",
      "args": ["mcp"]
    }
  }
}
"#;
    for empty in ["", " \n", "{}\n"] {
        check(AgentClient::ClaudeCode, empty, fresh);
    }
    let for_pi = AgentClient::Pi.settings(&server()).unwrap();
    assert!(for_pi.contains("\n      \"exposure\": \"direct\",\n"), "{for_pi}");
    check(
        AgentClient::Codex,
        "",
        "[mcp_servers.brain]\ncommand = '/opt/pi \"brain\"'\nargs = [\"mcp\"]\n",
    );
}

#[test]
fn everything_else_stays_to_the_byte() {
    check(
        AgentClient::Cursor,
        "{\n\t\"z\": 1.50, \"mcpServers\": {\"other\": { \"url\":\"http://x\" }},\n\t\"a\": \"\\u00e9\"\n}",
        "{\n\t\"z\": 1.50, \"mcpServers\": {\"other\": { \"url\":\"http://x\" },\n\t\t\"brain\": {\n\t\t\t\"command\": \"/opt/pi \\\"brain\\\"\",\n\t\t\t\"args\": [\"mcp\"]\n\t\t}},\n\t\"a\": \"\\u00e9\"\n}",
    );
    check(
        AgentClient::Cursor,
        "\u{feff}{\"numStartups\":3}\n",
        "\u{feff}{\"numStartups\":3,\n  \"mcpServers\": {\n    \"brain\": {\n      \"command\": \"/opt/pi \\\"brain\\\"\",\n      \"args\": [\"mcp\"]\n    }\n  }}\n",
    );
    check(
        AgentClient::Codex,
        "# mine\nmodel = \"o9\"   # the best\n\n[mcp_servers.docs]\nurl = 'http://x'\n",
        "# mine\nmodel = \"o9\"   # the best\n\n[mcp_servers.docs]\nurl = 'http://x'\n\n[mcp_servers.brain]\ncommand = '/opt/pi \"brain\"'\nargs = [\"mcp\"]\n",
    );
}

#[test]
fn an_old_entry_is_brought_up_to_date_and_keeps_what_was_added() {
    check(
        AgentClient::Cursor,
        "{\n  \"mcpServers\": {\n    \"brain\": { \"command\": \"/old\", \"env\": {\"A\": \"1\"} },\n    \"z\": {}\n  }\n}\n",
        "{\n  \"mcpServers\": {\n    \"brain\": {\n      \"command\": \"/opt/pi \\\"brain\\\"\",\n      \"args\": [\"mcp\"],\n      \"env\": {\"A\": \"1\"}\n    },\n    \"z\": {}\n  }\n}\n",
    );
    check(
        AgentClient::Codex,
        "[mcp_servers]\nbrain = { command = \"/old\", args = [ \"mcp\" ], env = { A = \"1\" } }\n",
        "[mcp_servers]\nbrain = { command = '/opt/pi \"brain\"', args = [ \"mcp\" ], env = { A = \"1\" } }\n",
    );
}

#[test]
fn what_cannot_be_read_is_refused() {
    for text in ["{", "[]", "// mine\n{}", "{} {}", "\"text\"", "{\"a\": }"] {
        refuse(AgentClient::Pi, text, "it cannot be changed safely: it is no JSON object (");
    }
    refuse(AgentClient::Pi, "{\"mcpServers\": []}", "`mcpServers` in it is no JSON object");
    refuse(AgentClient::Pi, "{\"mcpServers\": {\"brain\": 1}}", "`mcpServers.brain` in it");
    refuse(AgentClient::Codex, "model = ", "it is not TOML");
    refuse(AgentClient::Codex, "mcp_servers = 1", "`mcp_servers` is no table");
    refuse(AgentClient::Codex, "[mcp_servers]\nbrain = 1", "`mcp_servers.brain` is no table");
}

#[test]
fn the_environment_is_said_beside_what_others_put_there() {
    let variables = vec![("PI_BRAIN_HOME".to_owned(), "/data".into())];
    let server = ServerCommand { variables, ..server() };
    let json = r#"{"mcpServers": {"brain": {"env": {"A": "1"}}}}"#;
    let merged = AgentClient::Pi.merge(json, &server).unwrap();
    assert!(merged.contains(r#""env": {"A":"1","PI_BRAIN_HOME":"/data"}"#), "{merged}");
    assert_eq!(AgentClient::Pi.merge(&merged, &server).unwrap(), merged);
    let merged = AgentClient::Codex.merge("[mcp_servers.brain.env]\nA = \"1\"\n", &server).unwrap();
    assert!(merged.contains("A = \"1\"\nPI_BRAIN_HOME = \"/data\"\n"), "{merged}");
    assert_eq!(AgentClient::Codex.merge(&merged, &server).unwrap(), merged);
    let fresh = AgentClient::Codex.settings(&server).unwrap();
    assert!(fresh.ends_with("env = { PI_BRAIN_HOME = \"/data\" }\n"), "{fresh}");
}
