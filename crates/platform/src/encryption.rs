//! Encrypts secrets that the server must be able to read again, for the database, with AES-256-GCM.

use aes_gcm::aead::{Aead as _, Payload};
use aes_gcm::{Aes256Gcm, KeyInit as _, Nonce};

use crate::clock;
use crate::config::Secret;
use crate::refusal::{Refusal, internal};
use crate::tokens::TokenKeys;

/// The context from which keys are derived. It names webhooks, whose secrets were the first, and stays so
/// that stored secrets can be decrypted.
const KEY_CONTEXT: &str = "caraplace 2026-11 keys of webhooks' secrets";
/// The context from which the names of keys are derived.
const KEY_NAME_CONTEXT: &str = "caraplace 2026-11 names of keys of webhooks' secrets";
/// The length of a key's name, with which an encrypted secret begins.
const KEY_NAME_BYTES: usize = 8;
const NONCE_BYTES: usize = 12;

/// The keys of the settings in their order, and last a key that is derived from the secret in the database.
/// The first encrypts, all decrypt.
pub struct EncryptionKeys {
    first: EncryptionKey,
    others: Vec<EncryptionKey>,
}

/// A key with its name.
struct EncryptionKey {
    name: [u8; KEY_NAME_BYTES],
    cipher: Aes256Gcm,
}

impl EncryptionKey {
    fn new(material: &[u8]) -> Self {
        let key = blake3::derive_key(KEY_CONTEXT, material);
        let name = blake3::derive_key(KEY_NAME_CONTEXT, &key);
        let name = std::array::from_fn(|index| name[index]);
        Self { name, cipher: Aes256Gcm::new(&key.into()) }
    }
}

impl EncryptionKeys {
    /// Returns the keys of these settings: one or more, separated by commas.
    pub fn new(setting: Option<&Secret>, tokens: &TokenKeys) -> Self {
        let from_database = EncryptionKey::new(tokens.derive(KEY_CONTEXT, &[]).mac("").as_bytes());
        let from_settings = setting.map_or("", Secret::expose).split(',').filter(|key| !key.is_empty());
        let mut keys = from_settings.map(|key| EncryptionKey::new(key.as_bytes()));
        match keys.next() {
            Some(first) => Self { first, others: keys.chain([from_database]).collect() },
            None => Self { first: from_database, others: Vec::new() },
        }
    }

    /// Returns the names of all keys. Secrets that were encrypted with another key cannot be decrypted.
    pub fn names(&self) -> Vec<Vec<u8>> {
        self.all().map(|key| key.name.to_vec()).collect()
    }

    fn all(&self) -> impl Iterator<Item = &EncryptionKey> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// Encrypts a secret of the webhook or operator with this id.
    ///
    /// # Errors
    /// `Internal` if the system provides no randomness, or the encryption fails.
    pub fn encrypt(&self, secret: &[u8], owner_id: &str) -> Result<Vec<u8>, Refusal> {
        let nonce = clock::random_bytes::<NONCE_BYTES>().map_err(internal("drawing a nonce"))?;
        let payload = Payload { msg: secret, aad: owner_id.as_bytes() };
        let encrypted = self.first.cipher.encrypt(&Nonce::from(nonce), payload);
        let encrypted = encrypted.ok().ok_or(std::io::ErrorKind::InvalidData);
        let encrypted =
            encrypted.map_err(|kind| internal("encrypting a secret")(std::io::Error::from(kind)))?;
        Ok([&self.first.name[..], &nonce, &encrypted].concat())
    }

    /// Decrypts a secret of the webhook or operator with this id; `None` if none of the keys can.
    pub fn decrypt(&self, stored: &[u8], owner_id: &str) -> Option<Vec<u8>> {
        let (name, rest) = stored.split_first_chunk::<KEY_NAME_BYTES>()?;
        let (nonce, encrypted) = rest.split_first_chunk::<NONCE_BYTES>()?;
        let key = self.all().find(|key| key.name == *name)?;
        let payload = Payload { msg: encrypted, aad: owner_id.as_bytes() };
        key.cipher.decrypt(&Nonce::from(*nonce), payload).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    const SECRET: &[u8] = b"a secret of thirty-two bytes ...";

    fn keys(setting: &str, database_secret: u8) -> EncryptionKeys {
        let lookup = |name: &str| (name == "CARAPLACE_WEBHOOK_KEY").then(|| setting.to_owned());
        let setting = Config::read(lookup).unwrap().outgoing.webhook_key;
        EncryptionKeys::new(setting.as_ref(), &TokenKeys::new(&[database_secret; 32]))
    }

    #[test]
    fn secret_is_decrypted_only_with_its_key_and_for_its_owner() {
        let one = "a".repeat(32);
        let two = "b".repeat(32);
        let encrypted = keys(&one, 1).encrypt(SECRET, "hook_a").unwrap();
        assert!(keys(&one, 2).decrypt(&encrypted, "hook_a") == Some(SECRET.to_vec()));
        assert!(keys(&format!("{two},{one}"), 2).decrypt(&encrypted, "hook_a") == Some(SECRET.to_vec()));
        for wrong in [keys(&two, 1), keys("", 1)] {
            assert!(wrong.decrypt(&encrypted, "hook_a").is_none());
        }
        assert!(
            keys(&one, 1).decrypt(&encrypted, "hook_b").is_none(),
            "another webhook's secret is put in its place"
        );
        let mut damaged = encrypted.clone();
        *damaged.last_mut().unwrap() ^= 1;
        assert!(
            keys(&one, 1).decrypt(&damaged, "hook_a").is_none()
                && keys(&one, 1).decrypt(&[], "hook_a").is_none()
        );
        let is_plain = encrypted.windows(SECRET.len()).any(|bytes| bytes == SECRET);
        assert!(!is_plain);
    }

    #[test]
    fn first_key_encrypts_and_the_key_of_the_database_always_decrypts() {
        let one = "a".repeat(32);
        let encrypted = keys("", 1).encrypt(SECRET, "hook_a").unwrap();
        assert!(
            keys(&one, 1).decrypt(&encrypted, "hook_a").is_some()
                && keys("", 2).decrypt(&encrypted, "hook_a").is_none()
        );
        let both = keys(&format!("{one},{}", "b".repeat(32)), 1);
        assert_eq!(both.names().len(), 3);
        assert!(both.encrypt(SECRET, "hook_a").unwrap().starts_with(&both.names()[0]));
    }
}
