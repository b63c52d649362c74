//! Verifies webhook signatures: HMAC-SHA256 over the time and the raw body, as documented by Stripe.

use chrono::{DateTime, TimeDelta, Utc};
use hmac::{Hmac, KeyInit as _, Mac as _};
use platform::tokens::{constant_time_eq, hex};
use sha2::Sha256;

/// The maximum difference between the time in a signature and the server's time.
const TOLERANCE: TimeDelta = TimeDelta::seconds(300);
/// The maximum length of the header, in bytes. Stripe uses about 80 for each signature.
const MAX_HEADER_BYTES: usize = 1_024;
/// The maximum number of signatures in a header. Stripe sends two while a secret is being replaced.
const MAX_SIGNATURES: usize = 5;

/// The reason why a webhook is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureError {
    /// There is no signature in a known format.
    Missing,
    /// No signature matches.
    Mismatch,
    /// The signature is too old, or its time is too far in the future.
    OutsideTolerance,
    /// The header is longer than 1 KiB.
    HeaderTooLong,
    /// The header has more than 5 signatures.
    TooManySignatures,
}

/// The used parts of a signature header.
struct SignatureHeader<'a> {
    time: &'a str,
    signatures: Vec<&'a str>,
}

/// Verifies a `Stripe-Signature` header and returns the time of its signatures. One matching signature is
/// enough, because there are two while a secret is being replaced. The caller limits the body's size.
///
/// # Errors
/// The reason why the webhook is rejected.
pub(crate) fn verify(
    secret: &str,
    header: &str,
    body: &[u8],
    now: DateTime<Utc>,
) -> Result<DateTime<Utc>, SignatureError> {
    verify_with(header, now, |time| compute_hmac(secret, time, body))
}

/// Runs all cheap checks before the HMAC is computed. `FnOnce` guarantees that it is computed at most once
/// for any number of signatures, because it reads the whole body.
fn verify_with(
    header: &str,
    now: DateTime<Utc>,
    compute: impl FnOnce(&str) -> Option<String>,
) -> Result<DateTime<Utc>, SignatureError> {
    let header = SignatureHeader::parse(header)?;
    let signed_at = header.time.parse().ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    let signed_at = signed_at.ok_or(SignatureError::Missing)?;
    if (now - signed_at).abs() > TOLERANCE {
        return Err(SignatureError::OutsideTolerance);
    }
    let expected = compute(header.time).ok_or(SignatureError::Mismatch)?;
    let is_match = |signature: &&str| constant_time_eq(&expected, &signature.to_ascii_lowercase());
    // All signatures are compared, so that the time does not reveal which one matches.
    if header.signatures.into_iter().filter(is_match).count() > 0 {
        Ok(signed_at)
    } else {
        Err(SignatureError::Mismatch)
    }
}

impl<'a> SignatureHeader<'a> {
    fn parse(text: &'a str) -> Result<Self, SignatureError> {
        if text.len() > MAX_HEADER_BYTES {
            return Err(SignatureError::HeaderTooLong);
        }
        let parts = || text.split(',').filter_map(|part| part.trim().split_once('='));
        let time =
            parts().find(|(name, _)| *name == "t").map(|(_, time)| time).ok_or(SignatureError::Missing)?;
        let signatures: Vec<_> = parts().filter(|(name, _)| *name == "v1").map(|(_, hex)| hex).collect();
        match signatures.len() {
            0 => Err(SignatureError::Missing),
            1..=MAX_SIGNATURES => Ok(Self { time, signatures }),
            _ => Err(SignatureError::TooManySignatures),
        }
    }
}

