//! The SQL of viewers: their rows among the agents, and their own rows.

use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use rules::names::AgentName;
use rules::numbers::AccountNo;
use sqlx::{PgConnection, PgExecutor, PgPool};

use super::{Blake3Hash, Result};
use crate::gallery::{CancellationState, CurrentPass, PassHolder};

/// A viewer's own row, in addition to its row among the agents.
pub struct ViewerRow {
    pub no: AccountNo,
    pub customer: Option<String>,
    /// The address for links to a new key.
    pub email: Option<String>,
    /// True if an operator has set the address.
    pub email_fixed: bool,
    pub granted_until: Option<DateTime<Utc>>,
    pub granted_tier: Option<String>,
    pub revoked: bool,
    /// True if the viewer has ever been shown a key.
    pub keyed: bool,
    pub renamed_at: Option<DateTime<Utc>>,
    /// The time at which another pass becomes the current one.
    pub turns_at: Option<DateTime<Utc>>,
}

impl ViewerRow {
    /// Returns the initial row of a viewer.
    pub fn new(no: AccountNo) -> Self {
        Self {
            no,
            customer: None,
            email: None,
            email_fixed: false,
            granted_until: None,
            granted_tier: None,
            revoked: false,
            keyed: false,
            renamed_at: None,
            turns_at: None,
        }
    }
}

/// The key, ban and name of a viewer, from its row among the agents.
pub struct ViewerAccountRow {
    pub key_generation: i32,
    pub banned_until: Option<DateTime<Utc>>,
    pub ban_reason: Option<String>,
    /// True if an operator has set the name.
    pub name_fixed: bool,
}

/// Inserts a viewer with this name. `None` if the name is taken, or was that of an erased account.
pub async fn insert_viewer(
    state: &AppState,
    connection: &mut PgConnection,
    id: &str,
    name: &AgentName,
    key_hash: &Blake3Hash,
) -> Result<Option<AccountNo>> {
    let keys = name.keys();
    let erased = state.hash_name_keys(&keys);
    let statement = sqlx::query_scalar!(
        r#"with new as (
               insert into agent (id, kind, name, name_folded, name_skeleton, key_hash, created_at,
                                  last_seen_at, charges_full_at, reactions_full_at, next_message_at)
               select $1, 'viewer', $2, $3, $4, $5, now, now, now, now, now
               from (select clock_timestamp() + $6::interval as now) as clock
               where not exists (select from name_key where folded in ($7, $9) or skeleton in ($8, $10))
               on conflict do nothing
               returning no
           ), keys as (
               insert into name_key (agent, folded, skeleton) select no, $7, $8 from new
           ), cursor as (
               insert into chat_cursor (agent, seq)
               select no, coalesce((select seq from chat_message where not hidden
                                    order by seq desc offset 50 limit 1), 0)
               from new
           )
           insert into gallery_viewer (viewer) select no from new
           returning viewer as "viewer: AccountNo""#,
        id,
        name.as_str(),
        name.folded(),
        name.skeleton(),
        &key_hash[..],
        state.clock.offset() as _,
        keys.folded,
        keys.skeleton,
        erased.folded,
        erased.skeleton
    );
    statement.fetch_optional(connection).await
}

/// Returns a viewer, locked for the rest of the transaction.
pub async fn lock_viewer(connection: &mut PgConnection, no: AccountNo) -> Result<Option<ViewerRow>> {
    let statement = sqlx::query_as!(
        ViewerRow,
        r#"select viewer as "no: AccountNo", customer, email, email_fixed, granted_until, granted_tier,
                  revoked, keyed, renamed_at, turns_at
           from gallery_viewer where viewer = $1 for update"#,
        no as _
    );
    statement.fetch_optional(connection).await
}

/// Returns a viewer without a lock.
pub async fn find_viewer(pool: &PgPool, no: AccountNo) -> Result<Option<ViewerRow>> {
    let statement = sqlx::query_as!(
        ViewerRow,
        r#"select viewer as "no: AccountNo", customer, email, email_fixed, granted_until, granted_tier,
                  revoked, keyed, renamed_at, turns_at
           from gallery_viewer where viewer = $1"#,
        no as _
    );
    statement.fetch_optional(pool).await
}

/// Locks a viewer's row against changes of its key, for the rest of the transaction.
pub async fn lock_viewer_for_share(connection: &mut PgConnection, no: AccountNo) -> Result<()> {
    let statement = sqlx::query!("select viewer from gallery_viewer where viewer = $1 for share", no as _);
    statement.fetch_optional(connection).await.map(|_| ())
}

/// Returns the key, ban and name of a viewer.
pub async fn find_viewer_account(
    executor: impl PgExecutor<'_>,
    no: AccountNo,
) -> Result<Option<ViewerAccountRow>> {
    let statement = sqlx::query_as!(
        ViewerAccountRow,
        "select key_generation, banned_until, ban_reason, name_fixed from agent where no = $1",
        no as _
    );
    statement.fetch_optional(executor).await
}

/// Lists the viewers that have or had a pass, newest first, with the state of what is done at Stripe for
/// them.
pub async fn list_pass_holders(pool: &PgPool, limit: i64) -> Result<Vec<PassHolder>> {
    let statement = sqlx::query_as!(
        PassHolder,
        r#"select a.no as "no: AccountNo", a.id, a.name, a.badge, a.pass_until,
                  v.customer is not null as "pays!", v.revoked, a.created_at,
                  case when jobs.failed then 'failed' when jobs.pending then 'pending'
                       when jobs.pending is not null then 'done' end as "cancellation: CancellationState",
                  jobs.error as cancellation_error
           from gallery_viewer v join agent a on a.no = v.viewer
           left join lateral (
               select bool_or(failed and done_at is null) as failed, bool_or(done_at is null) as pending,
                      max(error) filter (where done_at is null) as error
               from gallery_stripe_job where viewer = v.viewer
           ) as jobs on true
           order by a.no desc limit $1"#,
        limit
    );
    statement.fetch_all(pool).await
}

