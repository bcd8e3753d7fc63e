//! Who may ask. Programs of other users and pages of other sites can reach a port on this machine, too.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::http::header::{AUTHORIZATION, HOST, ORIGIN, SEC_WEBSOCKET_PROTOCOL};
use axum::http::{HeaderMap, Method, StatusCode};

use crate::failure::Failure;

/// What a request is let in by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// It knows the token.
    Token,
    /// It only wants to know something that every program on this machine may know.
    None,
}

/// What may be asked without the token although it is no mere look: the answer is made from what may be read anyway.
const OPEN: &str = "/api/query";

/// Where something is told about the owner of the brain. Everywhere else is only the page, which is the same for everybody.
const PRIVATE: [&str; 4] = ["/api", "/ws", "/health", "/metrics"];

/// What stands before the token in the list of protocols that a page asks a WebSocket for: it cannot send other headers.
const TOKEN_PROTOCOL: &str = "token.";

/// Decides about requests.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    port: u16,
    /// Whether only this machine can ask.
    is_local: bool,
    token: Arc<str>,
}

impl Gate {
    pub(crate) fn new(address: SocketAddr, token: &str) -> Self {
        Self { port: address.port(), is_local: address.ip().is_loopback(), token: token.into() }
    }

    /// Decides whether a request is let in.
    ///
    /// A name that an attacker's server resolves to 127.0.0.1 shows in `Host`; a page elsewhere that sends a request shows in
    /// `Origin` or `Sec-Fetch-Site`. What changes anything needs the token besides, which only the owner of the data folder
    /// can read. Where other machines can ask, everything needs it, and no name is known to be ours.
    pub(crate) fn admit(
        &self,
        method: &Method,
        path: &str,
        headers: &HeaderMap,
    ) -> Result<Trust, Failure> {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let is_one = headers.get_all(HOST).iter().count() == 1;
        if !is_one || (self.is_local && !self.is_us(host)) {
            return Err(foreign_host());
        }
        let is_ours = |origin: &str| {
            let origin = origin.strip_prefix("http://");
            let is_local = |origin: &str| origin.contains(':') && self.is_us(origin);
            origin
                .is_some_and(|origin| if self.is_local { is_local(origin) } else { origin == host })
        };
        if headers.get_all(ORIGIN).iter().any(|origin| !origin.to_str().is_ok_and(is_ours)) {
            return Err(foreign_origin());
        }
        if headers.get("sec-fetch-site").is_some_and(|site| site == "cross-site") {
            return Err(foreign_origin());
        }
        let given = given_token(headers);
        let is_safe = matches!(*method, Method::GET | Method::HEAD);
        let needs_none =
            if self.is_local { is_safe || path == OPEN } else { is_safe && !is_private(path) };
        match given {
            Some(given) if is_same(given, &self.token) => Ok(Trust::Token),
            None if needs_none => Ok(Trust::None),
            // Who sends a wrong one wants to be trusted, too, and should hear that they are not.
            _ => Err(no_token()),
        }
    }

    /// Returns whether an authority is this machine; a port, where there is one, has to be ours.
    fn is_us(&self, authority: &str) -> bool {
        let (host, given) = match authority.rsplit_once(':') {
            Some((host, given)) if !given.ends_with(']') => (host, Some(given)),
            _ => (authority, None),
        };
        let is_loopback =
            host.eq_ignore_ascii_case("localhost") || matches!(host, "127.0.0.1" | "[::1]");
        is_loopback && given.is_none_or(|given| given == self.port.to_string())
    }
}

/// Returns the token that a request says, which is nothing if what it says is no token.
fn given_token(headers: &HeaderMap) -> Option<&str> {
    let said = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let said = said.map(|value| value.strip_prefix("Bearer ").unwrap_or_default());
    said.or_else(|| {
        let protocols = headers.get(SEC_WEBSOCKET_PROTOCOL)?.to_str().ok()?;
        protocols.split(',').find_map(|protocol| protocol.trim().strip_prefix(TOKEN_PROTOCOL))
    })
}

fn is_private(path: &str) -> bool {
    PRIVATE.iter().any(|place| {
        path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

fn foreign_host() -> Failure {
    Failure::new(
        StatusCode::FORBIDDEN,
        "foreign_host",
        "the Host header does not name this machine",
        "ask for http://127.0.0.1 or http://localhost",
    )
}

fn foreign_origin() -> Failure {
    Failure::new(
        StatusCode::FORBIDDEN,
        "foreign_origin",
        "pages of other sites may not ask",
        "open the daemon's own address",
    )
}

fn no_token() -> Failure {
    Failure::new(
        StatusCode::UNAUTHORIZED,
        "token_needed",
        "this needs the token of the daemon",
        "send `Authorization: Bearer TOKEN` with the token from daemon.json in the data folder",
    )
}

/// Compares without telling by the time it takes how much was right.
fn is_same(given: &str, token: &str) -> bool {
    let (given, token) = (given.as_bytes(), token.as_bytes());
    let differences = given.iter().zip(token).fold(0, |sum, (one, other)| sum | (one ^ other));
    given.len() == token.len() && differences == 0
}

#[cfg(test)]
mod tests;
