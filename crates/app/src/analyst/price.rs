//! What a model costs, as far as anybody knows: what the settings say, else what the user's own sessions with it cost.

use pi_brain_agent::Price;
use pi_brain_store::{SpendingFilter, Store};

use crate::error::Result;
use crate::settings::{AnalysisBy, AnalysisSettings};

/// Finds out what the model costs.
pub(super) fn find_price(store: &Store, analysis: &AnalysisSettings) -> Result<Option<Price>> {
    if analysis.price.is_some() {
        return Ok(analysis.price);
    }
    let model = match &analysis.by {
        AnalysisBy::Pi { settings, .. } => settings.model.as_deref(),
        AnalysisBy::OpenAi(settings) => Some(&*settings.model),
    };
    let Some(model) = model else { return Ok(None) };
    let own = store.own_prices(model)?;
    let own = own.iter().map(|&(read, written, cost)| ([read, written, 0].map(float), cost));
    if let Some(price) = fit(&own.collect::<Vec<_>>()) {
        return Ok(Some(price));
    }
    let filter = SpendingFilter { model: Some(model.to_owned()), ..SpendingFilter::default() };
    let sessions = store.spending_by_quarter(&filter)?;
    let sessions = sessions.iter().map(|(_, spent)| {
        let usage = &spent.usage;
        let read = usage.input + usage.cache_write;
        ([read, usage.output, usage.cache_read].map(float), usage.cost)
    });
    Ok(fit(&sessions.collect::<Vec<_>>()))
}

#[expect(clippy::cast_precision_loss, reason = "prices are rounded anyway")]
fn float(tokens: u64) -> f64 {
    tokens as f64
}

/// Finds the prices of tokens that are read, written and read from a cache, which explain best what they cost together.
///
/// Where that cannot be told apart, each token costs the same.
fn fit(rows: &[([f64; 3], f64)]) -> Option<Price> {
    const MILLION: f64 = 1_000_000.0;
    let tokens: f64 = rows.iter().flat_map(|(tokens, _)| tokens).sum();
    let cost: f64 = rows.iter().map(|(_, cost)| cost).sum();
    if !(tokens > 0.0 && cost > 0.0) {
        return None;
    }
    let [input, output, _] = solve(rows)
        .filter(|prices| prices.iter().all(|price| price.is_finite() && *price >= 0.0))
        .filter(|[input, output, _]| *input > 0.0 && *output > 0.0)
        .unwrap_or([cost / tokens; 3]);
    Some(Price { input: input * MILLION, output: output * MILLION })
}

/// Solves for the three prices by least squares; `None` if the rows do not tell them apart. A kind of token that never
/// comes up costs nothing.
fn solve(rows: &[([f64; 3], f64)]) -> Option<[f64; 3]> {
    let mut equations = [[0.0; 4]; 3];
    for (tokens, cost) in rows {
        for (row, mine) in equations.iter_mut().zip(tokens) {
            for (sum, other) in row.iter_mut().zip(tokens.iter().chain([cost])) {
                *sum += mine * other;
            }
        }
    }
    for (at, row) in equations.iter_mut().enumerate() {
        if row[at] == 0.0 {
            row[at] = 1.0;
        }
    }
    for at in 0..3 {
        let whole = equations[at][at];
        let others: f64 = rows.iter().map(|(tokens, _)| tokens[at] * tokens[at]).sum();
        // What is left of it once the others are known is noise: they always come together.
        if whole.abs() <= others.max(1.0) * 1e-9 {
            return None;
        }
        let own = equations[at].map(|value| value / whole);
        equations[at] = own;
        for (other, row) in equations.iter_mut().enumerate() {
            if other != at {
                let factor = row[at];
                for (value, own) in row.iter_mut().zip(own) {
                    *value -= factor * own;
                }
            }
        }
    }
    Some(equations.map(|row| row[3]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-6 * other.abs().max(1.0)
    }

    #[test]
    fn prices_are_found_again() {
        let cost = |[read, written, cached]: [f64; 3]| {
            (read * 3.0 + written * 15.0 + cached * 0.3) / 1_000_000.0
        };
        let tokens = [
            [12_000.0, 800.0, 90_000.0],
            [4_000.0, 2_500.0, 20_000.0],
            [30_000.0, 100.0, 0.0],
            [700.0, 900.0, 300_000.0],
        ];
        let price = fit(&tokens.map(|tokens| (tokens, cost(tokens)))).unwrap();
        assert!(near(price.input, 3.0) && near(price.output, 15.0), "{price:?}");
    }

    #[test]
    fn two_kinds_are_enough_where_there_is_no_cache() {
        let rows = [[1_000.0, 100.0, 0.0], [5_000.0, 700.0, 0.0], [900.0, 900.0, 0.0]];
        let rows = rows.map(|tokens| (tokens, (tokens[0] * 2.0 + tokens[1] * 8.0) / 1_000_000.0));
        let price = fit(&rows).unwrap();
        assert!(near(price.input, 2.0) && near(price.output, 8.0), "{price:?}");
    }

    #[test]
    fn what_cannot_be_told_apart_costs_the_same() {
        let price = fit(&[([900.0, 100.0, 0.0], 0.01), ([1_800.0, 200.0, 0.0], 0.02)]).unwrap();
        assert!(near(price.input, 10.0) && near(price.output, 10.0), "{price:?}");
    }

    #[test]
    fn what_costs_nothing_has_no_price() {
        assert_eq!(fit(&[]), None);
        assert_eq!(fit(&[([900.0, 100.0, 0.0], 0.0)]), None);
    }
}
