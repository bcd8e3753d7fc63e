//! What a run may take, and what it has taken.

use crate::error::{AgentError, Result};

/// What requests took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spent {
    /// How many requests were answered, for better or worse.
    pub requests: u32,
    /// Tokens that were read, from a cache or not.
    pub tokens_in: u64,
    /// Tokens that were written.
    pub tokens_out: u64,
    /// Dollars, as far as they are known.
    pub dollars: Option<f64>,
    /// The model that answered last, `provider/model` where the provider is known.
    pub model: Option<String>,
}

impl Spent {
    /// Returns all tokens.
    pub fn tokens(&self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }

    /// Returns what came after an earlier state.
    pub(crate) fn since(&self, earlier: &Self) -> Self {
        let dollars = self.dollars.map(|sum| sum - earlier.dollars.unwrap_or_default());
        Self {
            requests: self.requests.saturating_sub(earlier.requests),
            tokens_in: self.tokens_in.saturating_sub(earlier.tokens_in),
            tokens_out: self.tokens_out.saturating_sub(earlier.tokens_out),
            dollars,
            model: self.model.clone(),
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.requests = self.requests.saturating_add(other.requests);
        self.tokens_in = self.tokens_in.saturating_add(other.tokens_in);
        self.tokens_out = self.tokens_out.saturating_add(other.tokens_out);
        self.dollars = match (self.dollars, other.dollars) {
            (Some(sum), Some(more)) => Some(sum + more),
            (sum, more) => sum.or(more),
        };
        self.model = other.model.clone().or_else(|| self.model.take());
    }
}

/// What a million tokens cost, in dollars.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Price {
    pub input: f64,
    pub output: f64,
}

impl Price {
    /// Returns what so many tokens cost.
    pub fn of(&self, tokens_in: u64, tokens_out: u64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "money is rounded anyway")]
        let cost = |tokens: u64, price: f64| tokens as f64 * price / 1_000_000.0;
        cost(tokens_in, self.input) + cost(tokens_out, self.output)
    }
}

/// What a run may take. It is asked before each request, and told after it.
#[derive(Clone, Debug)]
pub struct Allowance {
    tokens: u64,
    /// With a price: money cannot be bounded where nobody knows what a request costs.
    dollars: Option<(f64, Price)>,
    spent: Spent,
}

impl Allowance {
    /// Allows so many tokens, whatever they cost.
    pub fn tokens(tokens: u64) -> Self {
        Self { tokens, dollars: None, spent: Spent::default() }
    }

    /// Allows no more than so many dollars, at this price.
    #[must_use]
    pub fn and_dollars(self, dollars: f64, price: Price) -> Self {
        Self { dollars: Some((dollars, price)), ..self }
    }

    /// Returns what has been taken so far, also by requests that failed.
    pub fn spent(&self) -> &Spent {
        &self.spent
    }

    /// Asks for a request of so many tokens, answered by at most so many.
    pub(crate) fn ask(&self, tokens_in: u64, tokens_out: u64) -> Result<()> {
        let needed = tokens_in.saturating_add(tokens_out);
        let left = self.tokens.saturating_sub(self.spent.tokens());
        if needed > left {
            return Err(AgentError::OverAllowance {
                needed: format!("{needed} tokens"),
                left: left.to_string(),
            });
        }
        let Some((allowed, price)) = self.dollars else { return Ok(()) };
        let needed = price.of(tokens_in, tokens_out);
        let left = allowed - self.dollars_spent(price);
        if needed > left {
            return Err(AgentError::OverAllowance {
                needed: format!("${needed:.4}"),
                left: format!("${:.4}", left.max(0.0)),
            });
        }
        Ok(())
    }

    /// The provider's own figure may leave requests out that it has no price for, so the larger one counts.
    fn dollars_spent(&self, price: Price) -> f64 {
        let reckoned = price.of(self.spent.tokens_in, self.spent.tokens_out);
        self.spent.dollars.unwrap_or_default().max(reckoned)
    }

    pub(crate) fn charge(&mut self, spent: &Spent) {
        self.spent.add(spent);
    }
}

#[cfg(test)]
mod tests;
