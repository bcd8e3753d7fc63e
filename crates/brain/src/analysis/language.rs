//! In which language and with which frameworks, by the names of files and programs.

use std::collections::{BTreeMap, BTreeSet};

use super::calls::Calls;
use super::files::Files;

/// Programming languages by the endings of files.
const LANGUAGES: [(&str, &str); 45] = [
    ("astro", "javascript"),
    ("c", "c"),
    ("cc", "c++"),
    ("clj", "clojure"),
    ("cpp", "c++"),
    ("cs", "c#"),
    ("cts", "typescript"),
    ("cob", "cobol"),
    ("dart", "dart"),
    ("erl", "erlang"),
    ("ex", "elixir"),
    ("exs", "elixir"),
    ("fs", "f#"),
    ("gd", "gdscript"),
    ("go", "go"),
    ("h", "c"),
    ("hpp", "c++"),
    ("hs", "haskell"),
    ("java", "java"),
    ("jl", "julia"),
    ("js", "javascript"),
    ("jsx", "javascript"),
    ("cjs", "javascript"),
    ("kt", "kotlin"),
    ("lua", "lua"),
    ("m", "objective-c"),
    ("mjs", "javascript"),
    ("ml", "ocaml"),
    ("mts", "typescript"),
    ("nix", "nix"),
    ("php", "php"),
    ("pl", "perl"),
    ("py", "python"),
    ("pyi", "python"),
    ("r", "r"),
    ("rb", "ruby"),
    ("rs", "rust"),
    ("scala", "scala"),
    ("svelte", "typescript"),
    ("swift", "swift"),
    ("ts", "typescript"),
    ("tsx", "typescript"),
    ("vim", "vimscript"),
    ("vue", "typescript"),
    ("zig", "zig"),
];

/// What is written beside programs; it names the language only where there is nothing else.
const BESIDE: [(&str, &str); 14] = [
    ("bash", "shell"),
    ("css", "css"),
    ("fish", "shell"),
    ("html", "html"),
    ("json", "json"),
    ("md", "markdown"),
    ("rst", "restructuredtext"),
    ("scss", "css"),
    ("sh", "shell"),
    ("sql", "sql"),
    ("toml", "toml"),
    ("yaml", "yaml"),
    ("yml", "yaml"),
    ("zsh", "shell"),
];

/// Frameworks by the endings of files.
const BY_ENDING: [(&str, &str); 5] =
    [("astro", "astro"), ("jsx", "react"), ("svelte", "svelte"), ("tsx", "react"), ("vue", "vue")];

/// Frameworks by the names of files, whatever the ending.
const BY_NAME: [(&str, &str); 11] = [
    ("angular", "angular"),
    ("artisan", "laravel"),
    ("manage", "django"),
    ("next.config", "next"),
    ("nuxt.config", "nuxt"),
    ("playwright.config", "playwright"),
    ("svelte.config", "svelte"),
    ("tailwind.config", "tailwind"),
    ("vite.config", "vite"),
    ("vitest.config", "vitest"),
    ("wrangler", "workers"),
];

/// Frameworks by the programs that commands run.
const BY_PROGRAM: [(&str, &str); 14] = [
    ("astro", "astro"),
    ("django-admin", "django"),
    ("flask", "flask"),
    ("jest", "jest"),
    ("mocha", "mocha"),
    ("next", "next"),
    ("ng", "angular"),
    ("nuxt", "nuxt"),
    ("playwright", "playwright"),
    ("pytest", "pytest"),
    ("rails", "rails"),
    ("rspec", "rspec"),
    ("vite", "vite"),
    ("vitest", "vitest"),
];

/// Returns the language of most of the work: changes count twice, and of equals the first by name is taken.
pub(super) fn main_language(files: &Files) -> Option<&'static str> {
    most(files, &LANGUAGES).or_else(|| most(files, &BESIDE))
}

fn most(files: &Files, table: &[(&str, &'static str)]) -> Option<&'static str> {
    let mut weights: BTreeMap<&'static str, u64> = BTreeMap::new();
    for (path, weight) in files.weighted() {
        if let Some(language) = look_up(table, &ending(path)) {
            *weights.entry(language).or_default() += weight;
        }
    }
    // `max_by_key` takes the last of equals.
    weights.into_iter().rev().max_by_key(|(_, weight)| *weight).map(|(language, _)| language)
}

/// Returns whether a file holds a program.
pub(super) fn is_code(path: &str) -> bool {
    let ending = ending(path);
    look_up(&LANGUAGES, &ending).is_some() || ["sql", "sh"].contains(&&*ending)
}

/// Returns frameworks in alphabetical order.
pub(super) fn frameworks(files: &Files, calls: &Calls) -> Vec<String> {
    let mut found = BTreeSet::new();
    for (path, _) in files.weighted() {
        let name = path.rsplit('/').next().unwrap_or_default();
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        found.extend(look_up(&BY_ENDING, &ending(path)));
        found.extend(look_up(&BY_NAME, stem));
    }
    found.extend(calls.programs().iter().filter_map(|program| look_up(&BY_PROGRAM, program)));
    found.into_iter().map(str::to_owned).collect()
}

fn look_up(table: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
}

/// Returns what stands after the last dot of a file's name, in lower case.
pub(super) fn ending(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').map_or(String::new(), |(_, ending)| ending.to_lowercase())
}
