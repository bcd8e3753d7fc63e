//! Judges units of work by many that people have read and labelled.
//!
//! What a trait speaks for was fitted to labelled sessions (`cargo run -p pi-brain-quality -- --learn`) and lies in a file:
//! for each label one weight, so that a judgement is a sum, the same everywhere and always.

use std::sync::OnceLock;

use super::traits::{Part, Traits};

/// So many facts are taken to be usual; more of them say more.
const FACTS: f32 = 10.0;

/// Tells which of some labels a unit of work deserves.
pub(super) struct Judgement<const N: usize> {
    file: &'static [u8],
    weights: OnceLock<Weights<N>>,
}

impl<const N: usize> Judgement<N> {
    /// Takes a file of weights for `N` labels.
    pub(super) const fn new(file: &'static [u8]) -> Self {
        Self { file, weights: OnceLock::new() }
    }

    /// Returns how much speaks for each label: about 1 if it is right, about -1 if not.
    pub(super) fn weigh(&self, traits: &Traits) -> [f32; N] {
        let weights = self.weights.get_or_init(|| Weights::of(self.file));
        let Header { bias: mut sums, parts, scale } = Header::<N>::read(self.file);
        for (part, traits) in traits.parts() {
            let mut count = 0;
            let mut weight = [0; N];
            for known in traits.iter().filter_map(|known| weights.of_trait(short(*known))) {
                count += 1;
                for (sum, weight) in weight.iter_mut().zip(known) {
                    *sum += i32::from(weight.cast_signed());
                }
            }
            let measure = measure(parts[part as usize], part, count);
            for (sum, weight) in sums.iter_mut().zip(weight) {
                #[expect(clippy::cast_precision_loss, reason = "some hundred small numbers")]
                let weight = weight as f32;
                *sum += weight * measure * scale;
            }
        }
        sums
    }
}

/// The weights of a file, looked up where they lie: its rows stand in the order of their traits, and a table of the rows
/// themselves would take longer to make than most runs take to judge.
struct Weights<const N: usize> {
    /// Each a trait, shortened, and a weight for each label.
    rows: &'static [u8],
    /// Where the rows start whose traits begin with the same bits.
    starts: Vec<u32>,
    /// A bit for each longer beginning, set if any row has it: most traits of a text are in no row, and of nine in ten of
    /// these this tells so, with a look into little memory.
    begun: Vec<u64>,
}

impl<const N: usize> Weights<N> {
    /// So long is a row.
    const ROW: usize = 4 + N;
    /// So many of the 32 bits of a trait are its beginning: about as many beginnings as there are rows.
    const BITS: u32 = 16;
    /// So many are a longer beginning.
    const MORE_BITS: u32 = 20;

    fn of(file: &'static [u8]) -> Self {
        let rows = file.get(Header::<N>::LENGTH..).unwrap_or_default();
        let mut starts = vec![0; (1 << Self::BITS) + 1];
        let mut begun = vec![0; 1 << (Self::MORE_BITS - 6)];
        for known in rows.chunks_exact(Self::ROW).map(trait_of) {
            starts[beginning(known, Self::BITS) + 1] += 1;
            let longer = beginning(known, Self::MORE_BITS);
            begun[longer / 64] |= 1 << (longer % 64);
        }
        let mut start = 0;
        for count in &mut starts {
            start += *count;
            *count = start;
        }
        Self { rows, starts, begun }
    }

    /// Returns what a trait, shortened, speaks for.
    fn of_trait(&self, known: u64) -> Option<&'static [u8]> {
        let longer = beginning(known, Self::MORE_BITS);
        if self.begun[longer / 64] & 1 << (longer % 64) == 0 {
            return None;
        }
        let first = beginning(known, Self::BITS);
        let [from, to] = [first, first + 1].map(|at| self.starts[at] as usize * Self::ROW);
        let mut rows = self.rows[from..to].chunks_exact(Self::ROW);
        rows.find(|row| trait_of(row) == known).map(|row| &row[4..])
    }
}

/// Returns the first bits of a trait, shortened.
fn beginning(known: u64, bits: u32) -> usize {
    usize::try_from(known >> (u32::BITS - bits)).unwrap_or_default()
}

fn trait_of(row: &[u8]) -> u64 {
    row.first_chunk().map_or(0, |known| u32::from_le_bytes(*known).into())
}

/// Returns how much each of some traits of a part counts: many words say no more than few.
pub fn measure(weight: f32, part: Part, count: usize) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "a part has some hundred traits")]
    let count = if part == Part::Facts { FACTS } else { count.max(1) as f32 };
    (weight / count).sqrt()
}

