//! What happens, for those who keep a connection open.

use axum::http::StatusCode;

pub(crate) async fn open() -> StatusCode {
    StatusCode::NOT_IMPLEMENTED
}
