use proptest::prelude::*;

use super::redact;

/// Each secret stands between two bars that are not part of the text; it is put together here from two halves, so that
/// nobody's scanner takes this file for a leak.
const SECRETS: &[(&str, &str)] = &[
    ("Anthropic key", "key: |sk-+ant-api03-R2D2c3poBB8qT7LfWz0Kd9Yb4Xn6Vm1Ju5Hs8|"),
    ("OpenAI key", "|sk-+proj-T3BlbkFJa1b2c3d4e5f6g7h8i9j0_kLmN|"),
    ("OpenAI key", "old: |sk-+a8Fk29dLwq03MzXvB7nTy5RcUe1GhJ4iOp6|."),
    ("OpenRouter key", "|sk-+or-v1-9f8e7d6c5b4a39281706f5e4d3c2b1a0|"),
    (
        "Google key",
        "https://maps.googleapis.com/x?v=3&key=|AIza+SyD4kF9qLm2WxZ7bVt1RcYe8GhJ3iOpU6nT|",
    ),
    ("Google key", "|GOCSPX-+kQ9xW2eR4tY6uI8oP0aSdF|"),
    ("Google key", "|ya29.+a0AfH6SMBx9Kq2Lw4Er6Ty8Ui0|"),
    ("GitHub token", "git clone with |ghp_+16C7e42F292c6912E7710c838347Ae178B4a|"),
    ("GitHub token", "|github_pat_+11ABCDEFG0kQ9xW2eR4tY6_uI8oP0aSdF|"),
    ("GitHub token", r#"{"text":"line\n|gho_+16C7e42F292c6912E7710c838347Ae178B4a|\n"}"#),
    ("GitLab token", "|glpat-+kQ9xW2eR4tY6uI8oP0aS|"),
    ("Slack token", "|xoxb-+1234567890-kQ9xW2eR4tY6|"),
    (
        "Slack webhook",
        "curl |https://hooks.slack.com/+services/T0A1B2C3D/B4E5F6G7H/kQ9xW2eR4tY6uI8oP0aSdF1g|",
    ),
    (
        "Discord webhook",
        "|https://discord.com/+api/webhooks/123456789012345678/kQ9xW2eR4tY6uI8oP0aSdF|",
    ),
    ("Stripe key", "|sk_live_+kQ9xW2eR4tY6uI8oP0aSdF|"),
    ("Stripe key", "|rk_test_+kQ9xW2eR4tY6uI8oP0aSdF|"),
    ("AWS key", "aws_access_key_id = |AKIA+Q3EGRZ7XJ2MPL5WT|"),
    ("npm token", "//registry.npmjs.org/:_authToken=|npm_+kQ9xW2eR4tY6uI8oP0aSdF1gH3jK5lZ7xC9v|"),
    ("PyPI token", "|pypi-+AgEIcHlwaS5vcmcCJDkQ9xW2eR4tY6uI8oP0aSdF1gH3jK5lZ7xC9vB|"),
    ("Hugging Face token", "|hf_+kQxWeRtYuIoPaSdFgHjKlZxCvBnMqWeRt|"),
    ("Groq key", "|gsk_+kQ9xW2eR4tY6uI8oP0aSdF1gH3jK5lZ7xC9vB1nM3qW5e|"),
    ("SendGrid key", "|SG.+kQ9xW2eR4tY6uI8o.P0aSdF1gH3jK5lZ7xC9vB1nM3qW5eR7tY9uI1oP|"),
    ("Telegram token", "|1234567890:+AAkQ9xW2eR4tY6uI8oP0aSdF1gH3jK5lZ7x|"),
    (
        "DigitalOcean token",
        "|dop_v1_+0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0|",
    ),
    ("Vault token", "|hvs.+CAESIkQ9xW2eR4tY6uI8oP0aSdF|"),
    ("JWT", "|eyJhbGciOiJIUzI1NiJ9.+eyJzdWIiOiIxMjM0NSJ9.kQ9xW2eR4tY6uI8oP0aSdF|"),
    (
        "JWT",
        "Authorization: Bearer |eyJhbGciOiJIUzI1NiJ9.+eyJzdWIiOiIxMjM0NSJ9.kQ9xW2eR4tY6uI8oP0aSdF|",
    ),
    (
        "private key",
        "|-----BEGIN RSA +PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq3kQ9xW2eR4tY6uI8oP0aSdF\nabc=\n-----END RSA PRIVATE KEY-----|\n",
    ),
    (
        "private key",
        r#""key": "|-----BEGIN +PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----|\n""#,
    ),
    (
        "private key",
        "|-----BEGIN OPENSSH +PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n|[the rest was left out]",
    ),
    ("bearer token", "-H 'Authorization: Bearer |kQ9xW2eR4t+Y6uI8oP0aSdF|'"),
    ("authorization header", "authorization: Basic |YWRtaW46a1E5+eFcyZVI0dFk2|"),
    ("authorization header", r#"headers = {"Authorization": "Token |0f1e2d3c4b5a+69788796|"}"#),
    ("password in URL", "postgres://app:|hunter2+hunter|@db.internal:5432/shop"),
    ("password in URL", "redis://:|s3cr3t!+pass|@cache:6379"),
    ("password in URL", "https://deploy:|p@ss+w0rd|@git.internal/x.git"),
    ("secret in URL", "https://api.internal/v1?access_token=|kQ9xW2eR+4tY6|&page=2"),
    ("password", "curl -u admin:|hunter2+hunter| https://x"),
    ("password", "machine git.internal login me password |hunter2+hunter|"),
    (
        "storage key",
        "DefaultEndpointsProtocol=https;AccountKey=|kQ9xW2eR4tY6uI8oP0aSdF1gH3jK5lZ7+xC9v==|;",
    ),
    ("password", "DB_PASSWORD=|hunter2+hunter|"),
    ("password", "PGPASSWORD=|letme+in| psql -h db"),
    ("password", "DB_PASSWORD=\"|correct horse +battery staple|\""),
    ("token", "export API_TOKEN=|kQ9xW2eR+4tY6|; run"),
    ("token", r#"{"command":"cd x\nAPI_TOKEN=|kQ9xW2eR+4tY6|\nmake"}"#),
    ("password", "  password: |kQ9xW2eR+4tY6|\n  user: me"),
    ("password", r#"{"user": "me", "password": "|kQ9xW2eR+4tY6|"}"#),
    ("password", r#"{"text":"{\"password\": \"|kQ9xW2eR+4tY6|\"}"}"#),
    ("secret", "client_secret = '|kQ9xW2eR+4tY6|'"),
    ("key", "const apiKey = \"|kQ9xW2eR+4tY6|\";"),
    ("key", "aws_secret_access_key = |wJalrXUtnFEMI/K7MDENG/+bPxRfiCYzzKEYzzKEY|"),
    ("key", "X-Api-Key: |kQ9xW2eR+4tY6|"),
    ("key", "SECRET_KEY_PROD='|k!9xW2eR+4tY6|'"),
    ("password", "mysql --password=|hunter2+hunter| shop"),
    ("token", "vault login --token |kQ9xW2eR+4tY6|"),
    ("password", "+DB_PASSWORD: |hunter2+hunter|\n"),
    ("token", "the password: API_TOKEN=|kQ9xW2eR+4tY6|"),
    ("key", "    client-key-data: |LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBL+RVktLS0tLQ==|"),
    // Words for what is made up, but only by chance.
    ("GitHub token", "|ghp_+16C7e42Fyour6912E7fake838347Aetodo4a|"),
    ("password", "POSTGRES_PASSWORD: |hunter2+hunter|\n"),
];

#[test]
fn secrets_are_taken_out() {
    for (kind, marked) in SECRETS {
        let [before, secret, after] = marked.split('|').collect::<Vec<_>>()[..] else {
            panic!("{marked} has no secret between two bars");
        };
        let secret = secret.replacen('+', "", 1);
        let text = format!("{before}{secret}{after}");
        let (redacted, found) = redact(&text);
        assert_eq!(redacted, format!("{before}[redacted: {kind}]{after}"), "{text}");
        assert_eq!(&text[found[0].range.clone()], secret);
    }
}

/// What looks like a secret, and is none.
const LOOK_ALIKES: &[&str] = &[
    "commit 5b1b0c8f7e6d5c4b3a29181706f5e4d3c2b1a099",
    "f7d1237 brain: common words keep a count",
    "session 0190aaaa-0000-7000-8000-000000000001",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "checksum = \"c1f2a9034e5d6b7a8998877665544332211000ffeeddccbbaa99887766554433\"",
    "\"integrity\": \"sha512-kQ9xW2eR4tY6uI8oP0aSdF1gH3jK5lZ7xC9vB1nM3qW5eR7tY9uI1oP3aS5dF7gH9jK1lZ3xC5vB7nM9qW==\"",
    "![x](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==)",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKq9xW2eR4tY6uI8oP0aSdF1gH3jK5lZ7xC9vB1nM3qW me@host",
    "-----BEGIN PRIVATE KEY----- is how such a file begins",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYD\n-----END CERTIFICATE-----",
    "def connect(user, password=None):",
    "connect(user=user, password=pw1)",
    "connect(password=self.password, token=token2)",
    "password = getpass.getpass()",
    "password: string;",
    "password: str = Field(min_length=12)",
    "token: Token | null = null",
    "const token = await getToken(user2);",
    "let next_token = tokens[0];",
    "API_KEY=$API_KEY",
    "API_KEY=${API_KEY:-none}",
    "API_KEY=process.env.API_KEY",
    "apiKey: process.env.OPENAI_API_KEY,",
    "api_key = os.environ[\"OPENAI_API_KEY\"]",
    "TOKEN=$(cat token.txt)",
    "TOKEN=\"$(pass show x)\"",
    "API_KEY=<your-key>",
    "API_KEY=your_api_key_here",
    "OPENAI_API_KEY=sk-proj-your-own-key-goes-in-here-1234",
    "password = \"my-password1\"",
    "password: xxxxxxxx1",
    "export ANTHROPIC_API_KEY=sk-ant-...",
    "\"token\": \"kQ9xW2eR…\"",
    "ANTHROPIC_API_KEY=sk-ant-xxxxxxxxxxxxxxxxxxxxxxxx",
    "GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "aws_access_key_id = AKIAIOSFODNN7EXAMPLE",
    "password: ********",
    "PASSWORD=changeme",
    "DB_PASSWORD=",
    "DB_PASSWORD_FILE=/run/secrets/db_password",
    "SECRET_KEY=/etc/keys/app.pem",
    "private_key: ./keys/id_ed25519",
    "postgres://user:password@localhost/db",
    "postgres://app:$DB_PASSWORD@db/shop",
    "postgres://app:${DB_PASSWORD}@db/shop",
    "http://localhost:8080/path@2x.png",
    "see https://example.com/a?page=2&key=name",
    "max_tokens=4096, token_count: 123456",
    "tokens: 1234567",
    "\"token\": \"identifier\"",
    "\"password\": \"Passwort\", \"secret\": \"Geheimnis\"",
    "password: \"Please enter your password\"",
    "<input type=\"password\" name=\"password\" required>",
    "Authorization: Bearer <token>",
    "use a bearer authentication-scheme-of-your-own here",
    "pk_live_ is a publishable key: pk_live_kQ9xW2eR4tY6uI8oP0aSdF",
    "sk-learn and sk-image are packages",
    "the risk-assessment-of-a-long-hyphenated-word-is-fine",
    "hf_hub_download(repo_id=\"google/flan-t5\")",
    "npm_config_registry=https://registry.npmjs.org",
    "src/auth/token/password_reset_handler_v2.rs",
    "secretName: app-secret-v2",
    "password_hash VARCHAR(255) NOT NULL",
    "The token expired2days ago, so the password was reset",
    "eyJ is how a token begins",
    "TOKEN = Symbol(\"TOKEN\")",
    "[redacted: password]",
    "DB_PASSWORD=[redacted: password]",
];

#[test]
fn what_only_looks_like_a_secret_stays() {
    for text in LOOK_ALIKES {
        let (redacted, found) = redact(text);
        assert_eq!(redacted, *text);
        assert!(found.is_empty());
    }
}

#[test]
fn several_secrets_are_told_in_order() {
    let text = "A_TOKEN=kQ9xW2eR4tY6 x postgres://a:hunter2@b B_PASSWORD=hunter3";
    let (redacted, found) = redact(text);
    let kinds: Vec<&str> = found.iter().map(|redaction| redaction.kind).collect();
    assert_eq!(kinds, ["token", "password in URL", "password"]);
    assert_eq!(
        redacted,
        "A_TOKEN=[redacted: token] x postgres://a:[redacted: password in URL]@b \
         B_PASSWORD=[redacted: password]"
    );
}

/// Text in which secrets, parts of secrets and what stands around them meet by chance.
fn any_text() -> impl Strategy<Value = String> {
    let whole = (0..SECRETS.len()).prop_map(|at| SECRETS[at].1.replace(['|', '+'], ""));
    let part = (whole.clone(), 0..200_usize, 0..200_usize).prop_map(|(text, from, to)| {
        let (from, to) = (from.min(to), from.max(to));
        text.chars().skip(from).take(to - from).collect::<String>()
    });
    let look_alike = (0..LOOK_ALIKES.len()).prop_map(|at| LOOK_ALIKES[at].to_owned());
    let glue = prop::sample::select(vec![
        "",
        " ",
        "\n",
        "\"",
        "'",
        "=",
        ": ",
        "@",
        "://",
        "\\n",
        "[redacted: ",
        "]",
        "é",
    ]);
    let piece = prop_oneof![whole, part, look_alike, "\\PC{0,12}"];
    prop::collection::vec((piece, glue), 0..8)
        .prop_map(|pieces| pieces.into_iter().map(|(piece, glue)| piece + glue).collect())
}

proptest! {
    #[test]
    fn redacting_twice_is_redacting_once(text in any_text()) {
        let (once, found) = redact(&text);
        let (twice, again) = redact(&once);
        prop_assert_eq!(&twice, &once);
        prop_assert!(again.is_empty());
        // What was found lies in the text, in order, and apart.
        let mut end = 0;
        for redaction in &found {
            prop_assert!(end <= redaction.range.start && redaction.range.start < redaction.range.end);
            end = redaction.range.end;
        }
        prop_assert!(end <= text.len());
    }
}
