//! Finds the JSON object in what a model says.

use serde_json::{Map, Value};

/// Returns the object that an answer consists of, also with prose or a fence around it, or cut off at the end.
///
/// Of several, the one with most members is meant: models show small examples before they answer.
pub(super) fn find_object(answer: &str) -> Option<Map<String, Value>> {
    /// An answer of nothing but brackets would be read from each of them to its end.
    const MOST_TRIES: usize = 200;
    let mut best: Option<Map<String, Value>> = None;
    let mut at = 0;
    for _ in 0..MOST_TRIES {
        let Some(start) = answer[at..].find('{').map(|found| at + found) else { break };
        let (object, end) = read_object(&answer[start..]);
        // A small one may be wrapped around what is wanted.
        let is_wrapping = object.as_ref().is_none_or(|object| object.len() < 3);
        at = if is_wrapping { start + 1 } else { start + end };
        let size = |object: &Map<String, Value>| object.len();
        if object.as_ref().map(size) > best.as_ref().map(size) {
            best = object;
        }
    }
    best
}

/// Reads an object at the beginning of a text, and returns where it ends.
fn read_object(text: &str) -> (Option<Map<String, Value>>, usize) {
    let outline = Outline::of(text);
    let read = |text: &str| serde_json::from_str(text).ok();
    match outline.end {
        Some(end) => (read(&text[..end]), end),
        // Never closed: nothing can come after it that is not inside.
        None => {
            let mut cuts = outline.closings.iter().rev();
            (cuts.find_map(|cut| read(&cut.close(text))), text.len())
        }
    }
}

/// How the brackets of a JSON text go.
struct Outline {
    /// After the bracket that closes the first one.
    end: Option<usize>,
    /// Where a text that is never closed can be cut and closed, the last few of those places.
    closings: Vec<Cut>,
}

/// A place after a whole value, and the brackets that are open there.
struct Cut {
    at: usize,
    open: String,
}

impl Cut {
    fn close(&self, text: &str) -> String {
        let closing = self.open.chars().rev().map(|open| if open == '{' { '}' } else { ']' });
        text[..self.at].chars().chain(closing).collect()
    }
}

impl Outline {
    fn of(text: &str) -> Self {
        /// Deeper ones are no answer, and closing them would take a list of brackets at each place.
        const DEEPEST: usize = 16;
        /// The last value may have been cut in the middle, so some of the places before it are kept.
        const PLACES: usize = 4;
        let mut open = String::new();
        let mut closings: Vec<Cut> = Vec::new();
        let (mut in_string, mut is_escaped) = (false, false);
        for (at, letter) in text.char_indices() {
            let mut is_cut = false;
            match letter {
                _ if is_escaped => is_escaped = false,
                '\\' if in_string => is_escaped = true,
                '"' => in_string = !in_string,
                _ if in_string => {}
                '{' | '[' => open.push(letter),
                '}' | ']' => {
                    open.pop();
                    if open.is_empty() {
                        return Self { end: Some(at + 1), closings: Vec::new() };
                    }
                    is_cut = true;
                }
                // Before a comma a value has just ended.
                ',' => is_cut = true,
                _ => {}
            }
            if is_cut && open.len() <= DEEPEST {
                if closings.len() == PLACES {
                    closings.remove(0);
                }
                let at = if letter == ',' { at } else { at + 1 };
                closings.push(Cut { at, open: open.clone() });
            }
        }
        Self { end: None, closings }
    }
}
