//! The key with which this server identifies itself to push services (RFC 8292).

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use web_push_native::p256::ecdsa::signature::Signer as _;
use web_push_native::p256::ecdsa::{Signature, SigningKey};

use crate::clock;
use crate::refusal::{Refusal, internal};

/// The lifetime of a token. Push services accept at most a day.
const TOKEN_LIFETIME: TimeDelta = TimeDelta::hours(12);

/// The length of a private key.
const PRIVATE_KEY_BYTES: usize = 32;

/// A private key on the curve P-256.
#[derive(Clone)]
pub struct VapidKey {
    signing_key: SigningKey,
    /// The public key as an uncompressed point, in base64url.
    public_key: String,
}

impl fmt::Debug for VapidKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

impl VapidKey {
    /// Parses a private key: 32 bytes in base64url. `None` if it is invalid.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()?;
        let bytes: [u8; PRIVATE_KEY_BYTES] = bytes.try_into().ok()?;
        SigningKey::from_slice(&bytes).ok().map(Self::from_signing_key)
    }

    /// Creates a new key.
    pub fn generate() -> Result<Self, Refusal> {
        loop {
            let random = clock::random_bytes::<PRIVATE_KEY_BYTES>().map_err(internal("drawing a key"))?;
            // Of 2³² random numbers, one is no key.
            if let Ok(key) = SigningKey::from_slice(&random) {
                return Ok(Self::from_signing_key(key));
            }
        }
    }

    fn from_signing_key(signing_key: SigningKey) -> Self {
        let point = signing_key.verifying_key().to_encoded_point(false);
        Self { public_key: BASE64_URL_SAFE_NO_PAD.encode(point.as_bytes()), signing_key }
    }

    /// Returns the public key as an uncompressed point, in base64url.
    pub fn public_key(&self) -> &str {
        &self.public_key
    }

    /// Returns the private key in base64url, as in the setting.
    pub fn private_key(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.signing_key.to_bytes())
    }

    /// Returns the `Authorization` header for a push service with this origin. The subject tells the service
    /// whom to contact.
    pub fn authorization(&self, origin: &str, subject: &str, now: DateTime<Utc>) -> String {
        let header = json!({"typ": "JWT", "alg": "ES256"});
        let claims = json!({"aud": origin, "exp": (now + TOKEN_LIFETIME).timestamp(), "sub": subject});
        let signed = [header, claims].map(|part| BASE64_URL_SAFE_NO_PAD.encode(part.to_string())).join(".");
        let signature: Signature = self.signing_key.sign(signed.as_bytes());
        let signature = BASE64_URL_SAFE_NO_PAD.encode(signature.to_bytes());
        format!("vapid t={signed}.{signature}, k={}", self.public_key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_survives_its_text_form() {
        let key = VapidKey::generate().unwrap();
        let same = VapidKey::parse(&key.private_key()).unwrap();
        assert_eq!(same.public_key(), key.public_key());
        assert_eq!(BASE64_URL_SAFE_NO_PAD.decode(key.public_key()).unwrap().len(), 65);
        for wrong in ["", "abc", &key.private_key()[1..], &"A".repeat(43), key.public_key()] {
            assert!(VapidKey::parse(wrong).is_none(), "{wrong}");
        }
    }
}
