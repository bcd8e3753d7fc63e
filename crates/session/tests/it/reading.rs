//! From bytes to entries and back; all at once, or bit by bit as a file grows.

use std::fs;
use std::io::{self, Read, Write};

use pi_brain_session::{
    Entry, Header, Log, Position, Problem, ProblemKind, Refresh, Session, SessionError,
    prefix_check,
};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::damage::{any_damage, damaged};
use crate::generate::{any_oddities, any_session, cases};
use crate::notation::session;

/// All that one can ask a log.
type Seen = (Header, Vec<Entry>, Vec<Problem>, Position, u64);

fn seen(log: &Log) -> Seen {
    let (entries, problems) = (log.entries().to_vec(), log.problems().to_vec());
    (log.header().clone(), entries, problems, log.position(), log.end())
}

fn offset(log: &Log) -> usize {
    usize::try_from(log.position().offset).expect("a test's file is small")
}

/// Reads `bytes` up to `cut`, then the rest; `None` if the beginning alone, or the whole, is no session.
fn read_in_two(bytes: &[u8], cut: usize) -> Option<Seen> {
    let mut log = Log::read(&bytes[..cut]).ok()?;
    log.extend(&bytes[offset(&log)..]).ok()?;
    Some(seen(&log))
}

/// Every kind of entry, with multi-byte text, glued lines, a torn line and no end.
fn motley_file() -> Vec<u8> {
    let text = session(
        "a b:answer c:calls(x) d:result(x); b l:label(a,🧠) m:model(é,ü) k:compaction(b) e:edit(a)",
    );
    let glued = text.replace("}\n{\"type\":\"label\"", "}{\"type\":\"label\"");
    let line = session("z").lines().last().expect("the entry").replace("\"z\"", "\"zz\"");
    let torn = format!("{{\"type\":\"message\",\"id\":\"t\",\"pare{line}\nnull\n\n");
    ["\u{feff}\n \n", &glued, &torn, &line, "\n", "{\"type\":\"mess\u{2028}"].concat().into_bytes()
}

#[test]
fn a_file_can_be_read_in_two_wherever_it_is_cut() {
    let bytes = motley_file();
    let whole = seen(&Log::read(&*bytes).expect("a session"));
    assert!(whole.1.len() > 9 && whole.2.len() > 4, "{whole:?}");
    let mut sessions = 0;
    for cut in 0..=bytes.len() {
        if let Some(in_two) = read_in_two(&bytes, cut) {
            assert_eq!(in_two, whole, "cut at {cut}");
            sessions += 1;
        }
    }
    // Before the end of the header there is nothing; from there on there is always something.
    let header_end = bytes.iter().position(|&byte| byte == b'}').expect("a header") + 1;
    assert_eq!(sessions, bytes.len() + 1 - header_end);
}

#[test]
fn an_old_file_can_be_read_in_two_wherever_it_is_cut() {
    for notation in
        ["v1: a b:hook k:compaction(b) c l:compaction(c) d m:compaction(m)", "v2: a b:hook; a c"]
    {
        let bytes = session(notation).into_bytes();
        let whole = seen(&Log::read(&*bytes).expect("a session"));
        let header_end = bytes.iter().position(|&byte| byte == b'}').expect("a header") + 1;
        for cut in header_end..=bytes.len() {
            assert_eq!(read_in_two(&bytes, cut).as_ref(), Some(&whole), "{notation} cut at {cut}");
        }
    }
}

/// Gives no more than a few bytes at a time.
struct Trickle<'a>(&'a [u8], usize);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.0.len().min(self.1).min(buffer.len());
        let (now, later) = self.0.split_at(length);
        buffer[..length].copy_from_slice(now);
        self.0 = later;
        Ok(length)
    }
}

#[test]
fn lines_may_be_longer_than_any_buffer() {
    // A buffer starts at 64 KiB; a token is four bytes.
    let notation = "a*8 b*16384 c:answer*40000 d; b e*16350 f*16360 g*16370 h*16380 i";
    let bytes = session(notation).into_bytes();
    let opened = Session::from_bytes(bytes.clone()).expect("a session");
    assert_eq!(opened.log().problems(), []);
    for (at, name) in "abcdefghi".chars().enumerate() {
        let text = opened.entry_raw(at).expect("nothing changes in memory");
        assert_eq!(text.raw().get_str("id").as_deref(), Some(name.to_string().as_str()));
    }
    for step in [997, 4096, 65_536, 65_537, 1_000_000] {
        let log = Log::read(Trickle(&bytes, step)).expect("a session");
        assert_eq!(seen(&log), seen(opened.log()), "{step} bytes at a time");
    }
}

