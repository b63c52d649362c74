//! `caraplace admin vapid-key`: creates a key for CARAPLACE_VAPID_PRIVATE_KEY.

use platform::vapid::VapidKey;
use serde_json::json;

use super::context::{CliOutput, CliOutputResult};

/// Creates a private key. Nothing is stored.
pub(super) fn generate() -> CliOutputResult {
    let key = VapidKey::generate()?;
    let private = key.private_key();
    let public = key.public_key();
    Ok(CliOutput::new(private.as_str(), &json!({"private_key": private, "public_key": public})))
}
