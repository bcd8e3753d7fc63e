//! Words, folded so that forms of one word are equal or begin alike.

use crate::thesaurus;
use crate::vocabulary::{pieces, plain};

/// Calls `give` with each word of a text, in its folded form. An identifier of several parts gives the whole and then its
/// parts; a script without spaces gives pairs of characters.
pub(super) fn each_word(text: &str, mut give: impl FnMut(&str)) {
    for (piece, unspaced) in pieces(text) {
        if unspaced {
            pairs(piece).for_each(&mut give);
            continue;
        }
        let parts: Vec<&str> = parts_of(piece).collect();
        give(&fold(&piece.replace('_', "")));
        if parts.len() > 1 {
            for part in parts {
                give(&fold(part));
            }
        }
    }
}

/// Returns the pairs of neighbouring characters; one that stands alone is a pair, too.
pub(super) fn pairs(text: &str) -> impl Iterator<Item = &str> {
    let mut starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    starts.push(text.len());
    let length = 2.min(starts.len() - 1);
    (0..starts.len() - length).map(move |at| &text[starts[at]..starts[at + length]])
}

/// Cuts an identifier where underscores stand or a capital follows a small letter.
fn parts_of(identifier: &str) -> impl Iterator<Item = &str> {
    identifier.split('_').flat_map(|part| {
        let mut cuts = vec![0];
        let mut before = None;
        for (at, letter) in part.char_indices() {
            if letter.is_uppercase() && before.is_some_and(char::is_lowercase) {
                cuts.push(at);
            }
            before = Some(letter);
        }
        cuts.push(part.len());
        let pieces: Vec<&str> = cuts.windows(2).map(|cut| &part[cut[0]..cut[1]]).collect();
        pieces.into_iter().filter(|piece| !piece.is_empty())
    })
}

/// Folds a word: small letters, no accents, no usual endings.
pub(super) fn fold(word: &str) -> String {
    let plain = plain(word);
    let length = plain.chars().count();
    if length <= 3 || plain.contains(|letter: char| letter.is_ascii_digit()) {
        return plain;
    }
    let cut = |ending: &str| plain.strip_suffix(ending).filter(|stem| stem.len() >= 3);
    let stem = if let Some(stem) = cut("ies") {
        return format!("{stem}i");
    } else if let Some(stem) = cut("ing").or_else(|| cut("ed")).filter(|stem| has_vowel(stem)) {
        undoubled(stem)
    } else if plain.ends_with("ss") || plain.ends_with("us") || plain.ends_with("is") {
        &plain
    } else {
        cut("s").unwrap_or(&plain)
    };
    let stem = stem.strip_suffix('e').filter(|stem| stem.len() >= 3).unwrap_or(stem);
    match stem.strip_suffix('y') {
        Some(stem) if stem.len() >= 3 => format!("{stem}i"),
        _ => stem.to_owned(),
    }
}

fn has_vowel(stem: &str) -> bool {
    stem.contains(['a', 'e', 'i', 'o', 'u', 'y'])
}

/// `running` comes from `run`, while `falling` comes from `fall`; both lose a letter here, which does no harm.
fn undoubled(stem: &str) -> &str {
    match stem.as_bytes() {
        [.., one, other] if one == other && one.is_ascii() => &stem[..stem.len() - 1],
        _ => stem,
    }
}

/// Returns the words that mean the same as a folded one.
pub(super) fn equivalents(folded: &str) -> Vec<&'static str> {
    let first = folded.as_bytes().first().map_or(0, u8::to_ascii_lowercase);
    // Most words are told apart by their first letter, which spares folding them. Accents are none of its letters.
    let is_it = |word: &str| {
        let begins = word.as_bytes()[0].to_ascii_lowercase();
        (begins == first || !begins.is_ascii()) && fold(word) == folded
    };
    let mut found: Vec<&str> = Vec::new();
    for group in thesaurus::groups() {
        if group.clone().any(is_it) {
            found.extend(group.filter(|word| !is_it(word)));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns how well two folded words fit: 1 if they are forms of one word, less if they only begin alike, or if one is
/// made up of the other and more, as German words are.
pub(super) fn likeness(one: &str, other: &str) -> f64 {
    const ALIKE: f64 = 0.8;
    const PART: f64 = 0.7;
    if one == other {
        return 1.0;
    }
    let shared = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let longest = one.len().max(other.len());
    let is_word = one.is_ascii() && !one.bytes().any(|byte| byte.is_ascii_digit());
    if is_word && shared >= 5 && shared * 10 >= longest * 6 {
        ALIKE
    } else if is_word && is_part(one, other) {
        PART
    } else {
        0.0
    }
}

/// Says whether one of two words begins or ends with the other, and both are long enough for that to be no accident.
fn is_part(one: &str, other: &str) -> bool {
    const SHORTEST: usize = 5;
    let (long, short) = if one.len() > other.len() { (one, other) } else { (other, one) };
    short.len() >= SHORTEST
        && long.len() >= short.len() + SHORTEST - 1
        && (long.starts_with(short) || long.ends_with(short))
}
