//! Checks a value against a JSON Schema, as far as our own schema goes.

use pi_brain_brain::EdgeId;
use pi_brain_session::Millis;
use serde_json::Value;

/// Says what is wrong with `value`, by its place; a word of the schema that is not known here is a failure too.
pub(crate) fn check(schema: &Value, value: &Value) -> Result<(), String> {
    Checker { root: schema }.check(schema, value, "node")
}

struct Checker<'a> {
    root: &'a Value,
}

impl Checker<'_> {
    fn check(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        let rules = match schema {
            Value::Bool(true) => return Ok(()),
            Value::Object(rules) => rules,
            other => return Err(format!("{at}: {other} is no schema")),
        };
        let properties = rules.get("properties").and_then(Value::as_object);
        for (word, rule) in rules {
            let holds = match &**word {
                "$schema" | "title" | "description" | "$defs" | "default" => true,
                "$ref" => {
                    let target = rule.as_str().and_then(|path| path.strip_prefix('#'));
                    let target = target.and_then(|path| self.root.pointer(path));
                    self.check(target.ok_or("a reference leads nowhere")?, value, at)?;
                    true
                }
                "type" => match rule {
                    Value::Array(kinds) => kinds.iter().any(|kind| is_kind(kind, value)),
                    kind => is_kind(kind, value),
                },
                "const" => rule == value,
                "enum" => rule.as_array().unwrap().contains(value),
                "oneOf" | "anyOf" => {
                    let schemas = rule.as_array().unwrap();
                    schemas.iter().any(|schema| self.check(schema, value, at).is_ok())
                }
                "properties" => {
                    for (key, schema) in properties.unwrap() {
                        if let Some(value) = value.get(key) {
                            self.check(schema, value, &format!("{at}.{key}"))?;
                        }
                    }
                    true
                }
                "required" => {
                    let keys = rule.as_array().unwrap();
                    keys.iter().all(|key| value.get(key.as_str().unwrap()).is_some())
                }
                "additionalProperties" => {
                    let known = |key: &str| properties.is_some_and(|known| known.contains_key(key));
                    let mut more = value.as_object().unwrap().iter().filter(|(key, _)| !known(key));
                    if *rule == Value::Bool(false) {
                        more.next().is_none()
                    } else {
                        more.try_for_each(|(key, value)| {
                            self.check(rule, value, &format!("{at}.{key}"))
                        })?;
                        true
                    }
                }
                "items" => {
                    for (index, item) in value.as_array().unwrap().iter().enumerate() {
                        self.check(rule, item, &format!("{at}[{index}]"))?;
                    }
                    true
                }
                "minimum" => value.as_f64() >= rule.as_f64(),
                "format" => match rule.as_str().unwrap() {
                    "date-time" => value.as_str().and_then(Millis::parse).is_some(),
                    "uint32" => value.as_u64().is_some_and(|number| u32::try_from(number).is_ok()),
                    "uint64" => value.is_u64(),
                    "double" => value.is_number(),
                    "uuid" => value.as_str().is_some_and(|text| text.parse::<EdgeId>().is_ok()),
                    other => return Err(format!("the format {other} is not known")),
                },
                "pattern" => {
                    assert_eq!(rule, "^[0-9a-f]{16}$", "the only pattern that is known");
                    let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
                    value.as_str().is_some_and(|id| id.len() == 16 && id.bytes().all(digit))
                }
                other => return Err(format!("the word {other} is not known")),
            };
            if !holds {
                return Err(format!("{at}: {value} is against {word} {rule}"));
            }
        }
        Ok(())
    }
}

fn is_kind(kind: &Value, value: &Value) -> bool {
    match kind.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the type {other} is not known"),
    }
}
