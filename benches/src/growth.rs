//! Whether ten times the entries take ten times the time, in the shapes that punish carelessness.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use pi_brain_session::{Branches, Session, View};

use crate::corpus::{Shape, make_shape};
use crate::race::{Contestant, Outcome, race};

/// How much larger the larger file is.
pub(crate) const GROWTH: usize = 10;

/// How the time for one shape grew.
#[derive(Debug)]
pub struct GrowthFigures {
    /// The shape.
    pub shape: Shape,
    /// Entries of the smaller file; the larger one has [`GROWTH`] times as many.
    pub entries: usize,
    /// The time for one entry of the smaller file.
    pub small: Duration,
    /// The time for one entry of the larger file.
    pub large: Duration,
}

/// Measures both shapes with `entries` entries and with ten times as many. The files are made in `folder`.
pub fn measure_growth(
    folder: &Path,
    entries: usize,
    runs: usize,
) -> anyhow::Result<Vec<GrowthFigures>> {
    let measure = |shape| measure_shape(folder, shape, entries, runs);
    [Shape::Chain, Shape::Siblings].into_iter().map(measure).collect()
}

fn measure_shape(
    folder: &Path,
    shape: Shape,
    entries: usize,
    runs: usize,
) -> anyhow::Result<GrowthFigures> {
    let small = make_file(folder, shape, entries)?;
    let large = make_file(folder, shape, entries * GROWTH)?;
    // Both read the same number of entries, so that a disturbance weighs the same on either.
    let contestants = vec![
        Contestant::timed("small", || (0..GROWTH).try_for_each(|_| read(&small)).map(|()| None)),
        Contestant::timed("large", || read(&large).map(|()| None)),
    ];
    let outcomes = race(contestants, runs)?;
    let all_entries =
        u32::try_from(entries * GROWTH).context("more entries than any session has")?;
    let for_one = |outcome: &Outcome| outcome.median() / all_entries;
    Ok(GrowthFigures { shape, entries, small: for_one(&outcomes[0]), large: for_one(&outcomes[1]) })
}

fn make_file(folder: &Path, shape: Shape, entries: usize) -> anyhow::Result<PathBuf> {
    let path = folder.join(format!("{}-{entries}.jsonl", shape.name()));
    make_shape(&path, shape, entries, 1).with_context(|| format!("making {}", path.display()))?;
    Ok(path)
}

fn read(path: &Path) -> anyhow::Result<()> {
    let session = Session::open(path)?;
    let tree = session.tree(View::AsPi);
    black_box(session.context(&tree, tree.leaf())?);
    black_box(Branches::new(session.log(), &tree));
    Ok(())
}
