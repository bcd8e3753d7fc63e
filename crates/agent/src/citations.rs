//! Whether the evidence is there that an answer names.

use std::collections::BTreeSet;

/// No mark is longer; what is has another meaning.
const LONGEST_MARK: usize = 40;

/// Reads an answer as it comes, and takes out of it what names evidence that is not there.
///
/// A mark is a number in square brackets, or several. In code, brackets mean something else and are left alone.
#[derive(Debug, Default)]
pub(crate) struct Citations {
    /// How many pieces of evidence there are, numbered from 1.
    known: usize,
    /// What cannot be told yet: white space and the beginning of a mark, or a run of backticks.
    held: String,
    /// How many backticks close the code that we are in.
    code: Option<usize>,
    text: String,
    cited: BTreeSet<usize>,
    invented: usize,
}

impl Citations {
    pub(crate) fn new(known: usize) -> Self {
        Self { known, ..Self::default() }
    }

    /// Takes in a piece, and returns what can be shown because of it.
    pub(crate) fn hear(&mut self, piece: &str) -> &str {
        let shown = self.text.len();
        for letter in piece.chars() {
            self.take(letter);
        }
        &self.text[shown..]
    }

    /// Takes in that the answer is over, and returns what can be shown because of it.
    pub(crate) fn end(&mut self) -> &str {
        let shown = self.text.len();
        self.let_go();
        self.text.truncate(self.text.trim_end().len().max(shown));
        &self.text[shown..]
    }

    /// Returns the answer without what was taken out.
    pub(crate) fn text(&self) -> &str {
        self.text.trim_end()
    }

    /// Returns the numbers of the evidence that is named and there.
    pub(crate) fn cited(&self) -> &BTreeSet<usize> {
        &self.cited
    }

    /// Returns how many numbers were taken out.
    pub(crate) fn invented(&self) -> usize {
        self.invented
    }

    fn take(&mut self, letter: char) {
        let is_ticks = self.held.starts_with('`');
        if is_ticks && letter != '`' || self.is_in_mark() && !self.can_be_in_mark(letter) {
            self.let_go();
        }
        match letter {
            '`' => {
                if !self.held.starts_with('`') {
                    self.let_go();
                }
                self.held.push(letter);
            }
            _ if self.code.is_some() => {
                // Code in the middle of a sentence does not go on in the next paragraph.
                let is_over = letter == '\n' && self.text.ends_with('\n');
                self.code = self.code.filter(|ticks| *ticks > 2 || !is_over);
                self.text.push(letter);
            }
            ']' if self.is_in_mark() => {
                self.held.push(letter);
                self.judge();
            }
            _ if letter == '[' || self.is_in_mark() => self.held.push(letter),
            _ if letter.is_whitespace() => {
                if !self.text.is_empty() {
                    self.held.push(letter);
                }
            }
            _ => {
                self.let_go();
                self.text.push(letter);
            }
        }
    }

    fn is_in_mark(&self) -> bool {
        self.held.contains('[')
    }

    fn can_be_in_mark(&self, letter: char) -> bool {
        let is_fitting =
            letter.is_ascii_digit() || letter.is_whitespace() || "],;-–".contains(letter);
        is_fitting && self.held.len() < LONGEST_MARK
    }

    /// Decides what becomes of something in brackets.
    fn judge(&mut self) {
        let start = self.held.find('[').unwrap_or_default();
        let inside = &self.held[start + 1..self.held.len() - 1];
        let Some(numbers) = numbers(inside) else { return self.let_go() };
        let (known, unknown): (Vec<usize>, Vec<usize>) =
            numbers.into_iter().partition(|number| (1..=self.known).contains(number));
        self.invented += unknown.len();
        if !known.is_empty() {
            let list: Vec<String> = known.iter().map(ToString::to_string).collect();
            self.text += &self.held[..=start];
            self.text += &list.join(", ");
            self.text.push(']');
            self.cited.extend(known);
        }
        self.held.clear();
    }

    fn let_go(&mut self) {
        if self.held.starts_with('`') {
            let ticks = self.held.len();
            match self.code {
                None => self.code = Some(ticks),
                Some(open) if open == ticks => self.code = None,
                Some(_) => {}
            }
        }
        self.text += &std::mem::take(&mut self.held);
    }
}

/// Reads the numbers of a mark, such as `2`, `1, 3` or `1-3`; `None` if that is no mark.
fn numbers(inside: &str) -> Option<Vec<usize>> {
    /// A longer range is none that anybody means.
    const LONGEST_RANGE: usize = 50;
    let mut numbers = Vec::new();
    for part in inside.split([',', ';']) {
        match part.split_once(['-', '–']) {
            None => numbers.push(part.trim().parse().ok()?),
            Some((first, last)) => {
                let first: usize = first.trim().parse().ok()?;
                let last: usize = last.trim().parse().ok()?;
                if last < first || last - first > LONGEST_RANGE {
                    return None;
                }
                numbers.extend(first..=last);
            }
        }
    }
    Some(numbers)
}

/// Returns the first sentence of an answer, without marks.
pub(crate) fn first_sentence(text: &str) -> String {
    let mut plain = Citations::new(0);
    plain.hear(text);
    plain.end();
    let line = plain.text().split_whitespace().collect::<Vec<_>>().join(" ");
    let mut ends = line.char_indices().filter(|(at, letter)| {
        let rest = &line[at + letter.len_utf8()..];
        match letter {
            '。' | '！' | '？' => true,
            // What goes on in small letters was an abbreviation.
            '.' | '!' | '?' => rest
                .strip_prefix(' ')
                .is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_lowercase())),
            _ => false,
        }
    });
    let end = ends.next().map_or(line.len(), |(at, letter)| at + letter.len_utf8());
    line[..end].to_owned()
}

#[cfg(test)]
mod tests;
