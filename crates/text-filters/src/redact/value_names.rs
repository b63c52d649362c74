//! The names of values: those that announce a secret, and those that announce a public value.

use std::ops::Range;

use super::letter_pairs::has_rare_pairs;
use super::randomness::segments;
use super::services::is_service;

/// A name, with the words around it that tell what the value is.
pub(super) struct ValueName<'t> {
    /// The text before the name.
    pub before: &'t str,
    /// The name itself, as written.
    pub text: &'t str,
    /// The words between the name and its value.
    pub after: &'t str,
    /// True if other words separate the name and the value.
    pub is_separated: bool,
}

/// Number of characters before a name that tell what it means.
const CONTEXT_CHARS: usize = 24;
/// Words that make every key and token public whose name contains them.
const PUBLIC_WORDS: [&str; 5] = ["public", "publishable", "pub", "idempotency", "anon"];
/// Words that make a key or a token public if they are directly before it: `cache key`, `page_token`.
const PUBLIC_QUALIFIERS: [&str; 19] = [
    "public",
    "publishable",
    "idempotency",
    "primary",
    "foreign",
    "page",
    "cache",
    "sort",
    "partition",
    "row",
    "object",
    "map",
    "digest",
    "fingerprint",
    "hash",
    "legend",
    "color",
    "colour",
    "palette",
];
/// Words that make it public if they are a part of the name itself: `max_tokens`, `next_token`.
const PUBLIC_PREFIXES: [&str; 2] = ["max", "next"];
/// Words for a value that is made from a secret and does not disclose it: `password_hash`.
const DERIVED_WORDS: [&str; 4] = ["hash", "digest", "fingerprint", "checksum"];
/// Kinds of keys that may be between such a word and the name: `public ssh key`.
const KEY_KINDS: [&str; 8] = ["ssh", "rsa", "gpg", "pgp", "ed25519", "ecdsa", "vapid", "wireguard"];
/// Words for a key and a token, which may be public.
const KEY_WORDS: [&str; 4] = ["keys", "key", "tokens", "token"];
/// Words that are never public.
const NEVER_PUBLIC_WORDS: [&str; 4] = ["secret", "pass", "pwd", "credential"];
/// Words for a password.
const PASSWORD_WORDS: [&str; 3] = ["pass", "pwd", "passcode"];
/// Words for a password in other languages, in lower case.
const FOREIGN_PASSWORD_WORDS: [&str; 31] = [
    "passwort",
    "kennwort",
    "mot de passe",
    "contraseña",
    "contrasena",
    "senha",
    "palavra-passe",
    "parola",
    "wachtwoord",
    "lösenord",
    "adgangskode",
    "passord",
    "salasana",
    "hasło",
    "haslo",
    "heslo",
    "jelszó",
    "şifre",
    "пароль",
    "пароля",
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "비밀번호",
    "암호",
    "暗証番号",
    "mật khẩu",
    "סיסמה",
    "पासवर्ड",
    "كلمة السر",
];
/// Words for a key, a token and a secret in other languages, in lower case. After most of them a digest may
/// be public.
const FOREIGN_KEY_WORDS: [&str; 16] = [
    "schlüssel",
    "schluessel",
    "clé",
    "clave",
    "chave",
    "chiave",
    "sleutel",
    "nøgle",
    "nyckel",
    "avain",
    "klucz",
    "kulcs",
    "anahtar",
    "ключ",
    "キー",
    "키",
];
const FOREIGN_SECRET_WORDS: [&str; 32] = [
    "clé api",
    "clé d'api",
    "clave de api",
    "chave de api",
    "chiave api",
    "ключ api",
    "jeton",
    "jeton d'accès",
    "clé secrète",
    "clé privée",
    "clave secreta",
    "clave privada",
    "chave secreta",
    "chave privada",
    "chiave segreta",
    "chiave privata",
    "geheimer schlüssel",
    "privater schlüssel",
    "zugangsschlüssel",
    "zugangstoken",
    "geheime sleutel",
    "segredo",
    "токен",
    "секрет",
    "секретный ключ",
    "密钥",
    "密鑰",
    "令牌",
    "トークン",
    "秘密鍵",
    "토큰",
    "geheimnis",
];
/// Words after which even a digest is a secret. A hash is often called just `key`.
const SECRET_WORDS: [&str; 29] = [
    "api",
    "secret",
    "access",
    "auth",
    "private",
    "bearer",
    "token",
    "credential",
    "client",
    "signing",
    "encryption",
    "admin",
    "master",
    "license",
    "service",
    "account",
    "x-",
    "_key",
    "my ",
    "our ",
    "your ",
    "dsn",
    "deploy",
    "webhook",
    "mein",
    "minha ",
    "mi ",
    "мой ",
    "доступ",
];

