//! Reads a judgement out of a model's answer.
//!
//! What is wrong in form is put right where there is only one thing it can mean: a fence around the JSON, another word for the
//! same kind of work, a missing list. What would have to be guessed, above all how the work ended, is an error.

mod json;

use std::collections::BTreeMap;

use pi_brain_brain::{
    Confidence, Decision, Frequency, Lesson, LessonLevel, LessonsByLevel, ModelQuirk, NodeType,
    Outcome, Severity,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::claims::{Dropped, Known};
use crate::judgement::Judgement;

/// So many characters are kept of a summary, of another statement, and of a name.
const SUMMARY: usize = 1_200;
const STATEMENT: usize = 1_200;
const NAME: usize = 60;
/// So many statements, and so many names, are kept of a list.
const STATEMENTS: usize = 30;
const NAMES: usize = 20;

/// Reads an answer about a log. Statements about files or tools that the log does not contain are left out and told.
///
/// The error says in a few words what is wrong with the answer, for a model that is asked once more.
pub(crate) fn parse(answer: &str, known: &Known) -> Result<(Judgement, Vec<Dropped>), String> {
    let object = json::find_object(answer).ok_or("there is no JSON object in it")?;
    let mut reader = Reader { object, known, dropped: Vec::new(), evidence: BTreeMap::new() };
    let judgement = reader.judgement()?;
    Ok((judgement, reader.dropped))
}

struct Reader<'a> {
    object: Map<String, Value>,
    known: &'a Known,
    dropped: Vec<Dropped>,
    evidence: BTreeMap<String, Vec<String>>,
}

