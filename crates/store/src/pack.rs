//! Values as few bytes.
//!
//! What stands at the same place of many values that are alike goes side by side: the times of all entries, then all their
//! lengths, as in a table that is kept by columns. Neighbours differ little then, and compress well. What looks random (ids,
//! digests) is kept apart from the rest, which it would spoil. A value of a few bytes is kept as it is.

use std::cell::RefCell;

use serde::Serialize;
use serde::de::DeserializeOwned;
use zstd::bulk::{Compressor, Decompressor};

use crate::error::StoreError;

use self::columns::{ColumnReader, ColumnWriter};
use self::reading::Reader;
use self::writing::Writer;

pub(crate) mod bytes;
mod columns;
mod reading;
mod writing;

/// How hard the compressor tries.
const LEVEL: i32 = 3;

/// Nothing that is packed is larger; a length that says so is damaged.
const MOST: u64 = 1 << 32;

/// What a value starts with that is packed by columns. Any other starts with a mark of the compressor.
const BY_COLUMNS: u8 = 1;

/// Below so many bytes, columns would take more room than they save.
const FEW: usize = 256;

/// Packs a value.
pub(crate) fn pack(value: &impl Serialize) -> Vec<u8> {
    let mut columns = ColumnWriter::default();
    let place = columns.root();
    let writer = Writer { columns: &mut columns, place };
    value.serialize(writer).expect("what is kept has a length known beforehand");
    let (even, random) = columns.finish();
    if even.len() + random.len() < FEW {
        return pack_row(value);
    }
    let even = compress(&even);
    let mut bytes = vec![BY_COLUMNS];
    bytes.extend(u32::try_from(even.len()).expect("nothing is that large").to_le_bytes());
    bytes.extend(even);
    if !random.is_empty() {
        bytes.extend(compress(&random));
    }
    bytes
}

/// Unpacks a value; `what` names it if it turns out to be damaged.
pub(crate) fn unpack<T: DeserializeOwned>(bytes: &[u8], what: &str) -> Result<T, StoreError> {
    let unpacked = match bytes.split_first() {
        Some((&BY_COLUMNS, columns)) => unpack_columns(columns),
        _ => unpack_row(bytes),
    };
    unpacked.map_err(|why| StoreError::Damaged { what: what.to_owned(), why })
}

fn unpack_columns<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let cut_short = || "it is cut short".to_owned();
    let (length, rest) = bytes.split_first_chunk().ok_or_else(cut_short)?;
    let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|why| why.to_string())?;
    let (even, random) = rest.split_at_checked(length).ok_or_else(cut_short)?;
    let even = decompress(even)?;
    let random = if random.is_empty() { Vec::new() } else { decompress(random)? };
    let mut columns = ColumnReader::new(&even, &random).ok_or_else(cut_short)?;
    let place = columns.root();
    T::deserialize(Reader { columns: &mut columns, place }).map_err(|why| why.to_string())
}

/// Packs one thing behind the other. Before there were columns, every value was packed like this.
fn pack_row(value: &impl Serialize) -> Vec<u8> {
    compress(&postcard::to_stdvec(value).expect("what is kept has a length known beforehand"))
}

fn unpack_row<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    postcard::from_bytes(&decompress(bytes)?).map_err(|why| why.to_string())
}

fn compress(bytes: &[u8]) -> Vec<u8> {
    // Its tables are larger than most of what is compressed, so that making them anew took as long as using them.
    thread_local! {
        static COMPRESSOR: RefCell<Compressor<'static>> =
            RefCell::new(Compressor::new(LEVEL).expect("there is memory for it"));
    }
    COMPRESSOR
        .with_borrow_mut(|compressor| compressor.compress(bytes))
        .expect("there is memory for it")
}

fn decompress(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let length = zstd::zstd_safe::get_frame_content_size(bytes).ok().flatten();
    let length = length.filter(|length| *length <= MOST).and_then(|length| length.try_into().ok());
    let length = length.ok_or_else(|| "it has no length".to_owned())?;
    thread_local! {
        static DECOMPRESSOR: RefCell<Decompressor<'static>> =
            RefCell::new(Decompressor::new().expect("there is memory for it"));
    }
    DECOMPRESSOR
        .with_borrow_mut(|decompressor| decompressor.decompress(bytes, length))
        .map_err(|why| why.to_string())
}

/// Why a value cannot be packed or unpacked.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct PackError(String);

impl serde::ser::Error for PackError {
    fn custom<T: std::fmt::Display>(why: T) -> Self {
        Self(why.to_string())
    }
}

impl serde::de::Error for PackError {
    fn custom<T: std::fmt::Display>(why: T) -> Self {
        Self(why.to_string())
    }
}

#[cfg(test)]
mod tests;