/// Words that make a digest a secret if they are directly before `key`, or a part of its name:
/// `recovery key`.
const SECRET_QUALIFIERS: [&str; 43] = [
    "app",
    "application",
    "backup",
    "bot",
    "consumer",
    "cookie",
    "customer",
    "database",
    "db",
    "decryption",
    "dev",
    "device",
    "employee",
    "hmac",
    "ingest",
    "ingestion",
    "installation",
    "integration",
    "jwt",
    "live",
    "login",
    "org",
    "organization",
    "partner",
    "production",
    "prod",
    "project",
    "recovery",
    "root",
    "sas",
    "security",
    "seller",
    "server",
    "session",
    "shared",
    "staging",
    "storage",
    "subscription",
    "user",
    "vault",
    "wallet",
    "wifi",
    "write",
];

/// Returns the names of secrets in other languages, in lower case.
pub(super) fn foreign_words() -> impl Iterator<Item = &'static str> {
    FOREIGN_PASSWORD_WORDS.into_iter().chain(FOREIGN_KEY_WORDS).chain(FOREIGN_SECRET_WORDS)
}

impl ValueName<'_> {
    /// Returns true if the name or the word directly before it tells that the value is public.
    pub(super) fn is_public(&self) -> bool {
        let parts: Vec<String> = segments(self.text).map(str::to_ascii_lowercase).collect();
        if self.is_derived(&parts) {
            return true;
        }
        let is_secret = parts.iter().any(|part| NEVER_PUBLIC_WORDS.iter().any(|word| part.contains(word)));
        let Some(qualifiers) = key_qualifiers(&parts).filter(|_| !is_secret) else { return false };
        let is_any = |words: &[&str], part: &str| words.contains(&part);
        let nearest = qualifiers.last().map(String::as_str);
        qualifiers.iter().any(|part| is_any(&PUBLIC_WORDS, part))
            || nearest.is_some_and(|part| is_any(&PUBLIC_QUALIFIERS, part) || is_any(&PUBLIC_PREFIXES, part))
            || self.follows_public_word(nearest.is_none())
    }

    /// Returns true for a stage of work or a ticket, which are named `pass` like a password.
    pub(super) fn is_stage_or_ticket(&self) -> bool {
        self.text.eq_ignore_ascii_case("pass")
    }

    pub(super) fn names_password(&self) -> bool {
        let text = self.text.to_ascii_lowercase();
        PASSWORD_WORDS.iter().any(|word| text.contains(word))
            || FOREIGN_PASSWORD_WORDS.contains(&self.text.to_lowercase().as_str())
    }

    /// Returns true for names after which even a digest is a secret.
    pub(super) fn names_secret(&self) -> bool {
        let is_derived = self.words_after().any(|word| DERIVED_WORDS.contains(&word.as_str()));
        let context = format!("{}{}{}", self.before, self.text, self.after).to_lowercase();
        let is_named_secret =
            SECRET_WORDS.iter().chain(&FOREIGN_SECRET_WORDS).any(|word| context.contains(word));
        !is_derived && (is_named_secret || self.has_secret_qualifier())
    }

    /// Returns true for a personal access token, for a name in capitals, and for a key with a word that no
    /// public key has: `stripe key`.
    fn has_secret_qualifier(&self) -> bool {
        let parts: Vec<String> = segments(self.text).map(str::to_ascii_lowercase).collect();
        if parts.last().is_some_and(|part| part == "pat" || part == "pats") {
            return true;
        }
        let Some(qualifiers) = key_qualifiers(&parts) else { return false };
        let words_before = self.before.strip_suffix(' ').filter(|_| qualifiers.is_empty());
        let word_before = words_before
            .and_then(|words| words.rsplit(|c: char| !c.is_alphanumeric()).next())
            .unwrap_or_default();
        let nearest = qualifiers.last().cloned().unwrap_or_else(|| word_before.to_lowercase());
        SECRET_QUALIFIERS.contains(&nearest.as_str())
            || is_service(&nearest)
            || is_capitals(self.text)
            || self.text == "Key" && is_title(word_before)
    }

    /// Returns the words between the name and the value in lower case.
    fn words_after(&self) -> impl Iterator<Item = String> {
        let words = self.after.split(|c: char| c.is_whitespace() || c == ',');
        words.filter(|word| !word.is_empty()).map(str::to_lowercase)
    }

    fn is_derived(&self, parts: &[String]) -> bool {
        let next_word = self.words_after().next().unwrap_or_default();
        let last = parts.last().map(String::as_str).unwrap_or_default();
        DERIVED_WORDS.contains(&last) || DERIVED_WORDS.contains(&next_word.as_str())
    }

    /// Returns true if the word directly before the name makes it public. A name with a part of its own, as
    /// in `map API_KEY`, is public only after `public`.
    fn follows_public_word(&self, is_bare: bool) -> bool {
        let mut words = self.before.rsplit(char::is_whitespace);
        // Without a space the text before is a part of the same word, or a sign that ends a sentence.
        if !words.next().is_some_and(str::is_empty) {
            return false;
        }
        let mut words = words.map(str::to_lowercase).filter(|word| !word.is_empty());
        let first = words.next().unwrap_or_default();
        let word = if KEY_KINDS.contains(&first.as_str()) { words.next().unwrap_or_default() } else { first };
        let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        PUBLIC_WORDS.contains(&word) || is_bare && PUBLIC_QUALIFIERS.contains(&word)
    }
}