impl Reader<'_> {
    fn judgement(&mut self) -> Result<Judgement, String> {
        let summary = self.find(&["summary"]).map(|value| text(value, SUMMARY)).unwrap_or_default();
        if summary.is_empty() {
            return Err("the member \"summary\" is missing or empty".to_owned());
        }
        let outcome = self.find(&["outcome"]).and_then(Value::as_str).unwrap_or_default();
        let outcome = read_outcome(outcome).ok_or_else(|| {
            format!("\"outcome\" is {outcome:?}, and not success, partial, failed or abandoned")
        })?;
        let node_type = self.find(&["type"]).and_then(Value::as_str);
        let node_type = read_type(node_type.ok_or("the member \"type\" is missing")?);
        let language = self.find(&["language"]).map(|value| text(value, NAME));
        let language =
            language.filter(|name| !["", "none", "null", "n/a"].contains(&name.as_str()));
        Ok(Judgement {
            node_type,
            had_clear_goal: self.find(&["hadClearGoal"]).and_then(Value::as_bool),
            language,
            frameworks: self.names(&["frameworks"]),
            summary,
            outcome,
            key_decisions: self.decisions(),
            lessons: self.lessons(),
            prompting_wins: self.sentences("promptingWins"),
            prompting_failures: self.sentences("promptingFailures"),
            model_quirks: self.quirks(),
            tags: self.tags("tags"),
            topics: self.tags("topics"),
            concepts: self.tags("concepts"),
            evidence: std::mem::take(&mut self.evidence),
        })
    }

    /// Finds a member by one of its names, at the top or in one of the groups that a node has.
    fn find(&self, names: &[&str]) -> Option<&Value> {
        const GROUPS: [&str; 4] = ["classification", "content", "observations", "semantic"];
        let groups = GROUPS.iter().filter_map(|group| self.object.get(*group)?.as_object());
        let mut places = std::iter::once(&self.object).chain(groups);
        places.find_map(|place| names.iter().find_map(|name| place.get(*name)))
    }

    fn list(&self, names: &[&str]) -> Vec<Value> {
        match self.find(names) {
            Some(Value::Array(items)) => items.clone(),
            // One thing instead of a list of one.
            Some(item @ (Value::Object(_) | Value::String(_))) => vec![item.clone()],
            _ => Vec::new(),
        }
    }

    fn names(&self, names: &[&str]) -> Vec<String> {
        texts(&self.list(names), NAME, NAMES)
    }

    fn tags(&self, name: &str) -> Vec<String> {
        let mut tags: Vec<String> = Vec::new();
        for tag in self.names(&[name]) {
            let tag = tag.trim_start_matches('#').to_lowercase();
            if !tag.is_empty() && !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        tags
    }

    fn sentences(&mut self, name: &str) -> Vec<String> {
        let sentences = texts(&self.list(&[name]), STATEMENT, STATEMENTS);
        sentences.into_iter().filter(|sentence| self.holds(sentence, &Value::Null)).collect()
    }

    fn decisions(&mut self) -> Vec<Decision> {
        let mut decisions = Vec::new();
        for item in self.list(&["decisions", "keyDecisions"]) {
            let decision = Decision {
                what: member(&item, &["what", "decision"])
                    .or_else(|| plain(&item))
                    .unwrap_or_default(),
                why: member(&item, &["why", "reason", "rationale"]).unwrap_or_default(),
                alternatives_considered: members(
                    &item,
                    &["alternatives", "alternativesConsidered"],
                ),
            };
            let whole = format!("{} {}", decision.what, decision.why);
            if !decision.what.is_empty()
                && decisions.len() < STATEMENTS
                && self.holds(&whole, &item)
            {
                self.show(format!("content.keyDecisions[{}]", decisions.len()), &item);
                decisions.push(decision);
            }
        }
        decisions
    }

    fn lessons(&mut self) -> LessonsByLevel {
        let mut lessons = LessonsByLevel::default();
        for (level, item) in self.lesson_items() {
            let Some(summary) = member(&item, &["summary", "lesson"]).or_else(|| plain(&item))
            else {
                continue;
            };
            let details = member(&item, &["details"]).unwrap_or_default();
            if summary.is_empty() || !self.holds(&format!("{summary} {details}"), &item) {
                continue;
            }
            let lesson = Lesson {
                level,
                summary,
                details,
                confidence: word(&item, "confidence").unwrap_or(Confidence::Low),
                tags: members(&item, &["tags"]).iter().map(|tag| tag.to_lowercase()).collect(),
                actionable: member(&item, &["actionable"]).filter(|text| !text.is_empty()),
            };
            let of_level = match level {
                LessonLevel::Project => &mut lessons.project,
                LessonLevel::Task => &mut lessons.task,
                LessonLevel::User => &mut lessons.user,
                LessonLevel::Model => &mut lessons.model,
                LessonLevel::Tool => &mut lessons.tool,
                LessonLevel::Skill => &mut lessons.skill,
                LessonLevel::Subagent => &mut lessons.subagent,
            };
            if of_level.len() < STATEMENTS {
                let path = format!("lessons.{}[{}]", pi_brain_brain::word(&level), of_level.len());
                of_level.push(lesson);
                self.show(path, &item);
            }
        }
        lessons
    }

    /// Returns the lessons with their level, be they one list or one for each level, as in a node.
    fn lesson_items(&self) -> Vec<(LessonLevel, Value)> {
        // A lesson about nothing in particular is about how to do things.
        let level_in = |item: &Value| word(item, "level").unwrap_or(LessonLevel::Task);
        match self.find(&["lessons"]) {
            Some(Value::Object(levels)) if !levels.contains_key("summary") => {
                let lists = levels.iter().filter_map(|(level, items)| {
                    let level = read_word(level)?;
                    Some(items.as_array()?.iter().map(move |item| (level, item.clone())))
                });
                lists.flatten().collect()
            }
            _ => self.list(&["lessons"]).into_iter().map(|item| (level_in(&item), item)).collect(),
        }
    }

    fn quirks(&mut self) -> Vec<ModelQuirk> {
        let mut quirks = Vec::new();
        for item in self.list(&["modelQuirks", "quirks"]) {
            let quirk = ModelQuirk {
                model: member(&item, &["model"]).unwrap_or_default(),
                observation: member(&item, &["observation"]).unwrap_or_default(),
                frequency: word(&item, "frequency").unwrap_or(Frequency::Once),
                workaround: member(&item, &["workaround"]).filter(|text| !text.is_empty()),
                severity: word(&item, "severity").unwrap_or(Severity::Low),
            };
            let is_whole = !quirk.model.is_empty() && !quirk.observation.is_empty();
            if is_whole && quirks.len() < STATEMENTS && self.holds(&quirk.observation, &item) {
                self.show(format!("observations.modelQuirks[{}]", quirks.len()), &item);
                quirks.push(quirk);
            }
        }
        quirks
    }

    /// Returns whether the log contains what a statement speaks of; if not, the statement is told as dropped.
    fn holds(&mut self, statement: &str, item: &Value) -> bool {
        let (files, tools) = (members(item, &["files"]), members(item, &["tools"]));
        let Some(claim) = self.known.unknown(statement, &files, &tools) else { return true };
        let claim = claim.to_owned();
        self.dropped.push(Dropped { statement: statement.trim().to_owned(), claim });
        false
    }

    /// Keeps the entries that a statement names, as far as there are such entries.
    fn show(&mut self, path: String, item: &Value) {
        let mut entries = members(item, &["entries"]);
        for entry in &mut entries {
            *entry = entry.trim_matches(['[', ']', ' ']).to_owned();
        }
        entries.retain(|entry| self.known.entries.contains(entry));
        entries.dedup();
        if !entries.is_empty() {
            self.evidence.insert(path, entries);
        }
    }
}

