//! New passwords of operators: their bounds, and the work of hashing them.

use platform::clock;
use platform::refusal::{Refusal, internal};
use rules::passwords::{MAX_PASSWORD_BYTES, MIN_PASSWORD_CHARS, PasswordHash, is_long_enough};

/// Checks the length of a new password.
///
/// # Errors
/// `Input` if it is too short or too long.
pub(super) fn check_length(password: &str) -> Result<(), Refusal> {
    if is_long_enough(password) && password.len() <= MAX_PASSWORD_BYTES {
        return Ok(());
    }
    let detail = format!(
        "password must have at least {MIN_PASSWORD_CHARS} characters, and at most {MAX_PASSWORD_BYTES} bytes."
    );
    Err(Refusal::invalid("password", detail))
}

/// Returns the work that hashes a new password. It takes tens of milliseconds and 19 MiB of memory, so that
/// it belongs on a thread that may block.
pub(super) fn hash(
    password: String,
) -> Result<impl FnOnce() -> Result<PasswordHash, &'static str> + Send + 'static, Refusal> {
    let salt = clock::random_bytes().map_err(internal("drawing a salt"))?;
    Ok(move || PasswordHash::new(&password, salt).ok_or("the password cannot be hashed"))
}
