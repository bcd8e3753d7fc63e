//! How much of what a reader says of a unit of work the analysis says, too.

use std::collections::{BTreeMap, BTreeSet};

use pi_brain_brain::{Node, word};

use crate::script::{Script, Unit};
use crate::session::Written;

/// Right ones of all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) right: usize,
    pub(crate) all: usize,
}

impl Tally {
    pub(crate) fn note(&mut self, is_right: bool) {
        self.right += usize::from(is_right);
        self.all += 1;
    }

    /// Notes how two sets agree: what only one of them has is wrong.
    fn compare(&mut self, wanted: &BTreeSet<&str>, found: &BTreeSet<&str>) {
        self.right += wanted.intersection(found).count();
        self.all += wanted.union(found).count();
    }
}

/// What is scored, in the order in which it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Aspect {
    Units,
    Type,
    Outcome,
    OutcomeOfAny,
    Files,
    Tools,
    Errors,
    Resolved,
    Numbers,
    Goal,
    DecisionsFound,
    DecisionsTrue,
    LessonsFound,
    Edges,
    Answered,
    Refused,
}

impl Aspect {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Units => "units of work cut right",
            Self::Type => "type",
            Self::Outcome => "outcome",
            Self::OutcomeOfAny => "outcome, as one of the readers sees it",
            Self::Files => "files",
            Self::Tools => "tools",
            Self::Errors => "errors",
            Self::Resolved => "errors: resolved or not",
            Self::Numbers => "tokens and cost exact",
            Self::Goal => "summary names the goal",
            Self::DecisionsFound => "decisions found",
            Self::DecisionsTrue => "decisions that are ones",
            Self::LessonsFound => "lessons found",
            Self::Edges => "links between units that are right",
            Self::Answered => "questions: the answer is among the first five",
            Self::Refused => "questions without answer: none is given",
        }
    }
}

/// The scores of one half.
#[derive(Debug, Default)]
pub(crate) struct Scores {
    pub(crate) tallies: BTreeMap<Aspect, Tally>,
    /// What was wrong, in words.
    pub(crate) misses: Vec<String>,
    /// Links that nobody has judged yet.
    pub(crate) unjudged: Vec<String>,
}

impl Scores {
    pub(crate) fn note(&mut self, aspect: Aspect, is_right: bool, miss: impl FnOnce() -> String) {
        self.tallies.entry(aspect).or_default().note(is_right);
        if !is_right {
            self.misses.push(format!("{}: {}", aspect.name(), miss()));
        }
    }

    /// Takes in the tallies of others.
    pub(crate) fn add(&mut self, others: &Self) {
        for (aspect, tally) in &others.tallies {
            let sum = self.tallies.entry(*aspect).or_default();
            sum.right += tally.right;
            sum.all += tally.all;
        }
    }

    /// Scores one unit of work.
    pub(crate) fn compare(
        &mut self,
        script: &Script,
        unit: &Unit,
        written: &Written,
        node: Option<&Node>,
    ) {
        let at = format!("{} {}-{}", script.name, unit.from, unit.to);
        let Some(node) = node else {
            self.note(Aspect::Units, false, || at);
            return;
        };
        let last = written.entries[..unit.to].iter().flatten().next_back();
        let ends_right = last == Some(&node.source.segment.end_entry_id);
        self.note(Aspect::Units, ends_right, || format!("{at} ends elsewhere"));

        let found = word(&node.classification.node_type);
        let is_right = found == unit.node_type || unit.also.contains(&found);
        self.note(Aspect::Type, is_right, || format!("{at}: {} taken for {found}", unit.node_type));
        let found = word(&node.content.outcome);
        self.note(Aspect::Outcome, found == unit.outcome, || {
            format!("{at}: {} taken for {found}: {}", unit.outcome, node.content.summary)
        });
        let is_right = found == unit.outcome || unit.also_outcome.contains(&found);
        self.note(Aspect::OutcomeOfAny, is_right, || format!("{at}: no reader says {found}"));
        self.compare_sets(Aspect::Files, &at, &unit.files, &node.content.files_touched);
        if let Some(ext) = &node.ext {
            self.compare_sets(Aspect::Files, &at, &unit.modified, &ext.files_modified);
        }
        self.compare_sets(Aspect::Tools, &at, &unit.tools, &node.content.tools_used);
        self.compare_errors(&at, script, unit, written, node);

        let (tokens, cost) = written.spent(unit.from..=unit.to);
        let is_right =
            node.metadata.tokens_used == tokens && (node.metadata.cost - cost).abs() < 1e-9;
        self.note(Aspect::Numbers, is_right, || {
            format!(
                "{at}: {tokens} tokens, {cost} dollars taken for {} and {}",
                node.metadata.tokens_used, node.metadata.cost
            )
        });
        let summary = node.content.summary.to_lowercase();
        let names = |wanted: &String| summary.contains(&wanted.to_lowercase());
        self.note(Aspect::Goal, unit.goal.iter().all(names), || {
            format!("{at}: {:?} is not in “{}”", unit.goal, node.content.summary)
        });
        self.compare_decisions(&at, unit, written, node);
        self.compare_lessons(&at, unit, node);
    }

