//! Reading what was appended gives what reading the whole file gives.

use std::fs;

use pi_brain_brain::{Outline, Sketch};
use pi_brain_forest::{Forest, MemoryStore, Reading, SessionNo, Store as _};
use pi_brain_session::{Log, Millis};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::brain::Home;
use crate::forest_picture::picture;
use crate::world::{any_world, cases, put};

const NOW: Millis = Millis(1_800_000_000_000);

/// Returns everything that a log says; it also keeps names, in no order.
fn facts(log: &Log) -> String {
    format!(
        "{:#?}",
        (log.header(), log.entries(), log.problems(), log.position(), log.end(), log.name())
    )
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn reading_on_is_like_reading_all(
        world in any_world(60),
        at in any::<Index>(),
        cuts in prop::collection::vec(any::<Index>(), 1..4),
        by_line in any::<bool>(),
        odd in prop::collection::vec((any::<Index>(), any::<Index>()), 0..2),
    ) {
        let home = Home::new();
        let file = &world.files[at.index(world.files.len())];
        let mut lines: Vec<String> = file.text().lines().map(|line| format!("{line}\n")).collect();
        // Lines that stand before what they follow: they move when that comes.
        for (one, other) in &odd {
            let (one, other) = (one.index(lines.len()), other.index(lines.len()));
            if one > 0 && other > 0 {
                lines.swap(one, other);
            }
        }
        let text = lines.concat();
        let ends: Vec<usize> = if by_line { text.match_indices('\n').map(|(at, _)| at + 1).collect() } else { (0..=text.len()).collect() };
        let mut stops: Vec<usize> = cuts.iter().map(|cut| ends[cut.index(ends.len())]).collect();
        stops.push(text.len());
        stops.sort_unstable();

        let path = put(&home.sessions, &file.name, b"");
        let mut grown = Forest::new(MemoryStore::default());
        let mut known: Option<(SessionNo, Log, Outline)> = None;
        for stop in stops {
            fs::write(&path, &text.as_bytes()[..stop]).unwrap();
            let mut sketches = Vec::new();
            let whole = Reading::open_with(&path, |entry, raw| sketches.push(Sketch::of(entry, raw)));
            // The header may not have come yet.
            let Ok(whole) = whole else { continue };
            let outline = Outline::new(whole.log(), whole.tree(), sketches);
            let read_on = match known.take() {
                None => None,
                Some((number, log, before)) => {
                    let record = grown.store().session(number).unwrap().unwrap();
                    let Outline { mut entries, .. } = before;
                    entries.truncate(log.settled_entries());
                    let reading =
                        Reading::extend(&record, log, |entry, raw| entries.push(Sketch::of(entry, raw))).unwrap();
                    reading.map(|reading| {
                        let outline = Outline::new(reading.log(), reading.tree(), entries);
                        (reading, outline)
                    })
                }
            };
            let mut fresh = Forest::new(MemoryStore::default());
            fresh.import(std::slice::from_ref(&whole), NOW).unwrap();
            let (reading, read_outline) = match read_on {
                Some((reading, read_outline)) => {
                    prop_assert_eq!(facts(reading.log()), facts(whole.log()));
                    (reading, read_outline)
                }
                None => (whole, outline.clone()),
            };
            prop_assert_eq!(&read_outline, &outline);
            let imported = grown.import(std::slice::from_ref(&reading), NOW).unwrap();
            prop_assert_eq!(picture(&grown), picture(&fresh));
            known = Some((imported.sessions[0].session, reading.log().clone(), read_outline));
        }
    }
}
