//! What can be asked. Each question is said once: from that come its route, its description, and how it is answered.

use std::future::Future;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{RawPathParams, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, delete, get, post};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::brains::{Brain, Effort};
use crate::desk::Desk;
use crate::download::Download;
use crate::failure::{Answered, Failure};
use crate::openapi::{Document, Operation};
use crate::params::Params;

/// The questions, collected one by one.
pub(crate) struct Api {
    router: Router<Arc<Desk>>,
    document: Document,
}

/// How long an answer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// Until something changes: whoever has it asks whether it is still the same.
    ForNow,
    /// For ever, such as a version of a node.
    Always,
}

impl Api {
    pub(crate) fn new() -> Self {
        Self { router: Router::new(), document: Document::default() }
    }

    /// Adds a question that a brain answers.
    pub(crate) fn get<Q, T>(
        self,
        path: &'static str,
        about: &'static str,
        answer: fn(&mut Brain, Q) -> Answered<T>,
    ) -> Self
    where
        Q: Params,
        T: Serialize + JsonSchema + Send + 'static,
    {
        self.read(path, about, (Effort::Long, Holds::ForNow), answer)
    }

    /// Adds a question about one thing, which is answered at once.
    pub(crate) fn get_one<Q, T>(
        self,
        path: &'static str,
        about: &'static str,
        answer: fn(&mut Brain, Q) -> Answered<T>,
    ) -> Self
    where
        Q: Params,
        T: Serialize + JsonSchema + Send + 'static,
    {
        self.read(path, about, (Effort::Short, Holds::ForNow), answer)
    }

    /// Adds a question about one thing whose answer never changes.
    pub(crate) fn get_immutable<Q, T>(
        self,
        path: &'static str,
        about: &'static str,
        answer: fn(&mut Brain, Q) -> Answered<T>,
    ) -> Self
    where
        Q: Params,
        T: Serialize + JsonSchema + Send + 'static,
    {
        self.read(path, about, (Effort::Short, Holds::Always), answer)
    }

    fn read<Q, T>(
        self,
        path: &'static str,
        about: &'static str,
        (effort, holds): (Effort, Holds),
        answer: fn(&mut Brain, Q) -> Answered<T>,
    ) -> Self
    where
        Q: Params,
        T: Serialize + JsonSchema + Send + 'static,
    {
        let names = Document::parameters::<Q>();
        let handler = move |State(desk): State<Arc<Desk>>,
                            path: RawPathParams,
                            RawQuery(query): RawQuery,
                            headers: HeaderMap| {
            async move {
                let question = Q::read(&path, query.as_deref(), &names)?;
                let body = desk.brains.ask(effort, move |brain| encode(&answer(brain, question)?));
                Ok::<_, Failure>(json(&headers, holds, body.await?))
            }
        };
        let operation = Operation::of::<Q, (), T>("get", path, about);
        self.add(path, operation, get(handler))
    }

    /// Adds something that a brain does.
    pub(crate) fn post<Q, B, T>(
        self,
        path: &'static str,
        about: &'static str,
        act: fn(&mut Brain, Q, B) -> Answered<T>,
    ) -> Self
    where
        Q: Params,
        B: DeserializeOwned + JsonSchema + Send + 'static,
        T: Serialize + JsonSchema + Send + 'static,
    {
        let names = Document::parameters::<Q>();
        let handler =
            move |State(desk): State<Arc<Desk>>,
                  path: RawPathParams,
                  RawQuery(query): RawQuery,
                  headers: HeaderMap,
                  body: Result<Bytes, axum::extract::rejection::BytesRejection>| {
                async move {
                    let question = Q::read(&path, query.as_deref(), &names)?;
                    let wish: B = parse_body(&headers, body)?;
                    let done = desk
                        .brains
                        .ask(Effort::Long, move |brain| encode(&act(brain, question, wish)?));
                    let done = done.await?;
                    // What was changed has to reach the text index, and those who look on.
                    desk.daemon.look();
                    Ok::<_, Failure>(json(&headers, Holds::ForNow, done))
                }
            };
        let operation = Operation::of::<Q, B, T>("post", path, about);
        self.add(path, operation, post(handler))
    }

    /// Adds something that a brain takes away.
    pub(crate) fn delete<Q, T>(
        self,
        path: &'static str,
        about: &'static str,
        act: fn(&mut Brain, Q) -> Answered<T>,
    ) -> Self
    where
        Q: Params,
        T: Serialize + JsonSchema + Send + 'static,
    {
        let names = Document::parameters::<Q>();
        let handler = move |State(desk): State<Arc<Desk>>,
                            path: RawPathParams,
                            RawQuery(query): RawQuery,
                            headers: HeaderMap| {
            async move {
                let question = Q::read(&path, query.as_deref(), &names)?;
                let done = desk
                    .brains
                    .ask(Effort::Long, move |brain| encode(&act(brain, question)?))
                    .await?;
                desk.daemon.look();
                Ok::<_, Failure>(json(&headers, Holds::ForNow, done))
            }
        };
        let operation = Operation::of::<Q, (), T>("delete", path, about);
        self.add(path, operation, delete(handler))
    }

