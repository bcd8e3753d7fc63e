//! A short way to write sessions down in tests.

use std::collections::HashMap;

/// Turns the notation of a session into the text of its file.
///
/// `a b c; b d` is a chain a–b–c with d branching off b. Entries stand in the file as they stand in the
/// notation; a part that opens with an unknown name opens another tree. A user message `a` says "a".
///
/// | word            | what it makes                                                            |
/// | --------------- | ------------------------------------------------------------------------ |
/// | `a`             | a user message                                                           |
/// | `a:kind(x,y)`   | another kind of entry, see [`Word::body`]; a kind not listed there is written as it is |
/// | `a*30`          | a message of about 30 tokens                                             |
/// | `a@5`, `a@`     | written in second 5 instead of the next one; without a time              |
/// | `a^x`, `a^`     | names x as its parent, whoever that is; without a parent                 |
/// | `!a`            | another entry a, where the name alone would stand for the earlier one    |
/// | `_`             | an entry without id                                                      |
///
/// In front may stand `fork: ` (the header names a parent session), `v1: ` or `v2: ` (an old version).
pub(crate) fn session(notation: &str) -> String {
    let (header, notation) = match notation.split_once(": ") {
        Some(("fork", rest)) => (r#""version":3,"parentSession":"/sessions/parent.jsonl","#, rest),
        Some(("v1", rest)) => ("", rest),
        Some(("v2", rest)) => (r#""version":2,"#, rest),
        _ => (r#""version":3,"#, notation),
    };
    let mut text = format!(
        "{{\"type\":\"session\",{header}\"id\":\"s\",\"timestamp\":\"{}\",\"cwd\":\"/home/dev\"}}\n",
        time(0)
    );
    let mut places: HashMap<&str, usize> = HashMap::new();
    for part in notation.split(';') {
        let mut before = None;
        for word in part.split_whitespace() {
            if before.is_none() && places.contains_key(word) {
                before = Some(word);
                continue;
            }
            let word = Word::parse(word);
            let place = places.len() + 1;
            text += &word.entry(before, place, (header.is_empty()).then_some(&places));
            places.insert(word.name, place);
            before = Some(word.name);
        }
    }
    text
}

/// Returns the time of a second, as pi writes it.
fn time(second: usize) -> String {
    format!("2026-01-01T00:{:02}:{:02}.000Z", second / 60, second % 60)
}

struct Word<'a> {
    name: &'a str,
    kind: &'a str,
    arguments: Vec<&'a str>,
    tokens: usize,
    time: Option<&'a str>,
    parent: Option<&'a str>,
}

impl<'a> Word<'a> {
    fn parse(word: &'a str) -> Self {
        let suffix = |word: &'a str, sign| match word.rsplit_once(sign) {
            Some((rest, suffix)) => (rest, Some(suffix)),
            None => (word, None),
        };
        let (rest, parent) = suffix(word.trim_start_matches('!'), '^');
        let (rest, time) = suffix(rest, '@');
        let (rest, tokens) = suffix(rest, '*');
        let (name, kind) = rest.split_once(':').unwrap_or((rest, "user"));
        let (kind, arguments) = kind.split_once('(').unwrap_or((kind, ""));
        let arguments = arguments.trim_end_matches(')').split(',').collect();
        let tokens = tokens.map_or(0, |tokens| tokens.parse().expect("tokens are a number"));
        Self { name, kind, arguments, tokens, time, parent }
    }

    fn entry(
        &self,
        before: Option<&str>,
        place: usize,
        version_1: Option<&HashMap<&str, usize>>,
    ) -> String {
        let quoted = |id: &str| format!("\"{id}\"");
        let parent = match (self.parent, before) {
            (Some(""), _) | (None, Some("_")) => None,
            (Some(parent), _) => Some(quoted(parent)),
            (None, before) => Some(before.map_or("null".to_owned(), quoted)),
        };
        let second = match self.time {
            Some("") => None,
            Some(second) => Some(second.parse().expect("a time is a number of seconds")),
            None => Some(place),
        };
        let id = (self.name != "_").then(|| quoted(self.name));
        let (kind, own) = self.body(version_1);
        let fields = [
            ("id", id.filter(|_| version_1.is_none())),
            ("parentId", parent.filter(|_| version_1.is_none())),
            ("timestamp", second.map(|second| quoted(&time(second)))),
        ];
        let common: String = fields
            .iter()
            .filter_map(|(key, value)| Some(format!(",\"{key}\":{}", value.as_ref()?)))
            .collect();
        format!("{{\"type\":\"{kind}\"{common}{own}}}\n")
    }

    /// Returns the type of the entry, and its own fields with a comma before each.
    fn body(&self, version_1: Option<&HashMap<&str, usize>>) -> (&'a str, String) {
        let argument = |at: usize| self.arguments.get(at).copied().unwrap_or_default();
        let (first, second) = (argument(0), argument(1));
        let text = format!(
            "{}{}",
            self.name,
            "x".repeat((4 * self.tokens).saturating_sub(self.name.len()))
        );
        let blocks = format!("[{{\"type\":\"text\",\"text\":\"{text}\"}}]");
        let message =
            |fields: &str| ("message", format!(",\"message\":{{{fields},\"timestamp\":1}}"));
        let answer = |content: &str| {
            message(&format!(
                "\"role\":\"assistant\",\"content\":{content},\"provider\":\"p\",\"model\":\"m\",\"stopReason\":\"stop\""
            ))
        };
        match self.kind {
            "user" => message(&format!("\"role\":\"user\",\"content\":\"{text}\"")),
            "answer" => answer(&blocks),
            "calls" => {
                let call = |id: &&str| {
                    format!(
                        "{{\"type\":\"toolCall\",\"id\":\"{id}\",\"name\":\"read\",\"arguments\":{{\"path\":\"{id}\"}}}}"
                    )
                };
                answer(&format!(
                    "[{}]",
                    self.arguments.iter().map(call).collect::<Vec<_>>().join(",")
                ))
            }
            "result" => message(&format!(
                "\"role\":\"toolResult\",\"toolCallId\":\"{first}\",\"toolName\":\"read\",\"content\":{blocks},\"isError\":false"
            )),
            "system" => message(&format!("\"role\":\"system\",\"content\":\"{text}\"")),
            "hook" => message(&format!(
                "\"role\":\"hookMessage\",\"customType\":\"h\",\"content\":\"{text}\",\"display\":true"
            )),
            "bash" => message(&format!(
                "\"role\":\"bashExecution\",\"command\":\"{text}\",\"output\":\"\",\"cancelled\":false,\"truncated\":false"
            )),
            "note" => (
                "custom_message",
                format!(",\"customType\":\"n\",\"content\":\"{text}\",\"display\":true"),
            ),
            "label" if second.is_empty() => ("label", format!(",\"targetId\":\"{first}\"")),
            "label" => ("label", format!(",\"targetId\":\"{first}\",\"label\":\"{second}\"")),
            "name" => ("session_info", format!(",\"name\":\"{first}\"")),
            "model" => {
                ("model_change", format!(",\"provider\":\"{first}\",\"modelId\":\"{second}\""))
            }
            "level" => ("thinking_level_change", format!(",\"thinkingLevel\":\"{first}\"")),
            "summary" => {
                ("branch_summary", format!(",\"fromId\":\"root\",\"summary\":\"{first}\""))
            }
            "compaction" => {
                let kept = match version_1 {
                    None => format!("\"firstKeptEntryId\":\"{first}\""),
                    Some(places) => {
                        format!(
                            "\"firstKeptEntryIndex\":{}",
                            places.get(first).copied().unwrap_or_default()
                        )
                    }
                };
                ("compaction", format!(",\"summary\":\"{text}\",{kept},\"tokensBefore\":100"))
            }
            "edit" if second.is_empty() => {
                ("context_edit", format!(",\"targetId\":\"{first}\",\"replacement\":null"))
            }
            "edit" => (
                "context_edit",
                format!(",\"targetId\":\"{first}\",\"replacement\":{{\"content\":\"{second}\"}}"),
            ),
            "usage" => (
                "usage",
                ",\"kind\":\"k\",\"provider\":\"p\",\"model\":\"m\",\"usage\":{\"input\":1}"
                    .to_owned(),
            ),
            kind => (kind, String::new()),
        }
    }
}
