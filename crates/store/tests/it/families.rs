//! The forest of families in the database gives the same answers as one in memory.

mod twins;
mod world;

use proptest::prelude::*;
use proptest::sample::Index;

use twins::Twins;
use world::World;

/// Something that happens to session files, or to those who read them.
#[derive(Clone, Debug)]
enum Act {
    Begin,
    /// Adds an entry at the leaf.
    Say {
        file: Index,
        kind: usize,
        words: usize,
    },
    /// Moves the leaf.
    Go {
        file: Index,
        to: Index,
    },
    Fork {
        file: Index,
    },
    /// Copies a file.
    Backup {
        file: Index,
    },
    /// Writes an entry down once more, as it stands.
    Repeat {
        file: Index,
        entry: Index,
    },
    /// Takes the last entries away, as somebody does who edits the file.
    Shorten {
        file: Index,
        by: usize,
    },
    /// Takes in what has changed.
    Import,
    /// Takes a session out.
    Remove {
        session: Index,
    },
    /// Sets a bookmark on a message.
    Bookmark {
        message: Index,
    },
    Save,
    Reopen,
}

fn any_act() -> impl Strategy<Value = Act> {
    let file = any::<Index>;
    prop_oneof![
        1 => Just(Act::Begin),
        12 => (file(), 0..7_usize, 0..4_usize).prop_map(|(file, kind, words)| Act::Say { file, kind, words }),
        3 => (file(), any::<Index>()).prop_map(|(file, to)| Act::Go { file, to }),
        3 => file().prop_map(|file| Act::Fork { file }),
        1 => file().prop_map(|file| Act::Backup { file }),
        1 => (file(), any::<Index>()).prop_map(|(file, entry)| Act::Repeat { file, entry }),
        1 => (file(), 1..4_usize).prop_map(|(file, by)| Act::Shorten { file, by }),
        4 => Just(Act::Import),
        1 => any::<Index>().prop_map(|session| Act::Remove { session }),
        1 => any::<Index>().prop_map(|message| Act::Bookmark { message }),
        2 => Just(Act::Save),
        2 => Just(Act::Reopen),
    ]
}

/// Says how often a property is tried, unless the environment asks for more with `PROPTEST_CASES`.
fn cases(usual: u32) -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let asked_for = std::env::var_os("PROPTEST_CASES").map(|_| config.cases);
    ProptestConfig { cases: asked_for.unwrap_or(usual), ..config }
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn the_database_answers_as_memory_does(acts in prop::collection::vec(any_act(), 1..60)) {
        let mut world = World::new();
        let mut twins = Twins::new();
        world.begin();
        for act in acts {
            match act {
                Act::Begin => world.begin(),
                Act::Say { file, kind, words } => world.say(file, kind, words),
                Act::Go { file, to } => world.go(file, to),
                Act::Fork { file } => world.fork(file),
                Act::Backup { file } => world.back_up(file),
                Act::Repeat { file, entry } => world.repeat(file, entry),
                Act::Shorten { file, by } => world.shorten(file, by),
                Act::Import => {
                    twins.import(&world.changed());
                    twins.compare();
                }
                Act::Remove { session } => {
                    // The file that is taken out is read again by the next import.
                    if let Some(path) = twins.remove(session) {
                        world.forget_reading(&path);
                    }
                    twins.compare();
                }
                Act::Bookmark { message } => twins.bookmark(message),
                Act::Save => twins.save(),
                Act::Reopen => {
                    twins.reopen();
                    twins.compare();
                }
            }
        }
        twins.import(&world.changed());
        twins.reopen();
        twins.compare();
    }
}

/// Chunks hold 1024 messages or entries.
const LONG: usize = 2600;

#[test]
fn a_long_session_crosses_chunks() {
    let mut world = World::new();
    let mut twins = Twins::new();
    let first = world.begin_file();
    world.say_much(first, LONG);
    twins.import(&world.changed());
    twins.reopen();
    twins.compare();
    // A fork from the middle, and more at both ends.
    let fork = world.fork_file(first, LONG / 2);
    world.say_much(fork, 1100);
    world.say_much(first, 3);
    twins.import(&world.changed());
    twins.save();
    twins.compare();
    // What was appended and then rewritten, before anything was saved, reaches into the chunk before.
    world.say_much(first, 2);
    twins.import(&world.changed());
    world.shorten_file(first, 700);
    twins.import(&world.changed());
    twins.reopen();
    twins.compare();
    twins.remove_file(world.path(first));
    twins.compare();
    twins.reopen();
    twins.compare();
}

#[test]
fn what_a_session_tells_twice_it_tells_until_both_are_gone() {
    let mut world = World::new();
    let mut twins = Twins::new();
    let file = world.begin_file();
    world.say_much(file, 4);
    world.repeat_entry(file, 1);
    twins.import(&world.changed());
    twins.reopen();
    // The last line is none until it has ended: another one comes in its place.
    world.repeat_entry(file, 1);
    twins.import(&[world.write_torn(file)]);
    twins.reopen();
    world.shorten_file(file, 1);
    world.go_to(file, 3);
    world.say_much(file, 1);
    for _ in 0..4 {
        twins.import(&world.changed());
        twins.compare();
        twins.reopen();
        twins.compare();
        world.shorten_file(file, 1);
    }
}

#[test]
fn a_place_that_very_much_follows_is_searched_rightly() {
    let mut world = World::new();
    let mut twins = Twins::new();
    let file = world.begin_file();
    world.say_much(file, 2);
    for _ in 0..80 {
        world.go_to(file, 0);
        world.say_much(file, 1);
    }
    twins.import(&world.changed());
    twins.compare();
    twins.reopen();
    twins.compare();
    let copy = world.fork_file(file, 0);
    for _ in 0..40 {
        world.go_to(copy, 0);
        world.say_much(copy, 1);
    }
    twins.import(&world.changed());
    twins.compare();
}
