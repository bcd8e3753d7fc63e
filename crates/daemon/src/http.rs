//! What can be asked over HTTP.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use axum::body::Bytes;
use axum::extract::{RawQuery, Request as HttpRequest, State};
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::sse::{Event as Message, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::stream::{self, Stream};
use pi_brain_brain::NodeId;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{oneshot, watch};

use crate::engine::{Errand, Event, Request};
use crate::guard::{self, Refusal};
use crate::status::{Activity, Board, Status, Told};

/// What the answers are made of.
#[derive(Clone)]
pub(crate) struct Door {
    pub(crate) board: Arc<Board>,
    pub(crate) engine: Sender<Event>,
    pub(crate) token: Arc<str>,
    pub(crate) port: u16,
    /// Becomes true when the engine has ended, and with it the streams.
    pub(crate) ended: watch::Receiver<bool>,
}

impl Door {
    /// Lets the engine finish what it is at, and end.
    pub(crate) fn stop(&self) {
        self.board.is_doing(Activity::Stopping);
        self.board.tell("stopping", json!({}));
        // If it has ended by itself, that is what we want.
        let _ = self.engine.send(Event::Stop);
    }
}

impl Door {
    /// Lets the engine run an errand, and answers with what comes of it.
    async fn send(&self, errand: Errand) -> Response {
        let (answer, answered) = oneshot::channel();
        let is_sent = self.engine.send(Event::Errand(errand, answer)).is_ok();
        match answered.await {
            Ok(Ok(answer)) if is_sent => Json(answer).into_response(),
            Ok(Err(message)) => failure(
                StatusCode::UNPROCESSABLE_ENTITY,
                "not_possible",
                &message,
                "`pi-brain daemon status` shows how things stand",
            ),
            _ => stopping(),
        }
    }
}

/// Makes the routes, with the guard before them.
pub(crate) fn router(door: Door) -> Router {
    Router::new()
        .route("/health", get(health))
        .route("/api/v1/daemon/status", get(status))
        .route("/api/v1/daemon/stop", post(stop))
        .route("/api/v1/daemon/refresh", post(refresh))
        .route("/api/v1/daemon/analyse", post(analyse))
        .route("/api/v1/daemon/queue", get(queue))
        .route("/api/v1/daemon/retry", post(retry))
        .route("/api/v1/daemon/boundary", post(boundary))
        .route("/api/v1/events", get(events))
        .method_not_allowed_fallback(wrong_method)
        .fallback(nothing_there)
        .layer(middleware::from_fn_with_state(door.clone(), admit))
        .with_state(door)
}

async fn admit(State(door): State<Door>, request: HttpRequest, next: Next) -> Response {
    match guard::admit(request.method(), request.headers(), door.port, &door.token) {
        Ok(()) => next.run(request).await,
        Err(Refusal { status, code, message, hint }) => failure(status, code, message, hint),
    }
}

async fn health(State(door): State<Door>) -> Json<Value> {
    let Status { pid, version, activity, .. } = door.board.read();
    let is_ending = activity == Activity::Stopping;
    Json(
        json!({ "status": if is_ending { "stopping" } else { "ok" }, "pid": pid, "version": version }),
    )
}

async fn status(State(door): State<Door>) -> Json<Status> {
    Json(door.board.read())
}

async fn stop(State(door): State<Door>) -> (StatusCode, Json<Value>) {
    door.stop();
    (StatusCode::ACCEPTED, Json(json!({ "stopping": true })))
}

async fn refresh(State(door): State<Door>, RawQuery(query): RawQuery) -> Response {
    let (answer, answered) = oneshot::channel();
    let asked = query.unwrap_or_default();
    let wants_links = asked.split('&').any(|pair| pair == "links=true");
    let is_sent = door.engine.send(Event::Refresh(Request { wants_links, answer })).is_ok();
    match answered.await {
        Ok(Ok(report)) if is_sent => Json(json!({
            "found": report.found,
            "files": report.files,
            "bytes": report.bytes,
            "entries": report.entries,
            "messages": report.messages,
            "nodes": report.versions.len(),
            "gone": report.gone,
            "unreadable": report.unreadable.len(),
        }))
        .into_response(),
        Ok(Err(message)) => failure(
            StatusCode::INTERNAL_SERVER_ERROR,
            "refresh_failed",
            &message,
            "`pi-brain daemon status` shows what went wrong; it is tried again by itself",
        ),
        _ => stopping(),
    }
}

fn stopping() -> Response {
    failure(
        StatusCode::SERVICE_UNAVAILABLE,
        "stopping",
        "the daemon is about to end",
        "`pi-brain daemon start` starts another",
    )
}

/// What is to be given to a model.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToAnalyse {
    nodes: Vec<NodeId>,
}

async fn analyse(State(door): State<Door>, body: Bytes) -> Response {
    match serde_json::from_slice(&body) {
        Ok(ToAnalyse { nodes }) => door.send(Errand::Analyse(nodes)).await,
        Err(error) => bad_request(&error),
    }
}

async fn queue(State(door): State<Door>) -> Response {
    door.send(Errand::Queue).await
}

/// Which jobs are to be tried again; all that were given up if none are named.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ToRetry {
    jobs: Option<Vec<i64>>,
}

async fn retry(State(door): State<Door>, body: Bytes) -> Response {
    let wanted =
        if body.is_empty() { Ok(ToRetry::default()) } else { serde_json::from_slice(&body) };
    match wanted {
        Ok(ToRetry { jobs }) => door.send(Errand::Retry(jobs)).await,
        Err(error) => bad_request(&error),
    }
}

/// Where a unit of work is over.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Boundary {
    session: String,
}

async fn boundary(State(door): State<Door>, body: Bytes) -> Response {
    match serde_json::from_slice(&body) {
        Ok(Boundary { session }) => door.send(Errand::Announce(session)).await,
        Err(error) => bad_request(&error),
    }
}

fn bad_request(error: &serde_json::Error) -> Response {
    let (code, hint) = ("bad_request", "docs/daemon.md shows what to send");
    failure(StatusCode::BAD_REQUEST, code, &error.to_string(), hint)
}

async fn events(State(door): State<Door>) -> Sse<impl Stream<Item = Result<Message, Infallible>>> {
    let state = (door.board.listen(), door.ended.clone());
    let told = stream::unfold(state, |(mut events, mut ended)| async move {
        let event = tokio::select! {
            event = events.recv() => event,
            // An engine that has died is one that has ended.
            _ = ended.wait_for(|&ended| ended) => return None,
        };
        let Told { name, data } = match event {
            Ok(told) => told,
            Err(RecvError::Lagged(missed)) => {
                Told { name: "missed", data: json!({ "events": missed }) }
            }
            Err(RecvError::Closed) => return None,
        };
        let message = Message::default().event(name).data(data.to_string());
        Some((Ok(message), (events, ended)))
    });
    Sse::new(told).keep_alive(KeepAlive::default())
}

async fn nothing_there() -> Response {
    failure(
        StatusCode::NOT_FOUND,
        "not_found",
        "there is nothing here",
        "docs/daemon.md lists what is",
    )
}

async fn wrong_method() -> Response {
    failure(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        "this cannot be asked in this way",
        "use GET to read and POST to act",
    )
}

/// The one shape of all errors.
fn failure(status: StatusCode, code: &str, message: &str, hint: &str) -> Response {
    let error = json!({ "error": { "code": code, "message": message, "hint": hint } });
    (status, Json(error)).into_response()
}
