//! Credentials in a text that is about to be recorded: known shapes only, by one scan without a pattern engine.
//!
//! A shape is a fixed beginning, an alphabet and a least length; a handful need a look at what stands around them.
//! Published example keys and places to fill in (`<token>`, `xxxx`, `your-key`) are no secrets, and neither are hashes,
//! UUIDs and prose about keys. The scan stops only at bytes that are rare in prose and that every shape has.

/// A credential that was found: what it is and where, never its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Secret {
    /// What it is, in words.
    pub(crate) kind: &'static str,
    /// Where it starts, in bytes.
    pub(crate) offset: usize,
}

/// What may follow a fixed beginning.
#[derive(Clone, Copy)]
enum Alphabet {
    /// Letters and digits.
    Alnum,
    /// Letters, digits and `_`.
    Word,
    /// Letters, digits, `_` and `-`.
    Url,
    /// Letters, digits, `_`, `-` and `.`.
    Dotted,
    /// Letters, digits, `+` and `/`.
    Base64,
}

impl Alphabet {
    fn holds(self, byte: u8) -> bool {
        byte.is_ascii_alphanumeric()
            || match self {
                Self::Alnum => false,
                Self::Word => byte == b'_',
                Self::Url => matches!(byte, b'_' | b'-'),
                Self::Dotted => matches!(byte, b'_' | b'-' | b'.'),
                Self::Base64 => matches!(byte, b'+' | b'/'),
            }
    }
}

/// A fixed beginning that ends in one of the bytes at which the scan stops.
struct Shape {
    kind: &'static str,
    start: &'static str,
    alphabet: Alphabet,
    /// Least number of bytes after the beginning.
    least: usize,
}

const fn shape(kind: &'static str, start: &'static str, alphabet: Alphabet, least: usize) -> Shape {
    Shape { kind, start, alphabet, least }
}

/// Shapes whose beginning ends in `_`.
const AFTER_UNDERSCORE: &[Shape] = &[
    shape("github token", "ghp_", Alphabet::Alnum, 30),
    shape("github token", "gho_", Alphabet::Alnum, 30),
    shape("github token", "ghu_", Alphabet::Alnum, 30),
    shape("github token", "ghs_", Alphabet::Alnum, 30),
    shape("github token", "ghr_", Alphabet::Alnum, 30),
    shape("github token", "github_pat_", Alphabet::Word, 30),
    shape("stripe key", "sk_live_", Alphabet::Alnum, 16),
    shape("stripe key", "rk_live_", Alphabet::Alnum, 16),
    shape("stripe webhook secret", "whsec_", Alphabet::Alnum, 24),
    shape("npm token", "npm_", Alphabet::Alnum, 36),
    shape("hugging face token", "hf_", Alphabet::Alnum, 30),
    shape("digitalocean token", "dop_v1_", Alphabet::Alnum, 40),
    shape("digitalocean token", "doo_v1_", Alphabet::Alnum, 40),
    shape("digitalocean token", "dor_v1_", Alphabet::Alnum, 40),
    shape("shopify token", "shpat_", Alphabet::Alnum, 32),
    shape("shopify token", "shpss_", Alphabet::Alnum, 32),
    shape("linear key", "lin_api_", Alphabet::Alnum, 32),
    shape("grafana token", "glsa_", Alphabet::Word, 32),
];

/// Shapes whose beginning ends in `-`.
const AFTER_HYPHEN: &[Shape] = &[
    shape("gitlab token", "glpat-", Alphabet::Dotted, 20),
    shape("gitlab token", "glrt-", Alphabet::Dotted, 20),
    shape("gitlab token", "gldt-", Alphabet::Dotted, 20),
    shape("gitlab token", "glptt-", Alphabet::Dotted, 20),
    shape("slack token", "xoxa-", Alphabet::Url, 16),
    shape("slack token", "xoxb-", Alphabet::Url, 16),
    shape("slack token", "xoxe-", Alphabet::Url, 16),
    shape("slack token", "xoxo-", Alphabet::Url, 16),
    shape("slack token", "xoxp-", Alphabet::Url, 16),
    shape("slack token", "xoxr-", Alphabet::Url, 16),
    shape("slack token", "xoxs-", Alphabet::Url, 16),
    shape("slack token", "xapp-", Alphabet::Url, 20),
    shape("google oauth secret", "GOCSPX-", Alphabet::Url, 20),
    shape("anthropic key", "sk-ant-", Alphabet::Url, 20),
    shape("openai key", "sk-proj-", Alphabet::Url, 20),
    shape("openai key", "sk-svcacct-", Alphabet::Url, 20),
    shape("openai key", "sk-admin-", Alphabet::Url, 20),
    shape("openrouter key", "sk-or-v1-", Alphabet::Alnum, 32),
    shape("openai key", "sk-", Alphabet::Alnum, 32),
    shape("pypi token", "pypi-", Alphabet::Url, 40),
    shape("age secret key", "AGE-SECRET-KEY-", Alphabet::Alnum, 40),
];

