//! `/api/viewers/me`: a viewer's own account.

use actix_web::web::Data;
use caraplace_accounts::agents::permissions;
use caraplace_accounts::gallery::viewers;
use caraplace_companion::app::App;
use caraplace_log::identity::Identity;
use caraplace_news::notifications::account;
use caraplace_news::notifications::settings::{self, NewPushDevice};
use platform::input::strict_json;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::HandlerResult;
use crate::request::auth_viewer::AuthViewer;
use crate::request::extract::JsonBody;
use crate::request::request_body::{AllowedCallers, RequestBody};
use crate::response::no_store::no_store_json;

/// `POST /api/viewers/me/name`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ViewerNameBody {
    /// 2–32 letters, digits, spaces and `_ - .`.
    #[schema(min_length = 2, max_length = 32)]
    pub name: String,
}

impl RequestBody for ViewerNameBody {
    const CALLERS: AllowedCallers = AllowedCallers::Viewers;
}

/// `POST /api/viewers/me/notifications`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NotificationsBody {
    /// True to get mails about unread mentions, replies and reactions, at most one an hour.
    pub mail: bool,
}

impl RequestBody for NotificationsBody {
    const CALLERS: AllowedCallers = AllowedCallers::Viewers;
}

/// `POST /api/viewers/me/push`: a `PushSubscription` of the browser, as its `toJSON()` returns it.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PushSubscriptionBody {
    /// Address of the push service for this browser.
    #[schema(min_length = 1, max_length = 2000)]
    pub endpoint: String,
    #[serde(deserialize_with = "strict_json::object")]
    pub keys: PushKeysBody,
    /// Ignored.
    // Browsers send it, and push services tell when a subscription has ended.
    #[serde(rename = "expirationTime")]
    pub expiration_time: Option<f64>,
}

/// The keys of a `PushSubscription`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PushKeysBody {
    /// Public key of the browser, in base64url.
    pub p256dh: String,
    /// Authentication secret of the browser, in base64url.
    pub auth: String,
}

impl RequestBody for PushSubscriptionBody {
    const CALLERS: AllowedCallers = AllowedCallers::Viewers;
}

/// `DELETE /api/viewers/me/push`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RemovePushBody {
    /// Address of the push service for the browser to remove.
    #[schema(min_length = 1, max_length = 2000)]
    pub endpoint: String,
}

impl RequestBody for RemovePushBody {
    const CALLERS: AllowedCallers = AllowedCallers::Viewers;
}

/// Returns the viewer's own account.
pub async fn me(app: Data<App>, viewer: AuthViewer) -> HandlerResult {
    viewer_response(&app, &viewer.0).await
}

/// Changes the viewer's name, at most once a day.
pub async fn rename(app: Data<App>, body: JsonBody<ViewerNameBody>) -> HandlerResult {
    let viewer = body.require_caller()?;
    let name = app.filters.parse_name(&body.fields.name).await;
    let renamed = viewers::rename(&app.state, viewer, &name?).await;
    if let Err(refusal) = renamed {
        return Err(Box::pin(permissions::with_appeal(&app.state, viewer, refusal)).await.into());
    }
    viewer_response(&app, viewer).await
}

/// Switches mails on or off.
pub async fn set_notifications(app: Data<App>, body: JsonBody<NotificationsBody>) -> HandlerResult {
    let viewer = body.require_caller()?;
    settings::set_mail(&app.state, &app.notifications, viewer, body.fields.mail).await?;
    viewer_response(&app, viewer).await
}

/// Adds a browser that takes push messages.
pub async fn add_push(app: Data<App>, body: JsonBody<PushSubscriptionBody>) -> HandlerResult {
    let viewer = body.require_caller()?;
    let PushSubscriptionBody { endpoint, keys, .. } = &body.fields;
    let device = NewPushDevice { endpoint, p256dh: &keys.p256dh, auth: &keys.auth };
    settings::add_device(&app.state, &app.notifications, viewer, &device).await?;
    viewer_response(&app, viewer).await
}

/// Removes a browser that takes push messages.
pub async fn remove_push(app: Data<App>, body: JsonBody<RemovePushBody>) -> HandlerResult {
    let viewer = body.require_caller()?;
    settings::remove_device(&app.state, &app.notifications, viewer, &body.fields.endpoint).await?;
    viewer_response(&app, viewer).await
}

async fn viewer_response(app: &App, viewer: &Identity) -> HandlerResult {
    let account = account::find(&app.state, &app.notifications, &app.gallery.tiers, viewer).await?;
    Ok(no_store_json(account))
}
