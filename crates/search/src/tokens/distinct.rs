//! The tokens of a text, each of them once.
//!
//! How often a tool printed a word says little about what its output is about, and takes room for every time.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use super::{Identifiers, Tokens};

/// The tokenizer; it keeps its buffers from one text to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Distinct {
    identifiers: Identifiers,
    seen: Seen,
}

impl Tokenizer for Distinct {
    type TokenStream<'a> = DistinctTokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> DistinctTokens<'a> {
        self.seen.clear();
        DistinctTokens { tokens: self.identifiers.token_stream(text), seen: &mut self.seen }
    }
}

/// The tokens of one text.
pub(crate) struct DistinctTokens<'a> {
    tokens: Tokens<'a>,
    seen: &'a mut Seen,
}

impl TokenStream for DistinctTokens<'_> {
    fn advance(&mut self) -> bool {
        while self.tokens.advance() {
            if self.seen.insert(digest(self.tokens.token().text.as_bytes())) {
                return true;
            }
        }
        false
    }

    fn token(&self) -> &Token {
        self.tokens.token()
    }

    fn token_mut(&mut self) -> &mut Token {
        self.tokens.token_mut()
    }
}

/// The digests of the tokens so far: a table that is emptied for every text, so it has to be small.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// A power of two, at most half of them taken; 0 is a free place.
    places: Vec<u64>,
    taken: usize,
}

impl Seen {
    const FEWEST: usize = 256;

    fn clear(&mut self) {
        self.places.truncate(Self::FEWEST);
        self.places.fill(0);
        self.taken = 0;
    }

    /// Takes in a digest; returns whether it is new.
    fn insert(&mut self, digest: u64) -> bool {
        if 2 * (self.taken + 1) > self.places.len() {
            self.grow();
        }
        let mask = self.places.len() - 1;
        #[expect(clippy::cast_possible_truncation, reason = "only the low bits are wanted")]
        let mut at = digest as usize & mask;
        while self.places[at] != 0 {
            if self.places[at] == digest {
                return false;
            }
            at = (at + 1) & mask;
        }
        self.places[at] = digest;
        self.taken += 1;
        true
    }

    fn grow(&mut self) {
        let more = vec![0; (2 * self.places.len()).max(Self::FEWEST)];
        let known = std::mem::replace(&mut self.places, more);
        self.taken = 0;
        known.into_iter().filter(|digest| *digest != 0).for_each(|digest| {
            self.insert(digest);
        });
    }
}

/// Returns a digest that is never 0. With 64 bits, no two words of a text will ever share one by chance.
fn digest(bytes: &[u8]) -> u64 {
    let digest = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |digest, byte| {
        (digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    // The low bits, by which a place is found, come from the first letters too little.
    (digest ^ (digest >> 32)).max(1)
}
