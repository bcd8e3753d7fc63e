//! Lets a model answer a question from what the sessions say about it.

use std::time::Duration;

use pi_brain_agent::{AgentError, Evidence, Spent, Watch, answer, estimate_answer};
use pi_brain_store::{Action, Left, Purpose, Reserved, SpendOutcome};
use uuid::Uuid;

use super::{Analyst, LEASE, after};
use crate::ask::{Answer, day, folder};
use crate::error::Result;
use crate::settings::{AnalysisBy, Settings};

/// What came of letting a model answer. Unless there is an answer, the one that was there before stands.
#[derive(Debug)]
pub enum ModelAnswer {
    /// It was not asked, because it shall not answer this.
    NotAsked,
    /// It answered.
    Answered {
        /// The answer. Its sources are those that were there before, by the same numbers.
        answer: Answer,
        /// How many marks were taken out that named no source.
        invented: usize,
        /// What it took.
        spent: Spent,
    },
    /// It failed, or was stopped.
    Failed {
        /// Why.
        error: AgentError,
        /// What it took all the same.
        spent: Spent,
    },
    /// Nothing more may be taken today.
    OverDay {
        /// What is left, too little for an answer.
        left: Left,
    },
}

impl Analyst {
    /// Returns whether a model shall answer, too: somebody wants that, there is something to answer from, and the answer was
    /// not counted, which leaves nothing to add.
    pub fn shall_answer(settings: &Settings, found: &Answer) -> bool {
        let is_wanted = settings.analysis.as_ref().is_some_and(|analysis| analysis.answers);
        is_wanted && !found.is_nothing() && !found.is_counted
    }

    /// Lets the model answer a question from the sources of an answer that was found without it. Whoever looks on sees it
    /// come, without marks that name no source.
    pub fn answer(
        &mut self,
        question: &str,
        found: &Answer,
        watch: &Watch<'_>,
    ) -> Result<ModelAnswer> {
        if !Self::shall_answer(&self.settings, found) {
            return Ok(ModelAnswer::NotAsked);
        }
        self.reap(None)?;
        let days: Vec<Option<String>> =
            found.sources.iter().map(|source| source.time.map(day)).collect();
        let evidence: Vec<Evidence<'_>> = found
            .sources
            .iter()
            .zip(&days)
            .map(|(source, day)| Evidence {
                day: day.as_deref(),
                project: folder(&source.project),
                standing: source.standing,
                excerpt: &source.excerpt,
                passage: &source.passage,
            })
            .collect();
        let limits = self.analysis.limits;
        let most = estimate_answer(question, &evidence, &self.prompts, limits);
        let (mut allowance, tokens, dollars) =
            self.allowance(most.most_tokens_in, most.most_tokens_out);
        let lease = format!("answer {}", Uuid::new_v4());
        // Nobody renews this, so it lasts as long as the model may take, and a while for the journal.
        let until = after(after(self.now(), self.timeout()), LEASE);
        let (owner, caps) = (&*self.owner, self.caps());
        match self.store.reserve_answer(&lease, owner, until, (tokens, dollars), caps)? {
            Reserved::Yes => {}
            Reserved::OverDay(left) | Reserved::OverRun(left) => {
                return Ok(ModelAnswer::OverDay { left });
            }
        }
        let model = &mut *self.model;
        let answered =
            answer(question, &evidence, model, &self.prompts, limits, &mut allowance, watch);
        let spent = allowance.spent().clone();
        self.settle(&lease, &spent, answered.is_ok())?;
        Ok(match answered {
            Ok(answered) => ModelAnswer::Answered {
                answer: Answer {
                    summary: answered.summary,
                    answer: answered.text,
                    ..found.clone()
                },
                invented: answered.invented,
                spent,
            },
            Err(error) => ModelAnswer::Failed { error, spent },
        })
    }

    /// Writes down what an answer took, and gives back what was set aside for it.
    fn settle(&mut self, lease: &str, spent: &Spent, is_done: bool) -> Result<()> {
        if spent.requests > 0 || spent.tokens() > 0 {
            let outcome = if is_done { SpendOutcome::Done } else { SpendOutcome::Failed };
            let taken = self.spend(lease, Purpose::Answer, spent, outcome);
            let _lock = self.lock()?;
            self.store.act(self.now(), Action::Spend(taken))?;
        }
        Ok(self.store.release_answer(lease)?)
    }

    fn timeout(&self) -> Duration {
        match &self.analysis.by {
            AnalysisBy::Pi { settings, .. } => settings.timeout,
            AnalysisBy::OpenAi(settings) => settings.timeout,
        }
    }
}
