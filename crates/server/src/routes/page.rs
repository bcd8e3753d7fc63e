//! The page: its files, and what lets it act.

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use pi_brain_page::PageFile;
use serde::Serialize;

use crate::connections::Peer;
use crate::desk::Desk;
use crate::failure::{Answered, Failure};
use crate::neighbours::is_of_another_user;

/// What a browser may do with the page: run its own files, show images that are in sessions, and ask where it came from.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
     trusted-types svelte-trusted-html dompurify";

/// What is shown where the program was built without the page.
const ABSENT: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>pi-brain</title>\
     <h1>This pi-brain was built without its page</h1>\
     <p>Everything else works: the terminal, pi, and <a href=\"/api/openapi.json\">the interface for programs</a>.\
     <p><code>make build</code> builds the program with its page; it needs Node and npm.";

pub(super) fn add(router: Router<Arc<Desk>>) -> Router<Arc<Desk>> {
    router.route("/api/page", get(token)).fallback(show)
}

/// What the page is given.
#[derive(Serialize)]
struct Given {
    token: String,
}

/// Gives the page what it needs to change anything.
///
/// A page of another site cannot read the answer, and its browser says where the request comes from. Programs can say what they
/// like; those of the owner can read the token from its file anyway, and those of other users are known by their connection.
async fn token(
    State(desk): State<Arc<Desk>>,
    Extension(Peer(peer)): Extension<Peer>,
    headers: HeaderMap,
) -> Answered<Json<Given>> {
    let announcement = desk.daemon.announcement();
    let is_page = headers.get("sec-fetch-site").is_some_and(|site| site == "same-origin");
    if !is_page || is_of_another_user(peer, announcement.address.port()) {
        return Err(Failure::new(
            StatusCode::FORBIDDEN,
            "only_for_the_page",
            "this is for the page in a browser of yours",
            "programs read the token from daemon.json in the data folder",
        ));
    }
    Ok(Json(Given { token: announcement.token.clone() }))
}

/// Answers whatever nothing else answers: with a file of the page, or with the page itself, which knows its views.
async fn show(method: Method, uri: Uri) -> Response {
    let path = uri.path();
    let is_for_programs = path == "/api" || path.starts_with("/api/");
    if is_for_programs || !matches!(method, Method::GET | Method::HEAD) {
        return nothing_there().into_response();
    }
    if !pi_brain_page::is_built() {
        let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
        return (StatusCode::NOT_FOUND, kind, ABSENT).into_response();
    }
    match pi_brain_page::file(path) {
        Some(file) => send(file),
        None => nothing_there().into_response(),
    }
}

fn send(file: PageFile) -> Response {
    let PageFile { bytes, media, is_named_by_content } = file;
    // What has no telling name is small, and is there anew with each program.
    let caching =
        if is_named_by_content { "public, max-age=31536000, immutable" } else { "no-cache" };
    let mut response = bytes.into_owned().into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    response
}

fn nothing_there() -> Failure {
    Failure::not_found("there is nothing here", "/api/openapi.json lists what is")
}
