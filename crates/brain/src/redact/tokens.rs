//! Secrets that are known by their shape.

use std::sync::LazyLock;

use regex::Regex;

use super::{Redaction, WORD_START, pattern, value};

/// What each kind looks like. All are open at the end: what is left after one must not look like another.
const SHAPES: &[(&str, &str)] = &[
    ("Anthropic key", r"sk-ant-[A-Za-z0-9_-]{20,}"),
    ("OpenRouter key", r"sk-or-[A-Za-z0-9-]{20,}"),
    ("OpenAI key", r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}|sk-[A-Za-z0-9]{32,}"),
    ("Google key", r"AIza[A-Za-z0-9_-]{35,}|GOCSPX-[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{20,}"),
    ("GitHub token", r"gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,}"),
    ("GitLab token", r"gl(?:pat|ptt|dt|rt|cbt|agent|oas|soat|ft|imt)-[A-Za-z0-9_.-]{20,}"),
    ("Slack token", r"xox[abceoprs]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{20,}"),
    ("Slack webhook", r"https://hooks\.slack\.com/(?:services|workflows|triggers)/[\w/-]{20,}"),
    ("Discord webhook", r"https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/\d{10,}/[\w-]{20,}"),
    ("Stripe key", r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{20,}"),
    ("AWS key", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16,}\b"),
    ("npm token", r"npm_[A-Za-z0-9]{36,}"),
    ("PyPI token", r"pypi-[A-Za-z0-9_-]{50,}"),
    ("Hugging Face token", r"hf_[A-Za-z0-9]{30,}"),
    ("Groq key", r"gsk_[A-Za-z0-9]{40,}"),
    ("xAI key", r"xai-[A-Za-z0-9]{40,}"),
    ("Perplexity key", r"pplx-[A-Za-z0-9]{40,}"),
    ("Replicate token", r"r8_[A-Za-z0-9]{37,}"),
    ("SendGrid key", r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{32,}"),
    ("Twilio key", r"SK[0-9a-f]{32,}\b"),
    ("Telegram token", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}"),
    ("DigitalOcean token", r"do[opr]_v1_[a-f0-9]{64,}"),
    ("Shopify token", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}"),
    ("Linear key", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    ("Notion token", r"ntn_[A-Za-z0-9]{40,}"),
    ("Supabase token", r"sbp_[a-f0-9]{40,}|sb_secret_[A-Za-z0-9_-]{20,}"),
    ("Databricks token", r"dapi[a-f0-9]{32,}"),
    ("Docker token", r"dckr_pat_[A-Za-z0-9_-]{20,}"),
    ("Vault token", r"hv[sbr]\.[A-Za-z0-9_-]{20,}"),
    ("Atlassian token", r"ATATT3[A-Za-z0-9_=-]{50,}"),
    ("Grafana token", r"glsa_[A-Za-z0-9]{32,}_[0-9a-f]{8,}"),
    ("Sentry token", r"sntry[su]_[A-Za-z0-9+/=_-]{30,}"),
    ("age key", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    ("JWT", r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    (PRIVATE_KEY, KEY_BLOCK),
];

const PRIVATE_KEY: &str = "private key";

/// Also one that was cut off: tools show the first lines of a file.
const KEY_BLOCK: &str = concat!(
    r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----",
    r"(?:[A-Za-z0-9+/=\s\\]|(?:Proc-Type|DEK-Info|Version|Comment|Hash): [^\n\\]{0,100})*",
    r"(?:-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----)?",
);

/// Finds what has the shape of a secret, and is not plainly made up.
pub(super) fn find(text: &str) -> Vec<Redaction> {
    // One automaton for all: it reads the text once, however many shapes there are.
    static ALL: LazyLock<Regex> = LazyLock::new(|| {
        // A private key, the last of them, begins with dashes: no word begins there.
        let shapes = SHAPES.iter().map(|(kind, shape)| match *kind {
            PRIVATE_KEY => format!("({shape})"),
            _ => format!("{WORD_START}({shape})"),
        });
        pattern(&shapes.collect::<Vec<_>>().join("|"))
    });
    let secret = |captures: regex::Captures<'_>| {
        let (group, secret) = captures
            .iter()
            .skip(1)
            .enumerate()
            .find_map(|(group, secret)| Some((group, secret?)))?;
        let (kind, _) = SHAPES[group];
        is_real(kind, secret.as_str()).then(|| Redaction { kind, range: secret.range() })
    };
    ALL.captures_iter(text).filter_map(secret).collect()
}

fn is_real(kind: &str, secret: &str) -> bool {
    match kind {
        // A sentence about keys has their first line, and then goes on in words.
        PRIVATE_KEY => {
            value::longest_run(secret, |byte| {
                byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/'
            }) >= 24
        }
        _ => !value::is_made_up(secret),
    }
}