/// Returns the HMAC in hex.
fn compute_hmac(secret: &str, time: &str, body: &[u8]) -> Option<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).ok()?;
    [time.as_bytes(), b".", body].into_iter().for_each(|part| mac.update(part));
    Some(hex(&mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECRET: &str = "whsec_test_secret";
    /// `printf '1800000000.{"id":"evt_1"}' | openssl dgst -sha256 -hmac whsec_test_secret`
    const SIGNATURE: &str = "8a6563dbee1eccda632491deb091d19e764aadddcd0ace8d9516599526831c89";
    const BODY: &[u8] = br#"{"id":"evt_1"}"#;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + seconds, 0).unwrap()
    }

    fn verify_at(header: &str, seconds: i64) -> Result<(), SignatureError> {
        verify(SECRET, header, BODY, at(seconds)).map(|_| ())
    }

    #[test]
    fn accepts_valid_signature_within_five_minutes() {
        let header = format!("t=1800000000,v1={SIGNATURE},v0=00");
        for (seconds, is_accepted) in [(0, true), (300, true), (-300, true), (301, false), (-301, false)] {
            assert_eq!(
                verify_at(&header, seconds),
                if is_accepted { Ok(()) } else { Err(SignatureError::OutsideTolerance) },
                "{seconds}"
            );
        }
    }

    #[test]
    fn requires_one_matching_signature() {
        let wrong = "0".repeat(64);
        assert_eq!(verify_at(&format!("t=1800000000,v1={wrong},v1={SIGNATURE}"), 0), Ok(()));
        for header in [
            format!("t=1800000000,v1={wrong}"),
            format!("t=1800000001,v1={SIGNATURE}"),
            format!("t=1800000000,v1={}", &SIGNATURE[..62]),
            "t=1800000000,v1=,v1=zz,v1=0,v1=é".to_owned(),
        ] {
            assert_eq!(verify_at(&header, 0), Err(SignatureError::Mismatch), "{header}");
        }
        for header in
            ["", "t=1800000000", &format!("v1={SIGNATURE}"), &format!("t=1800000000,v0={SIGNATURE}")]
        {
            assert_eq!(verify_at(header, 0), Err(SignatureError::Missing), "{header}");
        }
        assert_eq!(
            verify("other", &format!("t=1800000000,v1={SIGNATURE}"), BODY, at(0)),
            Err(SignatureError::Mismatch)
        );
    }

    /// Returns the result of a verification, and the number of computed HMACs.
    fn verify_and_count_hmacs(header: &str, seconds: i64) -> (Result<(), SignatureError>, u32) {
        let mut computed = 0;
        let result = verify_with(header, at(seconds), |time| {
            computed += 1;
            compute_hmac(SECRET, time, BODY)
        });
        (result.map(|_| ()), computed)
    }

    #[test]
    fn computes_at_most_one_hmac_per_header() {
        let wrong = format!("v1={}", "0".repeat(64));
        let header_with = |count: usize| {
            let signatures = vec![wrong.as_str(); count - 1].join(",");
            format!("t=1800000000,{signatures},v1={SIGNATURE}")
        };
        assert_eq!(verify_and_count_hmacs(&header_with(MAX_SIGNATURES), 0), (Ok(()), 1));
        assert_eq!(
            verify_and_count_hmacs(&header_with(MAX_SIGNATURES + 1), 0),
            (Err(SignatureError::TooManySignatures), 0)
        );
        assert_eq!(verify_and_count_hmacs(&header_with(4_000), 0), (Err(SignatureError::HeaderTooLong), 0));
        let short = format!("t=1800000000,{}", vec!["v1="; 200].join(","));
        assert_eq!(verify_and_count_hmacs(&short, 0), (Err(SignatureError::TooManySignatures), 0));
        assert_eq!(verify_and_count_hmacs(&format!("t=1800000000,{}", vec!["v1="; 4_000].join(",")), 0).1, 0);
    }

    #[test]
    fn checks_age_and_size_before_computing_hmac() {
        let header = format!("t=1800000000,v1={SIGNATURE}");
        assert_eq!(verify_and_count_hmacs(&header, 301), (Err(SignatureError::OutsideTolerance), 0));
        assert_eq!(
            verify_and_count_hmacs(&header.replace("t=1800000000", "t=soon"), 0),
            (Err(SignatureError::Missing), 0)
        );
        let padded = format!("{header},v0={}", "0".repeat(MAX_HEADER_BYTES - header.len() - 4));
        assert_eq!((padded.len(), verify_and_count_hmacs(&padded, 0)), (MAX_HEADER_BYTES, (Ok(()), 1)));
        assert_eq!(verify_and_count_hmacs(&format!("{padded}0"), 0), (Err(SignatureError::HeaderTooLong), 0));
    }

    proptest! {
        #[test]
        fn computes_at_most_one_hmac_for_any_header(
            header in "(t=[0-9]{0,10}|v1=[0-9a-f]{0,66}|v0=|=|,| |[^,=]{0,4}|,){0,40}",
        ) {
            let (verdict, computed) = verify_and_count_hmacs(&header, 0);
            prop_assert!(computed <= 1 && verdict.is_err(), "{header}: {verdict:?} after {computed}");
        }
    }
}
