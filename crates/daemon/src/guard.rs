//! Who may ask. Programs of other users and pages of other sites can reach a port on this machine, too.

use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::{HeaderMap, Method, StatusCode};

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) code: &'static str,
    pub(crate) message: &'static str,
    pub(crate) hint: &'static str,
}

const FOREIGN_HOST: Refusal = Refusal {
    status: StatusCode::FORBIDDEN,
    code: "foreign_host",
    message: "the Host header does not name this machine",
    hint: "ask for http://127.0.0.1 or http://localhost",
};

const FOREIGN_ORIGIN: Refusal = Refusal {
    status: StatusCode::FORBIDDEN,
    code: "foreign_origin",
    message: "pages of other sites may not ask",
    hint: "open the daemon's own address",
};

const NO_TOKEN: Refusal = Refusal {
    status: StatusCode::UNAUTHORIZED,
    code: "token_needed",
    message: "this needs the token of the daemon",
    hint: "send `Authorization: Bearer TOKEN` with the token from daemon.json in the data folder",
};

/// Decides whether a request is let in.
///
/// A name that an attacker's server resolves to 127.0.0.1 shows in `Host`; a page elsewhere that sends a request shows in
/// `Origin` or `Sec-Fetch-Site`. What changes anything needs the token besides, which only the owner of the data folder
/// can read.
pub(crate) fn admit(
    method: &Method,
    headers: &HeaderMap,
    port: u16,
    token: &str,
) -> Result<(), Refusal> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    if headers.get_all(HOST).iter().count() != 1 || !is_us(text(HOST).unwrap_or_default(), port) {
        return Err(FOREIGN_HOST);
    }
    let is_ours = |origin: &str| {
        origin.strip_prefix("http://").is_some_and(|host| host.contains(':') && is_us(host, port))
    };
    if headers.get_all(ORIGIN).iter().any(|origin| !origin.to_str().is_ok_and(is_ours)) {
        return Err(FOREIGN_ORIGIN);
    }
    if headers.get("sec-fetch-site").is_some_and(|site| site == "cross-site") {
        return Err(FOREIGN_ORIGIN);
    }
    let is_safe = matches!(*method, Method::GET | Method::HEAD);
    let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let given = given.and_then(|value| value.strip_prefix("Bearer "));
    if !is_safe && !given.is_some_and(|given| is_same(given, token)) {
        return Err(NO_TOKEN);
    }
    Ok(())
}

/// Returns whether an authority is this machine; a port, where there is one, has to be ours.
fn is_us(authority: &str, port: u16) -> bool {
    let (host, given) = match authority.rsplit_once(':') {
        Some((host, given)) if !given.ends_with(']') => (host, Some(given)),
        _ => (authority, None),
    };
    let is_loopback =
        host.eq_ignore_ascii_case("localhost") || matches!(host, "127.0.0.1" | "[::1]");
    is_loopback && given.is_none_or(|given| given == port.to_string())
}

/// Compares without telling by the time it takes how much was right.
fn is_same(given: &str, token: &str) -> bool {
    let (given, token) = (given.as_bytes(), token.as_bytes());
    let differences = given.iter().zip(token).fold(0, |sum, (one, other)| sum | (one ^ other));
    given.len() == token.len() && differences == 0
}

#[cfg(test)]
mod tests;
