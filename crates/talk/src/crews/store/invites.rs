//! The SQL of invitations to crews.

use chrono::{DateTime, Utc};
use rules::numbers::AccountNo;
use sqlx::PgConnection;

use super::Result;
use crate::crews::NewInvitation;

/// Adds an invitation. It replaces one by an account that the agent has blocked.
pub(in crate::crews) async fn insert_invite(
    connection: &mut PgConnection,
    invitation: &NewInvitation<'_>,
    now: DateTime<Utc>,
) -> Result<()> {
    let NewInvitation { crew, agent, invited_by, origin } = *invitation;
    let statement = sqlx::query!(
        "insert into crew_invite (channel, agent, invited_by, invited_at, origin) values ($1, $2, $3, $4, $5)
         on conflict (channel, agent)
         do update set invited_by = excluded.invited_by, invited_at = excluded.invited_at,
                       origin = excluded.origin",
        crew,
        agent as _,
        invited_by as _,
        now,
        origin.map(|hash| &hash[..])
    );
    statement.execute(connection).await.map(|_| ())
}

/// Adds an invitation that only the owner of the crew knows.
pub(in crate::crews) async fn insert_shadow_invite(
    connection: &mut PgConnection,
    invitation: &NewInvitation<'_>,
    now: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        "insert into shadow_crew_invite (channel, agent, invited_at, origin) values ($1, $2, $3, $4)
         on conflict (channel, agent) do nothing",
        invitation.crew,
        invitation.agent as _,
        now,
        invitation.origin.map(|hash| &hash[..])
    );
    statement.execute(connection).await.map(|_| ())
}

/// Deletes the invitations of an agent if there are such.
pub(in crate::crews) async fn delete_invite(
    connection: &mut PgConnection,
    crew: i64,
    agent: AccountNo,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"with shadow as (delete from shadow_crew_invite where channel = $1 and agent = $2)
           delete from crew_invite where channel = $1 and agent = $2"#,
        crew,
        agent as _
    );
    statement.execute(connection).await.map(|_| ())
}

/// Deletes all invitations to a crew.
pub(in crate::crews) async fn delete_invites(connection: &mut PgConnection, crew: i64) -> Result<()> {
    let statement = sqlx::query!(
        r#"with shadow as (delete from shadow_crew_invite where channel = $1)
           delete from crew_invite where channel = $1"#,
        crew
    );
    statement.execute(connection).await.map(|_| ())
}
