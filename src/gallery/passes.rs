//! Passes: combines payments and grants into the pass that the writer checks.

use chrono::{DateTime, TimeDelta, Utc};
use rules::gallery_pass::GalleryPass;
use rules::names::AgentName;
use serde::Serialize;
use sqlx::PgConnection;
use utoipa::ToSchema;

use super::reconciler::PassReconciler;
use super::store::{self, JobKind, ViewerRow};
use super::tiers::Tiers;
use super::viewers::{self, NewViewer};
use crate::log;
use crate::refusal::Refusal;

/// The current pass of a viewer, as the writer knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentPass {
    pub until: Option<DateTime<Utc>>,
    /// Seconds between messages; `None` for the game's default.
    pub seconds: Option<i32>,
    pub badge: Option<String>,
}

/// A pass to grant.
pub struct PassGrant {
    /// `viewer_…` of an existing viewer; `None` for a new one.
    pub viewer: Option<String>,
    /// The name of a new viewer; `Visitor NNNN` by default.
    pub name: Option<AgentName>,
    /// The address for links to a new key.
    pub email: Option<String>,
    pub until: DateTime<Utc>,
    /// The id of the tier.
    pub tier: String,
}

/// A viewer with a newly granted pass.
#[derive(Debug)]
pub struct GrantedPass {
    /// `viewer_…`.
    pub id: String,
    /// The only copy of a new key. `None` if the viewer already had one.
    pub key: Option<String>,
}

/// A viewer who has or had a pass.
#[derive(Debug, Serialize, ToSchema)]
pub struct PassHolder {
    pub no: i64,
    /// `viewer_…`.
    pub id: String,
    pub name: String,
    pub badge: Option<String>,
    pub pass_until: Option<DateTime<Utc>>,
    /// True if the pass was bought, false if an operator granted it.
    pub pays: bool,
    /// True if an operator has revoked the pass.
    pub revoked: bool,
    pub created_at: DateTime<Utc>,
    /// The state of cancellations and refunds at Stripe; null if there are none.
    pub cancellation: Option<CancellationState>,
    /// The error of the last attempt to cancel or refund, if it is not done.
    pub cancellation_error: Option<String>,
}

/// The state of cancellations and refunds at Stripe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum CancellationState {
    /// They are not done yet, and are tried again.
    Pending,
    /// Stripe has refused them, or many attempts have failed. They are tried again every six hours.
    Failed,
    Done,
}

impl PassHolder {
    /// Returns true if the pass is revoked and something is still to be done at Stripe.
    pub fn is_cancelling(&self) -> bool {
        let is_open = |state| matches!(state, CancellationState::Pending | CancellationState::Failed);
        self.revoked && self.cancellation.is_some_and(is_open)
    }
}

impl CancellationState {
    /// Returns the state in words, for operators.
    pub fn words(self) -> &'static str {
        match self {
            Self::Pending => "cancelling",
            Self::Failed => "cancelling failed",
            Self::Done => "cancelled",
        }
    }
}

impl CurrentPass {
    /// Returns the current pass from the combined one.
    pub(super) fn from_pass(pass: Option<&GalleryPass>, tiers: &Tiers) -> Self {
        let tier = pass.and_then(|pass| tiers.find(&pass.tier));
        Self {
            until: pass.map(|pass| pass.until),
            seconds: tier.and_then(|tier| tier.interval),
            badge: tier.map(|tier| tier.name.to_owned()),
        }
    }
}

/// Grants a pass to an existing or a new viewer. The caller commits.
///
/// # Errors
/// `NameTaken`, `ViewerNotFound`, or a database error.
pub async fn grant(
    connection: &mut PgConnection,
    tiers: &Tiers,
    grant: PassGrant,
    offset: TimeDelta,
) -> Result<GrantedPass, Refusal> {
    let PassGrant { viewer, name, email, until, tier } = grant;
    let (mut viewer, granted) = match viewer {
        Some(id) => {
            let mut viewer = lock_viewer(connection, &id).await?;
            let key = issue_first_key(connection, &mut viewer, offset).await?;
            (viewer, GrantedPass { id, key })
        }
        None => {
            let NewViewer { no, id, key } = viewers::add(connection, name.as_ref(), offset).await?;
            (ViewerRow::new(no), GrantedPass { id, key: Some(key) })
        }
    };
    // The response shows the first key.
    viewer.keyed = true;
    viewer.email_fixed |= email.is_some();
    viewer.email = email.or(viewer.email);
    (viewer.granted_until, viewer.granted_tier, viewer.revoked) = (Some(until), Some(tier), false);
    PassReconciler { connection, tiers, offset }.reconcile(&mut viewer).await?;
    Ok(granted)
}

/// Creates a key for a viewer who has never been shown one, or returns `None` for other viewers.
pub(super) async fn issue_first_key(
    connection: &mut PgConnection,
    viewer: &mut ViewerRow,
    offset: TimeDelta,
) -> Result<Option<String>, Refusal> {
    if viewer.keyed {
        return Ok(None);
    }
    viewer.keyed = true;
    viewers::issue_key(connection, viewer.no, offset).await.map(Some)
}

/// Revokes a viewer's pass, even if it is paid. Its subscriptions will be cancelled at Stripe. The caller
/// commits.
///
/// # Errors
/// `ViewerNotFound`, or a database error.
pub async fn revoke(
    connection: &mut PgConnection,
    tiers: &Tiers,
    viewer: &str,
    offset: TimeDelta,
) -> Result<(), Refusal> {
    let viewer = lock_viewer(connection, viewer).await?;
    let mut viewer = ViewerRow { granted_until: None, granted_tier: None, revoked: true, ..viewer };
    let now = log::database_time(connection, offset).await?;
    if let Some(customer) = &viewer.customer {
        store::add_cancellations(connection, customer, JobKind::Cancel, viewer.no, now).await?;
    }
    // Another order of an operator is a reason to try at once what has failed before.
    store::retry_jobs(connection, viewer.no, now).await?;
    Ok(PassReconciler { connection, tiers, offset }.reconcile(&mut viewer).await?)
}

/// Returns the viewer with this id, locked for the rest of the transaction.
async fn lock_viewer(connection: &mut PgConnection, id: &str) -> Result<ViewerRow, Refusal> {
    let no = store::find_viewer_no(connection, id).await?.ok_or(Refusal::ViewerNotFound)?;
    store::lock_viewer(connection, no).await?.ok_or(Refusal::ViewerNotFound)
}
