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
    let (target, rest) = match after_verb(sentence) {
        Some(rest) => rest.skip("to")?.name()?,
        None => in_other_words(sentence)?.name()?,
    };
    let words = ["agent", "agenten", "agente"];
    let rest = words.iter().find_map(|word| rest.skip(word)).unwrap_or(rest);
    rest.is_over().then_some(target)
}

/// How it is said in German, French, Spanish and Portuguese: the verb, what may follow it, and what leads to the name.
const OTHER_WORDS: [(&str, &str, &str); 4] = [
    ("übergib übergebe übergeben", "das es dies", "an den|an die|an"),
    ("passe transmets", "ça cela le relais", "à l'agent|à l’agent"),
    ("pasa pásalo", "esto lo", "al agente"),
    ("passa passe", "isso isto", "para o agente de|para o agente|ao agente de|ao agente"),
];

/// Takes the words that open such a request in another language, up to the name.
fn in_other_words(sentence: Words<'_>) -> Option<Words<'_>> {
    OTHER_WORDS.iter().find_map(|(verbs, objects, links)| {
        let mut rest = verbs.split(' ').find_map(|verb| sentence.skip(verb))?;
        while let Some(next) = objects.split(' ').find_map(|object| rest.skip(object)) {
            rest = next;
        }
        let text = rest.0.trim_start();
        let lead = |link: &str| text.strip_prefix(link).filter(|rest| rest.starts_with(' '));
        links.split('|').find_map(lead).map(Words)
    })
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
        (first.to_lowercase() == word).then_some(Self(rest))
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