/// Shapes whose beginning ends in `.`.
const AFTER_DOT: &[Shape] = &[
    shape("sendgrid key", "SG.", Alphabet::Dotted, 33),
    shape("google access token", "ya29.", Alphabet::Url, 24),
    shape("vault token", "hvs.", Alphabet::Url, 24),
];

/// Shapes whose beginning ends in `=`.
const AFTER_EQUALS: &[Shape] =
    &[shape("azure storage key", "AccountKey=", Alphabet::Base64, 40), shape("azure shared access key", "SharedAccessKey=", Alphabet::Base64, 40)];

/// Values that vendors print in their manuals.
const PUBLISHED: [&str; 4] = [
    "wJalrXUtnFEMI/K7MDENG",
    // The storage emulator's key.
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq",
    // The payload of the token that explains the format.
    "eyJzdWIiOiIxMjM0NTY3ODkwIi",
    "AIzaSyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe",
];

/// Words that make a value a place to fill in, in lower case.
const PLACEHOLDERS: [&str; 8] = ["example", "your", "redacted", "placeholder", "xxxxxx", "******", "......", "000000000000"];

/// Passwords in an address that nobody keeps secret, in lower case.
const COMMON_PASSWORDS: [&str; 14] =
    ["password", "passwd", "pass", "secret", "changeme", "postgres", "mysql", "root", "admin", "user", "guest", "test", "token", "password123"];

/// Where the scan stops.
static STOPS: [bool; 256] = {
    let mut stops = [false; 256];
    let mut at = 0;
    let bytes = b"_-.=:IzJK";
    while at < bytes.len() {
        stops[bytes[at] as usize] = true;
        at += 1;
    }
    stops
};

/// The pairs of bytes that stand before the last byte of a shape's beginning, a bit for each pair.
static PAIRS: [u64; 1024] = {
    let mut pairs = [0u64; 1024];
    let lists = [AFTER_UNDERSCORE, AFTER_HYPHEN, AFTER_DOT, AFTER_EQUALS];
    let mut list = 0;
    while list < lists.len() {
        let mut at = 0;
        while at < lists[list].len() {
            let start = lists[list][at].start.as_bytes();
            let pair = pair(start[start.len() - 3], start[start.len() - 2]);
            pairs[pair / 64] |= 1 << (pair % 64);
            at += 1;
        }
        list += 1;
    }
    pairs
};

const fn pair(a: u8, b: u8) -> usize {
    (a as usize) << 8 | b as usize
}

/// The first credential in a text, if there is one.
///
/// Takes time in proportion to the text.
pub(crate) fn find_secret(text: &str) -> Option<Secret> {
    let bytes = text.as_bytes();
    let mut found = None;
    let mut from = 0;
    while let Some(step) = bytes[from..].iter().position(|&byte| STOPS[usize::from(byte)]) {
        let at = from + step;
        found = at_stop(text, bytes, at, bytes[at]);
        if found.is_some() {
            break;
        }
        from = at + 1;
    }
    let aws = aws_secret(text);
    match (found, aws) {
        (Some(a), Some(b)) => Some(if b.offset < a.offset { b } else { a }),
        (a, b) => a.or(b),
    }
}

