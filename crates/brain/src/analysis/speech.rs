//! What words do: agree, refuse, praise, give up, lay down a rule. In the languages that most sessions are held in.
//!
//! Signs are looked for in lower case; lists of them are written with a bar in between. One that begins with a letter has to
//! stand at the beginning of a word, unless its script puts no spaces between words; one that ends with a blank has to be a
//! whole word.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::examples::{self, Examples};
use super::familiar::is_understood;

/// A list of signs, which are all looked for at once.
pub(super) struct Signs {
    list: &'static str,
    prepared: OnceLock<(AhoCorasick, Vec<&'static str>)>,
}

impl Signs {
    /// Takes a list with a bar between every two signs.
    pub(super) const fn new(list: &'static str) -> Self {
        Self { list, prepared: OnceLock::new() }
    }

    /// Returns whether any of them is in a text, which is in lower case.
    pub(super) fn are_in(&self, text: &str) -> bool {
        self.matches(text).next().is_some()
    }

    /// Returns where in a text, which is in lower case, the first of them is.
    pub(super) fn first_in(&self, text: &str) -> Option<Range<usize>> {
        self.matches(text).map(|(_, range)| range).min_by_key(|range| range.start)
    }

    fn matches<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, Range<usize>)> {
        let (automaton, signs) = self.prepared.get_or_init(|| {
            let signs: Vec<&str> = self.list.split('|').collect();
            let stems = signs.iter().map(|sign| sign.trim_end_matches(' '));
            // The fastest kind, whose size does not matter with a few hundred signs.
            let automaton = AhoCorasick::builder().kind(Some(AhoCorasickKind::DFA)).build(stems);
            (automaton.expect("a short list of words has an automaton"), signs)
        });
        automaton.find_overlapping_iter(text).filter_map(move |found| {
            let number = found.pattern().as_usize();
            stands_alone(text, found.range(), signs[number]).then_some((number, found.range()))
        })
    }
}

/// Returns whether a sign that was found in a text begins, and if it has to, ends with a word.
fn stands_alone(text: &str, found: Range<usize>, sign: &str) -> bool {
    let is_spaced = |character: char| u32::from(character) < 0x2e80;
    let starts_word = sign.starts_with(|first: char| first.is_alphanumeric() && is_spaced(first));
    let ends_word = sign.ends_with(' ') && text[found.clone()].ends_with(is_spaced);
    let before = text[..found.start].chars().next_back();
    let after = text[found.end..].chars().next();
    (!starts_word || before.is_none_or(|before| !is_joined(before)))
        && (!ends_word || after.is_none_or(|after| !is_joined(after)))
}

fn is_joined(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// What a reply of the user's does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Settles how something is to be done.
    Choice,
    /// Agrees to what was proposed.
    Consent,
    /// Objects.
    Refusal,
    /// Is content.
    Praise,
    /// Gives up what was wanted.
    Surrender,
    /// Lays down what always holds.
    Rule,
    /// Puts it off.
    Later,
    /// Goes on: with the next wish, or with something that is to be known.
    More,
    /// Asks back.
    Question,
}

const ACTS: [Act; 9] = [
    Act::Choice,
    Act::Consent,
    Act::Refusal,
    Act::Praise,
    Act::Surrender,
    Act::Rule,
    Act::Later,
    Act::More,
    Act::Question,
];

static REPLIES: Examples<9> = Examples::new(
    examples::REPLIES,
    ["choice", "consent", "refusal", "praise", "surrender", "rule", "later", "more", "question"],
);

