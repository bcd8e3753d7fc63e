//! The words of a text that say what it is about, without their endings.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock};

use crate::analysis::examples::join;
use crate::vocabulary::{is_light, is_stop_word, is_unspaced, plain};

/// Words that every report of work has, whatever it is about.
const COMMON: &[&str] = &[
    "add", "agent", "answer", "ask", "asked", "branch", "call", "case", "check", "class", "code",
    "commit", "data", "doc", "done", "error", "file", "function", "given", "goal", "hand", "input",
    "issue", "key", "line", "list", "merge", "message", "method", "model", "module", "name", "new",
    "number", "open", "option", "output", "page", "part", "pass", "plan", "please", "project",
    "ran", "read", "request", "result", "run", "script", "set", "string", "sure", "table", "task",
    "test", "text", "time", "tool", "type", "update", "user", "value", "vague", "version", "word",
    "write",
];

/// Words that say nothing: the common ones, and those of grammar and of talk in English, German, Dutch, Portuguese, Spanish,
/// French, Italian, Polish and Swedish, without accents: where few nodes are in a language, all of its words are rare.
static EMPTY: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    "one two three four five six seven eight nine ten first third above agree agreed almost already although anyway bad \
     because below best better both die dont each either else enough even every few fine gonna great hello hey hmm however including \
     itself just least less like likely maybe more most nothing okay perhaps quite rather really right same seen sent several since \
     someone sorry still thanks though thus together tomorrow tonight today until well whether whole within without would yes \
     yesterday january february march april june july august september october november december monday tuesday wednesday thursday \
     friday saturday sunday \
     zwei drei vier funf sechs sieben acht neun zehn neu neue neuen neuer neues lauft laufen laufe weg alles bitte danke dann dazu \
     eben einfach etwa etwas genau gibt immer jetzt kann kannst machen mache mal mehr muss nein nichts soll sollen solche \
     statt viel vielleicht weil weiter wenn weniger wert will wirklich zwischen \
     drie vijf zes zeven negen tien nieuw nieuwe aan alle allemaal als alleen andere ben bij dat deze dit doe doet doen dus een \
     eens eerst elke gaan gaat geen gewoon goed graag haar had hadden hebben hebt heb heeft hem het hier hij hoe hun iets ik jij jou \
     jullie kan klaar kunnen laat maar maak maakt meer met mij mijn misschien moet moeten naar niet niets nodig nog nooit nou nu ook \
     omdat onder ons onze over precies toch toen tot twee uit van vanaf veel voor waar waarom wat weer wel welke werd wij wil wilt \
     wordt worden zal zei zelf ze zijn zit zo zonder zou zouden \
     agora ainda alem algo antes apenas aqui assim ate cada certo coisa deixa depois deve dizer entao fazer faz feito fica ficou foi \
     gente hoje igual isso logo mesmo mes muito nada novo nunca outra outro pode porque posso pouco preciso primeiro quero \
     segunda sempre seria sim so tambem tenho ter tinha toda todas todo todos tudo vai vamos vez vezes vou \
     tres cuatro cinco seis siete ocho nueve diez nuevo nueva viejo ahora ahi algun alguna aunque bien casi claro cosa creo cualquier \
     deja desde despues dice dos entiendo entonces estan estar hace hacer hacia hasta hay hecho hoy mejor menos mismo mucho muy \
     necesito otra otro poco poder puede puedes puedo pues quiero saber segun siempre sino solo tambien tampoco tener tengo \
     tiene tras vale vas veces \
     trois quatre cinq sept huit neuf dix nouveau nouvelle vieux alors apres aussi autre autres avant bon bonne ceci cela celle \
     celui chaque chez contre depuis deux donc doit encore entre etre faire faut jamais juste merci meme mettre mieux moins non oui \
     parce peut peux plus plusieurs pourrait puis quelque rien sans selon sera seulement si soit sous souvent suis tous tout toute \
     toutes trop veux voici voila vraiment \
     adesso allora altro ancora anche bene che chi ci come con cosi dalla dalle dei del della delle dentro devo di dopo dove due ecco \
     era fare fatto fino forse gia gli ho il invece lei loro ma meglio meno mio molto nel nella nelle niente nuovo ogni ora per \
     perche piu poi prima puo quale quando quello questa questi questo qui sei senza siamo sono sotto sta stato su sul \
     sulla tra troppo tutta tutte tutti tutto una uno vediamo vorrei \
     aby ale ani bardzo byc bylo byla byl czy dla dlaczego dobrze gdy gdzie ich jak jako jest jesli jeszcze juz kiedy ktora ktore \
     ktory lub moze mam mnie nie nic niech nim oraz po prosze przed przez przy sie tak tam tego teraz tez tylko tym wiec wszystko \
     zeby zrob \
     aldrig alla allt andra att av bara blev bli blir borde bra dar de denna det detta din efter eller en ett fick finns fran ganska \
     gor gora han har helt henne hon hur igen ikke ingen inget innan inte jag kanske kom man med mellan men mig mycket nar nej nogon \
     och ocksa om oss pa redan sedan sen ska skulle som tack till under upp utan vad val vara varfor vem vi vill vilken"
        .split_whitespace()
        .chain(COMMON.iter().copied())
        .collect()
});

