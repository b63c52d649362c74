//! Viewers: people with a name, a key and usually a Gallery Pass.

use caraplace_log::batch_context::Account;
use caraplace_log::control;
use caraplace_log::control_entry::ControlEntry;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::{DateTime, TimeDelta, Utc};
use platform::clock;
use platform::database;
use platform::refusal::{AccountRefusal, Refusal, internal};
use rules::names::AgentName;
use rules::numbers::AccountNo;
use rules::rights::{AccountAction, Ban, Denied, PERMANENT};
use serde::Serialize;
use sqlx::{PgConnection, PgTransaction};
use utoipa::ToSchema;

use super::sessions::check_key;
use super::store::ViewerAccountRow;
use super::tiers::Tiers;
use super::{NewKeyAndSession, sessions, store};
use crate::agents::{accounts, keys};
use crate::key_cache::KeyCache;

/// The minimum time between two name changes.
const RENAME_INTERVAL: TimeDelta = TimeDelta::days(1);
/// The maximum number of random names that are tried.
const MAX_NAME_DRAWS: u32 = 12;

/// A new viewer.
pub(super) struct NewViewer {
    pub no: AccountNo,
    /// `viewer_…`.
    pub id: String,
    pub key: String,
}

/// A viewer's public profile and its pass.
#[derive(Debug, Serialize, ToSchema)]
pub struct ViewerProfile {
    /// `viewer_…`.
    pub id: String,
    pub name: String,
    /// The badge beside the name; null without a pass.
    pub badge: Option<String>,
    /// `gallery` or `patron`; null without a pass.
    pub tier: Option<String>,
    /// The end of the pass; null without a pass and after it was revoked.
    pub pass_until: Option<DateTime<Utc>>,
}

/// A viewer's own status.
#[derive(Debug, Serialize, ToSchema)]
pub struct ViewerStatus {
    pub viewer: ViewerProfile,
    /// True if the viewer has a valid pass.
    pub may_speak: bool,
    /// Seconds between two messages.
    pub message_seconds: i64,
    /// The time from which the viewer may post the next message; null if now.
    pub next_message_at: Option<DateTime<Utc>>,
    /// The time from which the viewer may change its name; null if now. The year 9999 means that an operator
    /// has set the name.
    pub may_rename_at: Option<DateTime<Utc>>,
}

/// Adds a viewer with this name, or with a random one.
pub(super) async fn add(
    state: &AppState,
    connection: &mut PgConnection,
    name: Option<&AgentName>,
) -> Result<NewViewer, Refusal> {
    let (key, hash) = keys::new_key(keys::VIEWER_KEY_PREFIX)?;
    let id = clock::new_id("viewer");
    if let Some(name) = name {
        let no = store::insert_viewer(state, connection, &id, name, &hash)
            .await?
            .ok_or(AccountRefusal::NameTaken)?;
        return Ok(NewViewer { no, id, key });
    }
    for draw in 0..MAX_NAME_DRAWS {
        let name = AgentName::for_viewer(random_number(draw)?);
        if let Some(no) = store::insert_viewer(state, connection, &id, &name, &hash).await? {
            return Ok(NewViewer { no, id, key });
        }
    }
    Err(internal("drawing a name")("all drawn names are taken"))
}

/// Returns a random number with four digits, or with more after several attempts.
fn random_number(draw: u32) -> Result<u32, Refusal> {
    let random = clock::random_bytes::<4>().map_err(internal("drawing a number"))?;
    let min = 10_u32.pow(3 + (draw / 3).min(5));
    Ok(min + u32::from_le_bytes(random) % (9 * min))
}

/// Creates a new key for a viewer and returns its only copy. The old key ends on all instances when the
/// transaction is committed.
pub(super) async fn issue_key(
    connection: &mut PgConnection,
    no: AccountNo,
    offset: TimeDelta,
) -> Result<String, Refusal> {
    let (key, hash) = keys::new_key(keys::VIEWER_KEY_PREFIX)?;
    // Payments lock in the same order: the viewer first, then the head.
    store::lock_viewer(connection, no).await?;
    control::lock_head(connection).await?;
    store::change_key(connection, no, &hash).await?;
    control::append(connection, ControlEntry::KeyChanged(no), offset).await?;
    Ok(key)
}

/// Creates a new key and a new session for a viewer. The old key and its sessions end.
///
/// # Errors
/// `KeyInvalid` if the key was changed meanwhile.
pub async fn change_key(state: &AppState, viewer: &Identity) -> Result<NewKeyAndSession, Refusal> {
    let mut transaction = state.pool.begin().await?;
    store::lock_viewer(&mut transaction, viewer.no).await?;
    check_key(&mut transaction, viewer).await?;
    replace_key(state, transaction, viewer.no).await
}

