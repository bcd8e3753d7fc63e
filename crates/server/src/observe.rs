//! What is counted and written down of requests: never what they say.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use pi_brain_daemon::{Activity, Log, Status};
use prometheus_client::encoding::{EncodeLabelSet, text::encode};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use serde_json::json;
use uuid::Uuid;

use crate::desk::Desk;
use crate::failure::{Answered, Failure};

/// The name under which a request can be found in the log again.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Kind {
    method: String,
    route: String,
    status: u16,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Route {
    route: String,
}

/// Counts requests.
pub(crate) struct Meter {
    registry: Mutex<Registry>,
    requests: Family<Kind, Counter>,
    seconds: Family<Route, Histogram, fn() -> Histogram>,
    sockets: Gauge<i64, AtomicI64>,
    files: Gauge<i64, AtomicI64>,
    refreshes: Gauge<u64, AtomicU64>,
    troubles: Gauge<i64, AtomicI64>,
    busy: Gauge<i64, AtomicI64>,
    log: Log,
}

impl Meter {
    pub(crate) fn new(log: Log) -> Self {
        let histogram: fn() -> Histogram =
            || Histogram::new([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0]);
        let meter = Self {
            registry: Mutex::default(),
            requests: Family::default(),
            seconds: Family::new_with_constructor(histogram),
            sockets: Gauge::default(),
            files: Gauge::default(),
            refreshes: Gauge::default(),
            troubles: Gauge::default(),
            busy: Gauge::default(),
            log,
        };
        let mut registry = Registry::with_prefix("pi_brain");
        registry.register("http_requests", "Requests that were answered", meter.requests.clone());
        let about = "How long answers took, by route";
        registry.register("http_request_seconds", about, meter.seconds.clone());
        registry.register("sockets", "WebSockets that are open", meter.sockets.clone());
        registry.register("session_files", "Session files that are there", meter.files.clone());
        let about = "How often something was taken in since the start";
        registry.register("refreshes", about, meter.refreshes.clone());
        registry.register("troubles", "Troubles that are remembered", meter.troubles.clone());
        registry.register("busy", "1 while sessions are being taken in", meter.busy.clone());
        *meter.registry.lock().unwrap_or_else(PoisonError::into_inner) = registry;
        meter
    }

    pub(crate) fn socket_opened(&self) -> impl Drop + use<> {
        struct Open(Gauge<i64, AtomicI64>);
        impl Drop for Open {
            fn drop(&mut self) {
                self.0.dec();
            }
        }
        self.sockets.inc();
        Open(self.sockets.clone())
    }

    /// Writes everything as Prometheus reads it.
    pub(crate) fn text(&self, status: &Status) -> Answered<String> {
        self.files.set(i64::try_from(status.files).unwrap_or(i64::MAX));
        self.refreshes.set(status.refreshes);
        self.troubles.set(i64::try_from(status.errors.len()).unwrap_or(i64::MAX));
        self.busy.set(i64::from(status.activity != Activity::Idle));
        let mut text = String::new();
        let registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        encode(&mut text, &registry).map_err(|error| Failure::internal(error.to_string()))?;
        Ok(text)
    }
}

/// Gives each request a name, counts it, and writes a line about it. A path may hold what somebody looks for, so the route is
/// written instead.
pub(crate) async fn observe(
    State(desk): State<Arc<Desk>>,
    route: Option<MatchedPath>,
    request: Request,
    next: Next,
) -> Response {
    let began = Instant::now();
    let id = Uuid::now_v7().simple().to_string();
    let method = request.method().to_string();
    let route = route.map_or_else(|| "none".to_owned(), |route| route.as_str().to_owned());
    let mut response = next.run(request).await;
    let status = response.status().as_u16();
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    let took = began.elapsed();
    let meter = &desk.meter;
    meter.seconds.get_or_create(&Route { route: route.clone() }).observe(took.as_secs_f64());
    let mut line = String::new();
    let milliseconds = took.as_secs_f64() * 1000.0;
    let told = json!({
        "id": id, "method": method, "route": route, "status": status,
        "ms": (milliseconds * 1000.0).round() / 1000.0,
    });
    // A string takes everything.
    let _ = write!(line, "{told}");
    meter.log.line(format_args!("{line}"));
    meter.requests.get_or_create(&Kind { method, route, status }).inc();
    response
}

/// Answers with what was counted.
pub(crate) async fn metrics(State(desk): State<Arc<Desk>>) -> Answered<Response> {
    let text = desk.meter.text(&desk.daemon.status())?;
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}
