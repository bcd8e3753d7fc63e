//! Cuts the files of a family. What several files tell of belongs to the oldest of them.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use pi_brain_session::id_in_file_name;

use crate::boundary::Rules;
use crate::outline::{Outline, Sketch};
use crate::segment::{Place, Segment};

use self::cutter::Cutter;

mod cutter;
mod shape;

/// A file of a family.
#[derive(Clone, Copy, Debug)]
pub struct FamilyFile<'a> {
    /// What is in it.
    pub outline: &'a Outline,
    /// For each entry the number of the event that it tells of. Equal numbers, in this file or another of the
    /// family, mean that the same thing was recorded.
    pub events: &'a [u32],
}

/// A family, cut into segments.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    /// The segments, those of older files first.
    pub segments: Vec<Segment>,
    /// For each file and entry the segment that it belongs to; a copy belongs to that of the original.
    pub segment_of: Vec<Vec<usize>>,
}

impl Cut {
    /// Returns the segment that an entry belongs to.
    pub(crate) fn segment_at(&self, place: Place) -> usize {
        self.segment_of[place.file][place.entry as usize]
    }
}

/// Cuts the files of a family. Neither their names nor their order makes a difference.
pub fn cut_family(files: &[FamilyFile<'_>], rules: &Rules) -> Cut {
    let order = by_age(files);
    let originals = find_originals(files, &order);
    let sessions: HashSet<&str> = files.iter().map(|file| &*file.outline.session.id).collect();
    let mut segments: Vec<Segment> = Vec::new();
    let mut own: Vec<Vec<Option<usize>>> = vec![Vec::new(); files.len()];
    for &file in &order {
        let outline = files[file].outline;
        let parent_is_gone = outline.session.parent_session.as_deref().is_some_and(|path| {
            id_in_file_name(Path::new(path)).is_none_or(|id| !sessions.contains(id))
        });
        let cutter = Cutter::new(file, outline, &originals[file], parent_is_gone, rules);
        let (cut, homes) = cutter.cut();
        own[file] = homes.into_iter().map(|home| Some(home? + segments.len())).collect();
        segments.extend(cut);
    }
    let segment_of = |place: &Place| {
        own[place.file][place.entry as usize].expect("an original lies in a segment of its file")
    };
    let segment_of = originals.iter().map(|file| file.iter().map(segment_of).collect()).collect();
    Cut { segments, segment_of }
}

/// Sorts the files, the oldest first.
///
/// Files of the same session and time are copies that went different ways: then the way that was taken first
/// comes first, and the longer of two where one is the beginning of the other.
fn by_age(files: &[FamilyFile<'_>]) -> Vec<usize> {
    // A session of unknown age is taken for the youngest.
    let age = |outline: &Outline| (outline.session.created.is_none(), outline.session.created);
    let compare = |&one: &usize, &other: &usize| {
        let (one, other) = (files[one].outline, files[other].outline);
        age(one)
            .cmp(&age(other))
            .then_with(|| one.session.id.cmp(&other.session.id))
            .then_with(|| compare_entries(&one.entries, &other.entries))
            // What is left differs in nothing that ages; any order will do that is always the same.
            .then_with(|| one.cmp(other))
    };
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by(compare);
    order
}

fn compare_entries(ones: &[Sketch], others: &[Sketch]) -> Ordering {
    let compare = |(one, other): (&Sketch, &Sketch)| {
        one.time.cmp(&other.time).then_with(|| one.id.cmp(&other.id))
    };
    let difference = ones.iter().zip(others).map(compare).find(|order| order.is_ne());
    difference.unwrap_or_else(|| others.len().cmp(&ones.len()))
}

/// Finds, for each entry of each file, where the same event was recorded first.
fn find_originals(files: &[FamilyFile<'_>], order: &[usize]) -> Vec<Vec<Place>> {
    let mut places: HashMap<u32, Place> = HashMap::new();
    let mut originals = vec![Vec::new(); files.len()];
    for &file in order {
        let entries = 0..u32::try_from(files[file].outline.entries.len()).unwrap_or(u32::MAX);
        let original = |entry: u32| {
            let here = Place { file, entry };
            match files[file].events.get(entry as usize) {
                Some(&event) => *places.entry(event).or_insert(here),
                None => here,
            }
        };
        originals[file] = entries.map(original).collect();
    }
    originals
}
