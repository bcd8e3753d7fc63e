//! Packed values come back as they were.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use super::{BY_COLUMNS, bytes, pack, pack_row, unpack};

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
struct Row {
    time: Option<i64>,
    id: Option<Arc<str>>,
    start: u64,
    digest: u32,
    cost: f64,
    bytes: [u8; 4],
    shape: Shape,
    rest: BTreeMap<String, Vec<u32>>,
    pair: (bool, char),
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
enum Shape {
    Nothing,
    One(Box<str>),
    Two(i32, u8),
    Named { size: usize, inner: Option<Box<Shape>> },
}

fn shape() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![
        Just(Shape::Nothing),
        ".{0,9}".prop_map(|text| Shape::One(text.into())),
        any::<(i32, u8)>().prop_map(|(number, byte)| Shape::Two(number, byte)),
    ];
    leaf.prop_recursive(2, 4, 1, |inner| {
        (any::<usize>(), proptest::option::of(inner.prop_map(Box::new)))
            .prop_map(|(size, inner)| Shape::Named { size, inner })
    })
}

#[derive(Debug, PartialEq, Deserialize, Serialize)]
struct AtOnce {
    #[serde(with = "bytes")]
    bytes: Vec<u8>,
}

#[derive(Serialize)]
struct OneByOne {
    bytes: Vec<u8>,
}

/// Ids as pi writes them, shorter ones of the same digits, and any text.
fn id() -> impl Strategy<Value = Arc<str>> {
    prop_oneof![4 => "[0-9a-f]{8}", 1 => "[0-9a-f]{0,5}", 1 => ".{0,12}"].prop_map(Arc::from)
}

fn row() -> impl Strategy<Value = Row> {
    let numbers = (any::<u64>(), any::<u32>(), -1e9..1e9_f64, any::<[u8; 4]>());
    let times =
        proptest::option::of(prop_oneof![any::<i64>(), 1_700_000_000_000..1_700_000_900_000_i64]);
    let rest = btree_map("[a-c]{1,2}", vec(any::<u32>(), 0..3), 0..3);
    (times, proptest::option::of(id()), numbers, shape(), rest, any::<(bool, char)>()).prop_map(
        |(time, id, (start, digest, cost, bytes), shape, rest, pair)| Row {
            time,
            id,
            start,
            digest,
            cost,
            bytes,
            shape,
            rest,
            pair,
        },
    )
}

fn returns<T: Serialize + serde::de::DeserializeOwned + PartialEq + Debug>(value: &T) {
    assert_eq!(&unpack::<T>(&pack(value), "a test").unwrap(), value);
}

proptest! {
    #[test]
    fn what_is_packed_comes_back(rows in vec(row(), 0..40)) {
        returns(&rows);
    }

    #[test]
    fn texts_of_one_column_come_back(ids in vec(id(), 0..40), bytes in vec(any::<u8>(), 0..80)) {
        returns(&(ids, bytes));
    }

    #[test]
    fn bytes_at_once_are_what_they_were_one_by_one(bytes in vec(any::<u8>(), 0..600)) {
        returns(&AtOnce { bytes: bytes.clone() });
        let packed = pack_row(&OneByOne { bytes: bytes.clone() });
        prop_assert_eq!(unpack::<AtOnce>(&packed, "a test").unwrap().bytes, bytes);
    }

    #[test]
    fn what_is_damaged_is_no_panic(rows in vec(row(), 0..8), at in any::<usize>(), to in any::<u8>()) {
        let mut packed = pack(&rows);
        let at = at % packed.len();
        packed[at] = to;
        let _ = unpack::<Vec<Row>>(&packed, "a test");
        packed.truncate(at);
        prop_assert!(unpack::<Vec<Row>>(&packed, "a test").is_err());
    }

    #[test]
    fn what_an_older_version_packed_is_read(rows in vec(row(), 0..8)) {
        let packed = pack_row(&rows);
        prop_assert_ne!(packed[0], BY_COLUMNS);
        prop_assert_eq!(unpack::<Vec<Row>>(&packed, "a test").unwrap(), rows);
    }
}

#[test]
fn columns_of_much_the_same_take_little_room() {
    let rows: Vec<(u64, String, Option<i64>)> = (0..1000_u64)
        .map(|at| {
            let digest = at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
            (at * 700, format!("{digest:08x}"), Some(1_700_000_000_000 + at.cast_signed() * 1000))
        })
        .collect();
    // Four bytes of each id cannot be saved.
    let packed = pack(&rows).len();
    assert!((4000..4300).contains(&packed), "{packed} bytes");
}
