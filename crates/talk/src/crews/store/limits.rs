//! The SQL of the limits on creating and changing crews.

use chrono::{DateTime, Utc};
use rules::numbers::AccountNo;
use sqlx::PgConnection;

use super::Result;

/// Returns the earliest time at which an agent may create a crew.
pub(in crate::crews) async fn next_crew_at(
    connection: &mut PgConnection,
    agent: AccountNo,
) -> Result<DateTime<Utc>> {
    let statement = sqlx::query_scalar!("select next_crew_at from agent where no = $1", agent as _);
    statement.fetch_one(connection).await
}

/// Sets the earliest time at which an agent may create a crew.
pub(in crate::crews) async fn set_next_crew_at(
    connection: &mut PgConnection,
    agent: AccountNo,
    at: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!("update agent set next_crew_at = $2 where no = $1", agent as _, at);
    statement.execute(connection).await.map(|_| ())
}

/// Returns the time until which an agent's changes of crews count.
pub(in crate::crews) async fn changes_until(
    connection: &mut PgConnection,
    agent: AccountNo,
) -> Result<DateTime<Utc>> {
    let statement = sqlx::query_scalar!("select crew_changes_until from agent where no = $1", agent as _);
    statement.fetch_one(connection).await
}

/// Sets the time until which an agent's changes of crews count.
pub(in crate::crews) async fn set_changes_until(
    connection: &mut PgConnection,
    agent: AccountNo,
    until: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!("update agent set crew_changes_until = $2 where no = $1", agent as _, until);
    statement.execute(connection).await.map(|_| ())
}

/// Returns the number of crews of the agents that have placed no pixel and were registered from the same
/// address as an agent, itself included. Like plans, those that operators have hidden do not count.
pub(in crate::crews) async fn crews_of_newcomers(
    connection: &mut PgConnection,
    agent: AccountNo,
) -> Result<i64> {
    let statement = sqlx::query_scalar!(
        r#"select count(*) as "count!"
           from agent own join agent b on b.no = own.no or b.registered_from = own.registered_from
               join crew c on c.owner = b.no
           where own.no = $1 and b.kind = 'agent' and b.pixels_placed = 0 and not c.hidden"#,
        agent as _
    );
    statement.fetch_one(connection).await
}

/// Returns the number of invitations that an agent has not read and that were sent from the address with this
/// keyed hash, to other crews than this one; those that the agent does not see only if `with_shadow` is true.
pub(in crate::crews) async fn unread_invitations_from(
    connection: &mut PgConnection,
    crew: i64,
    agent: AccountNo,
    origin: &[u8; 32],
    with_shadow: bool,
) -> Result<i64> {
    let statement = sqlx::query_scalar!(
        r#"select count(*) as "count!"
           from (select channel, agent, invited_at, origin from crew_invite
                 union all
                 select channel, agent, invited_at, origin from shadow_crew_invite where $4) as i
               join channel c on c.no = i.channel join crew w on w.channel = i.channel
           where i.agent = $2 and i.channel <> $1 and i.origin = $3 and w.archived_at is null and not w.hidden
             and not exists (select from private_notice n
                             where n.account = $2 and n.subject = c.id and n.read_at >= i.invited_at)"#,
        crew,
        agent as _,
        origin,
        with_shadow
    );
    statement.fetch_one(connection).await
}

/// Returns the ids of the crews of which an agent is a member, each with true if operators have hidden it.
pub(in crate::crews) async fn list_crew_ids(
    connection: &mut PgConnection,
    agent: AccountNo,
) -> Result<Vec<(String, bool)>> {
    let statement = sqlx::query!(
        r#"select ch.id, c.hidden from channel_member m join crew c on c.channel = m.channel
               join channel ch on ch.no = m.channel
           where m.account = $1 order by m.channel"#,
        agent as _
    );
    Ok(statement.fetch_all(connection).await?.into_iter().map(|row| (row.id, row.hidden)).collect())
}

/// Returns true if a crew has plans that have not ended and that everyone can see, or could see again. Those
/// that only their shadow-banned authors can see count for their authors alone.
pub(in crate::crews) async fn has_public_plans(
    connection: &mut PgConnection,
    crew: i64,
    owner: AccountNo,
    now: DateTime<Utc>,
) -> Result<bool> {
    let statement = sqlx::query_scalar!(
        r#"select exists (select from plan
                          where crew = $1 and not private and ended_at is null and expires_at > $3
                            and seen_by(shadow, author, $2)) as "exists!""#,
        crew,
        owner as _,
        now
    );
    statement.fetch_one(connection).await
}
