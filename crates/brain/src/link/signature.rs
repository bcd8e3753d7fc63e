//! What makes two errors the same error.

use uuid::Uuid;

/// Longer messages go on with what was special about one time.
const LONGEST: usize = 200;

/// Writes an error message without what changes from one time to the next: numbers, ids, addresses, paths, and the
/// kind of quotes.
///
/// What stands within quotes stays: one missing module is not another.
pub fn error_signature(message: &str) -> String {
    let words = message.split_whitespace().map(|word| {
        let is_mark = |character: char| "\"'`‘’“”()[]{}<>,;".contains(character);
        let bare = word.trim_matches(is_mark).trim_end_matches([':', '.']);
        let plain = if is_path(bare) {
            word.replacen(bare, "…", 1)
        } else if Uuid::try_parse(bare).is_ok() {
            word.replacen(bare, "#", 1)
        } else {
            without_numbers(word)
        };
        plain.replace(['"', '`', '‘', '’', '“', '”'], "'")
    });
    let signature = words.collect::<Vec<_>>().join(" ");
    signature.chars().take(LONGEST).collect()
}

/// Returns the errors that a text quotes: what stands behind the name of an error and a colon, as errors are compared.
pub(super) fn quoted_errors(text: &str) -> impl Iterator<Item = String> {
    let names = ["Error: ", "Exception: "];
    let ends = text.lines().flat_map(move |line| {
        names.into_iter().flat_map(move |name| {
            line.match_indices(name).map(move |(place, name)| &line[place + name.len()..])
        })
    });
    ends.map(|said| error_signature(said.split(". ").next().unwrap_or(said).trim_end_matches('.')))
}

/// Returns whether a word is a path or an address in the web; on Windows paths are written with backslashes.
fn is_path(word: &str) -> bool {
    (word.contains('/') && !word.starts_with("//")) || word.get(1..3) == Some(":\\")
}

/// Puts `#` in place of each number and of each long hexadecimal one, and lowers the case.
fn without_numbers(word: &str) -> String {
    let mut plain = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let is_part = |character: char| character.is_ascii_alphanumeric();
        let end = rest.find(|character| !is_part(character)).unwrap_or(rest.len());
        if end == 0 {
            plain.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (run, after) = rest.split_at(end);
        rest = after;
        if is_address(run) {
            plain.push('#');
            continue;
        }
        let mut in_number = false;
        for character in run.chars() {
            if !character.is_ascii_digit() {
                plain.push(character.to_ascii_lowercase());
            } else if !in_number {
                plain.push('#');
            }
            in_number = character.is_ascii_digit();
        }
    }
    plain
}

/// Returns whether letters and digits are a number in hexadecimal, such as an id or an address.
fn is_address(run: &str) -> bool {
    const SHORTEST: usize = 7;
    let is_hex = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    match run.strip_prefix("0x") {
        Some(digits) => is_hex(digits),
        // Some words are written with these letters, too.
        None => {
            run.len() >= SHORTEST && is_hex(run) && run.bytes().any(|byte| byte.is_ascii_digit())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::error_signature as signature;

    #[test]
    fn errors_are_the_same_without_numbers_and_paths() {
        let same = [
            ("ENOENT: no such file, open 'src/a.ts'", "ENOENT: no such file, open '/home/x/b.ts'"),
            ("exit code 1", "Exit code 127"),
            ("retry after 0x7ffe12 in 3.5s", "retry after 0xdead in 12.25s"),
            ("commit 3f9a2c1d is gone", "commit 88aa0011ff is gone"),
            ("cannot open \"a b\"", "cannot open 'a b'"),
            (
                "no session 0190aaaa-0000-7000-8000-0000000000ff here",
                "no session 1f0c8a2e-9b1d-4c7e-a0b1-c2d3e4f5a6b7 here",
            ),
            (r"cannot find C:\Users\me\a.txt", r"cannot find D:\b.txt"),
            ("src/cart.ts(14,3): error TS2322", "src/web/list.tsx(7,21): error TS2322"),
        ];
        for (one, other) in same {
            assert_eq!(signature(one), signature(other), "{one}");
        }
        let different = [
            ("cannot find module 'redis'", "cannot find module 'sqlite'"),
            ("permission denied", "permission granted"),
            ("deadbeef is not a word", "feedface is not a word"),
            ("", "x"),
        ];
        for (one, other) in different {
            assert_ne!(signature(one), signature(other), "{one}");
        }
    }
}