#[test]
fn a_file_can_be_read_byte_by_byte() {
    let bytes = motley_file();
    let header_end = bytes.iter().position(|&byte| byte == b'}').expect("a header") + 1;
    let mut log = Log::read(&bytes[..header_end]).expect("a session");
    for end in header_end..=bytes.len() {
        log.extend(&bytes[offset(&log)..end]).expect("memory can be read");
        assert_eq!(log.end(), end as u64);
    }
    assert_eq!(seen(&log), seen(&Log::read(&*bytes).expect("a session")));
}

proptest! {
    #![proptest_config(cases(200))]

    /// The entries are where the index says, and nothing but the header stands outside of them.
    #[test]
    fn spans_cover_the_file(sketch in any_session(24), oddities in any_oddities()) {
        let text = sketch.spaced_text(&oddities);
        let session = Session::from_bytes(text.clone().into_bytes()).unwrap();
        prop_assert_eq!(session.log().entries().len(), sketch.entries.len());
        let mut written_back = Vec::new();
        let mut outside = String::new();
        let mut end = 0;
        for (at, entry) in session.log().entries().iter().enumerate() {
            let span = usize::try_from(entry.span.start).unwrap()..usize::try_from(entry.span.end).unwrap();
            let before = &text[end..span.start];
            let entry_text = session.entry_raw(at).unwrap();
            prop_assert_eq!(entry_text.raw().bytes(), text[span.clone()].as_bytes());
            prop_assert_eq!(entry.line, before.matches('\n').count() as u64 + text[..end].matches('\n').count() as u64 + 1);
            written_back.extend_from_slice(before.as_bytes());
            written_back.extend_from_slice(entry_text.raw().bytes());
            outside += before;
            end = span.end;
            let value: serde_json::Value = serde_json::from_str(&entry_text.into_json()).unwrap();
            prop_assert_eq!(&value, &sketch.entries[at]);
        }
        written_back.extend_from_slice(&text.as_bytes()[end..]);
        outside += &text[end..];
        prop_assert_eq!(written_back, text.as_bytes());
        prop_assert_eq!(outside.trim(), &*session.header().raw);
        let other = session.log().problems().iter().find(|problem| problem.kind != ProblemKind::NoContent);
        prop_assert_eq!(other, None);
    }

    #[test]
    fn reading_in_two_is_reading_at_once(
        sketch in any_session(12),
        oddities in any_oddities(),
        version in 1_u32..4,
        damage in any_damage(),
        cut in any::<Index>(),
    ) {
        let text = sketch.aged(version).spaced_text(&oddities);
        let bytes = damaged(text.into_bytes(), &damage);
        let cut = cut.index(bytes.len() + 1);
        let whole = Log::read(&*bytes).ok().map(|log| seen(&log));
        match (Log::read(&bytes[..cut]).is_ok(), read_in_two(&bytes, cut)) {
            (true, in_two) => prop_assert_eq!(in_two, whole),
            (false, in_two) => prop_assert_eq!(in_two, None),
        }
    }

    #[test]
    fn a_file_that_grew_is_read_on(
        sketch in any_session(12),
        oddities in any_oddities(),
        cut in any::<Index>(),
    ) {
        let text = sketch.spaced_text(&oddities);
        let header = text.find('\n').unwrap();
        let cut = header + cut.index(text.len() + 1 - header);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        fs::write(&path, &text.as_bytes()[..cut]).unwrap();
        let mut session = Session::open(&path).unwrap();
        let checkpoint = session.checkpoint().unwrap();
        let settled = session.log().settled_entries();
        fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(&text.as_bytes()[cut..]).unwrap();
        let refresh = session.refresh(&checkpoint).unwrap();
        let whole = Session::open(&path).unwrap();
        prop_assert_eq!(seen(session.log()), seen(whole.log()));
        let expected = match cut {
            // Of a header without line break nobody knows whether it is still the same.
            _ if cut == header => Refresh::Changed { from: 0 },
            _ if cut == text.len() => Refresh::Unchanged,
            _ => Refresh::Changed { from: settled },
        };
        prop_assert_eq!(refresh, expected);
        for at in 0..whole.log().entries().len() {
            prop_assert_eq!(session.entry_raw(at).unwrap().into_json(), whole.entry_raw(at).unwrap().into_json());
        }
    }

    #[test]
    fn a_changed_beginning_is_noticed(
        sketch in any_session(6),
        at in any::<Index>(),
        flip in 1_u8..128,
        more in any::<bool>(),
    ) {
        let text = sketch.text();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        fs::write(&path, &text).unwrap();
        let mut session = Session::open(&path).unwrap();
        let checkpoint = session.checkpoint().unwrap();
        let mut bytes = text.into_bytes();
        // The check looks at the first and the last 4096 bytes.
        let looked_at: Vec<usize> = (0..bytes.len()).filter(|&at| at < 4096 || at + 4096 >= bytes.len()).collect();
        bytes[looked_at[at.index(looked_at.len())]] ^= flip;
        if more {
            bytes.extend_from_slice(b"{}\n");
        }
        fs::write(&path, &bytes).unwrap();
        let before = seen(session.log());
        match (session.refresh(&checkpoint), Session::open(&path)) {
            (Ok(refresh), Ok(whole)) => {
                prop_assert_eq!(refresh, Refresh::Changed { from: 0 });
                prop_assert_eq!(seen(session.log()), seen(whole.log()));
            }
            (Err(SessionError::NotASession(_)), Err(_)) => prop_assert_eq!(seen(session.log()), before),
            other => prop_assert!(false, "{:?}", other),
        }
    }
}

