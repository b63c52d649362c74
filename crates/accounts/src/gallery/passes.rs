//! Passes: combines payments and grants into the pass that the writer checks.

use caraplace_log::state::AppState;
use chrono::{DateTime, TimeDelta, Utc};
use platform::refusal::{AccountRefusal, Refusal};
use rules::names::AgentName;
use sqlx::PgConnection;

use super::reconciler::PassReconciler;
use super::store::{self, JobKind, ViewerRow};
use super::tiers::Tiers;
use super::viewers::{self, NewViewer};

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

/// Grants a pass to an existing or a new viewer. The caller commits.
///
/// # Errors
/// `NameTaken` or `ViewerNotFound`.
pub async fn grant(
    state: &AppState,
    connection: &mut PgConnection,
    tiers: &Tiers,
    grant: PassGrant,
) -> Result<GrantedPass, Refusal> {
    let PassGrant { viewer, name, email, until, tier } = grant;
    let (mut viewer, granted) = match viewer {
        Some(id) => {
            let mut viewer = lock_viewer(connection, &id).await?;
            let key = issue_first_key(connection, &mut viewer, state.clock.offset()).await?;
            (viewer, GrantedPass { id, key })
        }
        None => {
            let NewViewer { no, id, key } = viewers::add(state, connection, name.as_ref()).await?;
            (ViewerRow::new(no), GrantedPass { id, key: Some(key) })
        }
    };
    // The response shows the first key.
    viewer.keyed = true;
    viewer.email_fixed |= email.is_some();
    viewer.email = email.or(viewer.email);
    (viewer.granted_until, viewer.granted_tier, viewer.revoked) = (Some(until), Some(tier), false);
    PassReconciler { connection, tiers, state }.reconcile(&mut viewer).await?;
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
/// `ViewerNotFound`.
pub async fn revoke(
    state: &AppState,
    connection: &mut PgConnection,
    tiers: &Tiers,
    viewer: &str,
) -> Result<(), Refusal> {
    let viewer = lock_viewer(connection, viewer).await?;
    let mut viewer = ViewerRow { granted_until: None, granted_tier: None, revoked: true, ..viewer };
    let now = caraplace_log::database_time(connection, state.clock.offset()).await?;
    if let Some(customer) = &viewer.customer {
        store::add_cancellations(connection, customer, JobKind::Cancel, viewer.no, now).await?;
    }
    // Another order of an operator is a reason to try at once what has failed before.
    store::retry_jobs(connection, viewer.no, now).await?;
    Ok(PassReconciler { connection, tiers, state }.reconcile(&mut viewer).await?)
}

/// Returns the viewer with this id, locked for the rest of the transaction.
async fn lock_viewer(connection: &mut PgConnection, id: &str) -> Result<ViewerRow, Refusal> {
    let no = store::find_viewer_no(connection, id).await?.ok_or(AccountRefusal::ViewerNotFound)?;
    store::lock_viewer(connection, no).await?.ok_or(AccountRefusal::ViewerNotFound.into())
}
