//! What a long piece of work tells of itself while it runs.

/// Listens to the progress of long work. It is told from several threads.
pub trait Progress: Sync {
    /// A step begins.
    fn begin(&self, step: Step);

    /// Some of the step is done: bytes that were read, families, documents.
    fn advance(&self, amount: u64);
}

/// The steps of taking sessions in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Session files are read.
    Read {
        /// How many.
        files: usize,
        /// How many bytes of them.
        bytes: u64,
    },
    /// Families are cut into units of work.
    Derive {
        /// How many.
        families: usize,
    },
    /// Messages and nodes are taken into the text index.
    Index {
        /// How many changes there are to take in.
        changes: usize,
    },
}

/// Nobody listens.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _: Step) {}

    fn advance(&self, _: u64) {}
}