/// A file that holds `before`, is opened, and then holds `after`: what the refresh says, and the session.
fn refreshed(before: &str, after: &str) -> (Refresh, Session) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("session.jsonl");
    fs::write(&path, before).expect("the file can be written");
    let mut session = Session::open(&path).expect("a session");
    let checkpoint = session.checkpoint().expect("the file can be read");
    fs::write(&path, after).expect("the file can be written");
    let refresh = session.refresh(&checkpoint).expect("still a session");
    let whole = Session::open(&path).expect("still a session");
    assert_eq!(seen(session.log()), seen(whole.log()), "{before:?} {after:?}");
    (refresh, session)
}

#[test]
fn what_a_second_look_finds() {
    let (one, two) = (session("a"), session("a b"));
    assert_eq!(refreshed(&one, &one).0, Refresh::Unchanged);
    let reread = Refresh::Changed { from: 0 };
    assert_eq!(refreshed(&one, &two).0, Refresh::Changed { from: 1 });
    assert_eq!(refreshed(&two, &one).0, reread);
    assert_eq!(refreshed(&one, &session("x")).0, reread);
    assert_eq!(refreshed(&session("v1: a"), &one).0, reread);
    // The line break alone brings no entry, but the last one is certain only now.
    assert_eq!(refreshed(two.trim_end(), &two).0, Refresh::Changed { from: 1 });
    assert_eq!(refreshed(&format!("{one}{{\"ty"), &two).0, Refresh::Changed { from: 1 });
}

#[test]
fn a_torn_tail_that_was_cut_off_is_forgotten() {
    let one = session("a");
    assert_eq!(refreshed(&format!("{one}{{\"ty"), &one).0, Refresh::Changed { from: 1 });
}

#[test]
fn another_session_in_the_place_of_a_lone_header_is_noticed() {
    let header = session("");
    let other = session("a").replace("\"id\":\"s\"", "\"id\":\"other\"");
    assert_eq!(refreshed(header.trim_end(), &other).1.header().id, "other");
    assert_eq!(refreshed(&header, &other).1.header().id, "other");
}

#[test]
fn an_old_checkpoint_takes_nothing_in_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    fs::write(&path, session("a")).unwrap();
    let mut opened = Session::open(&path).unwrap();
    let checkpoint = opened.checkpoint().unwrap();
    fs::write(&path, session("a b")).unwrap();
    assert_eq!(opened.refresh(&checkpoint).unwrap(), Refresh::Changed { from: 1 });
    opened.refresh(&checkpoint).unwrap();
    assert_eq!(seen(opened.log()), seen(Session::open(&path).unwrap().log()));
}

