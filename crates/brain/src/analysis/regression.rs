//! Tells yes from no by what several things, taken together, have meant before: logistic regression.
//!
//! The same rows in the same order always give the same weights.

/// So much of a mistake is mended at each step, and so many steps are made.
const STEP: f32 = 1.0;
const STEPS: usize = 400;
/// So much of each weight is taken back at each step, so that few rows cannot make one of them great.
const DECAY: f32 = 0.004;

/// Returns weights for which the sum over a row is above zero where the answer was yes. What a row measures should lie
/// between -1 and 1, and the first of it should always be 1.
pub(super) fn fit<const N: usize>(rows: &[([f32; N], bool)]) -> [f32; N] {
    let mut weights = [0.0; N];
    #[expect(clippy::cast_precision_loss, reason = "there are some hundreds of rows")]
    let share = STEP / rows.len().max(1) as f32;
    for _ in 0..STEPS {
        let mut mended = weights.map(|weight| weight * (1.0 - DECAY));
        for (row, answer) in rows {
            let believed = 1.0 / (1.0 + (-sum(&weights, row)).exp());
            let mistake = f32::from(u8::from(*answer)) - believed;
            for (weight, measured) in mended.iter_mut().zip(row) {
                *weight += share * mistake * measured;
            }
        }
        weights = mended;
    }
    weights
}

/// Returns what a row measures, weighed.
pub(super) fn sum<const N: usize>(weights: &[f32; N], row: &[f32; N]) -> f32 {
    weights.iter().zip(row).map(|(weight, measured)| weight * measured).sum()
}

#[cfg(test)]
mod tests {
    use super::{fit, sum};

    #[test]
    fn what_goes_with_yes_speaks_for_it() {
        let rows = [
            ([1.0, 1.0, 0.0], true),
            ([1.0, 1.0, 1.0], true),
            ([1.0, 0.0, 1.0], false),
            ([1.0, 0.0, 0.0], false),
        ];
        let weights = fit(&rows);
        for (row, answer) in &rows {
            assert_eq!(sum(&weights, row) > 0.0, *answer, "{row:?}");
        }
        // What stands beside yes as often as beside no says next to nothing.
        assert!(weights[2].abs() < weights[1] / 10.0, "{weights:?}");
        assert_eq!(fit(&rows).map(f32::to_bits), weights.map(f32::to_bits));
    }

    #[test]
    fn without_rows_nothing_is_believed() {
        assert!(fit::<2>(&[]).iter().all(|weight| *weight == 0.0));
    }
}