/// Words that do something by themselves, whatever stands around them; each list counts for what `ACTS` has there.
static TELLING: [(Act, &str); 5] = [
    (
        Act::Praise,
        "thank|thx|ty |perfect|great|awesome|excellent|nice|looks good|works now|that works|it works|\
    works fine|works great|well done|good job|brilliant|amazing|fantastic|wonderful|lgtm|ship it|ship |\
    cool|wow|love it|sent|merged|better,|good to know|all green|👍|🎉|✅|👌|❤|🙏|danke|super|perfekt|klasse|\
    prima|passt|läuft|top |sauber|merci|parfait|génial|impeccable|nickel|gracias|perfecto|genial|\
    me gusta|estupendo|obrigad|perfeito|ótimo|valeu|ありがとう|助かり|完璧|いいですね|谢谢|太好了|很好|不错|可以了|明白了|懂了",
    ),
    (
        Act::Consent,
        "yes|yep|yeah|ok |okay|k |sure|go |go,|go.|go with|do it|do that|accept|agreed|sounds good|\
    good outline|good plan|good idea|fine|please do|let's|lets |approved|right|makes sense|i like|try a|\
    try b|then |ja |ja,|jo |genau|einverstanden|mach das|machen wir|gut |in ordnung|klingt gut|oui|\
    d'accord|vas-y|c'est bon|fais ça|sí|si,|vale|aceptado|de acuerdo|adelante|hazlo|me gusta|sim|pode |\
    aceito|fechado|はい|お願い|それで|了解|好的|好,|好，|可以|同意|就这样|行，|行,",
    ),
    (
        Act::Surrender,
        "leave it.|leave it,|forget it|never mind|nevermind|not worth it|give up|drop it|skip it|enough.|enough,|\
    ok enough|let it be|scrap|abandon|park it|stop here|revert everything|throw it away|\
    doesnt work, leave|too risky|lass es|lassen wir|vergiss es|egal|nicht der mühe|brechen wir ab|\
    laisse tomber|on laisse|tant pis|on abandonne|déjalo|dejémoslo|olvídalo|no vale la pena|deixa|\
    esquece|desist|やめましょう|やめます|やめて|中止|諦め|算了|放弃|不做了",
    ),
    (
        Act::Later,
        "tomorrow|later|another time|next week|after lunch|not now|morgen|später|demain|plus tard|mañana|\
    luego|amanhã|depois|また明日|後で|明天|以后",
    ),
    (
        Act::Refusal,
        "no |no,|nope|nah|stop|wrong|not what|don't|dont |do not|instead|actually|undo|revert|that's not|\
    thats not|you forgot|you broke|way too|too much|i meant|i said|again?|why did you|why do you|\
    never use|never do|guessing|isn't null|still |go back|nein|nicht so|falsch|stattdessen|lieber|stopp|\
    das ist nicht|non |non,|pas comme|plutôt|au lieu|arrête|no es|en vez|mal,|para,|não|errado|em vez|\
    違い|違う|ではなく|じゃなく|やめ|不对|不是|而不是|错了|不要",
    ),
];

/// So much a telling word adds to what examples say.
const TELLING_WEIGHT: f32 = 1.0;

/// Returns how much a reply speaks for each act.
fn weigh_acts(text: &str) -> [f32; 9] {
    let lower = text.to_lowercase();
    let mut weights = REPLIES.weigh(text);
    for (weight, is_told) in weights.iter_mut().zip(told(&lower)) {
        if is_told {
            *weight += TELLING_WEIGHT;
        }
    }
    weights
}

/// Returns, by what `ACTS` has there, whether a telling word for it is in a text, which is in lower case.
fn told(lower: &str) -> [bool; 9] {
    // All lists at once: every sentence of every reply is looked through for them.
    static SIGNS: LazyLock<(Signs, Vec<Act>)> = LazyLock::new(|| {
        let lists = TELLING.map(|(_, list)| list).join("|");
        let of_list = |(act, list): (Act, &str)| vec![act; list.split('|').count()];
        (Signs::new(String::leak(lists)), TELLING.into_iter().flat_map(of_list).collect())
    });
    let (signs, acts) = &*SIGNS;
    let mut told = [false; 9];
    for (number, _) in signs.matches(lower) {
        told[acts[number] as usize] = true;
    }
    told
}

/// Returns whether a text does nothing but agree, refuse or the like, in a word or two.
pub(super) fn only_reacts(text: &str) -> bool {
    const FEW: usize = 2;
    text.split_whitespace().count() <= FEW && told(&text.to_lowercase()).contains(&true)
}

