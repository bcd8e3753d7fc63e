//! A home with session files, and a client that asks about them.

use std::fs;
use std::path::Path;

use pi_brain_app::{Settings, Source};
use pi_brain_mcp::{Brain, Server};
use pi_brain_session::SessionFolder;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::RunningService;
use rmcp::{RoleClient, ServiceExt};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const ID: &str = "0190aaaa-0000-7000-8000-000000000001";
pub(crate) const PROJECT: &str = "/home/dev/shop";

/// A home folder that is nobody's.
pub(crate) struct World {
    folder: TempDir,
}

impl World {
    pub(crate) fn empty() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    /// A home with one session of the shop.
    pub(crate) fn shop() -> Self {
        let world = Self::empty();
        world.session(ID, PROJECT, &shop());
        world
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a session file: each entry follows the one before it, a second later.
    pub(crate) fn session(&self, id: &str, project: &str, messages: &[Value]) {
        let header = json!({"type": "session", "version": 3, "id": id,
            "timestamp": "2025-01-01T10:00:00.000Z", "cwd": project});
        let mut text = header.to_string() + "\n";
        for (at, message) in messages.iter().enumerate() {
            let parent = at.checked_sub(1).map(|at| format!("{at:08x}"));
            let time = format!("2025-01-01T10:{:02}:{:02}.000Z", at / 60, at % 60);
            let entry = json!({"type": "message", "id": format!("{at:08x}"), "parentId": parent,
                "timestamp": time, "message": message});
            text += &(entry.to_string() + "\n");
        }
        let folder = self.path().join("sessions/--home-dev-shop--");
        fs::create_dir_all(&folder).unwrap();
        let count = fs::read_dir(&folder).unwrap().count();
        fs::write(folder.join(format!("2025-01-01T10-00-00-000Z_{count}.jsonl")), text).unwrap();
    }

    pub(crate) fn brain(&self) -> Brain {
        let (folder, home) = (self.path().join("brain"), self.path().to_owned());
        let config = folder.join("config.toml");
        let settings = move || {
            let sessions = SessionFolder::ByProject(home.join("sessions"));
            let usual = Source { folder: sessions, computer: "here".to_owned() };
            Settings::read(&config, usual, &home)
        };
        Brain::new(folder, settings, Some(PROJECT.to_owned()))
    }

    /// Connects a client, in this process.
    pub(crate) async fn connect(&self) -> Client {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let server = Server::new(self.brain());
        let serving = tokio::spawn(async move {
            server.serve(theirs).await.unwrap().waiting().await.unwrap();
        });
        Client { client: ().serve(ours).await.unwrap(), serving }
    }
}

pub(crate) struct Client {
    pub(crate) client: RunningService<RoleClient, ()>,
    serving: tokio::task::JoinHandle<()>,
}

impl Client {
    pub(crate) async fn call(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        let arguments = arguments.as_object().unwrap().clone();
        let request = CallToolRequestParams::new(tool).with_arguments(arguments);
        self.client.call_tool(request).await.unwrap()
    }

    /// Calls a tool that answers.
    pub(crate) async fn ask(&self, tool: &'static str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_ne!(result.is_error, Some(true), "{result:?}");
        text_of(&result)
    }

    /// Calls a tool that refuses.
    pub(crate) async fn refused(&self, tool: &'static str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!(result.is_error, Some(true), "{result:?}");
        text_of(&result)
    }

    pub(crate) async fn end(self) {
        self.client.cancel().await.unwrap();
        self.serving.await.unwrap();
    }
}

pub(crate) fn text_of(result: &CallToolResult) -> String {
    assert_eq!((result.content.len(), &result.structured_content), (1, &None));
    result.content[0].as_text().unwrap().text.clone()
}

pub(crate) fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

pub(crate) fn assistant(text: &str) -> Value {
    json!({"role": "assistant", "content": [{"type": "text", "text": text}], "provider": "anthropic",
        "model": "big", "stopReason": "stop", "usage": {"input": 100, "output": 20, "cacheRead": 0,
        "cacheWrite": 0, "totalTokens": 120, "cost": {"total": 0.05}}})
}

pub(crate) fn call(tool: &str, arguments: &Value) -> Value {
    let mut message = assistant("");
    message["content"] =
        json!([{"type": "toolCall", "id": "t1", "name": tool, "arguments": arguments}]);
    message
}

pub(crate) fn result(tool: &str, output: &str, is_error: bool) -> Value {
    json!({"role": "toolResult", "toolCallId": "t1", "toolName": tool, "isError": is_error,
        "content": [{"type": "text", "text": output}]})
}

fn shop() -> Vec<Value> {
    let mut lines = vec![
        user("Why is the cart empty after login?"),
        call("bash", &json!({"command": "npm test -- cart"})),
        result("bash", "FAIL cart.test.ts\nError: session id changed", true),
        assistant("The session id changes at login, so the cart is lost."),
        user(
            "Let's go with user ids instead of session ids for the carts, because session ids change at login.",
        ),
        call("edit", &json!({"path": "src/cart.ts"})),
        result("edit", "done", false),
        call("bash", &json!({"command": "npm test -- cart --fresh"})),
        result("bash", "1 passed", false),
        assistant("Done: carts are keyed by user id."),
        user(
            "Remember: never key anything by session id, it changes at login. Thanks, that works!",
        ),
        assistant("I will keep that in mind."),
    ];
    // Enough to make the limits felt.
    for number in 0..60 {
        lines.push(user(&format!("Tell me about the warehouse, shelf {number}.")));
        lines
            .push(assistant(&format!("Shelf {number} of the warehouse holds candles. ").repeat(8)));
    }
    lines
}
