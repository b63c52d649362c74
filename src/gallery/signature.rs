//! Webhook signatures: HMAC-SHA256 over the time and the raw body, as Stripe documents them.

use chrono::{DateTime, TimeDelta, Utc};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// How far the time in a signature may be from ours, either way.
const TOLERANCE: TimeDelta = TimeDelta::seconds(300);

/// Why a webhook is not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untrue {
    /// There is no signature, or none of a form that is known.
    Missing,
    /// None of the signatures fits.
    Wrong,
    /// It was made too long ago, or too far ahead of our time.
    Old,
}

/// Checks the signatures of a `Stripe-Signature` header, and tells when they were made: one that fits is enough, while
/// secrets are changed there are two.
///
/// # Errors
/// Why the body is not believed.
pub fn check(secret: &str, header: &str, body: &[u8], now: DateTime<Utc>) -> Result<DateTime<Utc>, Untrue> {
    let parts = || header.split(',').filter_map(|part| part.trim().split_once('='));
    let time = parts().find(|(name, _)| *name == "t").map(|(_, time)| time).ok_or(Untrue::Missing)?;
    let signatures: Vec<_> = parts().filter(|(name, _)| *name == "v1").map(|(_, hex)| hex).collect();
    if signatures.is_empty() {
        return Err(Untrue::Missing);
    }
    // The time counts as signed only where the signature fits, so that is asked first.
    if !signatures.into_iter().filter_map(bytes).any(|signature| fits(secret, time, body, &signature)) {
        return Err(Untrue::Wrong);
    }
    let made = time.parse().ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    let made = made.ok_or(Untrue::Missing)?;
    if (now - made).abs() > TOLERANCE { Err(Untrue::Old) } else { Ok(made) }
}

/// Compares in constant time.
fn fits(secret: &str, time: &str, body: &[u8], signature: &[u8]) -> bool {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return false };
    [time.as_bytes(), b".", body].into_iter().for_each(|part| mac.update(part));
    mac.verify_slice(signature).is_ok()
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let pair = |pair: &[u8]| Some(digit(pair[0])? << 4 | digit(*pair.get(1)?)?);
    hex.as_bytes().chunks(2).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_test_secret";
    /// `printf '1800000000.{"id":"evt_1"}' | openssl dgst -sha256 -hmac whsec_test_secret`
    const SIGNATURE: &str = "8a6563dbee1eccda632491deb091d19e764aadddcd0ace8d9516599526831c89";
    const BODY: &[u8] = br#"{"id":"evt_1"}"#;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + seconds, 0).unwrap()
    }

    fn checked(header: &str, seconds: i64) -> Result<(), Untrue> {
        check(SECRET, header, BODY, at(seconds)).map(|_| ())
    }

    #[test]
    fn a_true_signature_is_believed_for_five_minutes_either_way() {
        let header = format!("t=1800000000,v1={SIGNATURE},v0=00");
        for (seconds, believed) in [(0, true), (300, true), (-300, true), (301, false), (-301, false)] {
            assert_eq!(
                checked(&header, seconds),
                if believed { Ok(()) } else { Err(Untrue::Old) },
                "{seconds}"
            );
        }
    }

    #[test]
    fn one_of_several_is_enough_and_none_is_not() {
        let wrong = "0".repeat(64);
        assert_eq!(checked(&format!("t=1800000000,v1={wrong},v1={SIGNATURE}"), 0), Ok(()));
        for header in [
            format!("t=1800000000,v1={wrong}"),
            format!("t=1800000001,v1={SIGNATURE}"),
            format!("t=1800000000,v1={}", &SIGNATURE[..62]),
            "t=1800000000,v1=,v1=zz,v1=0,v1=é".to_owned(),
        ] {
            assert_eq!(checked(&header, 0), Err(Untrue::Wrong), "{header}");
        }
        for header in
            ["", "t=1800000000", &format!("v1={SIGNATURE}"), &format!("t=1800000000,v0={SIGNATURE}")]
        {
            assert_eq!(checked(header, 0), Err(Untrue::Missing), "{header}");
        }
        assert_eq!(check("other", &format!("t=1800000000,v1={SIGNATURE}"), BODY, at(0)), Err(Untrue::Wrong));
    }
}
