//! Questions about the tree of a file that cutting asks again and again, each answered without a walk.

use crate::outline::Outline;

/// The tree of a file. Entries are named by position, and a parent always stands before its children.
pub(super) struct Shape {
    parents: Vec<Option<usize>>,
    /// For each entry itself or, if it is a note, the nearest entry above that is none.
    anchors: Vec<Option<usize>>,
    /// For each entry itself or the nearest entry above that says something.
    spoken: Vec<Option<usize>>,
    /// A walk through the tree meets an entry at `enter`, and then the `size` entries of its subtree.
    enter: Vec<usize>,
    size: Vec<usize>,
}

impl Shape {
    pub(super) fn new(outline: &Outline) -> Self {
        let entries = &outline.entries;
        let before = |(at, parent): (usize, Option<u32>)| {
            parent.map(|parent| parent as usize).filter(|&parent| parent < at)
        };
        let parents: Vec<Option<usize>> =
            entries.iter().map(|sketch| sketch.parent).enumerate().map(before).collect();
        let mut anchors: Vec<Option<usize>> = Vec::with_capacity(entries.len());
        let mut spoken: Vec<Option<usize>> = Vec::with_capacity(entries.len());
        for (at, sketch) in entries.iter().enumerate() {
            let inherited = |list: &[Option<usize>]| parents[at].and_then(|parent| list[parent]);
            anchors.push(if sketch.is_note() { inherited(&anchors) } else { Some(at) });
            spoken.push(if sketch.speaks { Some(at) } else { inherited(&spoken) });
        }
        let (enter, size) = walk(&parents);
        Self { parents, anchors, spoken, enter, size }
    }

    /// Returns what an entry follows.
    pub(super) fn parent(&self, at: usize) -> Option<usize> {
        self.parents[at]
    }

    /// Returns the entry itself or, if it is a note, what the note stands under.
    pub(super) fn anchor(&self, at: usize) -> Option<usize> {
        self.anchors[at]
    }

    /// Returns whether `above` lies on the path to `at`, or is `at`.
    pub(super) fn is_on_path(&self, above: usize, at: usize) -> bool {
        (self.enter[above]..self.enter[above] + self.size[above]).contains(&self.enter[at])
    }

    /// Returns whether something was said on the way to `leaf` that is not on the way to `place`.
    ///
    /// It is enough to ask for the last thing that was said: if that is shared, all before it is.
    pub(super) fn leaves_words(&self, leaf: usize, place: Option<usize>) -> bool {
        let shared = |words: usize| place.is_some_and(|place| self.is_on_path(words, place));
        self.spoken[leaf].is_some_and(|words| !shared(words))
    }
}

fn walk(parents: &[Option<usize>]) -> (Vec<usize>, Vec<usize>) {
    let mut size = vec![1; parents.len()];
    for (at, parent) in parents.iter().enumerate().rev() {
        if let Some(parent) = *parent {
            size[parent] += size[at];
        }
    }
    // Where the next child of an entry will be met; the roots are the children of nobody.
    let mut next = vec![0; parents.len()];
    let mut next_root = 0;
    let mut enter = vec![0; parents.len()];
    for (at, parent) in parents.iter().enumerate() {
        let place = parent.map_or(&mut next_root, |parent| &mut next[parent]);
        enter[at] = *place;
        *place += size[at];
        next[at] = enter[at] + 1;
    }
    (enter, size)
}
