//! Questions: what the sessions say, and what a model makes of it.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Extension;
use axum::extract::State;
use axum::http::header;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use futures_util::stream;
use jiff::Zoned;
use pi_brain_agent::{Event as Happened, Watch};
use pi_brain_app::{Analyst, Answer, AnswerSource, Asked, Briefing, ModelAnswer, RelatedNode};
use pi_brain_brain::{Confidence, Standing};
use pi_brain_session::Millis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::api::{Api, Holds, json as answer_json};
use crate::brains::{Brain, Effort};
use crate::desk::Desk;
use crate::failure::{Answered, Failure};
use crate::guard::Trust;
use crate::openapi::Operation;
use crate::said::Said;

pub(super) fn add(api: Api) -> Api {
    let query = Operation::of::<(), Question, Answer>(
        "post",
        "/api/query",
        "Answers a question, without secrets: for agents. Needs no token; with it, and `Accept: text/event-stream`, a model's answer \
         follows what the sessions say",
    );
    let ask = Operation::of::<(), Question, ShownAnswer>(
        "post",
        "/api/v1/ask",
        "Answers a question as it stands in the sessions, then by a model, if one is chosen",
    );
    api.route(query.open(), post(for_agents))
        .route(ask, post(for_people))
        .get("/api/v1/ask", "Answers a question from the sessions alone", look_up)
        .get("/api/v1/briefing", "What is known about a project, without secrets", briefing)
}

/// The longest question that is understood, in bytes.
const LONGEST: usize = 20_000;

/// A question, as the pi package and others ask it.
#[derive(Deserialize, JsonSchema)]
struct Question {
    /// The question, as a person would ask it.
    #[schemars(length(min = 1, max = 20_000))]
    query: String,
    /// Where it is asked.
    #[serde(default)]
    context: Context,
    /// How it shall be answered.
    #[serde(default)]
    options: Choices,
}

/// Where a question is asked.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct Context {
    /// The working directory.
    project: Option<String>,
    /// The model that is at work: its name, or all that pi knows of it.
    #[serde(rename = "model")]
    _model: Option<Value>,
    /// The id of the session that it is asked in, which is left out of the answer.
    session: Option<String>,
}

/// How a question shall be answered.
#[derive(Deserialize, JsonSchema)]
#[serde(default)]
struct Choices {
    /// How many sources at most.
    #[schemars(range(min = 1, max = 50))]
    limit: usize,
    /// Whether a model answers, too, if one is chosen and the token is given.
    model: bool,
}

impl Default for Choices {
    fn default() -> Self {
        Self { limit: SOURCES, model: true }
    }
}

const SOURCES: usize = 6;
const MOST_SOURCES: usize = 50;

impl Question {
    fn check(self) -> Answered<Self> {
        if self.query.trim().is_empty() {
            return Err(Failure::bad_request("the question is empty"));
        }
        if self.query.len() > LONGEST {
            return Err(Failure::bad_request(format!("a question has at most {LONGEST} bytes")));
        }
        if !(1..=MOST_SOURCES).contains(&self.options.limit) {
            return Err(Failure::bad_request(format!("limit has to be from 1 to {MOST_SOURCES}")));
        }
        Ok(self)
    }
}

/// A question that only the sessions answer.
#[derive(Deserialize, JsonSchema)]
struct LookUp {
    /// The question.
    #[schemars(length(min = 1, max = 1000))]
    q: String,
    /// The working directory of whoever asks.
    project: Option<String>,
    /// How many sources at most.
    #[schemars(range(min = 1, max = 50))]
    limit: Option<usize>,
}

/// An answer for a person, who wants to know of each source whether it can be relied on.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ShownAnswer {
    /// The answer in one line.
    summary: String,
    /// The whole answer, with `[1]` for the first source and so on.
    answer: String,
    /// The units of work that it comes from, the most relevant first.
    related_nodes: Vec<RelatedNode>,
    /// Where it stands.
    sources: Vec<ShownSource>,
    /// How sure it is.
    confidence: Confidence,
}

/// A place that an answer is taken from.
#[derive(Serialize, JsonSchema)]
struct ShownSource {
    /// Where it is, and what it says.
    #[serde(flatten)]
    source: AnswerSource,
    /// The working directory.
    project: String,
    /// When it was said.
    time: Option<Millis>,
    /// `stands`, `superseded` by a later decision, or `abandoned` with its branch.
    standing: &'static str,
}

impl From<Answer> for ShownAnswer {
    fn from(answer: Answer) -> Self {
        let sources = answer.sources.into_iter().map(|source| ShownSource {
            project: source.project.clone(),
            time: source.time,
            standing: match source.standing {
                Standing::Stands => "stands",
                Standing::Superseded => "superseded",
                Standing::Abandoned => "abandoned",
            },
            source,
        });
        Self {
            summary: answer.summary,
            answer: answer.answer,
            related_nodes: answer.related_nodes,
            sources: sources.collect(),
            confidence: answer.confidence,
        }
    }
}

fn look_up(brain: &mut Brain, (asked,): (LookUp,)) -> Answered<ShownAnswer> {
    let LookUp { q: query, project, limit } = asked;
    let options = Choices { limit: limit.unwrap_or(SOURCES), model: false };
    let query =
        Question { query, context: Context { project, ..Context::default() }, options }.check()?;
    Ok(answer(brain, &query)?.into())
}

fn answer(brain: &Brain, query: &Question) -> Answered<Answer> {
    let asked = Asked {
        question: &query.query,
        limit: query.options.limit,
        now: &Zoned::now(),
        project: query.context.project.as_deref(),
        session: query.context.session.as_deref(),
    };
    Ok(brain.app.ask(&asked)?)
}