/// Longer words are hashes and encoded data.
const LONGEST: usize = 40;

/// Returns the stems of the words of a text, each once, in alphabetical order. Numbers and common words are left out;
/// scripts that are written without spaces give pairs of characters.
pub(crate) fn stems(text: &str) -> Vec<String> {
    Words::default().told(text).into_iter().map(|told| told.stem.to_string()).collect()
}

/// Something that a text says: the form in which it is compared, and how it was said.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Told {
    pub(super) stem: Arc<str>,
    pub(super) said: Arc<str>,
    /// What stands for the stem.
    pub(super) mark: u64,
}

/// Words that were met, each looked at once: all nodes of a brain say the same few thousand again and again.
#[derive(Debug, Default)]
pub(super) struct Words {
    all: Vec<Word>,
    /// Their numbers.
    met: HashMap<Arc<str>, u32>,
}

/// A word in small letters.
#[derive(Debug)]
struct Word {
    said: Arc<str>,
    /// What is left of it without its ending, unless it says nothing.
    stem: Option<Arc<str>>,
    /// What stands for that.
    mark: u64,
    /// Whether it does not come up in all kinds of work.
    tells: bool,
}

impl Words {
    /// Returns how many were met.
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// Returns those words of a text that two nodes can have in common.
    pub(super) fn telling(&mut self, text: &str) -> Vec<Told> {
        self.told_where(text, |word| word.tells)
    }

    /// Returns the words of a text that say something.
    pub(super) fn told(&mut self, text: &str) -> Vec<Told> {
        self.told_where(text, |_| true)
    }

    fn told_where(&mut self, text: &str, is_wanted: impl Fn(&Word) -> bool) -> Vec<Told> {
        let mut all = Vec::new();
        for run in runs(text) {
            if run.chars().any(is_unspaced) {
                let characters: Vec<char> = run.chars().collect();
                // Kana alone are mostly grammar.
                let tells = |pair: &&[char]| !pair.iter().any(|character| is_kana(*character));
                let pairs = characters.windows(2).filter(tells);
                let pairs = pairs.map(|pair| pair.iter().collect::<String>().into());
                all.extend(pairs.map(|pair: Arc<str>| Told {
                    mark: mark(&pair),
                    said: pair.clone(),
                    stem: pair,
                }));
            } else {
                let number = self.meet(run);
                let word = self.word(number);
                let stem = word.stem.as_ref().filter(|_| is_wanted(word));
                all.extend(stem.map(|stem| Told {
                    stem: stem.clone(),
                    said: word.said.clone(),
                    mark: word.mark,
                }));
            }
        }
        all.sort_unstable();
        all.dedup_by(|one, other| one.stem == other.stem);
        all
    }

    /// Hands over the phrases of a text that two nodes can have in common. Words that come up in all kinds of work may
    /// tell something together.
    pub(super) fn each_telling_phrase(&mut self, text: &str, mut take: impl FnMut(Phrase<'_>)) {
        self.each_phrase(text, |phrase| {
            if !EVERYDAY_PHRASES.contains(&phrase.mark()) {
                take(phrase);
            }
        });
    }

    /// Hands over the pairs of words that follow each other, but for a few that say nothing.
    fn each_phrase(&mut self, text: &str, mut take: impl FnMut(Phrase<'_>)) {
        let is_end = |character: char| "/.,;:!?()[]{}|\"“”`\n".contains(character);
        for part in text.split(is_end) {
            let numbers: Vec<u32> = runs(part).map(|run| self.meet(run)).collect();
            let mut before: Option<usize> = None;
            for (at, number) in numbers.iter().enumerate() {
                let Some(stem) = &self.word(*number).stem else { continue };
                let begin = before.replace(at).filter(|begin| at - begin < LONGEST_PHRASE);
                let Some(begin) = begin else { continue };
                if self.word(numbers[begin]).stem.as_ref() != Some(stem) {
                    take(Phrase { words: self, spoken: spoken(&numbers[begin..=at]) });
                }
            }
        }
    }

    fn word(&self, number: u32) -> &Word {
        &self.all[number as usize]
    }

    /// Returns the number of a word.
    fn meet(&mut self, run: &str) -> u32 {
        let small = small(run);
        if let Some(number) = self.met.get(&*small) {
            return *number;
        }
        let said: Arc<str> = small.into();
        let is_word = run.len() <= LONGEST && !run.chars().any(is_unspaced);
        let stem = is_word.then(|| stem(&said)).flatten();
        let stem: Option<Arc<str>> =
            stem.map(|stem| if stem == *said { said.clone() } else { stem.into() });
        let mark = stem.as_deref().map_or(0, mark);
        let tells = stem.as_deref().is_some_and(|stem| !EVERYDAY.contains(stem));
        let number = u32::try_from(self.all.len()).unwrap_or(NONE);
        self.all.push(Word { said: said.clone(), stem, mark, tells });
        self.met.insert(said, number);
        number
    }
}

/// So many words a phrase has at most.
const LONGEST_PHRASE: usize = 4;

/// The numbers of the words that a phrase was said in.
type Spoken = [u32; LONGEST_PHRASE];

/// Stands where a phrase has no more words.
const NONE: u32 = u32::MAX;

fn spoken(numbers: &[u32]) -> Spoken {
    std::array::from_fn(|at| numbers.get(at).copied().unwrap_or(NONE))
}

/// Two words that follow each other, with what may stand between them.
pub(super) struct Phrase<'a> {
    words: &'a Words,
    spoken: Spoken,
}

impl Phrase<'_> {
    /// Returns what stands for its stems, whichever was said first.
    pub(super) fn mark(&self) -> u64 {
        let [one, other] = self.ends().map(|word| word.mark);
        mark_of_two(one, other)
    }

