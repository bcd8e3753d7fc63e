//! Words that say little in any text, and how words of several languages and scripts are compared.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Says whether a character belongs to a script that does not put spaces between words.
pub(crate) fn is_unspaced(character: char) -> bool {
    matches!(u32::from(character), 0x0e01..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17d3 | 0x3005..=0x3007
        | 0x3041..=0x3096 | 0x30a1..=0x30ff | 0x3400..=0x9fff | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

/// Cuts a text into words; what is written without spaces stays together. Each comes with whether it is so written.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let runs = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    runs.flat_map(|run| {
        let mut rest = run.trim_matches('_');
        std::iter::from_fn(move || {
            let unspaced = is_unspaced(rest.chars().next()?);
            let end = rest.find(|letter| is_unspaced(letter) != unspaced).unwrap_or(rest.len());
            let (piece, after) = rest.split_at(end);
            rest = after;
            Some((piece, unspaced))
        })
    })
}

/// Returns a word in small letters without accents.
pub(crate) fn plain(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let mut plain = String::with_capacity(word.len());
    for letter in word.chars().flat_map(char::to_lowercase) {
        match letter {
            'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' => plain.push('a'),
            'ç' => plain.push('c'),
            'è' | 'é' | 'ê' | 'ë' => plain.push('e'),
            'ì' | 'í' | 'î' | 'ï' => plain.push('i'),
            'ñ' => plain.push('n'),
            'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' => plain.push('o'),
            'ù' | 'ú' | 'û' | 'ü' => plain.push('u'),
            'ß' => plain.push_str("ss"),
            'œ' => plain.push_str("oe"),
            other => plain.push(other),
        }
    }
    plain
}

/// Says whether a word of a question tells nothing about what is asked.
pub(crate) fn is_stop_word(plain: &str) -> bool {
    STOP_WORDS.contains(plain)
}

/// Says whether a word is so general that an answer need not have it.
pub(crate) fn is_light(plain: &str) -> bool {
    LIGHT_WORDS.contains(plain)
}

/// Words of grammar and of asking in English, German, French, Spanish and Portuguese, without accents.
static STOP_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    "a about after ago all also am an and any anyone anything are around as at be been before between being but by can cannot could couldn d did didn do does doesn doing don \
     done for from had hadn has hasn have haven he her here his how i if in into is isn it its just ll m many me much my no not of off on or \
     other our out over re s she should so some t than that the their them then there these they this those to too up us ve \
     very was wasn we were weren what when where which while who whom whose why will with won would wouldn you your per during since \
     aber als am an auch auf aus bei bin bis da damals das dass dem den denn der des die dies diese dieser doch du ein eine einem einen \
     einer er es fur hab habe haben hat hatte hatten ich ihr im in ist ja kein keine man mein mit nach nicht noch nur ob oder ohne \
     schon sein seit sich sie sind so uber um und uns unser unsere vom von vor wann war waren warum was welche welcher welches \
     wem wen wer werden wie wieder wieso wir wird wo wurde wurden zu zum zur \
     ai as au aux avec ce ces cet cette combien comment dans de des du elle en est et etait etaient etre eu il ils j je l la le les leur mais n ne nos \
     notre nous on ont ou par pas pour pourquoi qu quand que quel quelle quelles quels qui quoi sa se ses son sont sur un une vous y \
     a al ante como con cual cuales cuando cuanto de del donde el ella en entre era es esa ese eso esta estaba este esto fue fueron ha hay \
     la las le lo los mas me mi muy no nos nuestra nuestro o para pero por porque que quien se ser si sin sobre son su sus un una \
     usamos y ya yo \
     ao aos as com como da das do dos e ela ele em era eram esta estao foi foram isso isto ja mas meu na nas nao nem nos nosso o os ou para pela pelo \
     por qual quais quando quanto que quem sao se sem ser seu sua tem um uma voce \
     pasa paso hizo fait passe gab passiert aconteceu"
        .split_whitespace()
        .collect()
});

/// What almost any question may say of anything.
static LIGHT_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    "again always back became become blocks came cause caused change changed choose chose chosen come decide decided decision end \
     ever exactly fast find first fix fixed found gave get gets getting give go goes going gone good got happen happened happens \
     instead keep kept last later let long look make made may might mean means must need needed never now often on once only pick \
     picked problem reason said say says session show slow still stop stopped take takes took tell tried try turn turned use \
     used using want wanted way went why without work worked works wrong yet later soon thing things something possible allowed \
     entschieden gemacht problem benutzen benutzt verwenden grund \
     utiliser decide fait raison probleme decidir decidimos usar razon razao problema"
        .split_whitespace()
        .collect()
});