#[test]
fn a_session_in_memory_does_not_change() {
    let mut session = Session::from_bytes(session("a").into_bytes()).unwrap();
    let checkpoint = session.checkpoint().unwrap();
    assert_eq!(session.refresh(&checkpoint).unwrap(), Refresh::Unchanged);
}

#[test]
fn files_that_cannot_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    assert!(matches!(Session::open(&path), Err(SessionError::FileNotFound(_))));
    assert!(matches!(Session::open(folder.path()), Err(SessionError::NotASession(_))));
    for text in ["", "{}\n", "garbage"] {
        fs::write(&path, text).unwrap();
        assert!(matches!(Session::open(&path), Err(SessionError::NotASession(_))), "{text}");
    }
}

#[test]
fn text_that_is_gone_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    fs::write(&path, session("a b")).unwrap();
    let opened = Session::open(&path).unwrap();
    fs::write(&path, session("a b").replace('{', "(")).unwrap();
    assert!(opened.entry_raw(0).is_err());
    fs::write(&path, "").unwrap();
    assert!(opened.entry_raw(0).is_err());
}

#[test]
fn the_beginning_of_a_file_is_read_no_further_than_asked() {
    /// Fails when it is read past its end.
    struct Cliff<'a>(&'a [u8]);

    impl Read for Cliff<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.0.len().min(buffer.len()).min(50);
            if length == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let (now, later) = self.0.split_at(length);
            buffer[..length].copy_from_slice(now);
            self.0 = later;
            Ok(length)
        }
    }

    let text = session("a b:answer c d");
    let second_line_ends = text.match_indices('\n').nth(2).unwrap().0 + 1;
    let mut shown = Vec::new();
    let log = Log::read_beginning(Cliff(&text.as_bytes()[..second_line_ends]), 2, |entry, raw| {
        shown.push((entry.clone(), raw.text().into_owned()));
    });
    let log = log.unwrap();
    let whole = Log::read(text.as_bytes()).unwrap();
    assert_eq!(log.header(), whole.header());
    assert_eq!(log.entries(), &whole.entries()[..2]);
    assert_eq!(shown.len(), 2);
    // A file that is shorter is read to its end; one without a header is none.
    let all = Log::read_beginning(text.as_bytes(), 99, |_, _| {}).unwrap();
    assert_eq!(all.entries(), whole.entries());
    assert!(Log::read_beginning(&b"{}\n"[..], 1, |_, _| {}).is_err());
}

#[test]
fn a_message_is_found_in_its_entry() {
    let text = session("a b:answer c:compaction(a)");
    let mut found = Vec::new();
    Log::read_with(text.as_bytes(), |entry, raw| {
        let message = entry.message().and_then(|message| message.raw_in(raw));
        found.push(message.map(|message| message.get_str("role").unwrap().into_owned()));
    })
    .unwrap();
    assert_eq!(found, [Some("user".to_owned()), Some("assistant".to_owned()), None]);
}

#[test]
fn a_check_tells_whether_the_known_part_was_rewritten() {
    let bytes: Vec<u8> = (0..20_000_u32).flat_map(u32::to_le_bytes).collect();
    let check = |bytes: &[u8], length: u64| {
        prefix_check(length, |range| {
            let [start, end] = [range.start, range.end].map(|at| usize::try_from(at).unwrap());
            bytes.get(start..end).map(<[u8]>::to_vec).ok_or(io::ErrorKind::UnexpectedEof.into())
        })
    };
    let known = check(&bytes, 50_000).unwrap();
    assert_eq!(
        check(&[&*bytes, b"more"].concat(), 50_000).unwrap(),
        known,
        "what follows does not count"
    );
    for changed in [0, 4000, 49_999] {
        let mut other = bytes.clone();
        other[changed] ^= 1;
        assert_ne!(check(&other, 50_000).unwrap(), known, "byte {changed}");
    }
    assert_ne!(check(&bytes, 50_001).unwrap(), known);
    assert!(check(&bytes[..49_999], 50_000).is_err(), "it is too short");
    assert!(check(&[], 0).is_ok());
}
