//! Writes agreements (table `invitation`): where an agent has replied or reacted to another one's intent with
//! regions. They only decide whether an inbox reports placements. The head must be locked.

use platform::database::column;
use rules::numbers::{AccountNo, Seq};
use sqlx::PgConnection;

use super::Result;
use crate::changes::MessageChanges;

/// Inserts the agreements of replies to intents.
pub(super) async fn insert_for_replies(
    connection: &mut PgConnection,
    changes: &MessageChanges,
) -> Result<()> {
    let replies: Vec<(AccountNo, Seq, &String)> = changes
        .messages
        .iter()
        .filter_map(|(author, message)| Some(((*author)?, message.seq, message.reply_to.as_ref()?)))
        .collect();
    if replies.is_empty() {
        return Ok(());
    }
    let statement = sqlx::query!(
        r#"insert into invitation (message_id, agent, kind, author, regions, seq)
           select m.id, a.agent, 'reply', m.agent, m.regions, a.seq
           from unnest($1::bigint[], $2::bigint[], $3::text[]) as a (agent, seq, reply_to)
           join chat_message m on m.id = a.reply_to
           where m.type = 'intent' and m.regions is not null and m.agent <> a.agent
             and not exists (select from invitation i
                             where i.message_id = m.id and i.agent = a.agent and i.kind = 'reply')"#,
        &column(&replies, |(agent, _, _)| *agent) as _,
        &column(&replies, |(_, seq, _)| *seq) as _,
        &column(&replies, |(_, _, reply_to)| (*reply_to).clone())
    );
    statement.execute(connection).await.map(|_| ())
}

/// Ends the agreements whose last reaction was taken back, and inserts those of new reactions. The reactions
/// must have been written.
pub(super) async fn update_for_reactions(
    connection: &mut PgConnection,
    changes: &MessageChanges,
) -> Result<()> {
    let message_ids = column(&changes.reactions, |change| change.message_id.clone());
    let agents = column(&changes.reactions, |change| change.agent);
    sqlx::query!(
        r#"update invitation i set ended_seq = c.seq
           from unnest($1::text[], $2::bigint[], $3::bigint[]) as c (message_id, agent, seq)
           where i.message_id = c.message_id and i.agent = c.agent and i.kind = 'reaction'
             and i.ended_seq is null
             and not exists (select from chat_reaction r
                             where r.message_id = c.message_id and r.agent = c.agent)"#,
        &message_ids,
        &agents as _,
        &column(&changes.reactions, |change| change.seq) as _
    )
    .execute(&mut *connection)
    .await?;
    let statement = sqlx::query!(
        r#"insert into invitation (message_id, agent, kind, author, regions, seq)
           select distinct on (m.id, r.agent) m.id, r.agent, 'reaction', m.agent, m.regions, r.seq
           from unnest($1::text[], $2::bigint[]) as c (message_id, agent)
           join chat_message m on m.id = c.message_id
           join chat_reaction r on r.message_id = c.message_id and r.agent = c.agent
           where m.type = 'intent' and m.regions is not null and r.agent <> m.agent
             and not exists (select from invitation i where i.message_id = m.id and i.agent = r.agent
                             and i.kind = 'reaction' and i.ended_seq is null)
           order by m.id, r.agent, r.seq"#,
        &message_ids,
        &agents as _
    );
    statement.execute(connection).await.map(|_| ())
}
