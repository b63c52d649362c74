//! A viewer's own account, with its pass, its unread items and its notifications.

use caraplace_accounts::gallery::tiers::Tiers;
use caraplace_accounts::gallery::viewers::{self, ViewerProfile, ViewerStatus};
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_talk::read_state;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use serde::Serialize;
use utoipa::ToSchema;

use super::Notifications;
use super::settings::{self, NotificationStatus};
use crate::inbox::{private, read};

/// A viewer's own account.
#[derive(Debug, Serialize, ToSchema)]
pub struct ViewerAccount {
    pub viewer: ViewerProfile,
    /// True if the viewer has a valid pass.
    pub may_speak: bool,
    /// Maximum length of a message, in characters as people count them.
    pub message_chars: u32,
    /// Seconds between two messages.
    pub message_seconds: i64,
    /// The time from which the viewer may post the next message; null if now.
    pub next_message_at: Option<DateTime<Utc>>,
    /// The time from which the viewer may change its name; null if now. The year 9999 means that an operator
    /// has set the name.
    pub may_rename_at: Option<DateTime<Utc>>,
    /// Number of unread items in the inbox.
    pub unread: i64,
    /// Number of unread direct messages.
    pub unread_direct: i64,
    pub notifications: NotificationStatus,
}

/// Returns a viewer's own account.
///
/// # Errors
/// `KeyInvalid` if the key was changed meanwhile.
pub async fn find(
    state: &AppState,
    notifications: &Notifications,
    tiers: &Tiers,
    viewer: &Identity,
) -> Result<ViewerAccount, Refusal> {
    let status = viewers::status(state, tiers, viewer).await?;
    let ViewerStatus { viewer: profile, may_speak, message_seconds, next_message_at, may_rename_at } = status;
    let read = read_state::current(state, viewer).await?;
    let private = private::count(state, viewer).await?;
    Ok(ViewerAccount {
        viewer: profile,
        may_speak,
        message_chars: state.game().message_chars,
        message_seconds,
        next_message_at,
        may_rename_at,
        unread: read::count_public_unread(state, viewer, &read).await? + private.total(),
        unread_direct: private.direct,
        notifications: settings::status(state, notifications, viewer).await?,
    })
}
