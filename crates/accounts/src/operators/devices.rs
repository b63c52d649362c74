//! Device cookies mark browsers that have signed in before, so that wrong passwords from elsewhere never
//! delay them.
//!
//! This follows OWASP's "Slow down online guessing attacks with device cookies". A cookie contains a random
//! number, its expiry time and its operator, authenticated with a key derived from the database's secret and
//! the password of the setting. So every instance can verify it without a query, and it is invalid under
//! another password. It helps its own operator only: others could use theirs to guess.

use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use platform::tokens::{Blake3Hash, TokenKey, TokenKeys, constant_time_eq, hash, hex, is_token, new_token};
use rules::passwords::PasswordHash;

/// The lifetime of a device cookie, in seconds: 180 days.
pub const LIFETIME_SECONDS: i64 = 180 * 86_400;
/// The purpose of the key that authenticates device cookies.
const KEY_PURPOSE: &str = "caraplace 2026-11 device cookies of the console";

/// A browser that has signed in before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    /// The hash of its cookie.
    pub cookie_hash: Blake3Hash,
    /// The hash of its operator's name; `None` for the first owner.
    pub(super) name_hash: Option<Blake3Hash>,
}

/// The device cookies of one password.
pub struct DeviceCookies {
    key: TokenKey,
}

impl DeviceCookies {
    /// Derives the key of device cookies from the database's secret and the password.
    pub(super) fn new(keys: &TokenKeys, password: Option<&PasswordHash>) -> Self {
        let password = password.map(PasswordHash::as_str).unwrap_or_default();
        Self { key: keys.derive(KEY_PURPOSE, password.as_bytes()) }
    }

    /// Issues a cookie's value for the operator with this hash of its name, `None` for the first owner: the
    /// time at which it expires, a random number, the hash, and a code over all.
    pub(super) fn issue(&self, name_hash: Option<Blake3Hash>, now: DateTime<Utc>) -> Result<String, Refusal> {
        let name = name_hash.map(|hash| format!(".{}", hex(&hash))).unwrap_or_default();
        let signed = format!("{}.{}{name}", now.timestamp() + LIFETIME_SECONDS, new_token()?);
        let code = self.key.mac(&signed).to_hex();
        Ok(format!("{signed}.{code}"))
    }

    /// Returns the device of a cookie's value. `None` if it was not issued here or has expired.
    pub fn verify(&self, cookie: &str, now: DateTime<Utc>) -> Option<Device> {
        let (signed, code) = cookie.rsplit_once('.')?;
        if !is_token(code) || !constant_time_eq(&self.key.mac(signed).to_hex(), code) {
            return None;
        }
        let (expires_at, rest) = signed.split_once('.')?;
        let expires_at: i64 = expires_at.parse().ok()?;
        let name_hash = match rest.split_once('.') {
            Some((_, name)) => Some(*blake3::Hash::from_hex(name).ok()?.as_bytes()),
            None => None,
        };
        (now.timestamp() < expires_at).then(|| Device { cookie_hash: hash(cookie), name_hash })
    }
}

impl Device {
    /// Returns the name of the tally that counts this device's wrong passwords.
    pub(super) fn tally_name(&self) -> String {
        format!("device {}", hex(&self.cookie_hash))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + seconds, 0).unwrap()
    }

    fn devices(secret: u8, password: &str) -> DeviceCookies {
        let password = PasswordHash::new(password, [1; 16]).unwrap();
        DeviceCookies::new(&TokenKeys::new(&[secret; 32]), Some(&password))
    }

    #[test]
    fn accepts_cookie_on_every_instance_until_it_expires_or_the_password_changes() {
        let issuer = devices(1, "correct horse");
        let cookie = issuer.issue(None, at(0)).unwrap();
        let device = issuer.verify(&cookie, at(LIFETIME_SECONDS - 1)).unwrap();
        assert_eq!(devices(1, "correct horse").verify(&cookie, at(0)), Some(device));
        assert_eq!(issuer.verify(&cookie, at(LIFETIME_SECONDS)), None);
        assert_eq!(devices(1, "correct horses").verify(&cookie, at(0)), None);
        assert_eq!(devices(2, "correct horse").verify(&cookie, at(0)), None);
        let other = issuer.verify(&issuer.issue(None, at(0)).unwrap(), at(0)).unwrap();
        assert_ne!(device.tally_name(), other.tally_name());
    }

    #[test]
    fn cookie_names_its_operator() {
        let issuer = devices(1, "correct horse");
        for name_hash in [None, Some(hash("ada")), Some(hash("bob"))] {
            let cookie = issuer.issue(name_hash, at(0)).unwrap();
            assert_eq!(issuer.verify(&cookie, at(0)).unwrap().name_hash, name_hash);
        }
    }

    #[test]
    fn rejects_modified_cookie() {
        let issuer = devices(1, "correct horse");
        let cookie = issuer.issue(None, at(0)).unwrap();
        for index in 0..cookie.len() {
            let digit = if cookie.as_bytes()[index] == b'1' { "2" } else { "1" };
            let forged = format!("{}{digit}{}", &cookie[..index], &cookie[index + 1..]);
            assert_eq!(issuer.verify(&forged, at(0)), None, "{index}");
        }
        for wrong in
            ["", ".", "..", "1.2.3", &cookie[1..], &cookie[..cookie.len() - 1], &cookie.to_uppercase()]
        {
            assert_eq!(issuer.verify(wrong, at(0)), None, "{wrong}");
        }
    }
}
