//! Settings in JSON, as most clients have them: one object, in it `mcpServers`, in it an object for each server.
//!
//! The text is changed where our server stands, or shall stand, and nowhere else: some of these files hold much more than
//! settings, in an order that people chose.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::SERVER_NAME;
use crate::error::{McpError, Result};

const SERVERS: &str = "mcpServers";

pub(super) fn merge(text: &str, entry: &[(&str, Value)]) -> Result<String> {
    let json = text.trim_start_matches('\u{feff}').trim();
    if json.is_empty() {
        return merge("{}\n", entry);
    }
    let indent = indent_of(text);
    let ours: Vec<(String, String)> =
        entry.iter().map(|(key, value)| ((*key).to_owned(), value.to_string())).collect();
    let whole = Object::parse(json, "it")?;
    let Some(servers) = whole.get(SERVERS) else {
        let server = (SERVER_NAME.to_owned(), write(&ours, indent, 2));
        return Ok(whole.with(text, SERVERS, &write(&[server], indent, 1), indent, 1));
    };
    let servers = Object::parse(servers, "`mcpServers` in it")?;
    let Some(before) = servers.get(SERVER_NAME) else {
        return Ok(servers.with(text, SERVER_NAME, &write(&ours, indent, 2), indent, 2));
    };
    let known: Value = serde_json::from_str(before).unwrap_or_default();
    if entry.iter().all(|(key, value)| known.get(key).is_some_and(|known| says(known, value))) {
        return Ok(text.to_owned());
    }
    // What somebody added, such as more environment variables, stays.
    let mut lines: Vec<(String, String)> = Vec::new();
    for (key, value) in entry {
        lines.push(((*key).to_owned(), together(known.get(key), value).to_string()));
    }
    for (key, value) in Object::parse(before, "`mcpServers.brain` in it")?.members {
        if lines.iter().all(|(ours, _)| *ours != key) {
            lines.push((key, value.to_owned()));
        }
    }
    Ok(replaced(text, place_of(before, text), &write(&lines, indent, 2)))
}

/// Returns whether a value says what it should; an object may say more.
fn says(known: &Value, wanted: &Value) -> bool {
    match (known, wanted) {
        (Value::Object(known), Value::Object(wanted)) => {
            wanted.iter().all(|(key, value)| known.get(key) == Some(value))
        }
        _ => known == wanted,
    }
}

fn together(known: Option<&Value>, wanted: &Value) -> Value {
    match (known, wanted) {
        (Some(Value::Object(known)), Value::Object(wanted)) => {
            let both = known.iter().chain(wanted).map(|(key, value)| (key.clone(), value.clone()));
            Value::Object(both.collect())
        }
        _ => wanted.clone(),
    }
}

/// An object, as it stands in a text.
struct Object<'a> {
    text: &'a str,
    members: Vec<(String, &'a str)>,
}

impl<'a> Object<'a> {
    /// Reads an object; what its members are is not looked at, as long as they are JSON.
    fn parse(text: &'a str, name: &str) -> Result<Self> {
        let Members(members) = serde_json::from_str(text)
            .map_err(|error| McpError::Unusable(format!("{name} is no JSON object ({error})")))?;
        Ok(Self { text, members })
    }

    /// Finds a member. Of several with one name the last counts, as for those who read the file.
    fn get(&self, key: &str) -> Option<&'a str> {
        self.members.iter().rev().find(|(name, _)| name == key).map(|&(_, value)| value)
    }

    /// Returns the text around this object, with another member at the end of it.
    fn with(&self, text: &str, key: &str, value: &str, indent: &str, depth: usize) -> String {
        match self.members.last() {
            Some((_, last)) => {
                let end = place_of(last, text).end;
                let member = format!(",\n{}{key:?}: {value}", indent.repeat(depth));
                replaced(text, end..end, &member)
            }
            None => {
                let member = (key.to_owned(), value.to_owned());
                replaced(text, place_of(self.text, text), &write(&[member], indent, depth - 1))
            }
        }
    }
}

/// The members of an object, in order, each as it is written.
struct Members<'a>(Vec<(String, &'a str)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Vec<(String, &'de str)>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, &'de RawValue>()? {
                    members.push((key, value.get()));
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(InOrder).map(Members)
    }
}

/// Writes an object whose last line is so far in.
fn write(members: &[(String, String)], indent: &str, depth: usize) -> String {
    let (outer, inner) = (indent.repeat(depth), indent.repeat(depth + 1));
    let lines: Vec<String> =
        members.iter().map(|(key, value)| format!("\n{inner}{key:?}: {value}")).collect();
    format!("{{{}\n{outer}}}", lines.join(","))
}

/// Returns by how much the lines of a file are set in.
fn indent_of(text: &str) -> &str {
    let set_in = text.lines().find_map(|line| {
        let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        (!indent.is_empty() && indent.len() < line.len()).then_some(indent)
    });
    set_in.unwrap_or("  ")
}

/// Returns where a part of a text stands in it.
fn place_of(part: &str, text: &str) -> Range<usize> {
    let start = part.as_ptr().addr() - text.as_ptr().addr();
    start..start + part.len()
}

fn replaced(text: &str, place: Range<usize>, with: &str) -> String {
    [&text[..place.start], with, &text[place.end..]].concat()
}
