//! Keeps cached accounts current, and ends the streams of those whose keys or rights have changed.

use caraplace_live::hub::RevokedKey;
use caraplace_log::control_entry::ControlEntry;
use caraplace_log::reload::{Reload, ReloadContext};
use caraplace_log::sql_future::SqlFuture;
use rules::numbers::AccountNo;
use sqlx::PgConnection;

use super::{KeyCache, store};

/// Keeps cached accounts current. It must be the last of all reloads: a client that reconnects when its
/// stream has ended finds what the others have applied.
pub struct ReloadAccounts;

impl Reload for ReloadAccounts {
    /// Removes the accounts that have changed and the keys that were revoked, notes shadow-bans, and ends
    /// streams. The cache advances even if no account has changed.
    fn apply_control<'a>(
        &self,
        connection: &'a mut PgConnection,
        context: ReloadContext<'a>,
        newest: i64,
        entries: &'a [ControlEntry],
    ) -> SqlFuture<'a, ()> {
        Box::pin(async move {
            let shadow_bans = find_shadow_bans(connection, entries).await?;
            let revoked_keys = find_revoked_keys(connection, entries).await?;
            let changed: Vec<AccountNo> =
                entries.iter().filter_map(|entry| entry.changed_account()).collect();
            let key_cache = context.services.get::<KeyCache>();
            // The writer and the follower may apply the same entries at a time, and the other one was faster.
            if key_cache.control_head() >= newest {
                return Ok(());
            }
            key_cache.remove(&changed, newest);
            // An account that was read before the entry may have been cached until here.
            key_cache.set_shadowed(&shadow_bans);
            key_cache.remove_extra_keys(revoked_keys.iter().map(|revoked| revoked.agent));
            context.hub.end_streams_of(&changed);
            context.hub.end_streams_of_keys(&revoked_keys);
            Ok(())
        })
    }

    fn cached_accounts(&self, context: ReloadContext<'_>) -> Vec<AccountNo> {
        context.services.get::<KeyCache>().accounts()
    }
}

/// Returns whether the accounts are shadow-banned that these entries of the control log are about.
async fn find_shadow_bans(
    connection: &mut PgConnection,
    entries: &[ControlEntry],
) -> Result<Vec<(AccountNo, bool)>, sqlx::Error> {
    let agents = entries.iter().filter_map(|entry| match entry {
        ControlEntry::ShadowBanChanged(agent) => Some(*agent),
        _ => None,
    });
    store::shadow_bans(connection, &agents.collect::<Vec<_>>()).await
}

/// Returns those of the extra keys that these entries of the control log are about that have been revoked.
async fn find_revoked_keys(
    connection: &mut PgConnection,
    entries: &[ControlEntry],
) -> Result<Vec<RevokedKey>, sqlx::Error> {
    let keys = entries.iter().filter_map(|entry| match entry {
        ControlEntry::ExtraKeyChanged(key) => Some(*key),
        _ => None,
    });
    store::revoked_keys(connection, &keys.collect::<Vec<_>>()).await
}
