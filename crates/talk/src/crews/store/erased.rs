//! The SQL of the memberships of erased accounts.

use chrono::{DateTime, Utc};
use rules::numbers::AccountNo;
use sqlx::{PgConnection, PgPool};

use super::Result;

/// Returns the ids of the crews of a member.
pub(in crate::crews) async fn crews_of_member(pool: &PgPool, account: AccountNo) -> Result<Vec<String>> {
    let statement = sqlx::query_scalar!(
        r#"select c.id from channel_member m join channel c on c.no = m.channel
           where m.account = $1 and c.kind = 'crew' order by c.no"#,
        account as _
    );
    statement.fetch_all(pool).await
}

/// Returns the member of a crew that joined first, other than this one and those whose accounts are erased.
/// Banned and shadow-banned members come after all others.
pub(in crate::crews) async fn first_other_member(
    connection: &mut PgConnection,
    crew: i64,
    account: AccountNo,
    now: DateTime<Utc>,
) -> Result<Option<AccountNo>> {
    let statement = sqlx::query_scalar!(
        r#"select m.account as "account: AccountNo" from channel_member m join agent a on a.no = m.account
           where m.channel = $1 and m.account <> $2
             and not exists (select from erasure e where e.account = m.account)
           order by a.shadowed or coalesce(a.banned_until > $3, false), m.joined_at, m.account limit 1"#,
        crew,
        account as _,
        now
    );
    statement.fetch_optional(connection).await
}

/// Deletes the invitations of an agent to crews.
pub(in crate::crews) async fn delete_invitations_of(pool: &PgPool, agent: AccountNo) -> Result<()> {
    let statement = sqlx::query!(
        r#"with unseen as (delete from shadow_crew_invite where agent = $1)
           delete from crew_invite where agent = $1"#,
        agent as _
    );
    statement.execute(pool).await.map(|_| ())
}
