//! Finds the requests that hand work over to another agent.

/// Returns whom a message hands the work over to, if that is what it asks for.
///
/// The request must open the message and be a sentence of its own: "handoff to reviewer: the tests fail" is one,
/// "the handoff to reviewer failed" and "handoff to reviewer is broken" are not.
pub(super) fn handoff_target(text: &str) -> Option<&str> {
    let sentence = Words(text.trim_start().lines().next()?);
    let sentence = sentence.skip("please").unwrap_or(sentence);
    if let Some(rest) = sentence.skip("continue").and_then(|rest| rest.skip("with")) {
        let (target, rest) = rest.name()?;
        return rest.skip("agent")?.is_over().then_some(target);
    }
    let (target, rest) = after_verb(sentence)?.skip("to")?.name()?;
    rest.skip("agent").unwrap_or(rest).is_over().then_some(target)
}

/// Takes the words that open such a request.
fn after_verb(sentence: Words<'_>) -> Option<Words<'_>> {
    if let Some(rest) = sentence.skip("hand") {
        return rest.skip_object().skip("off");
    }
    if let Some(rest) = sentence.skip("passing") {
        return Some(rest.skip_object());
    }
    sentence.skip("handoff").or_else(|| sentence.skip("hand-off"))
}

/// The rest of a sentence.
#[derive(Clone, Copy)]
struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    /// Takes the next word, in small or capital letters, if it is this one.
    fn skip(self, word: &str) -> Option<Self> {
        let (first, rest) = self.split();
        first.eq_ignore_ascii_case(word).then_some(Self(rest))
    }

    /// Takes the word for what is handed over, if there is one.
    fn skip_object(self) -> Self {
        self.skip("this").or_else(|| self.skip("it")).unwrap_or(self)
    }

    /// Takes the name of an agent.
    fn name(self) -> Option<(&'a str, Self)> {
        let (name, rest) = self.skip("the").unwrap_or(self).split();
        (!name.is_empty()).then_some((name, Self(rest)))
    }

    /// Returns whether the sentence ends here.
    fn is_over(self) -> bool {
        let rest = self.0.trim_start();
        rest.is_empty() || rest.starts_with(['.', ',', ':', ';', '!', '\u{2014}'])
    }

    fn split(self) -> (&'a str, &'a str) {
        let text = self.0.trim_start();
        let in_name = |sign: char| sign.is_alphanumeric() || matches!(sign, '-' | '_' | '@' | '/');
        // A dot inside a name belongs to it, the one at its end closes the sentence.
        let end = text.find(|sign: char| !in_name(sign) && sign != '.').unwrap_or(text.len());
        let end = text[..end].trim_end_matches('.').len();
        text.split_at(end)
    }
}

#[cfg(test)]
mod tests;
