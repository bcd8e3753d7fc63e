//! The words of a text that say what it is about, without their endings.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::analysis::examples::FILES;
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
    told(text).into_iter().map(|told| told.stem).collect()
}

/// Something that a text says: the form in which it is compared, and how it was said.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Told {
    pub(super) stem: String,
    pub(super) said: String,
}

fn told(text: &str) -> Vec<Told> {
    let mut all = Vec::new();
    for run in text.split(|character: char| !character.is_alphanumeric()) {
        if run.chars().any(is_unspaced) {
            let characters: Vec<char> = run.chars().collect();
            // Kana alone are mostly grammar.
            let tells = |pair: &&[char]| !pair.iter().any(|character| is_kana(*character));
            let pairs = characters.windows(2).filter(tells).map(|pair| pair.iter().collect());
            all.extend(pairs.map(|pair: String| Told { said: pair.clone(), stem: pair }));
        } else if run.len() <= LONGEST {
            let word = run.to_lowercase();
            all.extend(stem(&word).map(|stem| Told { stem, said: word }));
        }
    }
    all.sort_unstable();
    all.dedup_by(|one, other| one.stem == other.stem);
    all
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

/// Returns those words of a text that two nodes can have in common.
pub(super) fn telling_words(text: &str) -> impl Iterator<Item = Told> {
    told(text).into_iter().filter(|told| !EVERYDAY.words.contains(&told.stem))
}

/// Returns the phrases of a text that two nodes can have in common: two stems each, in alphabetical order. Words that come up in
/// all kinds of work may tell something together.
pub(super) fn telling_phrases(text: &str) -> impl Iterator<Item = Told> {
    phrases(text).filter(|told| !EVERYDAY.phrases.contains(&told.stem))
}

/// Returns the pairs of words that follow each other, but for a few that say nothing.
fn phrases(text: &str) -> impl Iterator<Item = Told> {
    /// So many words a phrase has at most.
    const WORDS: usize = 4;
    let is_end = |character: char| "/.,;:!?()[]{}|\"“”`\n".contains(character);
    text.split(is_end).flat_map(|part| {
        let words: Vec<String> = part
            .split(|character: char| !character.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        let of_word = |(place, word): (usize, &String)| {
            let is_word = word.len() <= LONGEST && !word.chars().any(is_unspaced);
            is_word.then(|| stem(word)).flatten().map(|stem| (place, stem))
        };
        let stems: Vec<(usize, String)> = words.iter().enumerate().filter_map(of_word).collect();
        let of_pair = |pair: &[(usize, String)]| {
            let [(begin, one), (end, other)] = pair else { return None };
            let is_phrase = one != other && end - begin < WORDS;
            is_phrase.then(|| Told {
                stem: format!("{} {}", one.min(other), one.max(other)),
                said: words[*begin..=*end].join(" "),
            })
        };
        stems.windows(2).filter_map(of_pair).collect::<Vec<_>>()
    })
}

/// What comes up in all kinds of work. It may be rare in a brain all the same, and two nodes that have it need not have
/// to do with each other.
struct Everyday {
    words: HashSet<String>,
    phrases: HashSet<String>,
}

static EVERYDAY: LazyLock<Everyday> = LazyLock::new(|| {
    /// In so many of the nine thousand examples of what people and models say.
    const WORD: usize = 30;
    const PHRASE: usize = 3;
    let lines = || FILES.iter().flat_map(|file| file.lines());
    let stems_of = |line: &'static str| -> HashSet<String> {
        let words = line.split(|character: char| !character.is_alphanumeric());
        words.map(|word| without_ending(&plain(&word.to_lowercase()))).collect()
    };
    let phrases_of =
        |line: &'static str| -> HashSet<String> { phrases(line).map(|told| told.stem).collect() };
    Everyday {
        words: often(lines().map(stems_of), WORD),
        phrases: often(lines().map(phrases_of), PHRASE),
    }
});

/// Returns what is in so many of the sets at least.
fn often(sets: impl Iterator<Item = HashSet<String>>, least: usize) -> HashSet<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for it in sets.flatten() {
        *seen.entry(it).or_default() += 1;
    }
    seen.into_iter().filter(|(_, count)| *count >= least).map(|(it, _)| it).collect()
}

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
mod tests {
    use super::{stems, telling_phrases, telling_words};

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for forms in [
            &["cache", "caches", "cached", "caching"][..],
            &["spin", "spins", "spinning"],
            &["retry", "retries", "retried"],
            &["lock", "locks", "locking", "locked"],
            &["deploy", "deploys", "deployed"],
            &["migration", "migrations"],
        ] {
            let all = stems(&forms.join(" "));
            assert_eq!(all.len(), 1, "{forms:?} gave {all:?}");
        }
        assert_ne!(stems("process"), stems("proceed"));
    }

    #[test]
    fn what_comes_up_in_all_kinds_of_work_tells_nothing() {
        let told = |text| telling_words(text).map(|told| told.stem).collect::<Vec<_>>();
        assert_eq!(told("the cache of the bloom filter"), ["bloom", "filter"]);
        assert_eq!(told("Backup auf die Gartenkamera"), ["gartenkamera"]);
    }

    #[test]
    fn words_that_follow_each_other_are_phrases() {
        let said = |text| telling_phrases(text).map(|told| told.said).collect::<Vec<_>>();
        assert_eq!(said("the database is locked, again"), ["database is locked"]);
        assert_eq!(said("export. orders"), [""; 0]);
        let stem = |text| telling_phrases(text).next().map(|told| told.stem);
        assert_eq!(stem("exporting the orders"), stem("order exports"));
    }

    #[test]
    fn what_says_nothing_is_left_out() {
        assert!(stems("please fix this, and the others: 42 0x1f 12ab34cd56 a1").is_empty());
        assert_eq!(
            stems("read_nodeError src/cart.ts sha256"),
            ["cart", "nodeerror", "sha256", "src"]
        );
        assert_eq!(stems("検索機能"), ["検索", "機能", "索機"]);
        assert!(stems("").is_empty());
    }
}
