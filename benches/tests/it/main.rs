//! Runs every benchmark at a tiny size, so that none can rot, and checks what they run on.

mod corpus;
mod measuring;
