//! Values as few bytes: a compact binary form, compressed.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::StoreError;

/// How hard the compressor tries.
const LEVEL: i32 = 3;

/// Nothing that is packed is larger; a length that says so is damaged.
const MOST: u64 = 1 << 32;

/// Packs a value.
pub(crate) fn pack(value: &impl Serialize) -> Vec<u8> {
    let bytes = postcard::to_stdvec(value).expect("what is kept has a length known beforehand");
    zstd::bulk::compress(&bytes, LEVEL).expect("there is memory for it")
}

/// Unpacks a value; `what` names it if it turns out to be damaged.
pub(crate) fn unpack<T: DeserializeOwned>(bytes: &[u8], what: &str) -> Result<T, StoreError> {
    let damaged = |why: String| StoreError::Damaged { what: what.to_owned(), why };
    let length = zstd::zstd_safe::get_frame_content_size(bytes).ok().flatten();
    let length = length.filter(|length| *length <= MOST).and_then(|length| length.try_into().ok());
    let length = length.ok_or_else(|| damaged("it has no length".to_owned()))?;
    let bytes = zstd::bulk::decompress(bytes, length).map_err(|why| damaged(why.to_string()))?;
    postcard::from_bytes(&bytes).map_err(|why| damaged(why.to_string()))
}
