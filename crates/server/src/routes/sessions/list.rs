//! All sessions, in the order that somebody wants, without reading their files.

use std::cmp::Reverse;

use pi_brain_session::Millis;
use pi_brain_store::{SessionDigest, SessionRow};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::api::Api;
use crate::brains::Brain;
use crate::failure::Answered;
use crate::params::{Listed, Paging};

pub(super) fn add(api: Api) -> Api {
    api.get("/api/v1/sessions", "All sessions, what happened last first", list)
}

/// Which sessions.
#[derive(Deserialize, JsonSchema)]
struct Among {
    /// Only those whose working directory contains this, in upper or lower case.
    project: Option<String>,
    /// Only those in which something happened at this time or later.
    after: Option<Millis>,
    /// Only those in which something happened last before this time.
    before: Option<Millis>,
    /// Only those whose name or first words contain this, in upper or lower case, or whose id begins with it.
    q: Option<String>,
}

impl Among {
    fn retain(&self, rows: &mut Vec<SessionRow>) {
        let lower = |text: &Option<String>| text.as_ref().map(|text| text.to_lowercase());
        let (project, q) = (lower(&self.project), lower(&self.q));
        let contains = |text: Option<&str>, q: &String| {
            text.is_some_and(|text| text.to_lowercase().contains(q))
        };
        rows.retain(|row| {
            let words = row.digest.as_ref().and_then(|digest| digest.first_words.as_deref());
            let is_called = |q: &String| {
                row.id.to_lowercase().starts_with(q)
                    || contains(row.name.as_deref(), q)
                    || contains(words, q)
            };
            self.after.is_none_or(|after| row.latest() >= Some(after))
                && self.before.is_none_or(|before| row.latest() < Some(before))
                && project.as_ref().is_none_or(|project| contains(Some(&row.project), project))
                && q.as_ref().is_none_or(is_called)
        });
    }
}

/// What they are sorted by. The largest, newest and dearest come first; names and projects go from A to Z.
#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SortField {
    /// What happened last.
    #[default]
    Latest,
    /// What began last.
    Created,
    Messages,
    Branches,
    Cost,
    Size,
    Project,
    /// The name, else the first words.
    Title,
}

/// In which order.
#[derive(Deserialize, JsonSchema)]
struct Order {
    /// What they are sorted by.
    #[serde(default)]
    sort: SortField,
    /// Whether the order is turned round.
    #[serde(default)]
    reverse: bool,
}

impl Order {
    /// Sorts rows that come with the latest first; among equals that order stays.
    fn sort(&self, rows: &mut [SessionRow]) {
        let count =
            |row: &SessionRow, of: fn(&SessionDigest) -> u64| Reverse(row.digest.as_ref().map(of));
        let cost = |row: &SessionRow| row.digest.as_ref().map_or(0.0, |digest| digest.cost);
        match self.sort {
            SortField::Latest => {}
            SortField::Created => rows.sort_by_key(|row| Reverse(row.created)),
            SortField::Messages => rows.sort_by_key(|row| count(row, |digest| digest.messages)),
            SortField::Branches => rows.sort_by_key(|row| count(row, |digest| digest.branches)),
            SortField::Cost => rows.sort_by(|one, other| cost(other).total_cmp(&cost(one))),
            SortField::Size => rows.sort_by_key(|row| Reverse(row.size)),
            SortField::Project => rows.sort_by_cached_key(|row| row.project.to_lowercase()),
            SortField::Title => {
                // What has no title comes last.
                rows.sort_by_cached_key(|row| {
                    (row.title().is_none(), row.title().map(str::to_lowercase))
                });
            }
        }
        if self.reverse {
            rows.reverse();
        }
    }
}

fn list(
    brain: &mut Brain,
    (among, order, paging): (Among, Order, Paging),
) -> Answered<Listed<SessionRow>> {
    let mut rows = brain.app.store().session_rows()?;
    among.retain(&mut rows);
    order.sort(&mut rows);
    paging.cut(rows, |row| row.file.clone())
}
