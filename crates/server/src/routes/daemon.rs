//! The daemon: how it is, what it has to do, and what happens.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::routing::get;
use futures_util::stream::{self, Stream};
use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use pi_brain_app::Diagnosis;
use pi_brain_brain::NodeId;
use pi_brain_daemon::{Errand, Status, Told, report_as_json};
use pi_brain_session::Millis;
use pi_brain_store::{JobRow, OwnUse, QueueCounts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::broadcast::error::RecvError;

use crate::api::Api;
use crate::brains::Brain;
use crate::desk::Desk;
use crate::failure::Answered;
use crate::openapi::Operation;

pub(super) fn add(api: Api) -> Api {
    let listen = Operation::of::<(), (), String>("get", EVENTS, "What happens, as it happens");
    api.ask_daemon("/api/v1/daemon/status", "How the daemon is", status)
        .get_one("/api/v1/daemon/queue", "What models have to do", queue)
        .get("/api/v1/daemon/own-use", "What models took for us in the last 30 days", own_use)
        .ask_daemon("/api/v1/daemon/doctor", "What is in order, what is not, what to do", doctor)
        .tell_daemon("/api/v1/daemon/stop", "Ends the daemon", stop)
        .tell_daemon("/api/v1/daemon/refresh", "Takes everything in, and waits for it", refresh)
        .tell_daemon("/api/v1/daemon/analyse", "Gives nodes to a model before all others", analyse)
        .tell_daemon("/api/v1/daemon/retry", "Tries jobs again that were given up", retry)
        .tell_daemon("/api/v1/daemon/boundary", "Says that a unit of work is over", boundary)
        .tell_daemon(EVENTS, "Says what happens in pi, so that it is looked at once", happened)
        .route(listen.media(&["text/event-stream"]), get(events))
}

const EVENTS: &str = "/api/v1/events";

/// A body that says nothing.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

async fn status(desk: Arc<Desk>, (): ()) -> Answered<Status> {
    Ok(desk.daemon.status())
}

/// What models have to do.
#[derive(Serialize, JsonSchema)]
struct Queue {
    /// How much of it there is.
    counts: QueueCounts,
    /// The jobs, those that come first first.
    jobs: Vec<JobRow>,
}

fn queue(brain: &mut Brain, (): ()) -> Answered<Queue> {
    const LISTED: usize = 1000;
    let store = brain.app.store();
    Ok(Queue { counts: store.queue_counts(None)?, jobs: store.jobs(LISTED)? })
}

/// What models took for us on a day.
#[derive(Serialize, JsonSchema)]
struct OwnDay {
    /// The day, where the person is.
    #[schemars(with = "String", extend("format" = "date"))]
    day: Date,
    /// Runs, tokens and dollars.
    #[serde(flatten)]
    taken: OwnUse,
}

fn own_use(brain: &mut Brain, (): ()) -> Answered<Vec<OwnDay>> {
    const DAYS: i64 = 30;
    let now = Brain::now().to_timestamp().to_zoned(TimeZone::system());
    let (today, zone) = (now.date(), now.time_zone());
    let first = today.saturating_sub((DAYS - 1).days());
    // A day more than is shown: where it begins depends on the zone.
    let since = Millis(Brain::now().0 - (DAYS + 1) * 24 * 60 * 60 * 1000);
    let days = brain.app.own_use_by_day(since, zone)?;
    let row = |day: Date| OwnDay { day, taken: days.get(&day).copied().unwrap_or_default() };
    Ok(first.series(1.day()).take_while(|day| *day <= today).map(row).collect())
}

async fn doctor(desk: Arc<Desk>, (): ()) -> Answered<Diagnosis> {
    desk.beside(|desk| Ok(Diagnosis::of(&desk.folder, (desk.settings)(None), &desk.home))).await
}

#[derive(Serialize, JsonSchema)]
struct Stopping {
    /// Whether the daemon is about to end.
    stopping: bool,
}

async fn stop(desk: Arc<Desk>, _: Nothing) -> Answered<Stopping> {
    desk.daemon.stop();
    Ok(Stopping { stopping: true })
}

/// How much is to be taken in.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wanted {
    /// Whether the links of what is new are found, too.
    #[serde(default)]
    links: bool,
}

async fn refresh(desk: Arc<Desk>, wanted: Wanted) -> Answered<Value> {
    Ok(report_as_json(&desk.daemon.refresh(wanted.links).await?))
}

/// What is to be given to a model.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ToAnalyse {
    /// The nodes.
    nodes: Vec<NodeId>,
}

async fn analyse(desk: Arc<Desk>, wish: ToAnalyse) -> Answered<Value> {
    Ok(desk.daemon.send(Errand::Analyse(wish.nodes)).await?)
}

/// Which jobs are to be tried again.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ToRetry {
    /// Their numbers; all that were given up if there are none.
    jobs: Option<Vec<i64>>,
}

async fn retry(desk: Arc<Desk>, wish: ToRetry) -> Answered<Value> {
    Ok(desk.daemon.send(Errand::Retry(wish.jobs)).await?)
}

/// Where a unit of work is over.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Boundary {
    /// The id of the session.
    session: String,
}

async fn boundary(desk: Arc<Desk>, wish: Boundary) -> Answered<Value> {
    Ok(desk.daemon.send(Errand::Announce(wish.session)).await?)
}

/// What happened in pi.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Happening {
    /// What it is.
    event: EventKind,
    /// The session that it happened in.
    session_id: Option<String>,
}

/// The kinds of things that happen in pi.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum EventKind {
    /// A session was begun, taken up again, or forked.
    SessionStart,
    /// Somebody went elsewhere in the tree.
    SessionTree,
    /// What was said was summarised.
    SessionCompact,
    /// A session was left.
    SessionShutdown,
    /// Somebody put a note into a session.
    Flag,
}

#[derive(Serialize, JsonSchema)]
struct Noticed {
    /// Whether it was heard.
    accepted: bool,
}

/// Takes notice. What has changed follows from the files, so an event that comes twice, or too early, does no harm.
async fn happened(desk: Arc<Desk>, happening: Happening) -> Answered<Noticed> {
    desk.daemon.look();
    let is_end = happening.event == EventKind::SessionShutdown;
    if let Some(session) = happening.session_id.filter(|_| is_end) {
        // Nobody waits for it: the engine may be taking sessions in. One that was never written to is not known, and there is
        // nothing to say about it.
        tokio::spawn(async move { desk.daemon.send(Errand::Announce(session)).await });
    }
    Ok(Noticed { accepted: true })
}

async fn events(
    State(desk): State<Arc<Desk>>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let state = (desk.daemon.listen(), desk);
    let told = stream::unfold(state, |(mut events, desk)| async move {
        loop {
            let event = tokio::select! {
                event = events.recv() => event,
                () = desk.daemon.ended() => return None,
            };
            let (name, data) = match event {
                Ok(Told { name: "looked", .. }) => continue,
                Ok(Told { name, data, .. }) => (name, data.to_string()),
                Err(RecvError::Lagged(missed)) => ("missed", format!("{{\"events\":{missed}}}")),
                Err(RecvError::Closed) => return None,
            };
            return Some((Ok(Event::default().event(name).data(data)), (events, desk)));
        }
    });
    Sse::new(told).keep_alive(KeepAlive::default())
}
