//! The secrets of webhooks, and the signatures that they make, as Standard Webhooks defines them.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use platform::clock;
use platform::refusal::{Refusal, internal};
use sha2::Sha256;

/// The prefix of a secret as text.
const PREFIX: &str = "whsec_";
/// The length of a secret that the server draws, in bytes.
const NEW_SECRET_BYTES: usize = 32;
/// The lengths that the standard allows, in bytes.
const MIN_SECRET_BYTES: usize = 24;
const MAX_SECRET_BYTES: usize = 64;

/// The secret with which deliveries are signed.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct SigningSecret(Vec<u8>);

impl SigningSecret {
    /// Draws a new secret.
    pub(super) fn generate() -> Result<Self, Refusal> {
        let bytes = clock::random_bytes::<NEW_SECRET_BYTES>().map_err(internal("drawing a secret"))?;
        Ok(Self(bytes.to_vec()))
    }

    /// Parses a secret that an agent has chosen.
    ///
    /// # Errors
    /// `Input` if it is not `whsec_` with 24 to 64 bytes in base64.
    pub(super) fn parse(text: &str) -> Result<Self, Refusal> {
        let decode = |encoded| BASE64_STANDARD.decode(encoded).ok();
        let bytes = text.strip_prefix(PREFIX).and_then(decode).and_then(Self::from_bytes);
        let detail = || {
            format!(
                "secret must be {PREFIX} and {MIN_SECRET_BYTES} to {MAX_SECRET_BYTES} bytes in base64; leave \
                 it out to get one."
            )
        };
        bytes.ok_or_else(|| Refusal::invalid("secret", detail()))
    }

    /// Returns the secret with these bytes; `None` if it is too short or too long.
    pub(super) fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        (MIN_SECRET_BYTES..=MAX_SECRET_BYTES).contains(&bytes.len()).then_some(Self(bytes))
    }

    /// Returns the bytes.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the secret as agents get it.
    pub(super) fn to_text(&self) -> String {
        format!("{PREFIX}{}", BASE64_STANDARD.encode(&self.0))
    }

    /// Returns the signature of a delivery with this id, sent at this time in seconds; `None` if the secret
    /// is no key.
    fn sign(&self, id: &str, timestamp: i64, body: &[u8]) -> Option<String> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(format!("{id}.{timestamp}.").as_bytes());
        mac.update(body);
        Some(format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes())))
    }
}

/// Returns the header `webhook-signature`: one signature with each secret.
pub(super) fn signature_header(secrets: &[SigningSecret], id: &str, timestamp: i64, body: &[u8]) -> String {
    let signatures: Vec<String> =
        secrets.iter().filter_map(|secret| secret.sign(id, timestamp, body)).collect();
    signatures.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_is_that_of_the_standard() {
        let secret = SigningSecret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
        let body = br#"{"test": 2432232314}"#;
        // The example of the standard; openssl dgst -sha256 -mac HMAC computes the same.
        let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(signature_header(std::slice::from_ref(&secret), id, 1_614_265_330, body), expected);
        let other = SigningSecret::generate().unwrap();
        let both = signature_header(&[secret, other], id, 1_614_265_330, body);
        assert_eq!(both.split(' ').count(), 2);
        assert!(both.starts_with(expected));
    }

    #[test]
    fn secrets_have_the_form_of_the_standard() {
        let secret = SigningSecret::generate().unwrap();
        assert!(SigningSecret::parse(&secret.to_text()).unwrap() == secret);
        let encode = |bytes: usize| format!("{PREFIX}{}", BASE64_STANDARD.encode(vec![7; bytes]));
        assert!(SigningSecret::parse(&encode(24)).is_ok() && SigningSecret::parse(&encode(64)).is_ok());
        for wrong in ["", "whsec_", &encode(23), &encode(65), &encode(32)[1..], "whsec_!!!"] {
            assert!(SigningSecret::parse(wrong).is_err(), "{wrong}");
        }
    }
}
