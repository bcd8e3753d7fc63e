//! What stands in the path and the query of a request, read into types that say what it may be.

use std::sync::Arc;

use axum::extract::RawPathParams;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::failure::{Answered, Failure};

/// What a question may say: several parts, each a type whose fields are parameters.
pub(crate) trait Params: Sized + Send + 'static {
    /// Returns the schemas of all parts.
    fn schemas(generator: &mut SchemaGenerator) -> Vec<Schema>;

    /// Reads the parts from pairs of names and values.
    fn parse(pairs: &str) -> Result<Self, serde_urlencoded::de::Error>;

    /// Reads the path and the query of a request. A name that is not known is a mistake that somebody should hear of.
    fn read(path: &RawPathParams, query: Option<&str>, names: &Arc<[String]>) -> Answered<Self> {
        let query = query.unwrap_or_default();
        let asked: Vec<(String, String)> =
            serde_urlencoded::from_str(query).map_err(|error| bad(&error))?;
        if let Some((name, _)) = asked.iter().find(|(name, _)| !names.contains(name)) {
            let known = match &**names {
                [] => "there is none here".to_owned(),
                names => format!("known are {}", names.join(", ")),
            };
            return Err(Failure::bad_request(format!("{name:?} is no parameter; {known}")));
        }
        let given: Vec<(&str, &str)> = path.iter().collect();
        let given = serde_urlencoded::to_string(given)
            .map_err(|error| Failure::bad_request(format!("the path cannot be read: {error}")))?;
        Self::parse(&format!("{given}&{query}")).map_err(|error| bad(&error))
    }
}

fn bad(error: &serde_urlencoded::de::Error) -> Failure {
    Failure::bad_request(error.to_string())
}

impl Params for () {
    fn schemas(_: &mut SchemaGenerator) -> Vec<Schema> {
        Vec::new()
    }

    fn parse(_: &str) -> Result<Self, serde_urlencoded::de::Error> {
        Ok(())
    }
}

macro_rules! params_of_parts {
    ($($part:ident),+) => {
        impl<$($part: DeserializeOwned + JsonSchema + Send + 'static),+> Params for ($($part,)+) {
            fn schemas(generator: &mut SchemaGenerator) -> Vec<Schema> {
                vec![$($part::json_schema(generator)),+]
            }

            fn parse(pairs: &str) -> Result<Self, serde_urlencoded::de::Error> {
                Ok(($(serde_urlencoded::from_str::<$part>(pairs)?,)+))
            }
        }
    };
}

params_of_parts!(A);
params_of_parts!(A, B);
params_of_parts!(A, B, C);

/// Which part of a list.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(crate) struct Paging {
    /// How many at most.
    #[serde(default = "Paging::usual")]
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) limit: usize,
    /// Where to go on: `next` of the part before.
    pub(crate) cursor: Option<String>,
}

impl Paging {
    const MOST: usize = 1000;

    fn usual() -> usize {
        50
    }

    pub(crate) fn limit(&self) -> Answered<usize> {
        match self.limit {
            limit @ 1..=Self::MOST => Ok(limit),
            _ => Err(Failure::bad_request(format!("limit has to be from 1 to {}", Self::MOST))),
        }
    }

    /// Cuts a part out of a whole list, whose members are told apart by a key.
    pub(crate) fn cut<T>(&self, all: Vec<T>, key: impl Fn(&T) -> String) -> Answered<Listed<T>> {
        let (limit, total) = (self.limit()?, all.len());
        let start = match &self.cursor {
            None => 0,
            Some(cursor) => match all.iter().position(|one| key(one) == *cursor) {
                Some(at) => at + 1,
                None => return Err(gone()),
            },
        };
        let items: Vec<T> = all.into_iter().skip(start).take(limit).collect();
        let is_end = start + items.len() >= total;
        let next = items.last().map(key).filter(|_| !is_end);
        Ok(Listed { items, total, next })
    }
}

/// Says that the place where a list was to go on is not there any more.
pub(crate) fn gone() -> Failure {
    Failure::new(
        axum::http::StatusCode::GONE,
        "cursor_gone",
        "the list does not go on from there any more",
        "ask again without cursor",
    )
}

/// A part of a list.
#[derive(Debug, serde::Serialize, JsonSchema)]
pub(crate) struct Listed<T> {
    /// The members.
    pub(crate) items: Vec<T>,
    /// How many there are in all.
    pub(crate) total: usize,
    /// The cursor of the next part; none at the end.
    pub(crate) next: Option<String>,
}
