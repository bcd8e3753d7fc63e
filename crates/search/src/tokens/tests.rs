use proptest::prelude::*;

use super::*;

/// Writes tokens as `text@position`, wholes with their length.
fn shown(text: &str) -> String {
    let mut tokenizer = Identifiers::default();
    let mut tokens = tokenizer.token_stream(text);
    let mut shown = Vec::new();
    while tokens.advance() {
        let token = tokens.token();
        let length = match token.position_length {
            1 => String::new(),
            length => format!("+{length}"),
        };
        shown.push(format!("{}@{}{length}", token.text, token.position));
    }
    shown.join(" ")
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(shown(text), expected, "{text}");
}

#[test]
fn identifiers_give_their_parts_and_the_whole() {
    check("readNodeErrorCode", "readnodeerrorcode@0+4 read@0 node@1 error@2 code@3");
    check("read_node_error_code", "readnodeerrorcode@0+4 read@0 node@1 error@2 code@3");
    check("ERR_MODULE_NOT_FOUND", "errmodulenotfound@0+4 err@0 module@1 not@2 found@3");
    check("HTTPServer", "httpserver@0+2 http@0 server@1");
    check("parseURLs now", "parseurls@0+2 parse@0 urls@1 now@2");
    check("IDs", "ids@0");
    check("__init__", "init@0");
}

#[test]
fn digits_part_identifiers_but_codes_stay_findable() {
    check("v2beta", "v2beta@0+3 v@0 2@1 beta@2");
    check("E0502 u8 utf8", "e0502@0 u8@1 utf8@2");
    check("sha256", "sha256@0+2 sha@0 256@1");
    check("TS2345", "ts2345@0+2 ts@0 2345@1");
    check("0.27.0", "0@0 27@1 0@2");
}

#[test]
fn paths_kebab_case_and_dots_give_their_parts_in_a_row() {
    check("src/search/tokens.rs:12", "src@0 search@1 tokens@2 rs@3 12@4");
    check("--no-verify", "no@0 verify@1");
    check("std::fmt", "std@0 fmt@1");
}

#[test]
fn case_is_folded_in_every_script() {
    check("Ünïcode ΣΊΣΥΦΟΣ Σίσυφος", "ünïcode@0 σίσυφοσ@1 σίσυφοσ@2");
    check("Привет", "привет@0");
}

#[test]
fn scripts_without_spaces_give_pairs() {
    check("日本語の検索", "日本@0 本語@1 語の@2 の検@3 検索@4");
    check("语", "语@0");
    check("Rust語で", "rust@0 語で@1");
    check("한국어 검색", "한국@0 국어@1 검색@2");
}

#[test]
fn hashes_are_not_taken_apart_and_long_ones_left_out() {
    check("4f1b9c2e", "4f1b9c2e@0");
    check("i18n x86_64", "i18n@0 x8664@1");
    let long = "a1".repeat(40);
    check(&format!("before {long} after"), "before@0 after@2");
    let long = "x".repeat(65);
    check(&format!("before {long} after"), "before@0 after@2");
    // The whole is too long, its parts are not.
    let name = ["segment"; 12].join("_");
    assert!(shown(&name).starts_with("segment@0 segment@1 "));
}

proptest! {
    #[test]
    fn any_text_gives_tokens_that_lie_in_it(text in "\\PC*|[a-zA-Z0-9_ß漢字かな\u{e01}İΣς.\\- ]{0,80}") {
        let mut tokenizer = Identifiers::default();
        let mut tokens = tokenizer.token_stream(&text);
        let mut before = 0;
        while tokens.advance() {
            let token = tokens.token();
            let written = text.get(token.offset_from..token.offset_to);
            prop_assert!(written.is_some_and(|written| !written.is_empty()));
            prop_assert!(!token.text.is_empty());
            prop_assert!(token.position >= before);
            before = token.position;
        }
    }

    #[test]
    fn case_and_underscores_do_not_matter(words in prop::collection::vec("[a-z]{3,8}", 2..5)) {
        let capital = |word: &String| word[..1].to_uppercase() + &word[1..];
        let camel: String = words.iter().map(capital).collect();
        prop_assert_eq!(shown(&camel), shown(&words.join("_")));
        prop_assert_eq!(shown(&camel), shown(&words.join("_").to_uppercase()));
    }
}
