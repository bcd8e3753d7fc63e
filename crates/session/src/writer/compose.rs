//! Lines as pi writes them.

use uuid::Uuid;

use super::Mint;
use crate::entry::EntryId;
use crate::json::quote;
use crate::log::CURRENT_VERSION;
use crate::time::Millis;

/// Makes the id of a new session: a UUID that begins with the time.
pub fn new_session_id(mint: &mut (impl Mint + ?Sized), now: Millis) -> String {
    let random = mint.random().to_be_bytes();
    let mut bits = [0; 10];
    bits.copy_from_slice(&random[..10]);
    let since_1970 = u64::try_from(now.0).unwrap_or_default();
    let id: Uuid = uuid::Builder::from_unix_timestamp_millis(since_1970, &bits).into_uuid();
    id.to_string()
}

/// Makes the first line of a session; `parent` is the file that it was forked from.
pub fn header_line(id: &str, now: Millis, cwd: &str, parent: Option<&str>) -> String {
    line(&[
        ("type", Some(quote("session"))),
        ("version", Some(CURRENT_VERSION.to_string())),
        ("id", Some(quote(id))),
        ("timestamp", Some(quote(&now.to_string()))),
        ("cwd", Some(quote(cwd))),
        ("parentSession", parent.map(quote)),
    ])
}

/// Writes an object as one line, leaving out what has no value.
pub(super) fn line(fields: &[(&str, Option<String>)]) -> String {
    // JSON from elsewhere may be spread over lines; a line break in it can only stand between tokens.
    let on_one_line = |value: &String| value.replace(['\n', '\r'], " ");
    let members: Vec<String> = fields
        .iter()
        .filter_map(|(key, value)| Some(format!("{}:{}", quote(key), on_one_line(value.as_ref()?))))
        .collect();
    format!("{{{}}}\n", members.join(","))
}

pub(super) fn quoted_or_null(id: Option<&EntryId>) -> String {
    id.map_or_else(|| "null".to_owned(), |id| quote(id.as_str()))
}