/// What a reply does, as a whole and in its sentences.
#[derive(Debug)]
pub(super) struct Reading {
    /// What it does as a whole.
    pub(super) act: Act,
    /// By what `ACTS` has there: whether the whole does it, or a sentence clearly.
    does: [bool; 9],
    gives_up: bool,
    negates: bool,
    /// Whether it is in a language that can be read at all.
    pub(super) is_understood: bool,
}

/// So much of a reply is read, in characters: who says more tells more than an answer.
const READ: usize = 600;

impl Reading {
    /// What nobody can read settles nothing and judges nothing.
    const NOT_UNDERSTOOD: Self = Self {
        act: Act::More,
        does: [false; 9],
        gives_up: false,
        negates: false,
        is_understood: false,
    };

    pub(super) fn of(text: &str) -> Self {
        const CLEAR: f32 = 0.5;
        const CLEAR_END: f32 = 0.6;
        let text: String = text.chars().take(READ).collect();
        if !is_understood(&text) {
            return Self::NOT_UNDERSTOOD;
        }
        let whole = weigh_acts(&text);
        let (best, margin) = strongest(&whole);
        let mut does = [false; 9];
        does[best] = true;
        let mut gives_up = ACTS[best] == Act::Surrender && margin > CLEAR_END;
        for sentence in sentences(&text) {
            let (act, margin) = strongest(&weigh_acts(sentence));
            does[act] |= margin > CLEAR;
            gives_up |= ACTS[act] == Act::Surrender && margin > CLEAR_END;
        }
        Self {
            act: ACTS[best],
            does,
            gives_up,
            negates: negates(&text.to_lowercase()),
            is_understood: true,
        }
    }

    fn does(&self, act: Act) -> bool {
        self.does[act as usize]
    }

    /// Returns whether somebody is content.
    pub(super) fn praises(&self) -> bool {
        self.does(Act::Praise)
    }

    /// Returns whether somebody wants it otherwise.
    pub(super) fn refuses(&self) -> bool {
        self.does(Act::Refusal) || (self.does(Act::Choice) && self.negates)
    }

    /// Returns whether somebody agrees.
    pub(super) fn consents(&self) -> bool {
        self.does(Act::Consent)
    }

    /// Returns whether somebody gives up.
    pub(super) fn gives_up(&self) -> bool {
        self.gives_up
    }
}

/// Returns how clearly a sentence of the user's settles how something is to be done; below zero if it does something else.
pub(super) fn chooses_way(sentence: &str) -> f32 {
    let [choice, others @ ..] = REPLIES.weigh(sentence);
    choice - others.into_iter().fold(f32::MIN, f32::max)
}

/// Returns which of some weights is the greatest, and by how much.
fn strongest<const N: usize>(weights: &[f32; N]) -> (usize, f32) {
    let mut order: [usize; N] = std::array::from_fn(|number| number);
    // The sort is stable: of equals the earlier one stays first.
    order.sort_by(|&one, &other| weights[other].total_cmp(&weights[one]));
    let margin = order.get(1).map_or(0.0, |&next| weights[order[0]] - weights[next]);
    (order[0], margin)
}

/// Returns whether a text, in lower case, says no to something.
pub(super) fn negates(lower: &str) -> bool {
    NEGATION.are_in(lower)
}

static NEGATION: Signs = Signs::new(
    "no |nope|nah|not |don't|dont |do not|stop|instead|rather|wrong|undo|revert|back to|nein|nicht|kein|lieber|\
    statt|stopp|zurück|non |pas |plutôt|au lieu|arrête|mejor|en vez|deja de|não|em vez|melhor|volta|ではなく|じゃなく|\
    違|やめ|不|别|而不是|改回",
);

/// Returns whether a text, in lower case, says what always holds.
pub(super) fn always_in(lower: &str) -> bool {
    ALWAYS.are_in(lower)
}

