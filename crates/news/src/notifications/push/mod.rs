//! Sends push messages to browsers (RFC 8030), encrypted for each of them (RFC 8291).

mod payload;
mod subject;

use chrono::{DateTime, Utc};
use futures_util::future::join_all;
use platform::config::OutgoingSettings;
use platform::outbound::{OutboundClient, OutboundRequest, OutboundTarget, TargetRefusal};
use platform::telemetry::METRICS;
use platform::vapid::VapidKey;
use web_push_native::p256::PublicKey;
use web_push_native::{Auth, encrypt};

use super::news::News;
use super::store::PushDevice;
use payload::PushPayload;
use subject::is_public_contact;

/// The time for which a push service stores a message for a browser that is offline, in seconds.
const LIFETIME_SECONDS: u32 = 12 * 60 * 60;

/// Sends push messages with the server's key.
pub(super) struct PushSender {
    client: OutboundClient,
    key: VapidKey,
    subject: String,
}

/// The number of refusals in a row after which a device is deleted, whatever the reasons.
const MAX_REFUSALS: i32 = 5;
/// The statuses with which a push service says that a device no longer exists (RFC 8030, section 7.3).
const GONE_STATUSES: [u16; 2] = [404, 410];
const TOO_MANY_REQUESTS: u16 = 429;

/// The results of sending a message to the devices of a viewer.
#[derive(Debug, Default)]
pub(super) struct PushResults {
    pub is_any_accepted: bool,
    /// True if a push service did not answer or refused the message for now.
    pub is_any_failed: bool,
    /// The addresses of devices that no longer exist, or were refused too often.
    pub gone: Vec<String>,
    /// The addresses of devices, with their new numbers of refusals in a row.
    pub refusals: Vec<(String, i32)>,
}

/// The result for one device.
enum PushResult {
    Accepted,
    /// The service did not answer, or not now.
    Failed,
    /// The service refused the message, for a reason that need not lie in the device.
    Refused,
    Gone,
}

impl PushSender {
    /// Returns a sender. `None` if the settings have no key, or, with a warning, no contact that push
    /// services accept: they would refuse every message.
    pub(super) fn from_settings(settings: &OutgoingSettings, base_url: &str) -> Option<Self> {
        let key = settings.vapid_private_key.clone()?;
        let subject = settings.vapid_subject.clone().unwrap_or_else(|| base_url.to_owned());
        if !is_public_contact(&subject) {
            tracing::warn!(
                subject,
                "web push is off: set CARAPLACE_VAPID_SUBJECT to mailto: or https:// with a public domain"
            );
            return None;
        }
        let client = OutboundClient::new(settings.webhook_allow.clone(), base_url)?;
        Some(Self { client, key, subject })
    }

    /// Returns the public key with which browsers subscribe.
    pub(super) fn public_key(&self) -> &str {
        self.key.public_key()
    }

    /// Parses the address of a device.
    ///
    /// # Errors
    /// The reason why no request is sent there.
    pub(super) fn parse_endpoint(&self, endpoint: &str) -> Result<OutboundTarget, TargetRefusal> {
        self.client.parse_target(endpoint)
    }

    /// Sends the news to all devices of a viewer at the same time.
    pub(super) async fn send_to_all(
        &self,
        devices: &[PushDevice],
        news: &News,
        now: DateTime<Utc>,
    ) -> PushResults {
        let payload = PushPayload::from_news(news).to_json();
        let results = join_all(devices.iter().map(|device| self.send(device, &payload, now))).await;
        let mut sum = PushResults::default();
        for (device, result) in devices.iter().zip(results) {
            let counters = &METRICS.notifications;
            match result {
                PushResult::Accepted => {
                    counters.pushes_accepted.inc();
                    sum.is_any_accepted = true;
                    if device.refusals > 0 {
                        sum.refusals.push((device.endpoint.clone(), 0));
                    }
                }
                PushResult::Failed => {
                    counters.pushes_failed.inc();
                    sum.is_any_failed = true;
                }
                PushResult::Refused => {
                    counters.pushes_refused.inc();
                    sum.is_any_failed = true;
                    match device.refusals + 1 {
                        MAX_REFUSALS.. => sum.gone.push(device.endpoint.clone()),
                        refusals => sum.refusals.push((device.endpoint.clone(), refusals)),
                    }
                }
                PushResult::Gone => {
                    counters.pushes_gone.inc();
                    sum.gone.push(device.endpoint.clone());
                }
            }
        }
        sum
    }

    async fn send(&self, device: &PushDevice, payload: &[u8], now: DateTime<Utc>) -> PushResult {
        // The networks that may be reached can have changed since the device was added.
        let Ok(target) = self.parse_endpoint(&device.endpoint) else { return PushResult::Gone };
        let Some(body) = encrypt_for(device, payload) else { return PushResult::Gone };
        let authorization = self.key.authorization(&target.origin(), &self.subject, now);
        let headers = vec![
            ("authorization", authorization),
            ("content-encoding", "aes128gcm".to_owned()),
            ("content-type", "application/octet-stream".to_owned()),
            ("ttl", LIFETIME_SECONDS.to_string()),
        ];
        match self.client.post(&target, OutboundRequest { headers, body }).await {
            Ok(200..=299) => PushResult::Accepted,
            Ok(status) if GONE_STATUSES.contains(&status) => PushResult::Gone,
            Ok(status @ 400..=499) if status != TOO_MANY_REQUESTS => {
                // The path of the address is a secret of the browser.
                tracing::warn!(status, origin = target.origin(), "a push service refused a message");
                PushResult::Refused
            }
            Ok(status) => {
                tracing::debug!(status, "a push service cannot take a message now");
                PushResult::Failed
            }
            Err(error) => {
                // The error's source names the address, which is a secret of the browser.
                tracing::debug!(%error, "a push service could not be reached");
                PushResult::Failed
            }
        }
    }
}

/// Encrypts a message for a device. `None` if the device's key is invalid.
fn encrypt_for(device: &PushDevice, payload: &[u8]) -> Option<Vec<u8>> {
    let key = PublicKey::from_sec1_bytes(&device.p256dh).ok()?;
    let auth: [u8; 16] = device.auth.as_slice().try_into().ok()?;
    encrypt(payload.to_vec(), &key, &Auth::from(auth)).ok()
}

/// Returns true if these bytes are an uncompressed point on the curve P-256.
pub(super) fn is_public_key(bytes: &[u8]) -> bool {
    bytes.len() == 65 && PublicKey::from_sec1_bytes(bytes).is_ok()
}
