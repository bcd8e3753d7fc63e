//! Finding the end of a JSON string, which is where nearly all the time of reading a session goes.
//!
//! Tool results are full of escapes: a step for each of them would cost a mispredicted jump every few
//! bytes. So 64 bytes are looked at together, as bits: which are quotes, which are backslashes, which
//! are control characters. Simple arithmetic on these bits says which characters are escaped.

use wide::u8x16;

use super::hex4;

/// Returns how long the content of a string is, up to its closing quote; `None` if it is no string.
///
/// `bytes` start behind the opening quote.
pub(super) fn content_length(bytes: &[u8]) -> Option<usize> {
    // Keys, ids and the like end within a few bytes.
    let start = match next_special(bytes.get(..16).unwrap_or(bytes)) {
        Some(at) if bytes[at] == b'"' => return Some(at),
        Some(at) => at,
        None => 16.min(bytes.len()),
    };
    long_content_length(bytes, start)
}

fn next_special(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\')
}

fn long_content_length(bytes: &[u8], start: usize) -> Option<usize> {
    let mut first_is_escaped = false;
    let mut position = start;
    while position < bytes.len() {
        let rest = &bytes[position..];
        let block = Block::read(rest);
        let (escaped, next_is_escaped) = escaped_characters(block.backslashes, first_is_escaped);
        let quotes = block.quotes & !escaped;
        let end = quotes.trailing_zeros();
        // Bits below the closing quote; all of them where there is none.
        let inside = quotes.wrapping_sub(1) & !quotes;
        let rare = escaped & inside & !block.common_escapes();
        if block.controls & inside != 0 || rare != 0 && !escapes_are_valid(rest, rare) {
            return None;
        }
        if quotes != 0 {
            return Some(position + end as usize);
        }
        first_is_escaped = next_is_escaped;
        position += 64;
    }
    None
}

/// 64 bytes as bits, the first byte lowest.
struct Block {
    quotes: u64,
    backslashes: u64,
    controls: u64,
    /// Where an `n` or a `t` stands.
    breaks: u64,
}

impl Block {
    fn read(bytes: &[u8]) -> Self {
        if let Some(chunk) = bytes.first_chunk::<64>() {
            return Self::of(chunk);
        }
        let mut padded = [b' '; 64];
        padded[..bytes.len()].copy_from_slice(bytes);
        Self::of(&padded)
    }

    fn of(chunk: &[u8; 64]) -> Self {
        let mut block = Self { quotes: 0, backslashes: 0, controls: 0, breaks: 0 };
        let (lanes, _) = chunk.as_chunks::<16>();
        for (number, lane) in lanes.iter().enumerate() {
            let lane = u8x16::new(*lane);
            let bits = |mask: u8x16| u64::from(mask.to_bitmask()) << (16 * number);
            block.quotes |= bits(lane.simd_eq(u8x16::splat(b'"')));
            block.backslashes |= bits(lane.simd_eq(u8x16::splat(b'\\')));
            block.controls |= bits(lane.simd_eq(lane.min(u8x16::splat(0x1f))));
            let breaks = lane.simd_eq(u8x16::splat(b'n')) | lane.simd_eq(u8x16::splat(b't'));
            block.breaks |= bits(breaks);
        }
        block
    }

    /// Where the characters stand that nearly all escapes are made of.
    fn common_escapes(&self) -> u64 {
        self.quotes | self.backslashes | self.breaks
    }
}

/// Returns which characters have an odd number of backslashes before them, and whether the first
/// character of the next block has.
///
/// Adding a run of backslashes to its own first bit carries a one out of its end; whether that end is
/// at an even or an odd distance then shows in one XOR, for all runs of the block at once.
fn escaped_characters(backslashes: u64, first_is_escaped: bool) -> (u64, bool) {
    const EVEN: u64 = 0x5555_5555_5555_5555;
    let first = u64::from(first_is_escaped);
    let backslashes = backslashes & !first;
    let follows = backslashes << 1 | first;
    let odd_starts = backslashes & !EVEN & !follows;
    let (carried, overflow) = odd_starts.overflowing_add(backslashes);
    ((EVEN ^ (carried << 1)) & follows, overflow)
}

fn escapes_are_valid(bytes: &[u8], mut escaped: u64) -> bool {
    while escaped != 0 {
        let at = escaped.trailing_zeros() as usize;
        let valid = match bytes.get(at) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => true,
            Some(b'u') => bytes.get(at + 1..at + 5).and_then(hex4).is_some(),
            _ => false,
        };
        if !valid {
            return false;
        }
        escaped &= escaped - 1;
    }
    true
}
