//! Secrets that are known by what stands before them: in URLs, in headers, on command lines.

use std::sync::LazyLock;

use regex::Regex;

use super::{Redaction, pattern, value};

/// The kind, where it stands (the secret is the one group), and whether it must look like more than a word.
const PLACES: &[(&str, &str, bool)] = &[
    (
        "password in URL",
        r#"(?i:[a-z][a-z0-9+.-]{0,20})://[^\s/:@"'<>`]{0,200}:([^\s/"'<>`]{2,})@"#,
        false,
    ),
    (
        "secret in URL",
        r#"[?&](?i:[a-z_-]*(?:token|secret|password|api_?key|signature)|sig|key|x-amz-credential|auth)=([^&\s"'<>#`\\]{8,})"#,
        true,
    ),
    ("bearer token", r"(?i:\bbearer)\s{1,4}([A-Za-z0-9._~+/-]{16,}=*)", true),
    (
        "authorization header",
        r#"(?i:\bauthorization)\\*["']?\s{0,4}[:=]\s{0,4}\\*["']?(?i:basic|token|apikey|digest)\s{1,4}([A-Za-z0-9._~+/-]{8,}=*)"#,
        true,
    ),
    ("password", r#"(?:\s-u|--user)[\s=]{1,4}["']?[\w.@-]{1,100}:([^\s"'`\\]{4,})"#, false),
    (
        "password",
        r"(?i:\bmachine\s{1,4}\S{1,200}\s{1,4}login\s{1,4}\S{1,200}\s{1,4}password)\s{1,4}(\S{4,})",
        false,
    ),
    ("storage key", r"(?i:accountkey|sharedaccesskey)=([A-Za-z0-9+/]{32,}=*)", true),
];

/// Finds what stands where secrets stand.
pub(super) fn find(text: &str) -> Vec<Redaction> {
    static ALL: LazyLock<Vec<Regex>> =
        LazyLock::new(|| PLACES.iter().map(|(_, place, _)| pattern(place)).collect());
    let places = ALL.iter().zip(PLACES);
    let mut found: Vec<Redaction> = places
        .flat_map(|(place, (kind, _, must_be_mixed))| {
            place.captures_iter(text).filter_map(move |captures| {
                let secret = captures.get(1)?;
                let is_secret = !value::is_made_up(secret.as_str())
                    && (!must_be_mixed || value::is_mixed(secret.as_str()));
                is_secret.then(|| Redaction { kind, range: secret.range() })
            })
        })
        .collect();
    found.sort_by_key(|redaction| redaction.range.start);
    let mut end = 0;
    found.retain(|redaction| {
        let is_free = end <= redaction.range.start;
        if is_free {
            end = redaction.range.end;
        }
        is_free
    });
    found
}