/// Words that make a rule of much that is not quite like one.
static ALWAYS: Signs = Signs::new(
    "always|never|we use|we don't|we dont|we do not|must |is a must|from now on|by convention|the rule|not allowed|\
    forbidden|immer|niemals|nie |bei uns|wir nutzen|wir verwenden|grundsätzlich|ab jetzt|toujours|jamais|chez nous|\
    on utilise|règle|siempre|nunca|usamos|regla|sempre|regra|必ず|絶対|決して|ルール|总是|必须|一律|我们用|永远不|规定",
);

/// Returns whether a sentence of the user's lays down a rule.
pub(super) fn lays_down(sentence: &str) -> bool {
    const LONGEST: usize = 300;
    const ALMOST: f32 = 1.5;
    const CLEAR: f32 = 0.3;
    if sentence.len() > LONGEST {
        return false;
    }
    let weights = weigh_acts(sentence);
    let (best, margin) = strongest(&weights);
    let rule = ACTS.iter().position(|act| *act == Act::Rule).unwrap_or_default();
    (best == rule && margin > CLEAR)
        || (weights[best] - weights[rule] < ALMOST && always_in(&sentence.to_lowercase()))
}

/// Returns how clearly a sentence of a model's states a choice between ways to do something; below zero if it does not.
pub(super) fn chooses(sentence: &str) -> f32 {
    static STATEMENTS: Examples<2> = Examples::new(examples::STATEMENTS, ["chooses", "tells"]);
    let [chooses, tells] = STATEMENTS.weigh(sentence);
    chooses - tells
}

static ANNOUNCING: Signs = Signs::new(
    "i'll|i will|let me|now |next|first|checking|looking|running|trying|ich |jetzt|je |maintenant|voy a|ahora|vou |agora|まず|次に|我来|现在",
);

/// Returns whether a text opens with what is to be done.
pub(super) fn announces(text: &str) -> bool {
    ANNOUNCING.first_in(&text.to_lowercase()).is_some_and(|found| found.start == 0)
}

static GO_ON: Signs = Signs::new(
    "go on|go |continue|carry on|keep going|proceed|resume|build it|write it|do it|again|next|ok back|\
    weiter|mach weiter|continue|vas-y|on continue|sigue|continúa|continua|segue|続けて|続き|继续|接着",
);

/// Returns whether a request only says to go on, so that what it is about was said before.
pub(super) fn only_goes_on(text: &str) -> bool {
    const FEW_WORDS: usize = 6;
    let text = text.to_lowercase();
    text.split_whitespace().count() <= FEW_WORDS
        && text.chars().count() <= 40
        && (GO_ON.are_in(&text) || text.chars().count() <= 4)
}

static REASONS: Signs = Signs::new(
    "because|since |bc |so that|as it|due to|otherwise|the reason|weil|da |damit|denn|sonst|wegen|\
    parce que|puisque|car |pour que|sinon|porque|ya que|para que|si no|pois|já que|senão|ので|ため|から|因为|由于|\
    否则|为了",
);

/// Returns where in a sentence, in lower case, the reason begins.
pub(super) fn reason_in(sentence: &str) -> Option<usize> {
    REASONS.first_in(sentence).map(|found| found.start).filter(|at| *at > 0)
}

/// Cuts a text into sentences. A line is one at least, and so is an item of a list.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    const WIDE: [char; 3] = ['。', '！', '？'];
    const ENDS: [char; 6] = ['.', '!', '?', '。', '！', '？'];
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.trim().trim_start_matches(['-', '*', '•', '#', '>']).trim();
        let mut start = 0;
        for (at, sign) in line.match_indices(ENDS) {
            let end = at + sign.len();
            let before = &line[start..at];
            let numbers_item =
                sign == "." && before.trim().chars().all(|digit| digit.is_ascii_digit());
            let abbreviates = sign == "." && (before.ends_with("env") || before.ends_with("z.B"));
            let ends = match line[end..].chars().next() {
                None => true,
                Some(next) => sign.starts_with(WIDE) || next.is_whitespace(),
            };
            if ends && !numbers_item && !abbreviates {
                found.push(line[start..end].trim());
                start = end;
            }
        }
        found.push(line[start..].trim());
    }
    found.retain(|sentence| sentence.chars().any(char::is_alphanumeric));
    found
}
