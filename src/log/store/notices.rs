//! Writes whom a message or a reaction concerns, for their inboxes. The gate must be closed.

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::{PgConnection, PgPool};

use super::Result;
use super::write::column;
use crate::log::effects::Effects;

/// Mentions from one address fold into one item for so long after the newest of them.
const FOLDED_WITHIN: TimeDelta = TimeDelta::days(1);

/// Those who are mentioned, and those who are answered; the author is neither. Who is both is mentioned.
pub(super) async fn of_messages(
    connection: &mut PgConnection,
    effects: &Effects,
    now: DateTime<Utc>,
) -> Result<()> {
    let answers: Vec<_> = effects.messages.iter().filter(|(_, message)| message.reply_to.is_some()).collect();
    if answers.is_empty() && effects.mentions.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        r#"insert into notice (agent, seq, kind, message_id, origin)
           select distinct on (agent, seq) agent, seq, kind, id, origin from (
               select n.agent, n.seq, 'mention' as kind, n.id, m.agent as author, n.origin
               from unnest($1::bigint[], $2::bigint[], $3::text[], $8::bytea[]) as n (agent, seq, id, origin)
               join chat_message m on m.id = n.id
               union all
               select m.agent, a.seq, 'reply', a.id, a.author, null
               from unnest($4::bigint[], $5::text[], $6::text[], $7::bigint[]) as a (seq, id, reply_to, author)
               join chat_message m on m.id = a.reply_to
           ) as concerned
           where agent is not null and agent is distinct from author
           order by agent, seq, kind"#,
        &column(&effects.mentions, |mention| mention.agent),
        &column(&effects.mentions, |mention| mention.message.seq),
        &column(&effects.mentions, |mention| mention.message.id.clone()),
        &column(&answers, |(_, message)| message.seq),
        &column(&answers, |(_, message)| message.id.clone()),
        &column(&answers, |(_, message)| message.reply_to.clone().unwrap_or_default()),
        &column(&answers, |(author, _)| *author) as &[Option<i64>],
        &column(&effects.mentions, |mention| mention.origin.clone()) as &[Option<Vec<u8>>]
    )
    .execute(&mut *connection)
    .await?;
    fold_mentions(connection, effects, now).await
}

/// Makes one item of the mentions of one reader that came from one address by several accounts, none of them more than a
/// day before this batch: it stands at the newest one and counts the others. Mentions by a single account stay apart.
async fn fold_mentions(connection: &mut PgConnection, effects: &Effects, now: DateTime<Utc>) -> Result<()> {
    let known: Vec<_> = effects.mentions.iter().filter(|mention| mention.origin.is_some()).collect();
    if known.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        r#"with item as (
               select n.agent, n.origin, n.seq, n.count, m.agent as author
               from (select distinct agent, origin from unnest($1::bigint[], $2::bytea[]) as t (agent, origin)) as touched
               join notice n on n.agent = touched.agent and n.origin = touched.origin and n.kind = 'mention'
               join event e on e.seq = n.seq and e.at > $3
               left join chat_message m on m.id = n.message_id
           ), folded as (
               select agent, origin, max(seq) as seq, sum(count)::integer as count
               from item group by agent, origin
               having count(*) > 1 and (max(count) > 1 or count(distinct coalesce(author, -seq)) > 1)
           ), gone as (
               delete from notice n using folded f
               where n.agent = f.agent and n.seq < f.seq
                 and n.seq in (select seq from item i where i.agent = f.agent and i.origin = f.origin)
           )
           update notice n set count = f.count from folded f where n.agent = f.agent and n.seq = f.seq"#,
        &column(&known, |mention| mention.agent),
        &column(&known, |mention| mention.origin.clone().unwrap_or_default()),
        now - FOLDED_WITHIN
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// Forgets where mentions came from once no other one folds with them; returns how many were forgotten.
pub async fn forget_origins(pool: &PgPool, now: DateTime<Utc>) -> Result<u64> {
    let forgotten = sqlx::query!(
        r#"update notice set origin = null from event e
           where origin is not null and e.seq = notice.seq and e.at <= $1"#,
        now - FOLDED_WITHIN
    )
    .execute(pool)
    .await?;
    Ok(forgotten.rows_affected())
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