fn at_stop(text: &str, bytes: &[u8], at: usize, byte: u8) -> Option<Secret> {
    match byte {
        b'_' => by_shape(bytes, at, AFTER_UNDERSCORE),
        b'-' => by_shape(bytes, at, AFTER_HYPHEN).or_else(|| private_key(bytes, at)),
        b'.' => by_shape(bytes, at, AFTER_DOT),
        b'=' => by_shape(bytes, at, AFTER_EQUALS),
        b':' => address(text, bytes, at),
        b'I' => aws_key_id(bytes, at),
        b'z' => google_key(bytes, at),
        b'J' => signed_token(bytes, at),
        b'K' => twilio(text, bytes, at),
        _ => None,
    }
}

fn by_shape(bytes: &[u8], at: usize, shapes: &[Shape]) -> Option<Secret> {
    let [.., first, before] = bytes[..at] else { return None };
    let pair = pair(first, before);
    if PAIRS[pair / 64] & 1 << (pair % 64) == 0 {
        return None;
    }
    for shape in shapes {
        let start = shape.start.as_bytes();
        if start[start.len() - 2] != before || !bytes[..=at].ends_with(start) {
            continue;
        }
        let offset = at + 1 - start.len();
        let value = run(bytes, at + 1, shape.alphabet, 512);
        if fresh(bytes, offset) && value.len() >= shape.least && is_random(value) && !is_placeholder(value) {
            let dots = value.iter().filter(|&&byte| byte == b'.').count();
            if shape.start == "SG." && dots == 0 {
                continue;
            }
            return Some(Secret { kind: shape.kind, offset });
        }
    }
    None
}

/// True if a token can start here: what stands before is no letter and no digit.
fn fresh(bytes: &[u8], offset: usize) -> bool {
    offset == 0 || !bytes[offset - 1].is_ascii_alphanumeric()
}

/// The bytes from `from` that belong to the alphabet, at most `most`.
fn run(bytes: &[u8], from: usize, alphabet: Alphabet, most: usize) -> &[u8] {
    let rest = bytes.get(from..).unwrap_or_default();
    let end = rest.iter().take(most).position(|&byte| !alphabet.holds(byte)).unwrap_or(rest.len().min(most));
    &rest[..end]
}

/// True unless a value is words or one character again and again, as names and drawn lines are.
fn is_random(value: &[u8]) -> bool {
    let letters = value.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let upper = value.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    // A value of one case and no digit with hyphens or underscores in it is a name.
    let named = value.iter().any(|byte| matches!(byte, b'-' | b'_' | b'.')) && digits == 0 && (upper == 0 || upper == letters);
    letters + digits > 0 && !named
}

fn is_placeholder(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    let lower = String::from_utf8_lossy(&lower);
    PLACEHOLDERS.iter().any(|word| lower.contains(word)) || { PUBLISHED.iter().any(|key| value.windows(key.len()).any(|part| part == key.as_bytes())) }
}

/// `AKIA` or `ASIA` and sixteen capitals or digits; stops at the `I`.
fn aws_key_id(bytes: &[u8], at: usize) -> Option<Secret> {
    let offset = at.checked_sub(2)?;
    let value = bytes.get(offset..offset + 20)?;
    let known = value[0] == b'A' && matches!(value[1], b'K' | b'S' | b'B') && value[3] == b'A';
    let whole = known && value.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    let ends = bytes.get(offset + 20).is_none_or(|byte| !byte.is_ascii_alphanumeric());
    (whole && ends && fresh(bytes, offset) && !is_placeholder(value)).then_some(Secret { kind: "aws access key id", offset })
}

/// `AIza` and 35 more; stops at the `z`.
fn google_key(bytes: &[u8], at: usize) -> Option<Secret> {
    let offset = at.checked_sub(2)?;
    if !bytes[offset..].starts_with(b"AIza") || !fresh(bytes, offset) {
        return None;
    }
    let value = run(bytes, offset, Alphabet::Url, 64);
    (value.len() >= 39 && is_random(value) && !is_placeholder(value)).then_some(Secret { kind: "google api key", offset })
}

