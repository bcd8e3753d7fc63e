//! Settings in TOML, as Codex has them.

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, value};

use super::{SERVER_NAME, ServerCommand};
use crate::error::{McpError, Result};

const SERVERS: &str = "mcp_servers";

pub(super) fn merge(text: &str, server: &ServerCommand) -> Result<String> {
    let unusable = |why: String| McpError::Unusable(why);
    let mut document: DocumentMut =
        text.parse().map_err(|error| unusable(format!("it is not TOML ({error})")))?;
    let servers = document.entry(SERVERS).or_insert_with(|| {
        let mut servers = Table::new();
        servers.set_implicit(true);
        Item::Table(servers)
    });
    let not_a_table = |what: &str| unusable(format!("`{what}` is no table"));
    let servers = servers.as_table_like_mut().ok_or_else(|| not_a_table(SERVERS))?;
    if servers.get(SERVER_NAME).is_none() {
        servers.insert(SERVER_NAME, Item::Table(Table::new()));
    }
    let ours = servers.get_mut(SERVER_NAME).and_then(Item::as_table_like_mut);
    let ours = ours.ok_or_else(|| not_a_table("mcp_servers.brain"))?;
    let arguments: Array = server.arguments.iter().map(String::as_str).collect();
    put(ours, "command", value(&server.program));
    put(ours, "args", value(arguments));
    if !server.variables.is_empty() {
        let variables = ours.entry("env").or_insert_with(|| value(InlineTable::new()));
        let variables =
            variables.as_table_like_mut().ok_or_else(|| not_a_table("mcp_servers.brain.env"))?;
        for (name, said) in &server.variables {
            put(variables, name, value(said.as_str().unwrap_or_default()));
        }
    }
    Ok(document.to_string())
}

/// Says something, unless it is said already: however it is written, it stays so.
fn put(table: &mut dyn TableLike, key: &str, item: Item) {
    let plain = |item: &Item| item.to_string().split_whitespace().collect::<String>();
    if table.get(key).is_none_or(|before| plain(before) != plain(&item)) {
        table.insert(key, item);
    }
}
