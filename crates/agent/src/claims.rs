//! Whether the log holds what a model speaks of.

use std::collections::HashSet;

/// A statement of a model that was left out, because it speaks of what the log does not contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// What the model said.
    pub statement: String,
    /// The file or tool that nobody else speaks of.
    pub claim: String,
}

/// What a log speaks of.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Whatever could be the name of a file, in lower case.
    names: HashSet<String>,
    /// Tools that were called, in lower case.
    pub(crate) tools: HashSet<String>,
    /// The ids of entries that a model got to read.
    pub(crate) entries: HashSet<String>,
}

impl Known {
    /// Takes in a text of the log.
    pub(crate) fn hear(&mut self, text: &str) {
        for name in words(text) {
            let name = name.to_lowercase();
            // A path in the log is known by each of its ends: models shorten.
            for (at, _) in name.match_indices('/') {
                self.names.insert(name[at + 1..].to_owned());
            }
            self.names.insert(name);
        }
    }

    /// Returns the first file or tool that is claimed and not known.
    pub(crate) fn unknown<'a>(
        &self,
        text: &'a str,
        files: &'a [String],
        tools: &'a [String],
    ) -> Option<&'a str> {
        let in_text = words(text).filter(|word| is_path(word));
        let files = files.iter().map(String::as_str).chain(in_text);
        let mut unknown_files = files.filter(|file| !self.knows_file(file));
        let mut unknown_tools = tools.iter().map(String::as_str).filter(|tool| {
            let tool = tool.trim().to_lowercase();
            !tool.is_empty() && !self.tools.contains(&tool)
        });
        unknown_files.next().or_else(|| unknown_tools.next())
    }

    fn knows_file(&self, file: &str) -> bool {
        let Some(file) = words(file).next() else { return true };
        let file = file.trim_start_matches("./").to_lowercase();
        // The log may have the shorter form: a path below the folder that the session ran in.
        let mut ends = file.match_indices('/').map(|(at, _)| &file[at + 1..]);
        self.names.contains(&file)
            || ends.any(|end| end.contains('/') && self.names.contains(end))
            || file
                .trim_end_matches('/')
                .rsplit('/')
                .next()
                .is_some_and(|name| self.names.contains(name))
    }
}

/// Returns the words of a text that could be names of files: without quotes, brackets, and a line number at the end.
fn words(text: &str) -> impl Iterator<Item = &str> {
    const LONGEST: usize = 300;
    let is_border = |letter: char| letter.is_whitespace() || "\"'`()[]{}<>,;|=*\\".contains(letter);
    text.split(is_border)
        .map(|word| word.split_once(':').map_or(word, |(name, _)| name))
        .map(|word| word.trim_matches(|letter: char| ".!?:".contains(letter) && letter != '/'))
        .filter(|word| word.len() > 2 && word.len() <= LONGEST)
}

/// Returns whether a word of prose can only be a path: folders, and a file with an ending.
fn is_path(word: &str) -> bool {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "._-+@~".contains(letter);
    let Some((folders, file)) = word.rsplit_once('/') else { return false };
    let Some((stem, ending)) = file.rsplit_once('.') else { return false };
    let has_ending = (1..=5).contains(&ending.len())
        && ending.starts_with(|letter: char| letter.is_ascii_alphabetic());
    has_ending && !stem.is_empty() && folders.split('/').all(|folder| folder.chars().all(is_name))
}

#[cfg(test)]
mod tests;
