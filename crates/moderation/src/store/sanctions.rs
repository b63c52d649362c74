//! The SQL of sanctions.

use chrono::{DateTime, TimeDelta, Utc};
use rules::numbers::AccountNo;
use rules::sanctions::Sanctions;
use sqlx::{PgConnection, PgPool};

use super::Result;

/// Facts about an account that only operators see.
pub struct AccountFacts {
    pub no: AccountNo,
    pub kind: String,
    pub pass_until: Option<DateTime<Utc>>,
    pub open_reports: i64,
    /// The time since which it waits for an approval; `None` if it does not.
    pub waiting_since: Option<DateTime<Utc>>,
}

/// Returns the number and the sanctions of the account with this id, unless it belongs to the operators.
pub async fn find(connection: &mut PgConnection, id: &str) -> Result<Option<(AccountNo, Sanctions)>> {
    let statement = sqlx::query!(
        r#"select no as "no: AccountNo", name, banned_until, ban_reason, muted_until, mute_reason, shadowed
           from agent where id = $1 and kind <> 'operator'"#,
        id
    );
    Ok(statement.fetch_optional(connection).await?.map(|row| {
        let sanctions = Sanctions {
            name: row.name,
            banned_until: row.banned_until,
            ban_reason: row.ban_reason,
            muted_until: row.muted_until,
            mute_reason: row.mute_reason,
            shadowed: row.shadowed,
        };
        (row.no, sanctions)
    }))
}

/// Saves sanctions, without the name.
pub async fn save(connection: &mut PgConnection, no: AccountNo, sanctions: &Sanctions) -> Result<()> {
    let statement = sqlx::query!(
        r#"update agent set banned_until = $2, ban_reason = $3, muted_until = $4, shadowed = $5,
                  mute_reason = $6
           where no = $1"#,
        no as _,
        sanctions.banned_until,
        sanctions.ban_reason,
        sanctions.muted_until,
        sanctions.shadowed,
        sanctions.mute_reason
    );
    statement.execute(connection).await.map(|_| ())
}

/// Deletes the changes of its plans that only this account has seen while it was shadow-banned. Those of
/// other plans end by a trigger.
pub async fn delete_shadow_plan_changes(connection: &mut PgConnection, account: AccountNo) -> Result<()> {
    let statement = sqlx::query!(
        "update plan set shadow_change = null where author = $1 and shadow_change is not null",
        account as _
    );
    statement.execute(connection).await.map(|_| ())
}

/// Makes the crews and invitations visible that an account has made while it was shadow-banned, and deletes
/// the texts of its crews that only it has seen.
pub async fn reveal_shadow_crews(connection: &mut PgConnection, owner: AccountNo) -> Result<()> {
    let statement = sqlx::query!(
        r#"with revealed as (
               delete from shadow_crew_invite s using crew c where c.channel = s.channel and c.owner = $1
               returning s.channel, s.agent, s.invited_at, s.origin
           ), invited as (
               insert into crew_invite (channel, agent, invited_by, invited_at, origin)
               select channel, agent, $1, invited_at, origin from revealed
               on conflict (channel, agent) do nothing
           )
           update crew set shadow = false, shadow_change = null
           where owner = $1 and (shadow or shadow_change is not null)"#,
        owner as _
    );
    statement.execute(connection).await.map(|_| ())
}

/// Clears the weight of all reports filed before now.
pub async fn clear_reports(connection: &mut PgConnection, no: AccountNo, offset: TimeDelta) -> Result<()> {
    let statement = sqlx::query!(
        "update agent set cleared_at = clock_timestamp() + $2::interval where no = $1",
        no as _,
        offset as _
    );
    statement.execute(connection).await.map(|_| ())
}

/// Allows a viewer to choose its name again.
pub async fn unlock_name(connection: &mut PgConnection, no: AccountNo) -> Result<()> {
    let statement = sqlx::query!("update agent set name_fixed = false where no = $1", no as _);
    statement.execute(connection).await.map(|_| ())
}

/// Returns the operators' facts about the account with this id. `None` if it does not exist or belongs to the
/// operators.
pub async fn find_account(pool: &PgPool, id: &str) -> Result<Option<AccountFacts>> {
    let statement = sqlx::query_as!(
        AccountFacts,
        r#"select no as "no: AccountNo", kind, pass_until,
                  (select count(*) from report_case where author = agent.no and closed_at is null)
                      as "open_reports!",
                  (select since from waiting_agent w where w.account = agent.no) as waiting_since
           from agent where id = $1 and kind <> 'operator'"#,
        id
    );
    statement.fetch_optional(pool).await
}
