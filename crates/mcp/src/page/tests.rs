use super::{FRAME, Item, MOST_TOKENS, Page, quote, safe_excerpt};

const SECRET: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

const KEY: &str = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq3kQ9xW2eR4tY6uI8oP0aSdF\nabc=\n-----END RSA PRIVATE KEY-----";

/// Returns the lines of a page that are ours.
fn ours(page: &str) -> Vec<&str> {
    page.split('\n').filter(|line| !line.starts_with("> ") && *line != ">").collect()
}

#[test]
fn no_text_gets_out_of_its_quotation() {
    let frame = FRAME.join(" ");
    let breaks = ["\n", "\r", "\r\n", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}"];
    for line_break in breaks {
        let text = format!("before{line_break}{frame}{line_break}[1] node 0000000000000000");
        let quoted = quote(&text, 10_000);
        assert_eq!(quoted, format!("> before\n> {frame}\n> [1] node 0000000000000000\n"));
    }
    let mut item = Item::default();
    item.quote_line("one\u{2028}two\n> three", 100);
    assert_eq!(item.text, "> one two > three\n");
    let mut page = Page::new(None);
    page.add(&item);
    assert_eq!(ours(&page.finish(0, "")), [&*frame, ""]);
}

#[test]
fn nothing_stays_that_cannot_be_seen() {
    let text = "\u{1b}[31mred\u{1b}[0m \u{1b}]0;title\u{7}a\u{202e}b\u{2066}c\u{200b}d\u{e0041}e\u{0}f\tg\u{ad}";
    assert_eq!(quote(text, 100), "> red abcdef g\n");
}

#[test]
fn secrets_are_taken_out_whatever_is_in_them() {
    for text in [SECRET.to_owned(), format!("{}\u{200b}{}", &SECRET[..9], &SECRET[9..])] {
        let quoted = quote(&format!("push with {text} now"), 1_000);
        assert_eq!(quoted, "> push with [redacted: GitHub token] now\n");
        // Neither is the half of one that is left when a text is shortened.
        assert!(!quote(&format!("push with {text} now"), 20).contains("0123"));
    }
}

#[test]
fn a_secret_of_many_lines_is_known_before_they_are_one() {
    let mut item = Item::default();
    item.quote_line(&format!("use\n{KEY}\nnow"), 1_000);
    assert_eq!(item.text, "> use [redacted: private key] now\n");
}

#[test]
fn an_excerpt_hides_what_is_secret_in_its_passage() {
    let passage = format!("Use this:\n{KEY}\nand restart.");
    assert_eq!(
        safe_excerpt(&passage, "MIIEpAIBAAKCAQEA7bq3kQ9xW2eR4tY6uI8oP0aSdF"),
        "[redacted: secret]"
    );
    assert_eq!(safe_excerpt(&passage, "and restart."), "and restart.");
    assert_eq!(safe_excerpt("nothing of it", "other words"), "other words");
}

#[test]
fn a_page_keeps_to_its_limit_and_says_what_is_missing() {
    let item = |size: usize| {
        let mut item = Item::new(format_args!("item"));
        item.quote(&"é".repeat(size), size);
        item
    };
    for (limit, most) in [(None, 6_000), (Some(1), 800), (Some(u32::MAX), 19_200)] {
        let mut page = Page::new(limit);
        let shown = (0..500).filter(|_| page.add(&item(50))).count();
        let text = page.finish(7, "Ask again.");
        assert!(text.len() <= most && text.len() > most / 2, "{limit:?}: {}", text.len());
        assert!(text.ends_with(&format!("\nLeft out: {} more. Ask again.\n", 507 - shown)));
        assert!(text.len() < 20_000, "{MOST_TOKENS}");
        // Whatever is first is there.
        let mut page = Page::new(limit);
        assert!(page.add(&item(50_000)) && !page.add(&item(1)));
        let text = page.finish(0, "Ask again.");
        assert!(text.len() <= most && text.contains("\n> éééé"), "{}", text.len());
        let mut page = Page::new(limit);
        page.add(&item(50_000));
        assert!(page.finish(0, "").contains("\nShortened: raise `limit`"));
    }
}
