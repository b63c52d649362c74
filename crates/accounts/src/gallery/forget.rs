//! Forgets viewers whose accounts are erased.

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use sqlx::PgConnection;

use super::tiers::Tiers;
use super::{passes, store};

/// Ends the pass of a viewer as a revocation does, and deletes its mail address, its sessions and its links.
/// The customer is locked first, then the viewer, then the head of the log, as by payments.
///
/// # Errors
/// `ViewerNotFound` if it is erased already.
pub(crate) async fn forget_viewer(
    state: &AppState,
    connection: &mut PgConnection,
    tiers: &Tiers,
    viewer: &Identity,
) -> Result<(), Refusal> {
    store::lock_customer_of(connection, viewer.no).await?;
    passes::revoke(state, connection, tiers, &viewer.id).await?;
    store::delete_sessions(connection, viewer.no).await?;
    store::delete_links(connection, viewer.no).await?;
    Ok(store::clear_mail(connection, viewer.no).await?)
}
