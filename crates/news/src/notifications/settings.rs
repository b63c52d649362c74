//! Changes how a viewer is notified.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use caraplace_accounts::gallery::viewers;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::database;
use platform::refusal::Refusal;
use rules::numbers::AccountNo;
use serde::Serialize;
use utoipa::ToSchema;

use super::push::is_public_key;
use super::store::{self, PushDevice};
use super::{DeliveryChannel, Notifications};

/// The maximum number of devices of one viewer.
const MAX_DEVICES: i64 = 5;
/// The length of a browser's authentication secret, in bytes.
const AUTH_BYTES: usize = 16;

/// How a viewer is notified about unread mentions, replies and reactions.
#[derive(Debug, Serialize, ToSchema)]
pub struct NotificationStatus {
    /// True if mails are sent, at most one an hour.
    pub mail: bool,
    /// True if mails can be sent: the server has a mail server, and a mail address of you.
    pub mail_available: bool,
    /// The public key with which browsers subscribe to Web Push, in base64url; null if the server has none.
    pub push_key: Option<String>,
    /// The number of your devices that take push messages, at most 5.
    pub push_devices: i64,
}

/// A browser's subscription to Web Push, as it gives it.
pub struct NewPushDevice<'a> {
    pub endpoint: &'a str,
    /// The browser's public key, in base64url.
    pub p256dh: &'a str,
    /// The browser's authentication secret, in base64url.
    pub auth: &'a str,
}

/// Returns how a viewer is notified.
pub async fn status(
    state: &AppState,
    notifications: &Notifications,
    viewer: &Identity,
) -> Result<NotificationStatus, Refusal> {
    let push_devices = match notifications.push {
        Some(_) => store::count_devices(&state.pool, viewer.no).await?,
        None => 0,
    };
    Ok(NotificationStatus {
        mail: store::wants_mail(&state.pool, viewer.no).await?,
        mail_available: can_mail(state, notifications, viewer).await?,
        push_key: notifications.push_key().map(str::to_owned),
        push_devices,
    })
}

async fn can_mail(
    state: &AppState,
    notifications: &Notifications,
    viewer: &Identity,
) -> Result<bool, Refusal> {
    Ok(notifications.mailer.is_some() && viewers::mail_address(state, viewer.no).await?.is_some())
}

/// Switches mails on or off.
///
/// # Errors
/// `Input` if mails cannot be sent.
pub async fn set_mail(
    state: &AppState,
    notifications: &Notifications,
    viewer: &Identity,
    is_wanted: bool,
) -> Result<(), Refusal> {
    if is_wanted && notifications.mailer.is_none() {
        let detail = "This server sends no mails. Read GET /api/inbox instead.";
        return Err(Refusal::invalid("mail", detail));
    }
    if is_wanted && !can_mail(state, notifications, viewer).await? {
        let detail = "The server has no mail address of you. Ask the operator to add one to your pass.";
        return Err(Refusal::invalid("mail", detail));
    }
    let mut connection = state.pool.acquire().await?;
    store::set_wanted(&mut connection, DeliveryChannel::Mail, viewer.no, is_wanted, state.clock.now())
        .await?;
    Ok(())
}

/// Adds a device. Beyond five, the oldest is removed.
///
/// # Errors
/// `Input` if the subscription is invalid or Web Push is off.
pub async fn add_device(
    state: &AppState,
    notifications: &Notifications,
    viewer: &Identity,
    new: &NewPushDevice<'_>,
) -> Result<(), Refusal> {
    let device = parse_device(notifications, new)?;
    let now = state.clock.now();
    let mut transaction = state.pool.begin().await?;
    // The row of the channel is locked, so two requests cannot leave more devices than allowed.
    store::set_wanted(&mut transaction, DeliveryChannel::Push, viewer.no, true, now).await?;
    store::insert_device(&mut transaction, viewer.no, &device, now, MAX_DEVICES).await?;
    database::commit(transaction).await
}

fn parse_device(notifications: &Notifications, new: &NewPushDevice<'_>) -> Result<PushDevice, Refusal> {
    let Some(push) = &notifications.push else {
        let detail = "This server sends no push messages. Read GET /api/inbox instead.";
        return Err(Refusal::invalid("endpoint", detail));
    };
    let target = push.parse_endpoint(new.endpoint).map_err(|refusal| {
        let detail = format!("endpoint {refusal}. Send the subscription as the browser gives it.");
        Refusal::invalid("endpoint", detail)
    })?;
    let invalid = |field, what| {
        let detail =
            format!("{field} is not {what} in base64url. Send the subscription as the browser gives it.");
        Refusal::invalid(field, detail)
    };
    let p256dh = decode(new.p256dh).filter(|key| is_public_key(key));
    let auth = decode(new.auth).filter(|auth| auth.len() == AUTH_BYTES);
    Ok(PushDevice {
        endpoint: target.as_str().to_owned(),
        p256dh: p256dh.ok_or_else(|| invalid("keys.p256dh", "a public key"))?,
        auth: auth.ok_or_else(|| invalid("keys.auth", "a secret of 16 bytes"))?,
        refusals: 0,
    })
}

/// Decodes base64url, with or without padding.
fn decode(text: &str) -> Option<Vec<u8>> {
    BASE64_URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()
}

/// Ends all notifications of a viewer, whose account is erased.
pub async fn delete_all(state: &AppState, viewer: AccountNo) -> Result<(), Refusal> {
    Ok(store::delete_all(&state.pool, viewer).await?)
}

/// Removes a device; nothing changes if it is none of the viewer's.
pub async fn remove_device(
    state: &AppState,
    notifications: &Notifications,
    viewer: &Identity,
    endpoint: &str,
) -> Result<(), Refusal> {
    // The address is stored as it was parsed.
    let target = notifications.push.as_ref().and_then(|push| push.parse_endpoint(endpoint).ok());
    let endpoint = target.as_ref().map_or(endpoint, |target| target.as_str());
    if endpoint.contains('\0') {
        return Err(Refusal::ContainsNul);
    }
    Ok(store::delete_device(&state.pool, viewer.no, endpoint).await?)
}
