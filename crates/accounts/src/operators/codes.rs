//! The codes of a sign-in: six digits that an app computes from a secret and the time (TOTP, RFC 6238), and
//! recovery codes for those who have lost the app.

use chrono::{DateTime, Utc};
use platform::clock;
use platform::refusal::{Refusal, internal};
use platform::tokens::{Blake3Hash, hash};
use totp_rs::Builder;

/// The length of a secret in bytes, as RFC 4226 recommends it.
const SECRET_BYTES: usize = 20;
/// The random bytes of a recovery code: 80 bits, so that its hash needs no slow function.
const RECOVERY_CODE_BYTES: usize = 10;
/// The number of recovery codes.
const RECOVERY_CODES: usize = 10;
/// The digits of a code of an app.
const CODE_DIGITS: usize = 6;
/// The name of this program in apps.
const ISSUER: &str = "Caraplace";
const BASE32_DIGITS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// The secret from which an app computes codes: one for each 30 seconds.
pub(super) struct CodeSecret([u8; SECRET_BYTES]);

/// A code as it was typed.
pub(super) enum TypedCode {
    /// The digits of an app.
    OfApp(String),
    /// The hash of a recovery code.
    Recovery(Blake3Hash),
}

/// The secret of codes in the forms that an app takes.
pub struct CodeSetup {
    /// The secret in base32, for typing.
    pub secret: String,
    /// The address in a QR code.
    pub address: String,
}

impl CodeSecret {
    /// Draws a new secret.
    pub(super) fn generate() -> Result<Self, Refusal> {
        Ok(Self(clock::random_bytes().map_err(internal("drawing a secret"))?))
    }

    /// Returns the secret with these bytes; `None` if their number is wrong.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        <[u8; SECRET_BYTES]>::try_from(bytes).ok().map(Self)
    }

    /// Returns the bytes.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the step of 30 seconds to which a code belongs: the current one, the one before or the one
    /// after. `None` if the code is wrong.
    pub(super) fn find_step(&self, code: &str, now: DateTime<Utc>) -> Option<i64> {
        let totp = Builder::new().with_secret(self.0).build_noncompliant();
        let step = totp.check(code, u64::try_from(now.timestamp()).ok()?)?;
        i64::try_from(step).ok()
    }

    /// Returns the secret in the forms that the app of the operator with this name takes.
    pub(super) fn setup(&self, name: &str) -> CodeSetup {
        let secret = to_base32(&self.0).to_uppercase();
        let label = name.replace(' ', "%20");
        let address = format!("otpauth://totp/{ISSUER}:{label}?secret={secret}&issuer={ISSUER}");
        CodeSetup { secret, address }
    }
}

impl TypedCode {
    /// Parses a code. Spaces and hyphens do not count, nor does the case.
    pub(super) fn parse(typed: &str) -> Self {
        let plain: String = typed.chars().filter(char::is_ascii_alphanumeric).collect();
        if plain.len() == CODE_DIGITS && plain.bytes().all(|byte| byte.is_ascii_digit()) {
            Self::OfApp(plain)
        } else {
            Self::Recovery(hash(&plain.to_ascii_lowercase()))
        }
    }
}

/// Draws recovery codes, and returns them as they are shown.
pub(super) fn generate_recovery_codes() -> Result<Vec<String>, Refusal> {
    (0..RECOVERY_CODES).map(|_| generate_recovery_code()).collect()
}

fn generate_recovery_code() -> Result<String, Refusal> {
    let bytes = clock::random_bytes::<RECOVERY_CODE_BYTES>().map_err(internal("drawing a code"))?;
    let digits = to_base32(&bytes);
    Ok([&digits[..4], &digits[4..8], &digits[8..12], &digits[12..]].join("-"))
}

/// Returns the hash of a recovery code as it is shown.
pub(super) fn hash_recovery_code(code: &str) -> Vec<u8> {
    hash(&code.replace('-', "")).to_vec()
}

/// Returns bytes, whose number is a multiple of five, in base32 in lower case.
fn to_base32(bytes: &[u8]) -> String {
    let digits = bytes.chunks(5).flat_map(|chunk| {
        let number = chunk.iter().fold(0_u64, |number, byte| (number << 8) | u64::from(*byte));
        (0..8).rev().map(move |place| char::from(BASE32_DIGITS[(number >> (5 * place)) as usize % 32]))
    });
    digits.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    #[test]
    fn codes_are_those_of_the_standard() {
        // RFC 6238, appendix B, with six of the eight digits.
        let secret = CodeSecret::from_bytes(b"12345678901234567890").unwrap();
        for (time, code) in [(59, "287082"), (1_111_111_109, "081804"), (2_000_000_000, "279037")] {
            let step = time / 30;
            for now in [time - 30, time, time + 30] {
                assert_eq!(secret.find_step(code, at(now)), Some(step), "{code} at {now}");
            }
            assert_eq!(secret.find_step(code, at(time + 60)), None, "{code}");
            for wrong in ["", "28708", "2870820", "abcdef", "+87082"] {
                assert_eq!(secret.find_step(wrong, at(time)), None, "{wrong}");
            }
        }
        assert!(CodeSecret::from_bytes(b"short").is_none());
    }

    #[test]
    fn setup_has_the_secret_in_base32() {
        let setup = CodeSecret::from_bytes(b"12345678901234567890").unwrap().setup("Ada L");
        assert_eq!(setup.secret, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        let expected = format!("otpauth://totp/Caraplace:Ada%20L?secret={}&issuer=Caraplace", setup.secret);
        assert_eq!(setup.address, expected);
    }

    #[test]
    fn typed_codes_are_of_the_app_or_recovery_codes() {
        for typed in ["123456", " 123 456 ", "123-456"] {
            assert!(
                matches!(TypedCode::parse(typed), TypedCode::OfApp(digits) if digits == "123456"),
                "{typed}"
            );
        }
        let codes = generate_recovery_codes().unwrap();
        assert_eq!(codes.len(), RECOVERY_CODES);
        let expected = hash_recovery_code(&codes[0]);
        for typed in [codes[0].clone(), codes[0].to_uppercase(), codes[0].replace('-', " ")] {
            assert!(matches!(TypedCode::parse(&typed), TypedCode::Recovery(hash) if hash[..] == expected));
        }
        assert_ne!(hash_recovery_code(&codes[1]), expected);
    }
}
