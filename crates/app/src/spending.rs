//! What was spent, on what and when, where the person is.

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use pi_brain_session::Millis;
use pi_brain_store::{OwnUse, QUARTER, SpendingFilter, Spent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::error::Result;

/// What to add up by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum CostBy {
    #[default]
    Day,
    Week,
    Month,
    Project,
    Model,
    Session,
}

/// What was spent.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cost {
    /// What it is added up by.
    pub by: CostBy,
    /// All of it.
    pub total: Spent,
    /// Times with the newest first, everything else with the dearest first.
    pub rows: Vec<CostRow>,
    /// What models took for pi-brain itself.
    pub own_use: OwnUse,
}

/// Something that money was spent on.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CostRow {
    /// What it is.
    #[serde(flatten)]
    pub key: CostKey,
    /// What was spent.
    #[serde(flatten)]
    pub spent: Spent,
}

/// What money was spent on.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum CostKey {
    /// A day.
    Day {
        /// Such as 2026-11-16.
        #[schemars(with = "String", extend("format" = "date"))]
        day: Date,
    },
    /// A week.
    Week {
        /// Its Monday.
        #[schemars(with = "String", extend("format" = "date"))]
        week: Date,
    },
    /// A month.
    Month {
        /// Such as 2026-11.
        month: String,
    },
    /// A project.
    Project {
        /// The working directory; empty if it is not known.
        project: String,
    },
    /// A model.
    Model {
        /// Who offers it.
        provider: String,
        /// The model.
        model: String,
    },
    /// A session.
    Session {
        /// Its id.
        session: String,
        /// Its file.
        file: String,
        /// The working directory.
        project: String,
        /// What it was about.
        title: Option<String>,
        /// When it was last used.
        last_used: Millis,
    },
}

impl App {
    /// Adds up what was spent on each day.
    pub fn spending_by_day(
        &self,
        filter: &SpendingFilter,
        zone: &TimeZone,
    ) -> Result<BTreeMap<Date, Spent>> {
        let mut days: BTreeMap<Date, Spent> = BTreeMap::new();
        for (quarter, spent) in self.store.spending_by_quarter(filter)? {
            let time = Millis(quarter.saturating_mul(QUARTER)).to_timestamp();
            *days.entry(zone.to_datetime(time).date()).or_default() += spent;
        }
        Ok(days)
    }

    /// Adds up what models took for us on each day, from a time on.
    pub fn own_use_by_day(&self, since: Millis, zone: &TimeZone) -> Result<BTreeMap<Date, OwnUse>> {
        let mut days: BTreeMap<Date, OwnUse> = BTreeMap::new();
        for (quarter, taken) in self.store.own_use_by_quarter(since)? {
            let time = Millis(quarter.saturating_mul(QUARTER)).to_timestamp();
            *days.entry(zone.to_datetime(time).date()).or_default() += taken;
        }
        Ok(days)
    }

    /// Adds up what was spent.
    pub fn cost(&self, filter: &SpendingFilter, by: CostBy, zone: &TimeZone) -> Result<Cost> {
        let rows = self.cost_rows(filter, by, zone)?;
        let mut total = Spent::default();
        for row in &rows {
            total += row.spent;
        }
        let own_use = self.store.own_use(filter.after.unwrap_or(Millis(i64::MIN)))?;
        Ok(Cost { by, total, rows, own_use })
    }

    fn cost_rows(
        &self,
        filter: &SpendingFilter,
        by: CostBy,
        zone: &TimeZone,
    ) -> Result<Vec<CostRow>> {
        let mut rows: Vec<CostRow> = match by {
            CostBy::Day | CostBy::Week | CostBy::Month => {
                return Ok(by_period(by, &self.spending_by_day(filter, zone)?));
            }
            CostBy::Project => {
                let rows = self.store.spending_by_project(filter)?.into_iter();
                rows.map(|(project, spent)| CostRow { key: CostKey::Project { project }, spent })
                    .collect()
            }
            CostBy::Model => {
                let rows = self.store.spending_by_model(filter)?.into_iter();
                rows.map(|row| CostRow {
                    key: CostKey::Model { provider: row.provider, model: row.model },
                    spent: row.spent,
                })
                .collect()
            }
            CostBy::Session => {
                let rows = self.store.spending_by_session(filter)?.into_iter();
                rows.map(|row| CostRow {
                    key: CostKey::Session {
                        session: row.session,
                        file: row.file,
                        project: row.project,
                        title: row.title,
                        last_used: row.last_used,
                    },
                    spent: row.spent,
                })
                .collect()
            }
        };
        rows.sort_by(|one, other| other.spent.usage.cost.total_cmp(&one.spent.usage.cost));
        Ok(rows)
    }
}

fn by_period(by: CostBy, days: &BTreeMap<Date, Spent>) -> Vec<CostRow> {
    let mut periods: BTreeMap<Date, Spent> = BTreeMap::new();
    for (day, spent) in days {
        let since_monday = i64::from(day.weekday().to_monday_zero_offset());
        let first = match by {
            CostBy::Week => day.saturating_sub(since_monday.days()),
            CostBy::Month => day.first_of_month(),
            _ => *day,
        };
        *periods.entry(first).or_default() += *spent;
    }
    let row = |(first, spent): (Date, Spent)| {
        let key = match by {
            CostBy::Week => CostKey::Week { week: first },
            CostBy::Month => CostKey::Month { month: first.strftime("%Y-%m").to_string() },
            _ => CostKey::Day { day: first },
        };
        CostRow { key, spent }
    };
    periods.into_iter().rev().map(row).collect()
}
