//! The piece of a text that shows best why it was found.

use std::collections::VecDeque;
use std::ops::Range;

use crate::matching::{Matcher, Place};
use crate::query::Query;

/// A piece of a text, on one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    /// The piece, white space collapsed; `…` stands where the text goes on.
    pub text: String,
    /// Where in it the words of the query are.
    pub marks: Vec<Range<usize>>,
}

/// Cuts the best piece of about `width` characters out of a text: the most words of the query, phrases first.
///
/// Without any of the words, it is the beginning of the text.
pub fn snippet(text: &str, query: &Query, width: usize) -> Snippet {
    let matcher = Matcher::new(query, true);
    cut(text, &matcher.places(text), &matcher.weights, width)
}

/// Cuts the best piece around some of these places.
pub(crate) fn cut(text: &str, places: &[Place], weights: &[u32], width: usize) -> Snippet {
    let best = best_window(places, weights, width);
    let (from, to) = match (best.first(), best.iter().map(|place| place.range.end).max()) {
        (Some(first), Some(end)) => (first.range.start, end),
        _ => (0, 0),
    };
    let room = width.saturating_sub(text[from..to].chars().count());
    let before = if to == 0 { 0 } else { room / 3 };
    let (start, used) = reach_back(text, from, before);
    let end = reach_on(text, to, room.saturating_sub(used));
    render(text, start..end, places)
}

/// Finds the run of places within `width` bytes that holds the most different words, and then the most places.
fn best_window<'a>(places: &'a [Place], weights: &[u32], width: usize) -> &'a [Place] {
    let mut counts = vec![0_u32; weights.len()];
    let mut weight = 0;
    let mut best = (0, 0, 0..0);
    let mut window: VecDeque<usize> = VecDeque::new();
    for (at, place) in places.iter().enumerate() {
        window.push_back(at);
        counts[place.group] += 1;
        if counts[place.group] == 1 {
            weight += weights[place.group];
        }
        while window.len() > 1
            && place.range.end.saturating_sub(places[window[0]].range.start) > width
        {
            let Some(gone) = window.pop_front() else { break };
            let group = places[gone].group;
            counts[group] -= 1;
            if counts[group] == 0 {
                weight -= weights[group];
            }
        }
        let found = (weight, window.len());
        if found > (best.0, best.1) {
            best = (found.0, found.1, window[0]..at + 1);
        }
    }
    &places[best.2]
}

/// Goes back from `from` by so many characters, and then on to the beginning of a word; says how many were used.
fn reach_back(text: &str, from: usize, room: usize) -> (usize, usize) {
    let mut start = from;
    let mut used = 0;
    let mut after_space = false;
    for (at, character) in text[..from].char_indices().rev() {
        let is_space = character.is_whitespace();
        if !(is_space && after_space) {
            if used == room {
                break;
            }
            used += 1;
        }
        after_space = is_space;
        start = at;
    }
    let is_inside_word = |at: usize| {
        text[..at].ends_with(|character: char| !character.is_whitespace())
            && text[at..].starts_with(|character: char| !character.is_whitespace())
    };
    if start > 0 && is_inside_word(start) {
        // A word that reaches up to what was found is cut, rather than left out.
        if let Some(space) = text[start..from].find(char::is_whitespace) {
            let next = start + space;
            used -= text[start..next].chars().count().min(used);
            start = next;
        }
    }
    (start, used)
}

/// Goes on from `to` by so many characters, and then back to the end of a word.
fn reach_on(text: &str, to: usize, room: usize) -> usize {
    let mut end = to;
    let mut used = 0;
    let mut after_space = false;
    let mut last_word_end = None;
    for (at, character) in text[to..].char_indices() {
        let is_space = character.is_whitespace();
        if is_space && !after_space {
            last_word_end = Some(to + at);
        }
        if !(is_space && after_space) {
            if used == room {
                return if is_space { to + at } else { last_word_end.unwrap_or(end) };
            }
            used += 1;
        }
        after_space = is_space;
        end = to + at + character.len_utf8();
    }
    end
}

/// Writes a piece of the text on one line, and where in it the places are.
fn render(text: &str, piece: Range<usize>, places: &[Place]) -> Snippet {
    let mut snippet = Snippet::default();
    let inside = &text[piece.clone()];
    let goes_on_before = !text[..piece.start].trim().is_empty();
    let goes_on_after = !text[piece.end..].trim().is_empty();
    if goes_on_before {
        snippet.text.push('…');
    }
    let start = piece.start + (inside.len() - inside.trim_start().len());
    let mut marks = Marks::new(places, start..piece.start + inside.trim_end().len());
    let mut after_space = false;
    for (at, character) in inside.trim().char_indices() {
        marks.step(start + at, &mut snippet);
        let is_space = character.is_whitespace();
        if !is_space {
            snippet.text.push(character);
        } else if !after_space {
            snippet.text.push(' ');
        }
        after_space = is_space;
    }
    marks.step(usize::MAX, &mut snippet);
    if goes_on_after {
        snippet.text.push('…');
    }
    snippet
}

/// The places within a piece, taken over into the snippet one after the other.
struct Marks {
    /// Ranges of the text, sorted, none touching another.
    ranges: VecDeque<Range<usize>>,
    open: Option<usize>,
}

impl Marks {
    fn new(places: &[Place], piece: Range<usize>) -> Self {
        let first = places.partition_point(|place| place.range.start < piece.start);
        let mut ranges: VecDeque<Range<usize>> = VecDeque::new();
        for place in places[first..].iter().take_while(|place| place.range.start < piece.end) {
            let range = place.range.start..place.range.end.min(piece.end);
            match ranges.back_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => ranges.push_back(range),
            }
        }
        Self { ranges, open: None }
    }

    /// Opens and closes marks at a place of the text.
    fn step(&mut self, at: usize, snippet: &mut Snippet) {
        if let (Some(open), Some(range)) = (self.open, self.ranges.front())
            && range.end <= at
        {
            snippet.marks.push(open..snippet.text.len());
            self.open = None;
            self.ranges.pop_front();
        }
        if self.open.is_none()
            && self.ranges.front().is_some_and(|range| range.start <= at && at < range.end)
        {
            self.open = Some(snippet.text.len());
        }
    }
}

#[cfg(test)]
mod tests;
