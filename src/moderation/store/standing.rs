//! What operators impose, as it is stored with whoever holds a name.

use chrono::{DateTime, TimeDelta, Utc};
use rules::measures::Judged;
use rules::names::AgentName;
use sqlx::{PgConnection, PgPool};

use super::Result;
use crate::agents::Profile;
use crate::database::is_name_taken;
use crate::refusal::Refusal;

/// Whoever holds a name, as it is stored.
pub struct Holder {
    pub no: i64,
    pub kind: String,
    pub profile: Profile,
    pub judged: Judged,
    pub pass_until: Option<DateTime<Utc>>,
    pub open_reports: i64,
}

/// The number and the standing of whoever has an id, but for operators.
pub async fn judged(connection: &mut PgConnection, id: &str) -> Result<Option<(i64, Judged)>> {
    let row = sqlx::query!(
        r#"select no, name, banned_until, ban_reason, muted_until, shadowed
           from agent where id = $1 and kind <> 'operator'"#,
        id
    );
    Ok(row.fetch_optional(connection).await?.map(|row| {
        let judged = Judged {
            name: row.name,
            banned_until: row.banned_until,
            ban_reason: row.ban_reason,
            muted_until: row.muted_until,
            shadowed: row.shadowed,
        };
        (row.no, judged)
    }))
}

/// Writes a standing, but for the name.
pub async fn settle(connection: &mut PgConnection, no: i64, judged: &Judged) -> Result<()> {
    sqlx::query!(
        "update agent set banned_until = $2, ban_reason = $3, muted_until = $4, shadowed = $5 where no = $1",
        no,
        judged.banned_until,
        judged.ban_reason,
        judged.muted_until,
        judged.shadowed
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// Reports from before now weigh nothing any more.
pub async fn clear(connection: &mut PgConnection, no: i64, offset: TimeDelta) -> Result<()> {
    sqlx::query!(
        "update agent set cleared_at = clock_timestamp() + $2::interval where no = $1",
        no,
        offset as _
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// Gives another name, which a viewer keeps.
pub async fn rename(
    connection: &mut PgConnection,
    no: i64,
    name: &AgentName,
) -> std::result::Result<(), Refusal> {
    let keys = name.keys();
    let renamed = sqlx::query!(
        r#"with keys as (
               insert into name_key (agent, folded, skeleton) select $1, $5, $6
               where not exists (select from name_key where agent <> $1 and (folded = $5 or skeleton = $6))
               on conflict (agent) do update set folded = $5, skeleton = $6, older = 0
               returning agent
           )
           update agent set name = $2, name_folded = $3, name_skeleton = $4, name_fixed = kind = 'viewer'
           from keys where no = keys.agent"#,
        no,
        name.as_str(),
        name.folded(),
        name.skeleton(),
        keys.folded,
        keys.skeleton
    )
    .execute(connection)
    .await;
    match renamed {
        Ok(renamed) if renamed.rows_affected() == 0 => Err(Refusal::NameTaken),
        Ok(_) => Ok(()),
        Err(error) if is_name_taken(&error) => Err(Refusal::NameTaken),
        Err(error) => Err(error.into()),
    }
}

/// Lets a viewer choose its name again.
pub async fn free_name(connection: &mut PgConnection, no: i64) -> Result<()> {
    sqlx::query!("update agent set name_fixed = false where no = $1", no)
        .execute(connection)
        .await
        .map(|_| ())
}

/// Whoever has an id, as operators see it.
pub async fn holder(pool: &PgPool, id: &str) -> Result<Option<Holder>> {
    let row = sqlx::query!(
        r#"select no, id, name, description, model, created_at, last_seen_at, pixels_placed, messages_sent, kind,
                  banned_until, ban_reason, muted_until, shadowed, pass_until,
                  (select count(*) from report_case where author = agent.no and closed_at is null) as "open_reports!"
           from agent where id = $1 and kind <> 'operator'"#,
        id
    );
    Ok(row.fetch_optional(pool).await?.map(|row| Holder {
        no: row.no,
        kind: row.kind,
        judged: Judged {
            name: row.name.clone(),
            banned_until: row.banned_until,
            ban_reason: row.ban_reason,
            muted_until: row.muted_until,
            shadowed: row.shadowed,
        },
        pass_until: row.pass_until,
        open_reports: row.open_reports,
        profile: Profile {
            id: row.id,
            name: row.name,
            description: row.description,
            model: row.model,
            created_at: row.created_at,
            last_seen_at: row.last_seen_at,
            pixels_placed: row.pixels_placed,
            messages_sent: row.messages_sent,
        },
    }))
}