/// Three parts between dots of which the first two are JSON objects in base64; stops at the `J`.
fn signed_token(bytes: &[u8], at: usize) -> Option<Secret> {
    let offset = at.checked_sub(2)?;
    // Only where a run of the alphabet begins: so no byte belongs to two heads, and the time stays linear.
    if !bytes[offset..].starts_with(b"eyJ") || (offset > 0 && Alphabet::Url.holds(bytes[offset - 1])) {
        return None;
    }
    let head = run(bytes, offset, Alphabet::Url, 4096);
    let after = offset + head.len();
    if head.len() < 12 || !bytes[after..].starts_with(b".eyJ") {
        return None;
    }
    let claims = run(bytes, after + 1, Alphabet::Url, 16_384);
    let after = after + 1 + claims.len();
    let signature = run(bytes, after + 1, Alphabet::Url, 1024);
    let signed = bytes.get(after) == Some(&b'.') && signature.len() >= 20;
    (signed && claims.len() >= 8 && !is_placeholder(claims) && !is_placeholder(signature)).then_some(Secret { kind: "signed web token", offset })
}

/// `SK` and 32 hexadecimal digits in a text that speaks of Twilio; stops at the `K`.
fn twilio(text: &str, bytes: &[u8], at: usize) -> Option<Secret> {
    let offset = at.checked_sub(1)?;
    if bytes[offset] != b'S' || !fresh(bytes, offset) {
        return None;
    }
    let value = run(bytes, at + 1, Alphabet::Alnum, 64);
    let hex = value.len() == 32 && value.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (hex && !is_placeholder(value) && (text.contains("wilio") || text.contains("TWILIO"))).then_some(Secret { kind: "twilio key", offset })
}

/// The first line of a private key; stops at the first of its hyphens.
fn private_key(bytes: &[u8], at: usize) -> Option<Secret> {
    const BEGIN: &[u8] = b"-----BEGIN ";
    let rest = &bytes[at..];
    if !rest.starts_with(BEGIN) {
        return None;
    }
    let label = rest[BEGIN.len()..].iter().take(60).position(|&byte| byte == b'-')?;
    let name = &rest[BEGIN.len()..BEGIN.len() + label];
    let after = BEGIN.len() + label;
    let private = name.ends_with(b"PRIVATE KEY") || name.ends_with(b"PRIVATE KEY BLOCK");
    if !private || !rest[after..].starts_with(b"-----") {
        return None;
    }
    // Between a pair of quotation marks the line alone is talk about keys.
    let quote = |byte: Option<&u8>| byte.copied().filter(|byte| matches!(byte, b'`' | b'"' | b'\''));
    let before = at.checked_sub(1).and_then(|at| quote(bytes.get(at)));
    if before.is_some() && before == quote(rest.get(after + 5)) {
        return None;
    }
    Some(Secret { kind: "private key block", offset: at })
}

/// A password in an address, or an address that is a secret as a whole; stops at the colon before `//`.
fn address(text: &str, bytes: &[u8], at: usize) -> Option<Secret> {
    let rest = &bytes[at + 1..];
    if !rest.starts_with(b"//") || at == 0 || !bytes[at - 1].is_ascii_alphanumeric() {
        return None;
    }
    let rest = &rest[2..];
    let part = rest
        .iter()
        .take(512)
        .position(|byte| !byte.is_ascii_graphic() || matches!(byte, b'"' | b'\'' | b'`' | b'/' | b'?' | b'#' | b'<' | b'>'))
        .unwrap_or(rest.len().min(512));
    let authority = &rest[..part];
    let host_at = at + 3;
    if authority == b"hooks.slack.com" && rest[part..].starts_with(b"/services/T") {
        let path = run(rest, part + 10, Alphabet::Base64, 128);
        return (path.len() >= 40 && !is_placeholder(path)).then_some(Secret { kind: "slack webhook address", offset: host_at });
    }
    let sign = authority.iter().rposition(|&byte| byte == b'@')?;
    let colon = authority[..sign].iter().position(|&byte| byte == b':')?;
    let (user, password, host) = (&authority[..colon], &authority[colon + 1..sign], &authority[sign + 1..]);
    let lower = text.get(host_at + colon + 1..host_at + sign)?.to_ascii_lowercase();
    let host = host.to_ascii_lowercase();
    // A name without a dot is a machine of the same house, such as a container's.
    let local = !host.contains(&b'.') || host.starts_with(b"127.") || host.starts_with(b"0.0.0.0");
    let open = COMMON_PASSWORDS.contains(&lower.as_str()) || password == user || password.iter().any(|byte| matches!(byte, b'$' | b'{' | b'%' | b'*' | b'['));
    let strong = password.len() >= 8 && password.iter().any(|byte| !byte.is_ascii_alphabetic());
    let manual = host.windows(8).any(|part| part == b"example.");
    (strong && !open && !local && !manual && !is_placeholder(password)).then_some(Secret { kind: "password in an address", offset: host_at + colon + 1 })
}