/// Returns the number of the viewer with this id, unless it is erased.
pub async fn find_viewer_no(connection: &mut PgConnection, id: &str) -> Result<Option<AccountNo>> {
    let statement = sqlx::query_scalar!(
        r#"select no as "no: AccountNo" from agent
           where id = $1 and kind = 'viewer' and not exists (select from erasure e where e.account = no)"#,
        id
    );
    statement.fetch_optional(connection).await
}

/// Returns the viewer with this mail address, and the address as stored. Of several viewers, returns the one
/// whose pass lasts longest.
pub async fn find_viewer_by_email(pool: &PgPool, email: &str) -> Result<Option<(AccountNo, String)>> {
    let row = sqlx::query!(
        r#"select v.viewer as "viewer: AccountNo", v.email as "email!"
           from gallery_viewer v join agent a on a.no = v.viewer
           where v.email_key = $1 and v.email is not null
             and not exists (select from erasure e where e.account = v.viewer)
           order by a.pass_until desc nulls last, a.no limit 1"#,
        email_key(email)
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|row| (row.viewer, row.email)))
}

/// Saves a viewer's row, without the time of its name change. The viewer must be locked or new.
pub async fn save_viewer(connection: &mut PgConnection, viewer: &ViewerRow) -> Result<()> {
    let statement = sqlx::query!(
        r#"update gallery_viewer
           set customer = $2, email = $3, email_key = $4, granted_until = $5, granted_tier = $6, revoked = $7,
               keyed = $8, turns_at = $9, email_fixed = $10
           where viewer = $1"#,
        viewer.no as _,
        viewer.customer,
        viewer.email,
        viewer.email.as_deref().map(email_key),
        viewer.granted_until,
        viewer.granted_tier,
        viewer.revoked,
        viewer.keyed,
        viewer.turns_at,
        viewer.email_fixed
    );
    statement.execute(connection).await.map(|_| ())
}

/// Returns the lookup form of a mail address: without case and surrounding spaces.
fn email_key(email: &str) -> String {
    email.trim().to_ascii_lowercase()
}

/// Returns the viewers whose current pass is to be replaced by now.
pub async fn list_due_tier_changes(pool: &PgPool, now: DateTime<Utc>) -> Result<Vec<AccountNo>> {
    let statement = sqlx::query_scalar!(
        r#"select viewer as "viewer: AccountNo" from gallery_viewer where turns_at <= $1 order by viewer"#,
        now
    );
    statement.fetch_all(pool).await
}

/// Returns the current pass of a viewer.
pub async fn find_pass(connection: &mut PgConnection, no: AccountNo) -> Result<Option<CurrentPass>> {
    let statement = sqlx::query_as!(
        CurrentPass,
        r#"select pass_until as until, pass_seconds as seconds, badge from agent where no = $1"#,
        no as _
    );
    statement.fetch_optional(connection).await
}

/// Saves the current pass of a viewer. The caller must hold the head lock.
pub async fn save_pass(connection: &mut PgConnection, no: AccountNo, pass: &CurrentPass) -> Result<()> {
    let statement = sqlx::query!(
        "update agent set pass_until = $2, pass_seconds = $3, badge = $4 where no = $1",
        no as _,
        pass.until,
        pass.seconds,
        pass.badge
    );
    statement.execute(connection).await.map(|_| ())
}

/// Saves a viewer's new key, which invalidates the old one. The caller must hold the head lock.
pub async fn change_key(connection: &mut PgConnection, no: AccountNo, key_hash: &Blake3Hash) -> Result<()> {
    let statement = sqlx::query!(
        r#"with keyed as (update gallery_viewer set keyed = true where viewer = $1)
           update agent set key_hash = $2, key_generation = key_generation + 1 where no = $1"#,
        no as _,
        &key_hash[..]
    );
    statement.execute(connection).await.map(|_| ())
}

/// Saves when a viewer chose its name.
pub async fn set_renamed_at(connection: &mut PgConnection, no: AccountNo, now: DateTime<Utc>) -> Result<()> {
    let statement = sqlx::query!("update gallery_viewer set renamed_at = $2 where viewer = $1", no as _, now);
    statement.execute(connection).await.map(|_| ())
}

/// Locks the customer of a viewer, if it has one, for the rest of the transaction.
pub async fn lock_customer_of(connection: &mut PgConnection, viewer: AccountNo) -> Result<()> {
    let statement = sqlx::query_scalar!(
        r#"select c.id from gallery_customer c join gallery_viewer v on v.customer = c.id
           where v.viewer = $1 for update of c"#,
        viewer as _
    );
    statement.fetch_optional(connection).await.map(|_| ())
}

/// Deletes the mail address of a viewer, and that of its customer. Both must be locked.
pub async fn clear_mail(connection: &mut PgConnection, viewer: AccountNo) -> Result<()> {
    let statement = sqlx::query!(
        r#"with forgotten as (
               update gallery_viewer set email = null, email_key = null, email_fixed = true where viewer = $1
               returning customer
           )
           update gallery_customer c set email = null from forgotten where c.id = forgotten.customer"#,
        viewer as _
    );
    statement.execute(connection).await.map(|_| ())
}
