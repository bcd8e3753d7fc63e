//! Replaying system messages: each adds to the prompt, patches its sections, and changes the tools.

use crate::content::text_of;
use crate::json::{Raw, quote};

/// Folds all system messages into the one that says what is in force after them, as JSON.
///
/// `None` if there is none among `messages`.
pub(crate) fn current_system_message<'a>(
    messages: impl Iterator<Item = Raw<'a>>,
    timestamp: i64,
) -> Option<String> {
    let mut content = Vec::new();
    let mut sections = Ordered::default();
    let mut tools = Ordered::default();
    let mut found = false;
    for message in messages.filter(|message| message.get_str("role").as_deref() == Some("system")) {
        found = true;
        content.extend(
            message.get("content").map(|raw| text_of(raw, "\n")).filter(|text| !text.is_empty()),
        );
        for section in message.get("sections").into_iter().flat_map(Raw::members) {
            if section.value.is_null() {
                sections.remove(&section.key);
            } else {
                sections.set(&section.key, section.value);
            }
        }
        for tool in message.get("toolsRemoved").into_iter().flat_map(Raw::items) {
            tools.remove(&tool.get_str("name").unwrap_or_default());
        }
        for tool in message.get("toolsAdded").into_iter().flat_map(Raw::items) {
            tools.set(&tool.get_str("name").unwrap_or_default(), tool);
        }
    }
    let section = |(key, raw): &(String, Raw<'_>)| format!("{}:{}", quote(key), raw.text());
    let sections: Vec<String> = sections.0.iter().map(section).collect();
    let tools: Vec<String> = tools.0.iter().map(|(_, raw)| raw.text().into_owned()).collect();
    let parts = [
        Some(format!("\"role\":\"system\",\"content\":{}", quote(&content.join("\n\n")))),
        (!sections.is_empty()).then(|| format!("\"sections\":{{{}}}", sections.join(","))),
        (!tools.is_empty()).then(|| format!("\"toolsAdded\":[{}]", tools.join(","))),
        Some(format!("\"timestamp\":{timestamp}")),
    ];
    found.then(|| format!("{{{}}}", parts.into_iter().flatten().collect::<Vec<_>>().join(",")))
}

/// A map in the order in which keys first came, as JavaScript's `Map` keeps it.
#[derive(Default)]
struct Ordered<'a>(Vec<(String, Raw<'a>)>);

impl<'a> Ordered<'a> {
    fn set(&mut self, key: &str, value: Raw<'a>) {
        match self.0.iter_mut().find(|(known, _)| known == key) {
            Some((_, known)) => *known = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }

    fn remove(&mut self, key: &str) {
        self.0.retain(|(known, _)| known != key);
    }
}