/// Forty characters of base64 with both cases and digits shortly after the word "secret".
fn aws_secret(text: &str) -> Option<Secret> {
    const NEAR: usize = 48;
    if !text.contains("ecret") && !text.contains("ECRET") {
        return None;
    }
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(at) = bytes[from..].windows(5).position(|word| word.eq_ignore_ascii_case(b"ecret")) {
        let word = from + at + 5;
        let mut at = word;
        while at < bytes.len().min(word + NEAR) {
            let value = run(bytes, at, Alphabet::Base64, 128);
            if value.is_empty() {
                at += 1;
                continue;
            }
            let mixed = value.iter().any(u8::is_ascii_uppercase) && value.iter().any(u8::is_ascii_lowercase) && value.iter().any(u8::is_ascii_digit);
            let ends = bytes.get(at + 40).is_none_or(|byte| !matches!(byte, b'_' | b'-' | b'='));
            if value.len() == 40 && mixed && ends && !is_placeholder(value) {
                return Some(Secret { kind: "aws secret access key", offset: at });
            }
            at += value.len();
        }
        from = word;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Letters and digits in no order, so that no scanner of source text takes them for a key.
    fn noise(length: usize) -> String {
        "q7Zk2mVx9Rt4Lb8Ny3Wd6Hs1Jf5Pc0GgTuAeBoDi".chars().cycle().take(length).collect()
    }

    fn hex(length: usize) -> String {
        "9f3a1c7e5b2d8046".chars().cycle().take(length).collect()
    }

    fn refused() -> Vec<(&'static str, String)> {
        let with = |start: &[&str], rest: String| start.concat() + &rest;
        vec![
            ("aws access key id", with(&["AK", "IA"], noise(16).to_uppercase())),
            ("aws access key id", with(&["AS", "IA"], noise(16).to_uppercase())),
            ("aws secret access key", format!("aws_{}_access_key = {}", "secret", noise(40))),
            ("aws secret access key", format!("\"{}AccessKey\": \"{}\"", "Secret", noise(40))),
            ("aws secret access key", format!("AWS_{}_ACCESS_KEY={}", "SECRET", noise(40))),
            ("github token", with(&["gh", "p_"], noise(36))),
            ("github token", with(&["gh", "s_"], noise(36))),
            ("github token", with(&["gh", "p_"], "a".repeat(36))),
            ("github token", with(&["github", "_pat_"], format!("{}_{}", noise(22), noise(59)))),
            ("gitlab token", with(&["gl", "pat-"], noise(20))),
            ("slack token", with(&["xo", "xb-"], format!("123456789012-{}", noise(24)))),
            ("slack token", with(&["xa", "pp-"], format!("1-A012-{}", noise(24)))),
            ("slack webhook address", format!("https://hooks.{}.com/services/T01ABCDEF/B01ABCDEF/{}", "slack", noise(24))),
            ("google api key", with(&["AI", "za"], noise(35))),
            ("google oauth secret", with(&["GOC", "SPX-"], noise(28))),
            ("stripe key", with(&["sk_", "live_"], noise(24))),
            ("stripe key", with(&["rk_", "live_"], noise(24))),
            ("openai key", with(&["sk", "-"], noise(48))),
            ("openai key", with(&["sk", "-proj-"], noise(64))),
            ("anthropic key", with(&["sk", "-ant-"], format!("api03-{}", noise(80)))),
            ("npm token", with(&["np", "m_"], noise(36))),
            ("pypi token", with(&["py", "pi-"], format!("AgEIcHlwaS5vcmc{}", noise(80)))),
            ("hugging face token", with(&["h", "f_"], noise(34))),
            ("sendgrid key", with(&["S", "G."], format!("{}.{}", noise(22), noise(43)))),
            ("twilio key", format!("Twilio {}{}", "SK", hex(32))),
            ("digitalocean token", with(&["dop", "_v1_"], hex(64))),
            ("azure storage key", format!("DefaultEndpointsProtocol=https;Account{}{}==", "Key=", noise(86))),
            ("private key block", format!("-----BEGIN RSA {}-----\nMIIE\n-----END", "PRIVATE KEY")),
            ("private key block", format!("{{\"private_key\": \"-----BEGIN {}-----\\nMIIE", "PRIVATE KEY")),
            ("private key block", format!("-----BEGIN PGP {} BLOCK-----\n\nlQ", "PRIVATE KEY")),
            ("signed web token", format!("eyJhbGciOiJIUzI1NiJ9.{}J1c2VyIjoiYWRhIn0.{}", "ey", noise(43))),
            ("password in an address", format!("postgres://app:{}@db7.prod.internal.net:5432/x", "Zr9!kk2qPx".replace('!', "-"))),
        ]
    }

    #[test]
    fn every_known_shape_is_found_alone_and_inside_a_text() {
        for (kind, text) in refused() {
            assert_eq!(find_secret(&text).map(|secret| secret.kind), Some(kind), "{kind}: {text}");
            let inside = format!("限流 the deploy failed, see (\"{text}\") in the log");
            let secret = find_secret(&inside).unwrap_or_else(|| panic!("{kind} inside a text"));
            assert_eq!(secret.kind, kind);
            assert!(inside.is_char_boundary(secret.offset) && secret.offset >= "限流 the deploy".len());
        }
    }

    #[test]
    fn examples_hashes_identifiers_and_prose_are_no_secrets() {
        for text in [
            "",
            "no API key in the build",
            "AKIAIOSFODNN7EXAMPLE",
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "commit 3f786850e387550fdab836ed7e6dc881de23001b",
            "the secret is in commit 3f786850e387550fdab836ed7e6dc881de23001b",
            "550e8400-e29b-41d4-a716-446655440000",
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "set GITHUB_TOKEN=ghp_<your token>",
            "xoxb-your-token-goes-here-please",
            "sk-your-openai-api-key-goes-here-in-this-place",
            "task-force-meeting-notes-of-the-second-week-of-november-2025",
            "risk-based-authentication-for-all-of-the-things-we-own-2025",
            "npm_config_registry and npm_package_version_with_a_very_long_name_behind_it",
            "hf_transformers_model_name_with_many_parts_in_it_v2",
            "use `-----BEGIN PRIVATE KEY-----` as the pattern",
            "-----BEGIN CERTIFICATE-----\nMIIC",
            "-----BEGIN PUBLIC KEY-----\nMIIC",
            "postgres://user:password@db7.prod.net/x",
            "postgres://postgres:postgres@localhost/x",
            "redis://:${REDIS_PASSWORD}@cache.prod.net",
            "https://example.com:8080/a@b",
            "http://user:hunter2222@localhost:3000",
            "amqp://svc:hunter2222@queue:5672",
            "https://user:s3cr3t-pass@db.example.com/x",
            "eyJhbGciOiJIUzI1NiJ9 alone",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
            "sk_test_4eC39HqLyjWDarjtT1zdp7dc",
            "AccountKey=<key>;EndpointSuffix=x",
            "std::collections::HashMap::new()",
            "SKILL SK1234",
            "secret secret_key Secret",
        ] {
            assert_eq!(find_secret(text), None, "{text}");
        }
    }

    #[test]
    fn a_token_inside_a_longer_word_is_none_and_the_first_of_two_is_named() {
        let token = ["gh", "p_"].concat() + &noise(36);
        assert_eq!(find_secret(&format!("x{token}")), None);
        let text = format!("a secret {} and {token}", noise(40));
        assert_eq!(find_secret(&text), Some(Secret { kind: "aws secret access key", offset: 9 }));
        assert_eq!(find_secret(&format!("{token} and a secret {}", noise(40))), Some(Secret { kind: "github token", offset: 0 }));
    }

    #[test]
    fn hostile_texts_take_linear_time() {
        for part in ["eyJ.", "eyJ-", "eyJabcdefghi.", "-----BEGIN ", "://a:", "secret ", "secret=aA1", "ghp_", "SK", "AIza.", "github_pat_"] {
            assert_eq!(find_secret(&part.repeat(200_000)), None, "{part}");
        }
    }
}
