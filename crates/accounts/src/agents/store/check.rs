//! The SQL of the check of accounts.

use chrono::{DateTime, Utc};
use rules::numbers::{AccountNo, Seq};
use sqlx::PgConnection;

use super::Result;

/// An agent's counters, and the numbers to compare them with.
pub(in crate::agents) struct AgentCounters {
    pub no: AccountNo,
    pub id: String,
    pub key_generation: i32,
    pub chat_credits: i64,
    pub pixels_placed: i64,
    pub messages_sent: i64,
    pub private_messages_sent: i64,
    pub last_placement: Option<Seq>,
    pub last_seen_at: DateTime<Utc>,
    /// The number of its messages with texts, including shadow messages.
    pub texts: i64,
    /// The number of key changes in the control log, including deleted entries.
    pub key_changes: i64,
    /// True if messages cost it credits.
    pub pays: bool,
    /// The number of its intents that cost no credits.
    pub free_intents_used: i64,
}

/// Returns the next agents after a number, with their counters.
pub(in crate::agents) async fn agent_counters(
    connection: &mut PgConnection,
    after: AccountNo,
    limit: i64,
) -> Result<Vec<AgentCounters>> {
    let statement = sqlx::query_as!(
        AgentCounters,
        r#"select no as "no: AccountNo", id, key_generation, chat_credits, pixels_placed, messages_sent,
                  private_messages_sent, last_placement as "last_placement: Seq", last_seen_at,
                  (select count(*) from chat_message m where m.agent = agent.no)
                  + (select count(*) from shadow_message s
                     where s.agent = agent.no and s.released is null) as "texts!",
                  coalesce(changes.count, 0) + deleted_key_changes as "key_changes!",
                  kind = 'agent' as "pays!",
                  (1 - free_intents)::bigint as "free_intents_used!"
           from agent left join (select subject, count(*) from control where kind = 'key_changed'
                                 group by subject) as changes on subject = no
           where no > $1 order by no limit $2"#,
        after as _,
        limit
    );
    statement.fetch_all(connection).await
}

/// Returns the number of messages with texts, and how many of those are system messages.
pub async fn count_texts(connection: &mut PgConnection) -> Result<(i64, i64)> {
    let row = sqlx::query!(
        r#"select count(*) as "all!", count(*) filter (where agent is null) as "system!" from chat_message"#
    )
    .fetch_one(connection)
    .await?;
    Ok((row.all, row.system))
}

/// Returns the number of shadow messages that are not public.
pub(in crate::agents) async fn count_unreleased_shadow_messages(
    connection: &mut PgConnection,
) -> Result<i64> {
    sqlx::query_scalar!(r#"select count(*) as "count!" from shadow_message where released is null"#)
        .fetch_one(connection)
        .await
}
