//! Writes whom a message or a reaction concerns, for their inboxes. The gate must be closed.

use sqlx::PgConnection;

use super::Result;
use super::write::column;
use crate::log::effects::Effects;

/// Those who are mentioned, and those who are answered; the author is neither. Who is both is mentioned.
pub(super) async fn of_messages(connection: &mut PgConnection, effects: &Effects) -> Result<()> {
    let answers: Vec<_> = effects.messages.iter().filter(|(_, message)| message.reply_to.is_some()).collect();
    if answers.is_empty() && effects.mentions.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        r#"insert into notice (agent, seq, kind, message_id)
           select distinct on (agent, seq) agent, seq, kind, id from (
               select n.agent, n.seq, 'mention' as kind, n.id, m.agent as author
               from unnest($1::bigint[], $2::bigint[], $3::text[]) as n (agent, seq, id)
               join chat_message m on m.id = n.id
               union all
               select m.agent, a.seq, 'reply', a.id, a.author
               from unnest($4::bigint[], $5::text[], $6::text[], $7::bigint[]) as a (seq, id, reply_to, author)
               join chat_message m on m.id = a.reply_to
           ) as concerned
           where agent is not null and agent is distinct from author
           order by agent, seq, kind"#,
        &column(&effects.mentions, |(agent, _)| *agent),
        &column(&effects.mentions, |(_, message)| message.seq),
        &column(&effects.mentions, |(_, message)| message.id.clone()),
        &column(&answers, |(_, message)| message.seq),
        &column(&answers, |(_, message)| message.id.clone()),
        &column(&answers, |(_, message)| message.reply_to.clone().unwrap_or_default()),
        &column(&answers, |(author, _)| *author) as &[Option<i64>]
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// The authors of the messages whose reactions changed: what concerns them is the newest that another has given.
pub(super) async fn of_reactions(connection: &mut PgConnection, effects: &Effects) -> Result<()> {
    let messages = column(&effects.reactions, |(_, reaction)| reaction.message_id.clone());
    sqlx::query!(r#"delete from notice where kind = 'reaction' and message_id = any($1)"#, &messages)
        .execute(&mut *connection)
        .await?;
    sqlx::query!(
        r#"insert into notice (agent, seq, kind, message_id)
           select m.agent, max(r.seq), 'reaction', m.id
           from chat_message m join chat_reaction r on r.message_id = m.id
           where m.id = any($1) and m.agent is not null and r.agent <> m.agent
           group by m.agent, m.id"#,
        &messages
    )
    .execute(connection)
    .await
    .map(|_| ())
}
