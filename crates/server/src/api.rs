//! What can be asked. Each question is said once: from that come its route, its description, and how it is answered.

use std::future::Future;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, delete, get, post};
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::brains::{Brain, Effort};
use crate::desk::Desk;
use crate::download::Download;
use crate::failure::{Answered, Failure};
use crate::openapi::{Document, Operation};
use crate::params::Params;
use crate::said::{Said, Wish};

/// The questions, collected one by one.
pub(crate) struct Api {
    router: Router<Arc<Desk>>,
    document: Document,
}

/// What comes back: it can be written as JSON, and described.
pub(crate) trait Reply: Serialize + JsonSchema + Send + 'static {}

impl<T: Serialize + JsonSchema + Send + 'static> Reply for T {}

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
    pub(crate) fn get<Q: Params, T: Reply>(
        self,
        path: &'static str,
        about: &'static str,
        answer: fn(&mut Brain, Q) -> Answered<T>,
    ) -> Self {
        let operation = Operation::of::<Q, (), T>("get", path, about);
        let answer = move |brain: &mut Brain, question, ()| answer(brain, question);
        self.ask_brain(operation, Effort::Long, Holds::ForNow, answer)
    }

    /// Adds a question about one thing, which is answered at once.
    pub(crate) fn get_one<Q: Params, T: Reply>(
        self,
        path: &'static str,
        about: &'static str,
        answer: fn(&mut Brain, Q) -> Answered<T>,
    ) -> Self {
        let operation = Operation::of::<Q, (), T>("get", path, about);
        let answer = move |brain: &mut Brain, question, ()| answer(brain, question);
        self.ask_brain(operation, Effort::Short, Holds::ForNow, answer)
    }

    /// Adds a question about one thing whose answer never changes.
    pub(crate) fn get_immutable<Q: Params, T: Reply>(
        self,
        path: &'static str,
        about: &'static str,
        answer: fn(&mut Brain, Q) -> Answered<T>,
    ) -> Self {
        let operation = Operation::of::<Q, (), T>("get", path, about);
        let answer = move |brain: &mut Brain, question, ()| answer(brain, question);
        self.ask_brain(operation, Effort::Short, Holds::Always, answer)
    }

    /// Adds something that a brain does.
    pub(crate) fn post<Q: Params, B: Wish, T: Reply>(
        self,
        path: &'static str,
        about: &'static str,
        act: fn(&mut Brain, Q, B) -> Answered<T>,
    ) -> Self {
        let operation = Operation::of::<Q, B, T>("post", path, about);
        self.ask_brain(operation, Effort::Long, Holds::ForNow, act)
    }

    /// Adds something that a brain takes away.
    pub(crate) fn delete<Q: Params, T: Reply>(
        self,
        path: &'static str,
        about: &'static str,
        act: fn(&mut Brain, Q) -> Answered<T>,
    ) -> Self {
        let operation = Operation::of::<Q, (), T>("delete", path, about);
        let act = move |brain: &mut Brain, question, ()| act(brain, question);
        self.ask_brain(operation, Effort::Long, Holds::ForNow, act)
    }

    fn ask_brain<Q: Params, B: Wish, T: Reply>(
        self,
        operation: Operation,
        effort: Effort,
        holds: Holds,
        answer: impl Fn(&mut Brain, Q, B) -> Answered<T> + Copy + Send + Sync + 'static,
    ) -> Self {
        let (names, is_change) = (Document::parameters::<Q>(), operation.is_change());
        self.add(operation, move |desk: Arc<Desk>, said: Said| async move {
            let (question, wish): (Q, B) = (said.question(&names)?, said.wish()?);
            let answer = move |brain: &mut Brain| encode(&answer(brain, question, wish)?);
            let body = desk.brains.ask(effort, answer).await?;
            if is_change {
                // What was changed has to reach the text index, and those who look on.
                desk.daemon.look();
            }
            Ok(json(&said.headers, holds, body))
        })
    }

    /// Adds something that the daemon tells.
    pub(crate) fn ask_daemon<Q: Params, T: Reply, F>(
        self,
        path: &'static str,
        about: &'static str,
        answer: fn(Arc<Desk>, Q) -> F,
    ) -> Self
    where
        F: Future<Output = Answered<T>> + Send + 'static,
    {
        let names = Document::parameters::<Q>();
        let operation = Operation::of::<Q, (), T>("get", path, about);
        self.add(operation, move |desk: Arc<Desk>, said: Said| async move {
            let answer = encode(&answer(desk, said.question(&names)?).await?)?;
            Ok(json(&said.headers, Holds::ForNow, answer))
        })
    }

    /// Adds something that the daemon is told to do.
    pub(crate) fn tell_daemon<B: Wish, T: Reply, F>(
        self,
        path: &'static str,
        about: &'static str,
        act: fn(Arc<Desk>, B) -> F,
    ) -> Self
    where
        F: Future<Output = Answered<T>> + Send + 'static,
    {
        let operation = Operation::of::<(), B, T>("post", path, about);
        self.add(operation, move |desk: Arc<Desk>, said: Said| async move {
            let done = encode(&act(desk, said.wish()?).await?)?;
            Ok(json(&said.headers, Holds::ForNow, done))
        })
    }

    /// Adds a file that a brain prepares, and that is sent piece by piece.
    pub(crate) fn download<Q: Params>(
        self,
        path: &'static str,
        about: &'static str,
        media: &'static [&'static str],
        prepare: fn(&mut Brain, Q) -> Answered<Download>,
    ) -> Self {
        let names = Document::parameters::<Q>();
        let operation = Operation::of::<Q, (), String>("get", path, about).media(media);
        self.add(operation, move |desk: Arc<Desk>, said: Said| async move {
            let question = said.question(&names)?;
            let prepare = move |brain: &mut Brain| prepare(brain, question);
            desk.brains.ask(Effort::Long, prepare).await?.send().await
        })
    }

    fn add<F>(
        self,
        operation: Operation,
        answer: impl FnOnce(Arc<Desk>, Said) -> F + Clone + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Answered<Response>> + Send + 'static,
    {
        let handler = move |State(desk): State<Arc<Desk>>, said: Said| answer(desk, said);
        let handler = match operation.method() {
            "post" => post(handler),
            "delete" => delete(handler),
            _ => get(handler),
        };
        self.route(operation, handler)
    }

    /// Adds something that answers in its own way.
    pub(crate) fn route(mut self, operation: Operation, handler: MethodRouter<Arc<Desk>>) -> Self {
        self.document.add(&operation);
        self.router = self.router.route(operation.path(), handler);
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
