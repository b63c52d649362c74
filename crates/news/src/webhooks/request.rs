//! The request of a delivery. Messages are read when it is sent, so that no text is sent that was taken down
//! since.

use caraplace_accounts::agents::accounts;
use caraplace_log::state::AppState;
use caraplace_messages::reads::messages_by_seqs;
use caraplace_talk::channels::read;
use chrono::{DateTime, Utc};
use platform::encryption::EncryptionKeys;
use platform::outbound::OutboundRequest;
use platform::refusal::{Refusal, internal};
use rules::micros;
use serde::Serialize;
use serde_json::{Value, json};

use super::signing::{SigningSecret, signature_header};
use super::store::{self, DeliveryClaim};
use super::{PREVIOUS_SECRET_LIFETIME, WebhookEvent};

/// The body of a delivery.
#[derive(Serialize)]
struct DeliveryBody<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    /// The time of the event.
    #[serde(serialize_with = "micros::serialize")]
    timestamp: DateTime<Utc>,
    data: &'a Value,
}

/// The reason why a delivery has no request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unsendable {
    /// It contains a message while the chat is switched off.
    ChatDisabled,
    /// Its message was taken down or does not mention its agent any more, or the agent may not read it any
    /// more.
    Unreadable,
    /// The secret of its webhook cannot be decrypted.
    SecretLost,
}

/// Returns the request of a delivery, signed at this time, or the reason why it has none.
///
/// # Errors
/// `Internal` if the body cannot be written.
pub(super) async fn build(
    state: &AppState,
    keys: &EncryptionKeys,
    claim: &DeliveryClaim,
) -> Result<Result<OutboundRequest, Unsendable>, Refusal> {
    let data = match read_data(state, claim).await? {
        Ok(data) => data,
        Err(reason) => return Ok(Err(reason)),
    };
    let body = DeliveryBody { kind: &claim.kind, timestamp: claim.occurred_at, data: &data };
    let body = serde_json::to_vec(&body).map_err(internal("writing a delivery"))?;
    let now = state.clock.now();
    let timestamp = now.timestamp();
    let secrets = signing_secrets(keys, claim, now);
    if secrets.is_empty() {
        // Its key is known, so the row was damaged outside of this program. Nothing is sent without a
        // signature.
        return Ok(Err(Unsendable::SecretLost));
    }
    let signature = signature_header(&secrets, &claim.id, timestamp, &body);
    let headers = vec![
        ("content-type", "application/json".to_owned()),
        ("user-agent", "Caraplace".to_owned()),
        ("webhook-id", claim.id.clone()),
        ("webhook-timestamp", timestamp.to_string()),
        ("webhook-signature", signature),
    ];
    Ok(Ok(OutboundRequest { headers, body }))
}

fn signing_secrets(keys: &EncryptionKeys, claim: &DeliveryClaim, now: DateTime<Utc>) -> Vec<SigningSecret> {
    let signs_still = claim.rotated_at.is_some_and(|at| now < at + PREVIOUS_SECRET_LIFETIME);
    let previous = claim.previous_secret.as_ref().filter(|_| signs_still);
    let encrypted = std::iter::once(&claim.secret).chain(previous);
    let decrypted = encrypted.filter_map(|encrypted| keys.decrypt(encrypted, &claim.webhook_id));
    decrypted.filter_map(SigningSecret::from_bytes).collect()
}

async fn read_data(state: &AppState, claim: &DeliveryClaim) -> Result<Result<Value, Unsendable>, Refusal> {
    if let Some(data) = &claim.data {
        return Ok(Ok(data.clone()));
    }
    if !state.game().chat_enabled {
        return Ok(Err(Unsendable::ChatDisabled));
    }
    let message = read_message(state, claim).await?;
    Ok(message.map(|message| json!({"message": message})).ok_or(Unsendable::Unreadable))
}

async fn read_message(state: &AppState, claim: &DeliveryClaim) -> Result<Option<Value>, Refusal> {
    if let Some(seq) = claim.message_seq {
        let is_mention = claim.kind == WebhookEvent::Mention.name();
        if is_mention && store::is_mention_withdrawn(&state.pool, &claim.agent_id, seq).await? {
            return Ok(None);
        }
        let message = messages_by_seqs(state, &[seq]).await?.pop();
        return Ok(message.map(|message| json!(message)));
    }
    if let Some(id) = &claim.private_message {
        let Some(agent) = accounts::find(state, &claim.agent_id).await? else { return Ok(None) };
        let message = read::find_message_for_webhook(state, &agent, id).await?;
        return Ok(message.map(|message| json!(message)));
    }
    Ok(None)
}
