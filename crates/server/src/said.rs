//! What a request says: in its path, its query and its body.

use std::any::TypeId;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use axum::http::{HeaderMap, StatusCode, header};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::failure::{Answered, Failure};
use crate::params::Params;

/// What a body may be: it can be read from JSON, and described. `()` stands for none.
pub(crate) trait Wish: DeserializeOwned + JsonSchema + Send + 'static {}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> Wish for T {}

/// A request that is not understood yet.
pub(crate) struct Said {
    path: RawPathParams,
    query: Option<String>,
    pub(crate) headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
}

impl<S: Send + Sync> FromRequest<S> for Said {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Answered<Self> {
        let (mut parts, body) = request.into_parts();
        let path = RawPathParams::from_request_parts(&mut parts, state).await;
        let path = path.map_err(|error| Failure::bad_request(error.body_text()))?;
        let (query, headers) = (parts.uri.query().map(str::to_owned), parts.headers.clone());
        let body = Bytes::from_request(Request::from_parts(parts, body), state).await;
        Ok(Self { path, query, headers, body })
    }
}

impl Said {
    /// Reads what the path and the query say; `names` are those of all parameters.
    pub(crate) fn question<Q: Params>(&self, names: &Arc<[String]>) -> Answered<Q> {
        Q::read(&self.path, self.query.as_deref(), names)
    }

    /// Reads the body. An empty one stands for one that says nothing.
    pub(crate) fn wish<B: Wish>(&self) -> Answered<B> {
        if TypeId::of::<B>() == TypeId::of::<()>() {
            return parse(b"null");
        }
        let body = self.body.as_ref().map_err(|error| match error.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Failure::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "too_large",
                "the body is too large",
                "send less at once",
            ),
            _ => Failure::bad_request(error.body_text()),
        })?;
        // A form of another site can send text, but no JSON, without being asked for permission first.
        let kind = self.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
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
        parse(if body.is_empty() { b"{}" } else { body })
    }
}

fn parse<B: DeserializeOwned>(text: &[u8]) -> Answered<B> {
    serde_json::from_slice(text).map_err(|error| Failure::bad_request(error.to_string()))
}