    fn compare_sets(&mut self, aspect: Aspect, at: &str, wanted: &[String], found: &[String]) {
        let wanted: BTreeSet<&str> = wanted.iter().map(String::as_str).collect();
        let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
        self.tallies.entry(aspect).or_default().compare(&wanted, &found);
        if wanted != found {
            let missing: Vec<_> = wanted.difference(&found).collect();
            let extra: Vec<_> = found.difference(&wanted).collect();
            self.misses
                .push(format!("{}: {at}: missing {missing:?}, too many {extra:?}", aspect.name()));
        }
    }

    /// An error is found if one is listed that rests on an entry with its text.
    fn compare_errors(
        &mut self,
        at: &str,
        script: &Script,
        unit: &Unit,
        written: &Written,
        node: &Node,
    ) {
        let evidence = node.ext.as_ref().map(|ext| &ext.evidence);
        let text_at = |entry: &String| {
            let step = written.entries.iter().position(|known| known.as_ref() == Some(entry))?;
            let step = &script.steps[step];
            Some(
                [step.result.as_deref(), step.failed.as_deref(), Some(&*step.output)]
                    .map(Option::unwrap_or_default)
                    .concat(),
            )
        };
        let mut unclaimed: BTreeSet<usize> = (0..node.content.errors_seen.len()).collect();
        let rests_on = |number: usize, has: &str| {
            let entries =
                evidence.and_then(|all| all.get(&format!("content.errorsSeen[{number}]")));
            entries.into_iter().flatten().filter_map(text_at).any(|text| text.contains(has))
        };
        for wanted in &unit.errors {
            let found = unclaimed.iter().copied().find(|number| rests_on(*number, &wanted.has));
            // What one reader takes for an error and another does not may be listed, and need not.
            if found.is_none() && unit.disputed.contains(&wanted.has) {
                continue;
            }
            self.note(Aspect::Errors, found.is_some(), || {
                format!("{at}: “{}” is not listed", wanted.has)
            });
            if let Some(number) = found {
                unclaimed.remove(&number);
                let resolved = node.content.errors_seen[number].resolved;
                self.note(Aspect::Resolved, resolved == wanted.resolved, || {
                    format!("{at}: “{}” is resolved: {}", wanted.has, wanted.resolved)
                });
            }
        }
        for number in unclaimed {
            let listed = &node.content.errors_seen[number];
            let is_one = unit.also_errors.iter().any(|has| rests_on(number, has));
            self.note(Aspect::Errors, is_one, || {
                format!("{at}: “{}” is listed and none", listed.message)
            });
        }
    }

    /// A decision that is listed is one if it is one of the labelled ones, or if another reader saw something settled where
    /// it was said.
    fn compare_decisions(&mut self, at: &str, unit: &Unit, written: &Written, node: &Node) {
        let texts: Vec<(String, String)> = node
            .content
            .key_decisions
            .iter()
            .map(|decision| {
                let whole =
                    [&*decision.what, &*decision.why, &decision.alternatives_considered.join(" ")]
                        .join(" ");
                (whole.to_lowercase(), decision.why.to_lowercase())
            })
            .collect();
        let mut claimed = BTreeSet::new();
        for wanted in &unit.decisions {
            let is_it = |(whole, _): &(String, String)| {
                wanted.about.iter().all(|about| whole.contains(&about.to_lowercase()))
            };
            let found = texts.iter().position(is_it);
            claimed.extend(found);
            let has_reason = |number: usize| {
                wanted.why.as_ref().is_none_or(|why| texts[number].0.contains(&why.to_lowercase()))
            };
            self.note(Aspect::DecisionsFound, found.is_some_and(has_reason), || {
                let listed = texts.iter().map(|(whole, _)| format!("\n  - {whole}"));
                let listed: String = listed.collect();
                format!("{at}: {:?} because {:?} is not in{listed}", wanted.about, wanted.why)
            });
        }
        for (number, decision) in node.content.key_decisions.iter().enumerate() {
            let evidence = node.ext.as_ref().map(|ext| &ext.evidence);
            let path = format!("content.keyDecisions[{number}]");
            let entries = evidence.and_then(|all| all.get(&path)).into_iter().flatten();
            // First comes what was replied, then what it was a reply to.
            let is_settled = entries.take(2).any(|entry| {
                let steps = &mut unit.settled.iter();
                steps.any(|step| written.entries[step - 1].as_ref() == Some(entry))
            });
            self.note(Aspect::DecisionsTrue, claimed.contains(&number) || is_settled, || {
                format!("{at}: “{}” because “{}”", decision.what, decision.why)
            });
        }
    }

    fn compare_lessons(&mut self, at: &str, unit: &Unit, node: &Node) {
        for wanted in &unit.lessons {
            let lessons = node.lessons.by_level();
            let found = lessons.iter().filter(|(level, _)| word(level) == wanted.level).any(
                |(_, lessons)| {
                    lessons.iter().any(|lesson| {
                        let whole = [
                            &*lesson.summary,
                            &*lesson.details,
                            lesson.actionable.as_deref().unwrap_or_default(),
                        ]
                        .join(" ")
                        .to_lowercase();
                        wanted.about.iter().all(|about| whole.contains(&about.to_lowercase()))
                    })
                },
            );
            self.note(Aspect::LessonsFound, found, || {
                format!("{at}: {} {:?}", wanted.level, wanted.about)
            });
        }
    }
}
