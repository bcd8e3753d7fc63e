//! Words that mean the same: people ask in other words than they worked in, and often in another language.

/// A group of words on each line. Words that mean much else besides are left out.
const GROUPS: &str = include_str!("thesaurus.txt");

/// Yields the groups, each as its words.
pub(crate) fn groups() -> impl Iterator<Item = impl Iterator<Item = &'static str> + Clone> {
    GROUPS.lines().map(str::split_whitespace)
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::groups;
    use crate::vocabulary::{is_stop_word, plain};

    #[test]
    fn groups_are_written_as_they_should_be() {
        let mut seen: HashMap<String, usize> = HashMap::new();
        for group in groups() {
            let words: HashSet<String> = group.clone().map(plain).collect();
            let shown: Vec<&str> = group.collect();
            assert!(words.len() > 1, "{shown:?} has nothing to compare");
            assert!(words.iter().all(|word| !is_stop_word(word)), "{shown:?} has a stop word");
            for word in words {
                *seen.entry(word).or_default() += 1;
            }
        }
        let vague: Vec<_> = seen.iter().filter(|(_, count)| **count > 4).collect();
        assert!(vague.is_empty(), "these mean too many things: {vague:?}");
    }
}
