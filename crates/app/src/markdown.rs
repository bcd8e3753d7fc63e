//! Text from sessions in Markdown: whatever it says, it stays text.

use crate::plain::{clean, one_line};

/// Writes a text on one line, so that nothing in it is taken for a mark.
pub fn markdown_inline(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in one_line(text).chars() {
        match character {
            // Tags and the names of characters are understood even after a backslash in some readers.
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '$' | '!' => {
                escaped.extend(['\\', character]);
            }
            other => escaped.push(other),
        }
    }
    // At the beginning of a line these would begin a list or a rule.
    match escaped.chars().next() {
        Some('-' | '+' | '=') => escaped.insert(0, '\\'),
        Some(digit) if digit.is_ascii_digit() => {
            let end = escaped.find(|character: char| !character.is_ascii_digit());
            if let Some(end) = end.filter(|&end| escaped[end..].starts_with(['.', ')'])) {
                escaped.insert(end, '\\');
            }
        }
        _ => {}
    }
    escaped
}

/// Writes a name, such as a path, as code on one line.
pub fn markdown_code(text: &str) -> String {
    let text = one_line(text);
    let fence = "`".repeat(longest_run(&text) + 1);
    // Blanks keep marks of the text apart from the fence; readers take one away on each side.
    let blank = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{blank}{text}{blank}{fence}")
}

/// Writes a text as it is, in a block of code that it cannot end.
pub fn markdown_block(text: &str) -> String {
    const SHORTEST: usize = 3;
    let text = clean(text.trim_end());
    let fence = "`".repeat((longest_run(&text) + 1).max(SHORTEST));
    format!("{fence}text\n{text}\n{fence}")
}

/// Returns how many backticks stand beside each other at most.
fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{markdown_block as block, markdown_code as code, markdown_inline as inline};

    #[test]
    fn no_text_breaks_out() {
        for (text, written) in [
            ("plain, with a-hyphen", "plain, with a-hyphen"),
            ("# title\n- item", r"\# title - item"),
            ("- item", r"\- item"),
            ("1. item", r"1\. item"),
            ("2026 was", "2026 was"),
            ("--> <script>x</script> &amp;", "\\--&gt; &lt;script&gt;x&lt;/script&gt; &amp;amp;"),
            ("[a](b) ![c](d) `e` *f* _g_ h|i", r"\[a\](b) \!\[c\](d) \`e\` \*f\* \_g\_ h\|i"),
            ("", ""),
        ] {
            assert_eq!(inline(text), written);
        }
        assert_eq!(code("src/a.ts"), "`src/a.ts`");
        assert_eq!(code("a``b`"), "``` a``b` ```");
        assert_eq!(block("x"), "```text\nx\n```");
        assert_eq!(block("```\nout\n````"), "`````text\n```\nout\n````\n`````");
    }
}
