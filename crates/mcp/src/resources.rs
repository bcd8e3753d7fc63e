//! Units of work and sessions as resources, for clients that let their users pick one.

use pi_brain_app::{AppError, Depth};
use pi_brain_store::{NodeFilter, Order};
use rmcp::model::{Resource, ResourceTemplate};

use crate::brain::Brain;
use crate::error::{McpError, Result};
use crate::page::MOST_TOKENS;
use crate::tools::{NodeArguments, SessionArguments, node, session};

const NODE: &str = "brain://node/";
const SESSION: &str = "brain://session/";
const TEXT: &str = "text/plain";

/// So many of the latest units of work are listed.
const LISTED: usize = 10;

/// Says how resources are named.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let template = |uri: String, name: &str, what: &str| {
        ResourceTemplate::new(uri, name).with_description(what).with_mime_type(TEXT)
    };
    vec![
        template(
            format!("{NODE}{{id}}"),
            "unit of work",
            "What was done, decided and learnt in one unit of work",
        ),
        template(format!("{SESSION}{{id}}"), "session", "What was said in a session, as excerpts"),
    ]
}

/// Lists the latest units of work and their sessions. The words are ours: what a session says stands in no list.
pub(crate) fn list(brain: &Brain) -> Result<Vec<Resource>> {
    let app = brain.open(Depth::Whole)?.app;
    let nodes = app.store().nodes(&NodeFilter::default(), Order::Newest, LISTED, 0);
    let (nodes, _) = nodes.map_err(AppError::from)?;
    let mut resources = Vec::new();
    let mut sessions: Vec<String> = Vec::new();
    for node in nodes {
        let day = node.started.to_timestamp().strftime("%Y-%m-%d");
        let what = format!("{}, {}, {day}", node.node_type, node.outcome);
        let resource = Resource::new(format!("{NODE}{}", node.id), format!("node {}", node.id));
        resources.push(resource.with_description(what).with_mime_type(TEXT));
        let uri = format!("{SESSION}{}", encode(&node.session_id));
        if !sessions.contains(&uri) {
            sessions.push(uri.clone());
            let resource = Resource::new(uri, format!("session of node {}", node.id));
            resources.push(resource.with_description(format!("{day}")).with_mime_type(TEXT));
        }
    }
    Ok(resources)
}

/// Reads a resource.
pub(crate) fn read(brain: &Brain, uri: &str) -> Result<String> {
    let limit = Some(MOST_TOKENS);
    if let Some(id) = uri.strip_prefix(NODE) {
        return node(brain, &NodeArguments { id: id.to_owned(), limit });
    }
    let unknown = || McpError::UnknownResource(uri.to_owned());
    let id = uri.strip_prefix(SESSION).and_then(decode).ok_or_else(unknown)?;
    session(brain, &SessionArguments { session: id, limit, ..SessionArguments::default() })
}

/// Writes an id as part of a URI: it may be anything.
fn encode(id: &str) -> String {
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
    let written = |byte: u8| match byte {
        byte if is_plain(byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    id.bytes().map(written).collect()
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
                u8::try_from(high * 16 + low).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn an_id_comes_back_from_a_uri_whatever_it_is() {
        for id in ["0190aaaa-0000-7000", "a b/c%2F", "日本\n"] {
            let uri = encode(id);
            assert!(uri.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'/'), "{uri}");
            assert_eq!(decode(&uri).as_deref(), Some(id));
        }
        assert_eq!((decode("%zz"), decode("%4"), decode("%ff")), (None, None, None));
    }
}
