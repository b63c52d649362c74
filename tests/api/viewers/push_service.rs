//! A push service of the test. It answers with a chosen status, and decrypts what it receives as a browser
//! does.

use platform::clock;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use web_push_native::p256::SecretKey;
use web_push_native::p256::ecdsa::signature::Verifier as _;
use web_push_native::p256::ecdsa::{Signature, VerifyingKey};
use web_push_native::{Auth, decrypt};

use crate::support::{Received, Receiver};

pub struct PushService {
    pub origin: String,
    receiver: Receiver,
}

/// A browser that has subscribed.
pub struct PushBrowser {
    pub endpoint: String,
    key: SecretKey,
    auth: [u8; 16],
}

impl PushService {
    pub async fn open() -> Self {
        Self::open_at("127.0.0.1").await
    }

    pub async fn open_at(address: &str) -> Self {
        let receiver = Receiver::open_at(address).await;
        receiver.answer_with(201);
        let origin = receiver.url.strip_suffix("/hook").unwrap().to_owned();
        Self { origin, receiver }
    }

    /// Returns the number of connections so far.
    pub fn connections(&self) -> usize {
        self.receiver.connections()
    }

    /// Sets the status of all later responses.
    pub fn answer_with(&self, status: u16) {
        self.receiver.answer_with(status);
    }

    /// Waits for the next message.
    pub async fn next(&mut self) -> Received {
        self.receiver.next().await
    }

    /// Returns true if there is an unread message.
    pub fn has_unread(&self) -> bool {
        self.receiver.has_unread()
    }

    /// Returns a new browser whose messages come here.
    pub fn browser(&self, name: &str) -> PushBrowser {
        PushBrowser::new(format!("{}/push/{name}", self.origin))
    }
}

impl PushBrowser {
    pub fn new(endpoint: String) -> Self {
        let key = SecretKey::from_slice(&clock::random_bytes::<32>().unwrap()).unwrap();
        Self { endpoint, key, auth: clock::random_bytes().unwrap() }
    }

    /// Returns the subscription as `PushSubscription.toJSON()` does.
    pub fn subscription(&self) -> Value {
        let point = self.key.public_key().to_sec1_bytes();
        json!({
            "endpoint": self.endpoint,
            "expirationTime": null,
            "keys": {
                "p256dh": BASE64_URL_SAFE_NO_PAD.encode(point),
                "auth": BASE64_URL_SAFE_NO_PAD.encode(self.auth),
            },
        })
    }

    /// Decrypts a message for this browser.
    pub fn read(&self, request: &Received) -> Value {
        let text = decrypt(request.body.clone(), &self.key, &Auth::from(self.auth)).unwrap();
        serde_json::from_slice(&text).unwrap()
    }
}

impl Received {
    /// Verifies the signature of the token with this public key. Returns the claims.
    pub fn verify_token(&self, public_key: &str) -> Value {
        let authorization = self.header("authorization");
        let (token, key) = authorization.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
        assert_eq!(key, public_key);
        let decode = |text: &str| BASE64_URL_SAFE_NO_PAD.decode(text).unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let verifying_key = VerifyingKey::from_sec1_bytes(&decode(public_key)).unwrap();
        let signature = Signature::from_slice(&decode(signature)).unwrap();
        verifying_key.verify(signed.as_bytes(), &signature).unwrap();
        let (header, claims) = signed.split_once('.').unwrap();
        let header: Value = serde_json::from_slice(&decode(header)).unwrap();
        assert_eq!(header, json!({"typ": "JWT", "alg": "ES256"}));
        serde_json::from_slice(&decode(claims)).unwrap()
    }
}