    /// Returns its stems, in alphabetical order.
    pub(super) fn stems(&self) -> String {
        let [one, other] = self.ends().map(|word| word.stem.as_deref().unwrap_or_default());
        [one.min(other), one.max(other)].join(" ")
    }

    /// Returns how it was said.
    pub(super) fn said(&self) -> String {
        let words = self.spoken.iter().filter_map(|number| self.words.all.get(*number as usize));
        words.map(|word| &*word.said).collect::<Vec<_>>().join(" ")
    }

    fn ends(&self) -> [&Word; 2] {
        let last = self.spoken.iter().rfind(|number| **number != NONE);
        [self.spoken[0], *last.unwrap_or(&self.spoken[0])].map(|number| self.words.word(number))
    }
}

/// Returns what stands for a stem or another text; of all that there may be, hardly two have the same.
pub(super) fn mark(stem: &str) -> u64 {
    stem.bytes().fold(0, |mark, byte| join(mark, u64::from(byte)))
}

fn mark_of_two(one: u64, other: u64) -> u64 {
    join(one.min(other), one.max(other))
}

fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric()).filter(|run| !run.is_empty())
}

/// Returns a word in small letters; most words are written so.
fn small(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(word.to_lowercase())
    }
}

fn is_kana(character: char) -> bool {
    matches!(character, '\u{3041}'..='\u{3096}')
}

fn stem(word: &str) -> Option<String> {
    const SHORTEST: usize = 3;
    let letters = word.chars().filter(|character| character.is_alphabetic()).count();
    // Ids mix letters and digits; a few digits belong to names such as `sha256`.
    let word = plain(word);
    let is_common = |word: &str| EMPTY.contains(word) || is_stop_word(word) || is_light(word);
    if letters < SHORTEST || word.len() > 2 * letters || is_common(&word) {
        return None;
    }
    let stem = without_ending(&word);
    (!is_common(&stem)).then_some(stem)
}

/// Stems and phrases that come up in all kinds of work: in thirty, and in three, of the nine thousand examples of what people
/// and models say. They may be rare in a brain all the same, and two nodes that have them need not have to do with each other.
static EVERYDAY: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| include_str!("everyday.txt").lines().collect());

/// What stands for the phrases among them.
static EVERYDAY_PHRASES: LazyLock<HashSet<u64>> = LazyLock::new(|| {
    let phrases = EVERYDAY.iter().filter_map(|stems| stems.split_once(' '));
    phrases.map(|(one, other)| mark_of_two(mark(one), mark(other))).collect()
});

/// Takes the ending of an English word away. It is rough: all forms of a word need to become the same, and no more.
fn without_ending(word: &str) -> String {
    let is_long = |stem: &&str| stem.len() >= 3 && stem.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    let cut = |ending: &str| word.strip_suffix(ending).filter(is_long);
    if !word.is_ascii() || word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        return word.to_owned();
    }
    if let Some(stem) = cut("ies").or_else(|| cut("ied")) {
        return format!("{stem}y");
    }
    let stem = cut("ing").or_else(|| cut("ed")).or_else(|| cut("es")).or_else(|| cut("s"));
    let stem = stem.unwrap_or(word);
    let bytes = stem.as_bytes();
    // `running` comes from `run`, and `caches` from `cache`.
    match bytes {
        [.., one, other] if one == other && stem != word && !b"lsz".contains(other) => {
            stem[..stem.len() - 1].to_owned()
        }
        _ => stem.strip_suffix('e').filter(is_long).unwrap_or(stem).to_owned(),
    }
}

#[cfg(test)]
mod tests;
