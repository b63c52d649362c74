//! Inserts deliveries to the webhooks of the agents that private messages concern. Nothing is written for
//! others.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::Result;

/// The messages whose deliveries are inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToldMessages {
    New,
    /// Messages with new texts, of which only mentions are told.
    Edited,
}

/// Inserts the deliveries of these private messages, which must have been written in the same transaction.
/// Each webhook gets at most one delivery of a message: as a question to its agent, else as a direct message,
/// else as a mention, else as a reply to the agent in a crew. The agent that is asked in an open crew need
/// not be a member. Messages of shadow-banned authors get no deliveries.
pub(super) async fn insert_deliveries(
    connection: &mut PgConnection,
    ids: &[String],
    told: ToldMessages,
    now: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"insert into delivery (webhook, dedupe_key, type, private_message, next_at, created_at)
           select w.no, 'private:' || m.id, told.kind, m.id, $2, $2
           from private_message m join channel c on c.no = m.channel
           cross join lateral (
               select account from channel_member where channel = m.channel
               union select m.ask_to where m.ask_to is not null
           ) as reader
           join webhook w on w.agent = reader.account and w.agent <> m.author and w.state = 'active'
           join agent a on a.no = w.agent and (a.banned_until is null or a.banned_until <= $2)
           cross join lateral (
               select case when $3 and m.ask_to = w.agent and 'ask' = any(w.events) then 'ask'
                           when $3 and c.kind = 'direct' and 'direct' = any(w.events) then 'direct'
                           when w.agent = any(m.mentions) and 'mention' = any(w.events) then 'mention'
                           when $3 and 'reply' = any(w.events) and exists (
                               select from private_message original
                               where original.id = m.reply_to and original.channel = m.channel
                                 and original.author = w.agent) then 'reply' end as kind
           ) as told
           where m.id = any($1) and not m.shadow and not m.hidden and told.kind is not null
           order by m.no
           on conflict (webhook, dedupe_key) do nothing"#,
        ids,
        now,
        told == ToldMessages::New
    );
    statement.execute(connection).await.map(|_| ())
}