/// Which project.
#[derive(Deserialize, JsonSchema)]
struct Project {
    /// The working directory.
    project: String,
}

fn briefing(brain: &mut Brain, (wanted,): (Project,)) -> Answered<Briefing> {
    Ok(brain.app.briefing(&wanted.project, Brain::now())?.without_secrets())
}

async fn for_agents(
    State(desk): State<Arc<Desk>>,
    Extension(trust): Extension<Trust>,
    said: Said,
) -> Answered<Response> {
    respond(&desk, trust, &said, |answer| json!(answer.without_secrets())).await
}

async fn for_people(
    State(desk): State<Arc<Desk>>,
    Extension(trust): Extension<Trust>,
    said: Said,
) -> Answered<Response> {
    respond(&desk, trust, &said, |answer| json!(ShownAnswer::from(answer))).await
}

/// Answers at once what the sessions say, and goes on with what a model makes of it for those who listen.
async fn respond(
    desk: &Arc<Desk>,
    trust: Trust,
    said: &Said,
    shown: fn(Answer) -> Value,
) -> Answered<Response> {
    let query = said.wish::<Question>()?.check()?;
    let query = Arc::new(query);
    let asked = Arc::clone(&query);
    let found = desk.brains.ask(Effort::Long, move |brain| answer(brain, &asked)).await?;
    let is_model_asked = trust == Trust::Token && query.options.model;
    let pieces = is_model_asked.then(|| ask_model(desk, query, found.clone())).flatten();
    let accepted = said.headers.get(header::ACCEPT).and_then(|accepted| accepted.to_str().ok());
    let found = shown(found);
    if accepted.is_some_and(|accepted| accepted.contains("text/event-stream")) {
        return Ok(stream_out(&found, pieces, shown));
    }
    let mut answer = found;
    if let Some(mut pieces) = pieces {
        while let Some(piece) = pieces.next.recv().await {
            if let Piece::Answer(told) = piece {
                answer = shown(told);
            }
        }
    }
    let body = serde_json::to_vec(&answer).map_err(|error| Failure::internal(error.to_string()))?;
    Ok(answer_json(&said.headers, Holds::ForNow, body))
}

/// What a model says, piece by piece. It is stopped when nobody listens any more.
struct Pieces {
    next: mpsc::Receiver<Piece>,
    stop: Arc<AtomicBool>,
}

impl Drop for Pieces {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

enum Piece {
    /// More of the answer.
    More(String),
    /// It begins anew.
    Anew,
    /// The whole answer.
    Answer(Answer),
    /// There is none, and why.
    None(String),
}

/// Lets a model answer, if it shall.
fn ask_model(desk: &Arc<Desk>, query: Arc<Question>, found: Answer) -> Option<Pieces> {
    const ROOM: usize = 64;
    let settings = (desk.settings)(None).ok()?;
    if !Analyst::shall_answer(&settings, &found) {
        return None;
    }
    // Whoever comes when too many are waiting gets what the sessions say.
    let turn = Arc::clone(&desk.answers).try_acquire_owned().ok()?;
    let (pieces, next) = mpsc::channel(ROOM);
    let stop = Arc::new(AtomicBool::new(false));
    let (stopped, folder) = (Arc::clone(&stop), desk.daemon.status().data_folder);
    tokio::task::spawn_blocking(move || {
        let _turn = turn;
        // Whoever listened may have gone, which stops the model, too.
        let tell = |piece| drop(pieces.blocking_send(piece));
        let on_event = |event: Happened<'_>| match event {
            Happened::Answering { text, .. } if !text.is_empty() => {
                tell(Piece::More(text.to_owned()));
            }
            Happened::Anew => tell(Piece::Anew),
            _ => {}
        };
        let watch = Watch { stop: &stopped, on_event: &on_event };
        let answered = Analyst::open(&folder, &settings, "daemon answer", Zoned::now)
            .and_then(|mut analyst| analyst.answer(&query.query, &found, &watch));
        tell(match answered {
            Ok(ModelAnswer::Answered { answer, .. }) => Piece::Answer(answer),
            Ok(ModelAnswer::NotAsked) => Piece::None("the model was not asked".to_owned()),
            Ok(ModelAnswer::Failed { error, .. }) => Piece::None(error.to_string()),
            Ok(ModelAnswer::OverDay { .. }) => {
                Piece::None("nothing more may be taken by models today".to_owned())
            }
            Err(error) => Piece::None(pi_brain_daemon::chain(&error)),
        });
    });
    Some(Pieces { next, stop })
}

/// Sends what the sessions say, then what the model says, as it says it.
fn stream_out(found: &Value, pieces: Option<Pieces>, shown: fn(Answer) -> Value) -> Response {
    let first = event("extractive", found);
    let rest = stream::unfold(pieces, move |pieces| async move {
        let mut pieces = pieces?;
        let event = match pieces.next.recv().await? {
            Piece::More(text) => event("more", &json!({ "text": text })),
            Piece::Anew => event("anew", &json!({})),
            Piece::Answer(answer) => event("answer", &shown(answer)),
            Piece::None(why) => event("no_answer", &json!({ "message": why })),
        };
        Some((event, Some(pieces)))
    });
    let last = stream::once(async { event("end", &json!({})) });
    let all = stream::StreamExt::chain(stream::once(async { first }), rest);
    let all = stream::StreamExt::chain(all, last);
    Sse::new(stream::StreamExt::map(all, Ok::<_, Infallible>))
        .keep_alive(KeepAlive::default())
        .into_response()
}

fn event(name: &str, data: &Value) -> Event {
    Event::default().event(name).data(data.to_string())
}
