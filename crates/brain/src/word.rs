//! The words by which values go in JSON, for those who need them elsewhere.

use serde::Serialize;

/// Returns the word by which a value of a closed set goes in JSON, such as the type of a node or its outcome.
pub fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}
