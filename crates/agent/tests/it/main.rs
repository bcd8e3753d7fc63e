//! Real pi, old and new, and a plain HTTP client, each with a scripted model on loopback.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

mod world;
mod with_pi;
mod failing_pi;
mod over_http;
mod drafts;
mod answers;