    /// Adds something that the daemon does, or tells of itself.
    pub(crate) fn ask_daemon<Q, T, F>(
        self,
        path: &'static str,
        about: &'static str,
        answer: fn(Arc<Desk>, Q) -> F,
    ) -> Self
    where
        Q: Params,
        T: Serialize + JsonSchema + Send + 'static,
        F: Future<Output = Answered<T>> + Send + 'static,
    {
        let names = Document::parameters::<Q>();
        let handler = move |State(desk): State<Arc<Desk>>,
                            path: RawPathParams,
                            RawQuery(query): RawQuery,
                            headers: HeaderMap| {
            async move {
                let question = Q::read(&path, query.as_deref(), &names)?;
                let answer = encode(&answer(desk, question).await?)?;
                Ok::<_, Failure>(json(&headers, Holds::ForNow, answer))
            }
        };
        let operation = Operation::of::<Q, (), T>("get", path, about);
        self.add(path, operation, get(handler))
    }

    /// Adds something that the daemon is told to do.
    pub(crate) fn tell_daemon<B, T, F>(
        self,
        path: &'static str,
        about: &'static str,
        act: fn(Arc<Desk>, B) -> F,
    ) -> Self
    where
        B: DeserializeOwned + JsonSchema + Send + 'static,
        T: Serialize + JsonSchema + Send + 'static,
        F: Future<Output = Answered<T>> + Send + 'static,
    {
        let handler =
            move |State(desk): State<Arc<Desk>>,
                  headers: HeaderMap,
                  body: Result<Bytes, axum::extract::rejection::BytesRejection>| {
                async move {
                    let wish: B = parse_body(&headers, body)?;
                    let done = encode(&act(desk, wish).await?)?;
                    Ok::<_, Failure>(json(&headers, Holds::ForNow, done))
                }
            };
        let operation = Operation::of::<(), B, T>("post", path, about);
        self.add(path, operation, post(handler))
    }

    /// Adds a file that a brain prepares, and that is sent piece by piece.
    pub(crate) fn download<Q: Params>(
        self,
        path: &'static str,
        about: &'static str,
        media: &'static str,
        prepare: fn(&mut Brain, Q) -> Answered<Download>,
    ) -> Self {
        let names = Document::parameters::<Q>();
        let handler = move |State(desk): State<Arc<Desk>>,
                            path: RawPathParams,
                            RawQuery(query): RawQuery| {
            async move {
                let question = Q::read(&path, query.as_deref(), &names)?;
                let file =
                    desk.brains.ask(Effort::Long, move |brain| prepare(brain, question)).await?;
                file.send().await
            }
        };
        let operation = Operation::of::<Q, (), String>("get", path, about).media(media);
        self.add(path, operation, get(handler))
    }

    /// Adds something that answers in its own way.
    pub(crate) fn route(
        self,
        path: &'static str,
        operation: Operation,
        handler: MethodRouter<Arc<Desk>>,
    ) -> Self {
        self.add(path, operation, handler)
    }

    fn add(
        mut self,
        path: &'static str,
        operation: Operation,
        handler: MethodRouter<Arc<Desk>>,
    ) -> Self {
        self.document.add(&operation);
        self.router = self.router.route(path, handler);
        self
    }

    /// Returns the routes, and the document that describes them.
    pub(crate) fn finish(self) -> (Router<Arc<Desk>>, Vec<u8>) {
        (self.router, self.document.finish())
    }
}

fn encode(value: &impl Serialize) -> Answered<Vec<u8>> {
    serde_json::to_vec(value).map_err(|error| Failure::internal(error.to_string()))
}

/// Reads a body. An empty one stands for one that says nothing.
pub(crate) fn parse_body<B: DeserializeOwned>(
    headers: &HeaderMap,
    body: Result<Bytes, axum::extract::rejection::BytesRejection>,
) -> Answered<B> {
    let body = body.map_err(|error| match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Failure::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too_large",
            "the body is too large",
            "send less at once",
        ),
        _ => Failure::bad_request(error.body_text()),
    })?;
    // A form of another site can send text, but no JSON, without being asked for permission first.
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_json = kind.is_some_and(|kind| {
        kind.split(';').next().is_some_and(|kind| kind.trim() == "application/json")
    });
    if !body.is_empty() && !is_json {
        return Err(Failure::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "not_json",
            "the body has to be JSON",
            "send it with `Content-Type: application/json`",
        ));
    }
    let text: &[u8] = if body.is_empty() { b"{}" } else { &body };
    serde_json::from_slice(text).map_err(|error| Failure::bad_request(error.to_string()))
}

/// Answers with JSON, or says that the answer is the one that whoever asks has already.
pub(crate) fn json(headers: &HeaderMap, holds: Holds, body: Vec<u8>) -> Response {
    let digest = Sha256::digest(&body);
    let number = digest.iter().take(8).fold(0, |sum, &byte| sum << 8 | u64::from(byte));
    // Weak, because what is sent may be compressed.
    let tag = format!("W/\"{number:016x}\"");
    let caching = match holds {
        Holds::ForNow => "private, no-cache",
        Holds::Always => "private, max-age=31536000, immutable",
    };
    let known = headers.get_all(header::IF_NONE_MATCH).iter();
    let mut known = known.filter_map(|value| value.to_str().ok()).flat_map(|all| all.split(','));
    let is_known = known.any(|known| known.trim() == tag);
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, "application/json")], body).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}