/// Shortens what stands for a trait to what the file has room for.
pub fn short(known: u64) -> u64 {
    (known ^ (known >> 32)) & u64::from(u32::MAX)
}

/// What stands before the weights.
struct Header<const N: usize> {
    bias: [f32; N],
    /// How much the parts count, in their order.
    parts: [f32; Part::ALL.len()],
    scale: f32,
}

impl<const N: usize> Header<N> {
    const LENGTH: usize = 4 * (N + Part::ALL.len() + 1);

    fn read(file: &[u8]) -> Self {
        let mut numbers = file
            .chunks_exact(4)
            .map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap_or_default()));
        let mut next = || numbers.next().unwrap_or_default();
        Self {
            bias: std::array::from_fn(|_| next()),
            parts: std::array::from_fn(|_| next()),
            scale: next(),
        }
    }
}

/// Weights as they were fitted.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// What speaks for each label before anything is known.
    pub bias: Vec<f32>,
    /// How much the parts count, in their order.
    pub parts: [f32; Part::ALL.len()],
    /// By trait, shortened and in order: what speaks for each label.
    pub weights: Vec<(u64, Vec<f32>)>,
}

impl Fitted {
    /// Writes the file that judgements are made by. What would say next to nothing is left out.
    pub fn to_bytes(&self) -> Vec<u8> {
        let largest = self.weights.iter().flat_map(|(_, weights)| weights).copied();
        let scale = largest.map(f32::abs).fold(f32::MIN_POSITIVE, f32::max) / 127.0;
        let numbers = self.bias.iter().chain(&self.parts).chain([&scale]);
        let mut bytes: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
        for (known, weights) in &self.weights {
            #[expect(clippy::cast_possible_truncation, reason = "it is 127 at most")]
            let weights: Vec<i8> =
                weights.iter().map(|weight| (weight / scale).round() as i8).collect();
            if weights.iter().any(|weight| *weight != 0) {
                let known = u32::try_from(*known).unwrap_or_default();
                bytes.extend(known.to_le_bytes());
                bytes.extend(weights.iter().map(|weight| weight.cast_unsigned()));
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::{Fitted, Header, Judgement, Part, Traits, Weights, short, trait_of};

    /// Returns whether the rows of a file are whole, and in the order in which they are looked up.
    fn is_in_order<const N: usize>(file: &[u8]) -> bool {
        let rows = file[Header::<N>::LENGTH..].chunks_exact(Weights::<N>::ROW);
        rows.remainder().is_empty() && rows.map(trait_of).is_sorted_by(|one, next| one < next)
    }

    /// Every row of a file is found, with the weights that stand there.
    #[test]
    fn what_is_in_a_file_is_found() {
        let file = include_bytes!("judgement/outcomes.bin");
        let weights = Weights::<4>::of(file);
        for row in file[Header::<4>::LENGTH..].chunks_exact(Weights::<4>::ROW) {
            assert_eq!(weights.of_trait(trait_of(row)), Some(&row[4..]));
        }
    }

    #[test]
    fn the_files_are_as_they_should_be() {
        assert!(is_in_order::<13>(include_bytes!("judgement/kinds.bin")));
        assert!(is_in_order::<4>(include_bytes!("judgement/outcomes.bin")));
        assert!(is_in_order::<1>(include_bytes!("judgement/exchanges.bin")));
    }

    #[test]
    fn what_was_fitted_is_what_is_weighed() {
        let (good, bad) = (Traits::of_request("good"), Traits::of_request("bad"));
        let only = |traits: &Traits| traits.parts().next().map(|(_, all)| short(all[0]));
        let mut weights = vec![
            (only(&good).expect("a word"), vec![1.0, -1.0]),
            (only(&bad).expect("a word"), vec![-0.5, 0.5]),
        ];
        weights.sort_by_key(|(known, _)| *known);
        let fitted = Fitted { bias: vec![0.25, 0.0], parts: [1.0; Part::ALL.len()], weights };
        let judgement = Judgement::<2>::new(fitted.to_bytes().leak());
        let check = |text: &str, wanted: [f32; 2]| {
            let found = judgement.weigh(&Traits::of_request(text));
            let near = found.iter().zip(wanted).all(|(one, other)| (one - other).abs() < 0.01);
            assert!(near, "{text}: {found:?}");
        };
        check("good", [1.25, -1.0]);
        check("bad", [-0.25, 0.5]);
        check("unheard", [0.25, 0.0]);
    }
}
