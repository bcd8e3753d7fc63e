//! The projects that people worked on.

use std::collections::BTreeMap;

use pi_brain_session::Millis;
use schemars::JsonSchema;
use serde::Serialize;

use super::count;
use super::spending::{PROJECT, SpendingFilter, Spent};
use crate::error::Result;
use crate::store::Store;

/// What is known of a project.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectRow {
    /// The working directory; empty if sessions do not say it.
    pub project: String,
    /// How many sessions were held there.
    pub sessions: u64,
    /// How many nodes came of them.
    pub nodes: u64,
    /// What was spent.
    #[serde(flatten)]
    pub spent: Spent,
    /// How long work went on, without the breaks between segments.
    pub minutes: f64,
    /// When work began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_active: Option<Millis>,
    /// When something happened last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_active: Option<Millis>,
}

impl Store {
    /// Lists all projects, those that were active last first.
    pub fn projects(&self) -> Result<Vec<ProjectRow>> {
        let mut projects: BTreeMap<String, ProjectRow> = BTreeMap::new();
        for (project, sessions) in
            self.counts("SELECT project, count(*) FROM session GROUP BY project")?
        {
            of(&mut projects, project).sessions = sessions;
        }
        let sql = "SELECT project, count(*) FROM node WHERE id NOT IN hidden GROUP BY project";
        for (project, nodes) in self.counts(sql)? {
            of(&mut projects, project).nodes = nodes;
        }
        for (project, spent) in self.spending_by_project(&SpendingFilter::default())? {
            of(&mut projects, project).spent = spent;
        }
        self.database.read(|connection| {
            let sql = format!(
                "SELECT {PROJECT}, sum(segment.ended - segment.started) / 60000.0, min(segment.started), max(segment.ended)
                 FROM segment LEFT JOIN node ON node.id = segment.id GROUP BY 1"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let project = of(&mut projects, row.get(0)?);
                project.minutes = row.get::<_, Option<f64>>(1)?.unwrap_or(0.0);
                project.first_active = row.get::<_, Option<i64>>(2)?.map(Millis);
                project.last_active = row.get::<_, Option<i64>>(3)?.map(Millis);
            }
            Ok(())
        })?;
        let mut projects: Vec<ProjectRow> = projects.into_values().collect();
        projects.sort_by_key(|project| std::cmp::Reverse(project.last_active));
        Ok(projects)
    }

    /// Reads names with how many there are of each.
    pub(super) fn counts(&self, sql: &str) -> Result<Vec<(String, u64)>> {
        self.database.read(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, count(row, 1)?)))?;
            rows.collect()
        })
    }
}

fn of(projects: &mut BTreeMap<String, ProjectRow>, project: String) -> &mut ProjectRow {
    projects.entry(project).or_insert_with_key(|project| ProjectRow {
        project: project.clone(),
        sessions: 0,
        nodes: 0,
        spent: Spent::default(),
        minutes: 0.0,
        first_active: None,
        last_active: None,
    })
}
