//! What makes two errors the same error.

/// Writes an error message without what changes from one time to the next: numbers, addresses, paths.
pub(super) fn signature(message: &str) -> String {
    let words = message.split_whitespace().map(|word| {
        let is_mark = |character: char| "\"'`()[]{}<>,;".contains(character);
        let bare = word.trim_matches(is_mark).trim_end_matches([':', '.']);
        if bare.contains('/') && !bare.starts_with("//") {
            return word.replacen(bare, "…", 1);
        }
        without_numbers(word)
    });
    words.collect::<Vec<_>>().join(" ")
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
    use super::signature;

    #[test]
    fn errors_are_the_same_without_numbers_and_paths() {
        let same = [
            ("ENOENT: no such file, open 'src/a.ts'", "ENOENT: no such file, open '/home/x/b.ts'"),
            ("exit code 1", "Exit code 127"),
            ("retry after 0x7ffe12 in 3.5s", "retry after 0xdead in 12.25s"),
            ("commit 3f9a2c1d is gone", "commit 88aa0011ff is gone"),
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
