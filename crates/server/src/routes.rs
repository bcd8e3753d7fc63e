//! Everything that can be asked, by what it is about.

mod config;
mod daemon;
mod forest;
mod graph;
mod knowledge;
mod nodes;
mod page;
mod query;
mod search;
mod sessions;

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};

use crate::api::{Api, Holds, json as answer_json};
use crate::desk::Desk;
use crate::failure::Failure;
use crate::guard::Gate;
use crate::observe::{metrics, observe};
use crate::sockets;

/// The largest body that is read.
const LARGEST_BODY: usize = 4 * 1024 * 1024;

/// From how many bytes on an answer is compressed.
const SMALL: u64 = 1024;

/// Returns all routes, and the document that describes them.
pub(crate) fn all() -> (Router<Arc<Desk>>, Vec<u8>) {
    let parts = [
        query::add,
        search::add,
        sessions::add,
        nodes::add,
        graph::add,
        knowledge::add,
        forest::add,
        config::add,
        daemon::add,
    ];
    let api = parts.into_iter().fold(Api::new(), |api, add| add(api));
    let (router, document) = api.finish();
    let router = router
        .route("/health", get(health))
        .route("/metrics", get(metrics))
        .route("/ws", get(sockets::open))
        .route("/api/openapi.json", get(openapi))
        .method_not_allowed_fallback(wrong_method);
    (page::add(router), document)
}

/// Puts everything before the routes that a request has to pass.
pub(crate) fn guarded(router: Router<Arc<Desk>>, desk: &Arc<Desk>, gate: Gate) -> Router {
    let is_worth_it = SizeAbove::new(SMALL).and(NotForContentType::SSE);
    router
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(middleware::from_fn_with_state(gate, admit))
        .layer(CompressionLayer::new().compress_when(is_worth_it))
        .layer(middleware::from_fn(harden))
        .layer(middleware::from_fn_with_state(Arc::clone(desk), observe))
        .with_state(Arc::clone(desk))
}

async fn admit(State(gate): State<Gate>, mut request: Request, next: Next) -> Response {
    match gate.admit(request.method(), request.uri().path(), request.headers()) {
        Ok(trust) => {
            request.extensions_mut().insert(trust);
            next.run(request).await
        }
        Err(refusal) => refusal.into_response(),
    }
}

/// Says to browsers that nothing here is to be run, framed, guessed at or kept.
async fn harden(request: Request, next: Next) -> Response {
    const HEADERS: [(header::HeaderName, &str); 4] = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
        ),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    response
}

async fn health(State(desk): State<Arc<Desk>>) -> Json<Value> {
    let status = desk.daemon.status();
    let is_ending = status.activity == pi_brain_daemon::Activity::Stopping;
    Json(json!({
        "status": if is_ending { "stopping" } else { "ok" },
        "pid": status.pid,
        "version": status.version,
    }))
}

async fn openapi(State(desk): State<Arc<Desk>>, headers: axum::http::HeaderMap) -> Response {
    answer_json(&headers, Holds::ForNow, desk.document.clone())
}

async fn wrong_method() -> Failure {
    Failure::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        "this cannot be asked in this way",
        "use GET to read and POST to act; /api/openapi.json lists what is there",
    )
}
