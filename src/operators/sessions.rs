//! Sessions of the console: a fresh random token at each sign-in, kept as a hash where every instance finds it.

use super::{Operator, store};
use crate::clock;
use crate::log::Log;
use crate::refusal::Refusal;

/// How long a session lasts at most, in seconds.
pub const LONGEST: i64 = 12 * 3_600;
/// How long it lasts without being used, in seconds.
pub const IDLE: i64 = 2 * 3_600;
/// Random bytes in a token.
const RANDOM: usize = 32;
/// Sets the tokens of forms apart from those of sessions: one does not give away the other.
const FORMS: &str = "caraplace 2026-11 forms of the console";

/// A session that has just begun.
pub struct Started {
    /// Shown to the browser and kept nowhere.
    pub token: String,
}

/// A token that nobody can guess.
///
/// # Errors
/// When the system has no randomness to give.
pub fn new_token() -> Result<String, Refusal> {
    let random = clock::random_bytes::<RANDOM>().map_err(|_| Refusal::Unavailable)?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether this could be a token.
pub fn is_token(text: &str) -> bool {
    text.len() == 2 * RANDOM && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// What forms carry that come from pages shown to who holds a token.
pub fn csrf(token: &str) -> String {
    blake3::Hash::from(blake3::derive_key(FORMS, token.as_bytes())).to_hex().to_string()
}

/// Whether a form carries what it should. Takes as long whatever it carries.
pub fn is_csrf(expected: &str, shown: &str) -> bool {
    let (expected, shown) = (blake3::hash(expected.as_bytes()), blake3::hash(shown.as_bytes()));
    expected == shown
}

pub(super) async fn start(log: &Log, address: &str) -> Result<Started, Refusal> {
    let token = new_token()?;
    store::start_session(&log.pool, &hash(&token), address, log.clock.offset()).await?;
    Ok(Started { token })
}

/// Who is signed in under this token, if the session goes on.
///
/// # Errors
/// When it cannot be known now.
pub async fn find(log: &Log, token: &str) -> Result<Option<Operator>, Refusal> {
    if !is_token(token) {
        return Ok(None);
    }
    log.admit_key_look_up()?;
    let found = store::session(&log.pool, &hash(token), log.clock.offset()).await?;
    Ok(found.map(|(address, since)| Operator::in_the_console(&address, since, csrf(token))))
}

/// Ends a session, on every instance.
///
/// # Errors
/// When the database cannot be written.
pub async fn end(log: &Log, token: &str) -> Result<(), Refusal> {
    Ok(store::end_session(&log.pool, &hash(token)).await?)
}

fn hash(token: &str) -> [u8; 32] {
    *blake3::hash(token.as_bytes()).as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_token_has_a_form_token_of_its_own_that_does_not_give_it_away() {
        let (one, other) = (new_token().unwrap(), new_token().unwrap());
        assert!(is_token(&one) && one != other && !is_token(&one[1..]) && !is_token(&one.to_uppercase()));
        assert!(is_csrf(&csrf(&one), &csrf(&one)) && !is_csrf(&csrf(&one), &csrf(&other)));
        assert!(!is_csrf(&csrf(&one), "") && csrf(&one) != one);
        assert_ne!(csrf(&one), blake3::hash(one.as_bytes()).to_hex().to_string());
    }
}
