//! The words by which values go in JSON, for those who need them elsewhere.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

/// Returns the word by which a value of a closed set goes in JSON, such as the type of a node or its outcome.
pub fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}

/// Returns all words of a closed set, in the order of its definition: for those who offer or ask for one of them.
pub fn words<T: JsonSchema>() -> Vec<String> {
    let schema = T::json_schema(&mut SchemaGenerator::default());
    let list = |key: &str| schema.get(key).and_then(Value::as_array).into_iter().flatten();
    // What is documented stands by itself, the rest together.
    let documented = list("oneOf").flat_map(|one| [&one["const"], &one["enum"]]);
    let words = documented.chain(schema.get("enum"));
    let each = words.flat_map(|value| match value {
        Value::Array(words) => words.iter().collect(),
        word => vec![word],
    });
    each.filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::words;
    use crate::node::{Confidence, LessonLevel, NodeType, Outcome};

    #[test]
    fn closed_sets_know_their_words() {
        assert_eq!(words::<Outcome>(), ["success", "partial", "failed", "abandoned"]);
        assert_eq!(words::<Confidence>(), ["high", "medium", "low"]);
        assert_eq!(words::<LessonLevel>().len(), 7);
        let types = words::<NodeType>();
        assert_eq!((types.len(), &*types[0], &*types[12]), (13, "coding", "other"));
    }
}
