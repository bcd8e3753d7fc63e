//! Whatever happens to a file, it is read: no panic, no hang, and no contradiction.

use std::fs;

use pi_brain_session::{SessionInfo, list_sessions};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::exercise::exercise;
use crate::generate::{any_oddities, any_session, cases};

/// Something that can happen to a file.
#[derive(Clone, Debug)]
pub(crate) enum Damage {
    Change(Index, u8),
    Insert(Index, Vec<u8>),
    Delete(Index, usize),
    CutOff(Index),
    SwapLines(Index, Index),
    RepeatLine(Index, Index),
    JoinLines(Index),
}

pub(crate) fn any_damage() -> impl Strategy<Value = Vec<Damage>> {
    let at = any::<Index>;
    let bytes = prop_oneof![
        prop::collection::vec(any::<u8>(), 1..6),
        prop::sample::select(
            &[
                "{", "}", "\"", "\n", "[", "]", ",", ":", "\\", "null", "\0\0\0", "\u{feff}", "{}",
                "0"
            ][..]
        )
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    let damage = prop_oneof![
        3 => (at(), any::<u8>()).prop_map(|(at, byte)| Damage::Change(at, byte)),
        3 => (at(), bytes).prop_map(|(at, bytes)| Damage::Insert(at, bytes)),
        2 => (at(), 1_usize..40).prop_map(|(at, length)| Damage::Delete(at, length)),
        1 => at().prop_map(Damage::CutOff),
        2 => (at(), at()).prop_map(|(one, other)| Damage::SwapLines(one, other)),
        2 => (at(), at()).prop_map(|(from, to)| Damage::RepeatLine(from, to)),
        2 => at().prop_map(Damage::JoinLines),
    ];
    prop::collection::vec(damage, 0..6)
}

pub(crate) fn damaged(bytes: Vec<u8>, damage: &[Damage]) -> Vec<u8> {
    damage.iter().fold(bytes, |mut bytes, damage| {
        if bytes.is_empty() {
            return bytes;
        }
        let lines =
            || bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
        match damage {
            Damage::Change(at, byte) => {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            Damage::Insert(at, inserted) => {
                let at = at.index(bytes.len());
                bytes.splice(at..at, inserted.iter().copied());
            }
            Damage::Delete(at, length) => {
                let at = at.index(bytes.len());
                bytes.drain(at..(at + length).min(bytes.len()));
            }
            Damage::CutOff(at) => bytes.truncate(at.index(bytes.len())),
            Damage::SwapLines(one, other) => {
                let mut lines = lines();
                let (one, other) = (one.index(lines.len()), other.index(lines.len()));
                lines.swap(one, other);
                bytes = lines.concat();
            }
            Damage::RepeatLine(from, to) => {
                let mut lines = lines();
                let line = lines[from.index(lines.len())].clone();
                lines.insert(to.index(lines.len()), line);
                bytes = lines.concat();
            }
            Damage::JoinLines(at) => {
                let breaks: Vec<usize> = line_breaks(&bytes);
                if !breaks.is_empty() {
                    bytes.remove(breaks[at.index(breaks.len())]);
                }
            }
        }
        bytes
    })
}

fn line_breaks(bytes: &[u8]) -> Vec<usize> {
    (0..bytes.len()).filter(|&at| bytes[at] == b'\n').collect()
}

proptest! {
    #![proptest_config(cases(250))]

    #[test]
    fn damaged_sessions_are_read(
        sketch in any_session(16),
        oddities in any_oddities(),
        damage in any_damage(),
        cut in any::<Index>(),
    ) {
        let bytes = damaged(sketch.spaced_text(&oddities).into_bytes(), &damage);
        let was_session = exercise(&bytes, cut.index(bytes.len() + 1));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        fs::write(&path, &bytes).unwrap();
        let (infos, unreadable) = list_sessions(std::slice::from_ref(&path), || {});
        prop_assert_eq!((infos.len(), unreadable.len()), if was_session { (1, 0) } else { (0, 1) });
        if let Ok(info) = SessionInfo::read(&path) {
            prop_assert_eq!(info.size, bytes.len() as u64);
        }
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300), cut in any::<Index>()) {
        let header = b"{\"type\":\"session\",\"version\":3,\"id\":\"s\"}\n";
        exercise(&bytes, cut.index(bytes.len() + 1));
        let bytes = [&header[..], &bytes].concat();
        prop_assert!(exercise(&bytes, cut.index(bytes.len() + 1)));
    }
}
