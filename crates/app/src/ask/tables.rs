//! Answers from what is counted: money, files, errors, models, projects.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use pi_brain_brain::{Confidence, Question, Standing, Table, file_in, plain_word};
use pi_brain_store::{FileWanted, NodeFilter, NodeRow, Order, SpendingFilter, Spent};

use super::gathering::Place;
use super::period::Period;
use super::{Answer, AnswerSource, Asked, day, related};
use crate::app::App;
use crate::error::Result;
use crate::search::{FoundItem, Lookup, Wanted};

/// How many rows of a table an answer shows.
const ROWS: usize = 5;

/// How many units of work are looked through for those that are about a word.
const MOST_NODES: usize = 200;

impl App {
    /// Answers a question from a table; `None` if the table does not know what the question is about.
    pub(super) fn ask_table(
        &self,
        table: Table,
        question: &Question,
        period: Option<&Period>,
        asked: &Asked<'_>,
    ) -> Result<Option<Answer>> {
        let asking = Asking { app: self, question, period, asked };
        match table {
            Table::Cost => asking.cost(),
            Table::Files => asking.file(),
            Table::Errors => asking.errors(),
            Table::Models => asking.models(),
            Table::Projects => asking.projects(),
        }
    }
}

/// A question that a table answers.
struct Asking<'a> {
    app: &'a App,
    question: &'a Question,
    period: Option<&'a Period>,
    asked: &'a Asked<'a>,
}

/// What a question about numbers is narrowed down to.
#[derive(Default)]
struct Subject {
    /// The working directory.
    project: Option<String>,
    /// Part of a model's name.
    model: Option<String>,
    /// Words that name neither.
    others: Vec<String>,
}

/// A line of an answer, and the unit of work that shows it.
struct Row {
    text: String,
    source: AnswerSource,
    node: Option<NodeRow>,
}