/// Creates a new key and a new session for a viewer, ends all other sessions, and commits.
pub(super) async fn replace_key(
    state: &AppState,
    mut transaction: PgTransaction<'_>,
    no: AccountNo,
) -> Result<NewKeyAndSession, Refusal> {
    let key = issue_key(&mut transaction, no, state.clock.offset()).await?;
    store::delete_sessions(&mut transaction, no).await?;
    let session = sessions::open(&mut transaction, state, no).await?;
    database::commit(transaction).await?;
    let key_cache = KeyCache::of(state);
    key_cache.remove(&[no], key_cache.control_head());
    Ok(NewKeyAndSession { session, key })
}

/// Returns a viewer's own status.
///
/// # Errors
/// `KeyInvalid` if the key was changed meanwhile.
pub async fn status(state: &AppState, tiers: &Tiers, viewer: &Identity) -> Result<ViewerStatus, Refusal> {
    let (now, account) = state.log.account(viewer).await?;
    let row = store::find_viewer(&state.pool, viewer.no).await?.ok_or(Refusal::KeyInvalid)?;
    let viewer_account =
        store::find_viewer_account(&state.pool, viewer.no).await?.ok_or(Refusal::KeyInvalid)?;
    let may_rename_again_at = row.renamed_at.map(|at| at + RENAME_INTERVAL).filter(|at| *at > now);
    let may_rename_at = if viewer_account.name_fixed { Some(PERMANENT) } else { may_rename_again_at };
    Ok(ViewerStatus {
        may_speak: account.rights.check(AccountAction::Post, now).is_ok(),
        message_seconds: state.game().message_interval_for(&account.rights).num_seconds(),
        next_message_at: Some(account.next_message_at).filter(|at| *at > now),
        may_rename_at,
        viewer: ViewerProfile::from_account(&account, tiers, now),
    })
}

impl ViewerProfile {
    fn from_account(account: &Account, tiers: &Tiers, now: DateTime<Utc>) -> Self {
        let pass = account.rights.pass.as_ref();
        let badge = pass.filter(|pass| pass.until > now).and_then(|pass| pass.badge.as_deref());
        Self {
            id: account.id.to_string(),
            name: account.name.to_string(),
            badge: badge.map(str::to_owned),
            tier: badge.and_then(|badge| tiers.find_by_badge(badge)).map(|tier| tier.id.to_owned()),
            pass_until: pass.map(|pass| pass.until),
        }
    }
}

/// Returns true if an operator has set a viewer's name.
pub async fn has_fixed_name(state: &AppState, viewer: &Identity) -> Result<bool, Refusal> {
    Ok(store::find_viewer_account(&state.pool, viewer.no).await?.is_some_and(|account| account.name_fixed))
}

/// Returns the mail address of a viewer; `None` if the server has none.
pub async fn mail_address(state: &AppState, viewer: AccountNo) -> Result<Option<String>, Refusal> {
    Ok(store::find_viewer(&state.pool, viewer).await?.and_then(|viewer| viewer.email))
}

/// Renames a viewer, at most once a day.
///
/// # Errors
/// `RenamedTooRecently`, `NameSetByOperator`, `NameTaken`, `KeyInvalid`, or `Denied` for a banned viewer.
pub async fn rename(state: &AppState, viewer: &Identity, name: &AgentName) -> Result<(), Refusal> {
    let mut transaction = state.pool.begin().await?;
    let offset = state.clock.offset();
    let now = state.clock.now();
    let row = store::lock_viewer(&mut transaction, viewer.no).await?.ok_or(Refusal::KeyInvalid)?;
    if let Some(allowed_at) = row.renamed_at.map(|at| at + RENAME_INTERVAL).filter(|at| *at > now) {
        return Err(AccountRefusal::RenamedTooRecently { wait: allowed_at - now }.into());
    }
    control::lock_head(&mut transaction).await?;
    check_may_rename(check_key(&mut transaction, viewer).await?, now)?;
    accounts::rename(state, &mut transaction, viewer.no, name, false).await?;
    store::set_renamed_at(&mut transaction, viewer.no, now).await?;
    control::append(&mut transaction, ControlEntry::AccountChanged(viewer.no), offset).await?;
    database::commit(transaction).await?;
    let key_cache = KeyCache::of(state);
    key_cache.remove(&[viewer.no], key_cache.control_head());
    Ok(())
}

/// Returns an error if the viewer may not choose a name now.
fn check_may_rename(account: ViewerAccountRow, now: DateTime<Utc>) -> Result<(), Refusal> {
    if let Some(until) = account.banned_until.filter(|until| *until > now) {
        let reason = account.ban_reason.unwrap_or_default().into();
        return Err(Denied::Banned(Ban { until, reason }).into());
    }
    if account.name_fixed { Err(AccountRefusal::NameSetByOperator.into()) } else { Ok(()) }
}
