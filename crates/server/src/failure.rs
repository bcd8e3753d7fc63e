//! The one shape of everything that is refused or goes wrong.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use pi_brain_app::AppError;
use pi_brain_daemon::{Refusal, chain};
use pi_brain_forest::ForestError;
use pi_brain_search::SearchError;
use pi_brain_session::SessionError;
use pi_brain_store::StoreError;
use schemars::JsonSchema;
use serde::Serialize;

/// Why a request was not answered as it should be.
#[derive(Debug)]
pub(crate) struct Failure {
    status: StatusCode,
    problem: Problem,
}

/// What went wrong.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Problem {
    /// A word for programs.
    pub(crate) code: &'static str,
    /// What went wrong, for people.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: &'static str,
}

/// How every failure is told.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Told {
    /// What went wrong.
    error: Problem,
}

/// The result of answering a request.
pub(crate) type Answered<T> = Result<T, Failure>;

impl Failure {
    pub(crate) fn new(
        status: StatusCode,
        code: &'static str,
        message: impl Into<String>,
        hint: &'static str,
    ) -> Self {
        Self { status, problem: Problem { code, message: message.into(), hint } }
    }

    /// The request makes no sense.
    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        let hint = "/api/openapi.json says what can be asked, and how";
        Self::new(StatusCode::BAD_REQUEST, "bad_request", message, hint)
    }

    /// There is no such thing.
    pub(crate) fn not_found(message: impl Into<String>, hint: &'static str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", message, hint)
    }

    /// It could be done, but not as things are.
    pub(crate) fn conflict(
        code: &'static str,
        message: impl Into<String>,
        hint: &'static str,
    ) -> Self {
        Self::new(StatusCode::CONFLICT, code, message, hint)
    }

    pub(crate) fn stopping() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "stopping",
            "the daemon is about to end",
            "`pi-brain daemon start` starts another",
        )
    }

    /// Too much is being asked at once, or somebody else writes.
    pub(crate) fn busy(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message, "ask again in a moment")
    }

    /// Something that should not go wrong; the log of the daemon has no more than this.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        let hint = "`pi-brain doctor` looks for what is wrong";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message, hint)
    }

    pub(crate) fn problem(&self) -> &Problem {
        &self.problem
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let is_passing = self.status == StatusCode::SERVICE_UNAVAILABLE;
        let mut response = (self.status, Json(Told { error: self.problem })).into_response();
        if is_passing {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

impl From<AppError> for Failure {
    fn from(error: AppError) -> Self {
        match error {
            AppError::Store(error) => error.into(),
            AppError::Search(error) => error.into(),
            AppError::Forest(error) => error.into(),
            AppError::Session(error) => error.into(),
            AppError::Setting { .. } | AppError::Config { .. } => Self::bad_request(chain(&error)),
            AppError::NoModel | AppError::NoPrice => Self::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "no_model",
                chain(&error),
                "docs/models.md says how to choose a model",
            ),
            error => Self::internal(chain(&error)),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NodeNotFound(_) => {
                Self::not_found(chain(&error), "GET /api/v1/nodes lists what is there")
            }
            StoreError::SessionNotFound(_) => {
                Self::not_found(chain(&error), "GET /api/v1/sessions lists what is there")
            }
            StoreError::EdgeNotFound(_) => {
                Self::not_found(chain(&error), "GET /api/v1/edges lists what is there")
            }
            StoreError::Locked { .. } => Self::busy(chain(&error)),
            StoreError::Brain(_) => Self::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "not_possible",
                chain(&error),
                "docs/node.schema.json says what a node looks like",
            ),
            StoreError::Forest(error) => error.into(),
            error => Self::internal(chain(&error)),
        }
    }
}

impl From<SearchError> for Failure {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::BadDate { .. } | SearchError::BadValue { .. } => {
                Self::bad_request(chain(&error))
            }
            error => Self::internal(chain(&error)),
        }
    }
}

impl From<ForestError> for Failure {
    fn from(error: ForestError) -> Self {
        let message = chain(&error);
        match error {
            ForestError::NodeNotFound(_)
            | ForestError::NodeDeleted(_)
            | ForestError::RootNotFound(_)
            | ForestError::RootDeleted(_)
            | ForestError::BookmarkNotFound(_)
            | ForestError::SessionNotFound(_) => {
                Self::not_found(message, "GET /api/v1/forest lists the trees that are there")
            }
            ForestError::SessionGone { .. } => Self::new(
                StatusCode::NOT_FOUND,
                "session_gone",
                message,
                "somebody moved or deleted the file",
            ),
            ForestError::BadId(_) => Self::bad_request(message),
            ForestError::Locked { .. } => Self::busy(message),
            ForestError::Corrupt { .. }
            | ForestError::FormatTooNew { .. }
            | ForestError::Read { .. }
            | ForestError::Write { .. }
            | ForestError::Store(_) => Self::internal(message),
            _ => Self::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "not_possible",
                message,
                "docs/forest.md says what can be done with a tree",
            ),
        }
    }
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        let message = chain(&error);
        match error {
            SessionError::FileNotFound(_)
            | SessionError::NotASession(_)
            | SessionError::EntryNotFound(_) => {
                Self::not_found(message, "GET /api/v1/sessions lists what is there")
            }
            SessionError::RecentlyWritten { .. } | SessionError::ChangedMeanwhile(_) => {
                Self::conflict("session_in_use", message, "close pi, or ask again with force")
            }
            SessionError::NotOnBranch(_)
            | SessionError::NotEditable(_)
            | SessionError::BadSessionId(_)
            | SessionError::BadMessage
            | SessionError::OldVersion { .. } => Self::bad_request(message),
            _ => Self::internal(message),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::internal(chain(&error))
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Stopping => Self::stopping(),
            Refusal::Failed(message) => Self::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "not_possible",
                message,
                "`pi-brain daemon status` shows how things stand",
            ),
        }
    }
}