impl Asking<'_> {
    /// Says what was spent: on a project, with a model, or on units of work that are about something.
    fn cost(&self) -> Result<Option<Answer>> {
        let subject = self.subject()?;
        if !subject.others.is_empty() {
            return self.cost_of_work(&subject);
        }
        let filter = SpendingFilter {
            project: subject.project.clone(),
            model: subject.model.clone(),
            after: self.period.map(|period| period.after),
            before: self.period.map(|period| period.before),
        };
        let mut total = Spent::default();
        for (_, spent) in self.app.store.spending_by_project(&filter)? {
            total += spent;
        }
        if total.answers == 0 {
            return Ok(None);
        }
        let on = subject
            .project
            .as_deref()
            .or(subject.model.as_deref())
            .map(|name| format!(" on {}", folder(name)));
        let head = format!(
            "{}{}{}: {} answers of models, {} tokens.",
            dollars(total.usage.cost),
            on.unwrap_or_default(),
            self.when(),
            total.answers,
            total.usage.total_tokens
        );
        let nodes = self.nodes(subject.project, Order::Cost)?;
        let rows = nodes.into_iter().map(|node| self.spent_on(node)).collect::<Result<_>>()?;
        Ok(Some(answer(head, rows)))
    }

    /// Adds up the cost of the units of work that are about the question's words.
    fn cost_of_work(&self, subject: &Subject) -> Result<Option<Answer>> {
        let words: Vec<String> = subject.others.iter().map(|word| format!("\"{word}\"")).collect();
        let found = self.search(&format!("{} kind:node", words.join(" ")), MOST_NODES)?;
        let is_meant = |node: &NodeRow| {
            let is_here = subject.project.as_ref().is_none_or(|project| node.project == *project);
            let is_then = self
                .period
                .is_none_or(|period| (period.after..period.before).contains(&node.started));
            is_here && is_then
        };
        let mut nodes: Vec<NodeRow> =
            found.into_iter().filter_map(|item| item.node).filter(is_meant).collect();
        let cost: f64 = nodes.iter().map(|node| node.cost).sum();
        let tokens: i64 = nodes.iter().map(|node| node.tokens).sum();
        if nodes.is_empty() {
            return Ok(None);
        }
        let head = format!(
            "{} on {}{}: {} units of work, {tokens} tokens.",
            dollars(cost),
            subject.others.join(" "),
            self.when(),
            nodes.len()
        );
        nodes.sort_by(|one, other| other.cost.total_cmp(&one.cost).then(one.id.cmp(&other.id)));
        nodes.truncate(self.rows());
        let rows = nodes.into_iter().map(|node| self.spent_on(node)).collect::<Result<_>>()?;
        Ok(Some(answer(head, rows)))
    }

    fn spent_on(&self, node: NodeRow) -> Result<Row> {
        let text = format!("{}: {}", dollars(node.cost), about(&node));
        self.row(text, node)
    }

    /// Lists what touched a file, the newest first, each with the call that did.
    fn file(&self) -> Result<Option<Answer>> {
        let Some(path) = file_in(self.asked.question) else { return Ok(None) };
        let wanted = FileWanted {
            names: vec![path.to_owned()],
            ending: Some(path.trim_start_matches('/').to_owned()),
        };
        let touches = self.app.store.touches(&wanted)?;
        let mut nodes: BTreeMap<_, (bool, NodeRow)> = BTreeMap::new();
        for touch in touches {
            if self
                .period
                .is_some_and(|period| !(period.after..period.before).contains(&touch.node.started))
            {
                continue;
            }
            let entry = nodes
                .entry((Reverse(touch.node.started), touch.node.id))
                .or_insert((false, touch.node));
            entry.0 |= touch.modified;
        }
        if nodes.is_empty() {
            return Ok(None);
        }
        let head = format!("{} units of work touched {path}{}.", nodes.len(), self.when());
        let calls = self.search(&format!("file:\"{path}\" kind:message"), MOST_NODES)?;
        let mut rows = Vec::new();
        for (is_modified, node) in nodes.into_values().take(self.rows()) {
            let done = if is_modified { "changed" } else { "read" };
            let text = format!("{} ({done} it): {}", day(node.started), about(&node));
            // The last call in a unit of work is the one that made the file what it then was.
            let call =
                calls.iter().find(|call| call.node.as_ref().is_some_and(|at| at.id == node.id));
            rows.push(match call {
                Some(call) => Row { source: cited(call, text.clone()), text, node: Some(node) },
                None => self.row(text, node)?,
            });
        }
        Ok(Some(answer(head, rows)))
    }

    fn errors(&self) -> Result<Option<Answer>> {
        let subject = self.subject()?;
        if !subject.others.is_empty() {
            return Ok(None);
        }
        let filter = self.node_filter(subject.project.clone());
        let groups = self.app.store.errors(&filter, false)?;
        let on = subject.project.as_deref().map(|project| format!(" in {}", folder(project)));
        let head =
            format!("{} kinds of errors{}{}.", groups.len(), on.unwrap_or_default(), self.when());
        let mut rows = Vec::new();
        for group in groups.into_iter().take(self.rows()) {
            let Some(node) = self.app.store.node_row(group.example)? else { continue };
            let state = if group.is_resolved() { "put right" } else { "open" };
            let text =
                format!("{} times, {state}: {}: {}", group.nodes, group.error_type, group.message);
            rows.push(self.row(text, node)?);
        }
        Ok((!rows.is_empty()).then(|| answer(head, rows)))
    }

    fn models(&self) -> Result<Option<Answer>> {
        let subject = self.subject()?;
        if !subject.others.is_empty() {
            return Ok(None);
        }
        let filter = SpendingFilter {
            project: subject.project.clone(),
            model: subject.model.clone(),
            after: self.period.map(|period| period.after),
            before: self.period.map(|period| period.before),
        };
        let mut models = self.app.store.spending_by_model(&filter)?;
        models.sort_by_key(|model| Reverse(model.spent.answers));
        let on = subject.project.as_deref().map(|project| format!(" in {}", folder(project)));
        let head =
            format!("{} models answered{}{}.", models.len(), on.unwrap_or_default(), self.when());
        let mut rows = Vec::new();
        for model in models.into_iter().take(self.rows()) {
            let text = format!(
                "{}/{}: {} answers in {} sessions, {}",
                model.provider,
                model.model,
                model.spent.answers,
                model.sessions,
                dollars(model.spent.usage.cost)
            );
            let query = format!("model:\"{}\" kind:message", model.model);
            let example = self.search(&query, MOST_NODES)?.into_iter().find(|item| {
                let is_here =
                    subject.project.as_ref().is_none_or(|project| item.project == *project);
                let is_then = self.period.is_none_or(|period| {
                    item.time.is_some_and(|time| (period.after..period.before).contains(&time))
                });
                is_here && is_then
            });
            let Some(example) = example else { continue };
            rows.push(Row { source: cited(&example, text.clone()), text, node: example.node });
        }
        Ok((!rows.is_empty()).then(|| answer(head, rows)))
    }

    fn projects(&self) -> Result<Option<Answer>> {
        let subject = self.subject()?;
        if !subject.others.is_empty() || subject.project.is_some() {
            return Ok(None);
        }
        let mut projects: Vec<(NodeRow, usize)> = Vec::new();
        for project in self.app.store.projects()? {
            if projects.len() == self.rows() {
                break;
            }
            let filter =
                self.node_filter(Some(project.project.clone()).filter(|path| !path.is_empty()));
            let (mut newest, count) = self.app.store.nodes(&filter, Order::Newest, 1, 0)?;
            projects.extend(newest.pop().map(|node| (node, count)));
        }
        let head = format!("Projects{}, those with the latest work first:", self.when());
        let row = |(node, count): (NodeRow, usize)| {
            let text = format!(
                "{}: {count} units of work, the last about: {}",
                folder(&node.project),
                about(&node)
            );
            self.row(text, node)
        };
        let rows: Vec<Row> = projects.into_iter().map(row).collect::<Result<_>>()?;
        Ok((!rows.is_empty()).then(|| answer(head, rows)))
    }

    /// Finds out which project or model the question means.
    fn subject(&self) -> Result<Subject> {
        let mut subject = Subject::default();
        let filter = SpendingFilter::default();
        let projects = self.app.store.spending_by_project(&filter)?;
        let models = self.app.store.spending_by_model(&filter)?;
        for word in self.question.subject_words() {
            let folded = plain_word(word);
            let is_in = |path: &str| plain_word(path).contains(&folded);
            // The longest path that has the word is the one with most folders: a project in a project.
            let named = projects.iter().map(|(path, _)| path).filter(|path| is_in(folder(path)));
            if let Some(path) = named.min_by_key(|path| path.len()) {
                subject.project = Some(path.clone());
            } else if models.iter().any(|model| is_in(&model.model) || is_in(&model.provider)) {
                subject.model = Some(word.to_owned());
            } else {
                subject.others.push(word.to_owned());
            }
        }
        Ok(subject)
    }

    fn node_filter(&self, project: Option<String>) -> NodeFilter {
        NodeFilter {
            project,
            after: self.period.map(|period| period.after),
            before: self.period.map(|period| period.before),
            ..NodeFilter::default()
        }
    }

    fn nodes(&self, project: Option<String>, order: Order) -> Result<Vec<NodeRow>> {
        Ok(self.app.store.nodes(&self.node_filter(project), order, self.rows(), 0)?.0)
    }

    fn search(&self, query: &str, limit: usize) -> Result<Vec<FoundItem>> {
        let wanted = Wanted { query, limit, offset: 0, now: self.asked.now, project: None };
        Ok(self.app.search(&wanted)?.results)
    }

    /// Says when, if the question does.
    fn when(&self) -> String {
        self.period.map(|period| format!(" ({})", period.name)).unwrap_or_default()
    }

    fn rows(&self) -> usize {
        self.asked.limit.min(ROWS)
    }

    /// Makes a row that is shown by a unit of work, which is cited by its first entry.
    fn row(&self, text: String, node: NodeRow) -> Result<Row> {
        let lookup = Lookup::new(&self.app.store, &self.app.fresh);
        let session = self.app.store.session_of_node(node.id)?;
        let line = match &session {
            Some(session) => lookup.line_of(session, node.id, &node.start_entry)?,
            None => None,
        };
        let place = Place {
            session,
            entry: node.start_entry.clone(),
            line,
            project: node.project.clone(),
            time: Some(node.started),
            node: Some(node.clone()),
        };
        Ok(Row { source: place.source(text.clone(), Standing::Stands), text, node: Some(node) })
    }
}

/// Cites what a search has found.
fn cited(found: &FoundItem, excerpt: String) -> AnswerSource {
    let place = Place {
        session: found.session.clone(),
        entry: found.entry.clone(),
        line: found.line,
        node: found.node.clone(),
        project: found.project.clone(),
        time: found.time,
    };
    place.source(excerpt, Standing::Stands)
}

fn answer(head: String, rows: Vec<Row>) -> Answer {
    let mut lines = vec![head.clone()];
    let (mut sources, mut related_nodes) = (Vec::new(), Vec::new());
    for row in rows {
        lines.push(format!("{} [{}]", row.text, sources.len() + 1));
        sources.push(row.source);
        related_nodes.extend(row.node.map(|node| related(&node, 1.0)));
    }
    Answer {
        summary: head,
        answer: lines.join("\n"),
        related_nodes,
        sources,
        confidence: Confidence::High,
        is_counted: true,
    }
}

/// Says what a unit of work is about.
fn about(node: &NodeRow) -> String {
    let goal = node.goal.as_deref().filter(|goal| !goal.trim().is_empty());
    goal.unwrap_or(&node.summary).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the name of a project's folder.
pub(crate) fn folder(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

fn dollars(cost: f64) -> String {
    format!("${cost:.2}")
}
