//! The password of the database's only user, which is stored in the address file only.

use std::fmt;
use std::fs;
use std::io;
use std::path::PathBuf;

use super::error::StartError;
use super::files::write_private;
use super::os_user::OsUser;

/// Number of random bytes in a password: 256 bits, written as hex digits.
const PASSWORD_BYTES: usize = 32;

/// A text that `Debug` hides: a password, or an address with one.
pub(super) struct SecretText(pub(super) String);

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// A password of hex digits, which need no escaping in an address.
#[derive(Debug)]
pub(super) struct Password(SecretText);

impl Password {
    /// Generates a random password.
    #[expect(clippy::disallowed_methods, reason = "no test needs a predictable password")]
    pub(super) fn new() -> Result<Self, StartError> {
        let mut random = [0; PASSWORD_BYTES];
        getrandom::fill(&mut random).map_err(StartError::NoRandomness)?;
        Ok(Self(SecretText(random.iter().map(|byte| format!("{byte:02x}")).collect())))
    }

    /// Returns the password in an address that this program has written; `None` if it has none or one of
    /// another form.
    pub(super) fn from_url(url: &str) -> Option<Self> {
        let (password, _) = url.strip_prefix("postgres://caraplace:")?.split_once('@')?;
        let is_ours =
            password.len() == 2 * PASSWORD_BYTES && password.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_ours.then(|| Self(SecretText(password.to_owned())))
    }

    /// Returns the password.
    pub(super) fn secret(&self) -> &str {
        &self.0.0
    }
}

/// A file with the password for `initdb`, removed when this is dropped.
#[derive(Debug)]
pub(super) struct PasswordFile {
    /// The path of the file.
    pub(super) path: PathBuf,
}

impl PasswordFile {
    /// Writes the file, readable by PostgreSQL's user only.
    pub(super) fn write(path: PathBuf, password: &Password, account: &OsUser) -> io::Result<Self> {
        write_private(&path, format!("{}\n", password.secret()))?;
        let file = Self { path };
        account.give_ownership(&file.path)?;
        Ok(file)
    }
}

impl Drop for PasswordFile {
    fn drop(&mut self) {
        // The next start removes the file if that fails now.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::Password;

    #[test]
    fn only_passwords_made_by_this_program_are_reused() {
        let known = format!("postgres://caraplace:{}@localhost:5432/caraplace", "0f".repeat(32));
        assert!(Password::from_url(&known).is_some());
        for other in
            ["postgres://caraplace@localhost:5432/caraplace", "postgres://caraplace:short@localhost/", ""]
        {
            assert!(Password::from_url(other).is_none(), "{other}");
        }
    }

    #[test]
    fn debug_hides_the_password() {
        let password = Password::new().unwrap();
        assert!(!format!("{password:?}").contains(password.secret()));
    }
}