/// Returns true for a name in capitals, as settings are written: `KEY`.
fn is_capitals(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Returns true for a capitalised word that may be the name of a service: `Contoso Key`.
fn is_title(word: &str) -> bool {
    const ARTICLES: [&str; 6] = ["The", "This", "That", "Each", "Every", "One"];
    word.len() > 2 && word.starts_with(|c: char| c.is_ascii_uppercase()) && !ARTICLES.contains(&word)
}

/// Returns the parts of a name before its last word for a key or token; `None` if it has no such word.
fn key_qualifiers(parts: &[String]) -> Option<Vec<String>> {
    let key_word =
        |part: &String| KEY_WORDS.iter().find_map(|word| Some(part.strip_suffix(word)?.to_owned()));
    let (at, joined) = parts.iter().enumerate().rev().find_map(|(at, part)| Some((at, key_word(part)?)))?;
    let joined = (!joined.is_empty()).then_some(joined);
    Some(parts[..at].iter().cloned().chain(joined).collect())
}

/// Returns the text before a name that tells what the name means.
pub(super) fn context_before(text: &str, name_start: usize) -> &str {
    let before = &text[..name_start];
    let start = before.char_indices().rev().take(CONTEXT_CHARS).last().map_or(name_start, |(at, _)| at);
    &before[start..]
}

/// Returns the range of a value without a word before it: `login=…`.
pub(super) fn skip_name(text: &str, value: Range<usize>) -> Range<usize> {
    let is_of_name = |c: char| c.is_alphabetic() || matches!(c, '_' | '-' | '.');
    let (name, rest) = text[value.clone()].split_once('=').unwrap_or_default();
    let is_name = !name.is_empty() && name.chars().all(is_of_name) && !has_rare_pairs(name);
    let has_value = !rest.trim_start_matches('=').is_empty();
    if is_name && has_value { value.start + name.len() + 1..value.end } else { value }
}
