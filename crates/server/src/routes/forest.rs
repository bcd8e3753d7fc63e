//! Editable trees.

use crate::api::Api;

pub(super) fn add(api: Api) -> Api {
    api
}
