//! The content key: what makes two messages the same.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};
use sha2::{Digest, Sha256};

use crate::message::{Block, Message};

/// A digest of everything that counts when messages are compared: role, blocks, tool call id, error flag.
///
/// It takes the place of the comparison itself: equal keys are equal messages, as in git. The order of keys
/// in JSON objects does not count, numbers count by value, text counts byte for byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct ContentKey([u8; Self::LENGTH]);

impl ContentKey {
    /// How many bytes a key has: half of a SHA-256, in which nobody will ever find two messages with one key either.
    pub const LENGTH: usize = 16;

    /// Computes the key of a message.
    pub fn of(message: &Message) -> Self {
        let mut hash = Canonical::default();
        hash.text(message.role().as_str());
        hash.count(b'm', message.content().len());
        for block in message.content() {
            hash.block(block);
        }
        hash.text(message.tool_call_id().unwrap_or_default());
        hash.mark(u8::from(message.is_error()));
        let digest: [u8; 32] = hash.0.finalize().into();
        Self::from_bytes(&digest).expect("a digest is longer than a key")
    }

    /// Takes the bytes of a key that was kept; older ones have more of them.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.first_chunk().copied().map(Self)
    }

    /// Returns the bytes of the key, to be kept.
    pub fn to_bytes(self) -> [u8; Self::LENGTH] {
        self.0
    }

    /// Returns the first bytes as a number, to break ties in an order that depends on content alone.
    pub(crate) fn rank(self) -> i64 {
        self.0[..7].iter().fold(0, |rank, &byte| rank << 8 | i64::from(byte))
    }
}

/// Below this, every whole number is a floating-point number.
const EVERY_WHOLE_NUMBER: f64 = 9_007_199_254_740_992.0;

/// Feeds values to the digest so that different values never feed the same bytes.
#[derive(Default)]
struct Canonical(Sha256);

impl Canonical {
    fn mark(&mut self, mark: u8) {
        self.0.update([mark]);
    }

    fn count(&mut self, mark: u8, count: usize) {
        self.mark(mark);
        self.0.update((count as u64).to_be_bytes());
    }

    fn text(&mut self, text: &str) {
        self.count(b's', text.len());
        self.0.update(text);
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Text(text) => {
                self.mark(b'T');
                self.text(text);
            }
            Block::ToolUse(call) => {
                self.mark(b'U');
                self.text(&call.id);
                self.text(&call.name);
                self.members(&call.parameters);
            }
            Block::Other(members) => {
                self.mark(b'O');
                self.members(members);
            }
        }
    }

    fn members(&mut self, members: &serde_json::Map<String, Value>) {
        let mut sorted: Vec<_> = members.iter().collect();
        sorted.sort_unstable_by_key(|(key, _)| *key);
        self.count(b'{', sorted.len());
        for (key, value) in sorted {
            self.text(key);
            self.value(value);
        }
    }

    /// JSON has one kind of number: 1, 1.0 and 1e0 are the same, and so are 0 and -0.
    fn number(&mut self, number: &Number) {
        let float = number.as_f64().unwrap_or_default() + 0.0;
        if float.abs() < EVERY_WHOLE_NUMBER {
            self.mark(b'd');
            self.0.update(float.to_bits().to_be_bytes());
        } else {
            // From here on several whole numbers share one floating-point number.
            self.mark(b'i');
            self.text(&if number.is_f64() { format!("{float:.0}") } else { number.to_string() });
        }
    }

    /// Recurses over the depth of a value, which parsers limit to 128.
    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.mark(b'n'),
            Value::Bool(true) => self.mark(b't'),
            Value::Bool(false) => self.mark(b'f'),
            Value::Number(number) => self.number(number),
            Value::String(text) => self.text(text),
            Value::Array(items) => {
                self.count(b'[', items.len());
                for item in items {
                    self.value(item);
                }
            }
            Value::Object(members) => self.members(members),
        }
    }
}

impl fmt::Display for ContentKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl From<ContentKey> for String {
    fn from(key: ContentKey) -> Self {
        key.to_string()
    }
}

impl TryFrom<String> for ContentKey {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        const WRONG: &str = "a content key has at least 32 hexadecimal digits";
        let mut key = [0; Self::LENGTH];
        if text.len() < 2 * Self::LENGTH || !text.is_ascii() {
            return Err(WRONG);
        }
        for (byte, at) in key.iter_mut().zip((0..).step_by(2)) {
            *byte = u8::from_str_radix(&text[at..at + 2], 16).map_err(|_| WRONG)?;
        }
        Ok(Self(key))
    }
}
