//! PKCE (RFC 7636) with SHA-256: proves that a client that redeems a code is the one that asked for it.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use platform::tokens::constant_time_eq;
use sha2::{Digest as _, Sha256};

/// The characters of a challenge: 256 bits in base64url without padding.
const CHALLENGE_CHARS: usize = 43;
const MIN_VERIFIER_CHARS: usize = 43;
const MAX_VERIFIER_CHARS: usize = 128;

/// Returns true if a text has the format of a challenge of the method `S256`.
pub fn is_code_challenge(text: &str) -> bool {
    text.len() == CHALLENGE_CHARS
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// Returns true if a challenge was derived from this verifier.
pub(super) fn is_verified(challenge: &str, verifier: &str) -> bool {
    let is_unreserved = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
    (MIN_VERIFIER_CHARS..=MAX_VERIFIER_CHARS).contains(&verifier.len())
        && verifier.bytes().all(is_unreserved)
        && constant_time_eq(challenge, &BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(verifier)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7636, appendix B.
    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    #[test]
    fn only_the_verifier_of_a_challenge_passes() {
        assert!(is_code_challenge(CHALLENGE) && is_verified(CHALLENGE, VERIFIER));
        for wrong in ["", &VERIFIER[1..], &VERIFIER.to_lowercase(), CHALLENGE, &"a".repeat(129)] {
            assert!(!is_verified(CHALLENGE, wrong), "{wrong}");
        }
        for wrong in ["", &CHALLENGE[1..], &format!("{CHALLENGE}="), &"é".repeat(21)] {
            assert!(!is_code_challenge(wrong), "{wrong}");
        }
    }
}
