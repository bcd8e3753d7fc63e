//! Times as pi writes them: ISO 8601 with milliseconds in entries, milliseconds since 1970 in messages.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A moment, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub i64);

impl Millis {
    /// Reads an ISO 8601 time with an offset, such as `2026-11-15T17:50:03.655Z`, or one without offset as UTC.
    pub fn parse(text: &str) -> Option<Self> {
        let without_zone = || {
            let time: jiff::civil::DateTime = text.parse().ok()?;
            Some(time.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
        };
        text.parse().ok().or_else(without_zone).map(Self::from)
    }

    /// Takes a number as JavaScript's `Date` would.
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
    pub(crate) fn from_number(number: f64) -> Option<Self> {
        const LARGEST: f64 = 8.64e15;
        (number.abs() <= LARGEST).then(|| Self(number.trunc() as i64))
    }

    /// Returns the same moment for calendar arithmetic; a time that no calendar reaches is 1970.
    pub fn to_timestamp(self) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond(self.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
    }
}

impl From<jiff::Timestamp> for Millis {
    fn from(timestamp: jiff::Timestamp) -> Self {
        Self(timestamp.as_millisecond())
    }
}

impl From<std::time::SystemTime> for Millis {
    fn from(time: std::time::SystemTime) -> Self {
        let millis =
            |duration: std::time::Duration| i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self(match time.duration_since(std::time::UNIX_EPOCH) {
            Ok(after) => millis(after),
            Err(before) => -millis(before.duration()),
        })
    }
}

impl Serialize for Millis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            self.0.serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Millis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return i64::deserialize(deserializer).map(Self);
        }
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom(format!("{text:?} is no time")))
    }
}

impl JsonSchema for Millis {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Time".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

impl fmt::Display for Millis {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.to_timestamp().strftime("%Y-%m-%dT%H:%M:%S%.3fZ"))
    }
}