fn read_type(raw: &str) -> NodeType {
    let name = raw.trim().to_lowercase();
    read_word(&name).unwrap_or(match name.as_str() {
        "code" | "feature" | "implementation" | "development" => NodeType::Coding,
        "debug" | "bugfix" | "bug fix" | "bug-fix" | "fix" | "troubleshooting" => {
            NodeType::Debugging
        }
        "refactor" | "cleanup" => NodeType::Refactoring,
        "ops" | "devops" | "deployment" | "administration" => NodeType::Sysadmin,
        "exploration" | "investigation" | "learning" | "question" => NodeType::Research,
        "plan" | "design" | "architecture" => NodeType::Planning,
        "test" | "tests" | "testing" | "review" | "code review" => NodeType::Qa,
        "brainstorming" | "ideation" => NodeType::Brainstorm,
        "docs" | "doc" | "writing" => NodeType::Documentation,
        "config" | "setup" | "tooling" => NodeType::Configuration,
        "data analysis" | "analysis" => NodeType::Data,
        _ => NodeType::Other,
    })
}

fn read_outcome(raw: &str) -> Option<Outcome> {
    let name = raw.trim().to_lowercase();
    read_word(&name).or(match name.as_str() {
        "succeeded" | "successful" | "completed" | "complete" | "done" => Some(Outcome::Success),
        "partially" | "partial success" | "partial_success" | "incomplete" | "in progress" => {
            Some(Outcome::Partial)
        }
        "failure" | "fail" | "unsuccessful" => Some(Outcome::Failed),
        "aborted" | "cancelled" | "given up" => Some(Outcome::Abandoned),
        _ => None,
    })
}

/// Reads a word of one of our lists.
fn read_word<T: DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(Value::String(word.trim().to_lowercase())).ok()
}

fn word<T: DeserializeOwned>(item: &Value, name: &str) -> Option<T> {
    read_word(item.get(name)?.as_str()?)
}

fn member(item: &Value, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| item.get(*name)).map(|value| text(value, STATEMENT))
}

fn members(item: &Value, names: &[&str]) -> Vec<String> {
    match names.iter().find_map(|name| item.get(*name)) {
        Some(Value::Array(items)) => texts(items, STATEMENT, NAMES),
        Some(Value::String(one)) if !one.trim().is_empty() => vec![one.trim().to_owned()],
        _ => Vec::new(),
    }
}

/// Returns an item that is a mere sentence where an object should be.
fn plain(item: &Value) -> Option<String> {
    item.is_string().then(|| text(item, STATEMENT))
}

fn texts(items: &[Value], length: usize, number: usize) -> Vec<String> {
    let texts = items.iter().map(|item| text(item, length)).filter(|text| !text.is_empty());
    texts.take(number).collect()
}

/// Returns a text on one line, cut to a length; anything else is nothing.
fn text(value: &Value, limit: usize) -> String {
    let words = value.as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

#[cfg(test)]
mod tests;
