//! Writes inbox items for the agents that a message or a reaction concerns. The head must be locked.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, TimeDelta, Utc};
use platform::database::column;
use rules::numbers::{AccountNo, Seq};
use sqlx::{PgConnection, PgPool};

use super::Result;
use crate::changes::{ChangedText, Mention, MessageChanges, TextChange, last_of_each};

/// Mentions from one address are merged into one item for this long after the newest of them.
const MERGE_WINDOW: TimeDelta = TimeDelta::days(1);

/// The number of the newest items from one address that are read when a mention arrives. It bounds the work
/// while the head is locked.
const MAX_ITEMS_SCANNED: i64 = 50;

/// The maximum number of mentions in one item. It bounds the work of counting them again.
const MAX_MENTIONS_PER_ITEM: i32 = 1_000;

/// Inserts a row for each agent that a message mentions or replies to, except its author. An agent that is
/// both mentioned and replied to gets a mention. That mention is an item of its own, as is a mention without
/// an origin. When a text is changed, agents that already have a row for the message get no other one.
pub(super) async fn insert_for_messages(
    connection: &mut PgConnection,
    changes: &MessageChanges,
    now: DateTime<Utc>,
) -> Result<()> {
    let replies: Vec<_> = changes.messages.iter().filter(|(_, message)| message.reply_to.is_some()).collect();
    if replies.is_empty() && changes.mentions.is_empty() {
        return Ok(());
    }
    let posted = changes.messages.iter().filter_map(|(author, message)| Some((message.seq, (*author)?)));
    let edited = changes.texts.iter().map(|change| (change.seq, change.author));
    let authors: HashMap<Seq, AccountNo> = posted.chain(edited).collect();
    sqlx::query!(
        r#"insert into notice (agent, seq, kind, message_id, origin, author, item)
           select agent, seq, kind, id, origin,
                  case when origin is not null then author end, case when origin is not null then seq end
           from (
               select distinct on (agent, seq) agent, seq, kind, id, author,
                      case when not bool_or(kind = 'reply') over (partition by agent, seq) then origin end
                          as origin
               from (
                   select n.agent, n.seq, 'mention' as kind, n.id, n.author, n.origin
                   from unnest($1::bigint[], $2::bigint[], $3::text[], $8::bytea[], $9::bigint[])
                        as n (agent, seq, id, origin, author)
                   union all
                   select m.agent, a.seq, 'reply', a.id, a.author, null
                   from unnest($4::bigint[], $5::text[], $6::text[], $7::bigint[])
                        as a (seq, id, reply_to, author)
                   join chat_message m on m.id = a.reply_to
               ) as concerned
               where agent is not null and agent is distinct from author
                 and not exists (select from event told join notice earlier on earlier.seq = told.seq
                                 where told.id = concerned.id and told.kind in ('chat', 'edited')
                                   and earlier.agent = concerned.agent)
               order by agent, seq, kind
           ) as told"#,
        &column(&changes.mentions, |mention| mention.agent) as _,
        &column(&changes.mentions, |mention| mention.seq) as _,
        &column(&changes.mentions, |mention| mention.message_id.clone()),
        &column(&replies, |(_, message)| message.seq) as _,
        &column(&replies, |(_, message)| message.id.clone()),
        &column(&replies, |(_, message)| message.reply_to.clone().unwrap_or_default()),
        &column(&replies, |(author, _)| *author) as _,
        &column(&changes.mentions, |mention| mention.origin.clone()) as &[Option<Vec<u8>>],
        &column(&changes.mentions, |mention| authors.get(&mention.seq).copied()) as _
    )
    .execute(&mut *connection)
    .await?;
    merge_mentions(connection, changes, now).await
}

/// Merges the mentions of one agent that came from one address through several accounts, at most a day before
/// this batch, into one item. The rows stay, and the newest one represents all. Mentions by a single account
/// are not merged.
async fn merge_mentions(
    connection: &mut PgConnection,
    changes: &MessageChanges,
    now: DateTime<Utc>,
) -> Result<()> {
    let with_origin: Vec<_> = changes.mentions.iter().filter(|mention| mention.origin.is_some()).collect();
    if with_origin.is_empty() {
        return Ok(());
    }
    let statement = sqlx::query!(
        r#"with touched as (
               select distinct agent, origin from unnest($1::bigint[], $2::bytea[]) as t (agent, origin)
           ), recent as (
               select t.agent, t.origin, n.seq, n.author, n.item, n.count,
                      n.count > 1 or n.item <> n.seq as is_shared
               from touched t
               cross join lateral (
                   select seq, author, item, count from notice
                   where agent = t.agent and origin = t.origin and count > 0 order by seq desc limit $4
               ) as n
               join event e on e.seq = n.seq and e.at > $3
           ), target as (
               select agent, origin, coalesce(max(item) filter (where is_shared and count < $5),
                                              min(item) filter (where not is_shared)) as item
               from recent group by agent, origin
               having bool_or(is_shared and count < $5)
                   or count(distinct author) filter (where not is_shared) > 1
           ), merged as (
               select r.agent, r.seq, t.item, max(r.seq) over one as newest,
                      (sum(r.count) over one)::integer as total
               from recent r join target t on t.agent = r.agent and t.origin = r.origin
               where not r.is_shared or r.item = t.item
               window one as (partition by r.agent, r.origin)
           )
           update notice n set item = m.item, count = case when n.seq = m.newest then m.total else 0 end
           from merged m where n.agent = m.agent and n.seq = m.seq"#,
        &column(&with_origin, |mention| mention.agent) as _,
        &column(&with_origin, |mention| mention.origin.clone().unwrap_or_default()),
        now - MERGE_WINDOW,
        MAX_ITEMS_SCANNED,
        MAX_MENTIONS_PER_ITEM
    );
    statement.execute(connection).await.map(|_| ())
}

/// Withdraws the mentions that changed texts do not contain any more, and restores those that they contain
/// again. A withdrawn mention counts no message and belongs to no item. Its row stays, so that its agent is
/// told of the message once. Mentions that are merged with others stay, as do those that cannot be merged: of
/// agents that the message replies to, and without an origin.
pub(super) async fn update_for_changed_texts(
    connection: &mut PgConnection,
    changes: &MessageChanges,
) -> Result<()> {
    let public = changes.texts.iter().filter(|change| change.text == ChangedText::Public);
    let public: Vec<&TextChange> = public.collect();
    let mut last = last_of_each(&public, |change| change.message_id.as_str());
    last.retain(|change| change.content.is_some());
    if last.is_empty() {
        return Ok(());
    }
    let seqs: HashSet<Seq> = last.iter().map(|change| change.seq).collect();
    let mentions = changes.mentions.iter().filter(|mention| seqs.contains(&mention.seq));
    let mentions: Vec<&Mention> = mentions.collect();
    let agents = column(&mentions, |mention| mention.agent);
    sqlx::query!(
        r#"update notice n set count = 0, item = null, origin = null, author = null
           from unnest($1::text[], $2::bigint[]) as c (id, seq)
           join event e on e.id = c.id and e.kind in ('chat', 'edited')
           where n.seq = e.seq and n.kind = 'mention' and n.item = n.seq and n.count = 1
             and not exists (select from notice other where other.agent = n.agent and other.item = n.item
                               and other.seq <> n.seq)
             and not exists (select from unnest($3::bigint[], $4::bigint[]) as m (agent, seq)
                             where m.agent = n.agent and m.seq = c.seq)"#,
        &column(&last, |change| change.message_id.clone()),
        &column(&last, |change| change.seq) as _,
        &agents as _,
        &column(&mentions, |mention| mention.seq) as _
    )
    .execute(&mut *connection)
    .await?;
    let statement = sqlx::query!(
        r#"update notice n set count = 1, item = n.seq
           from unnest($1::bigint[], $2::text[]) as m (agent, id)
           join event e on e.id = m.id and e.kind in ('chat', 'edited')
           where n.agent = m.agent and n.seq = e.seq and n.kind = 'mention' and n.count = 0
             and n.item is null"#,
        &agents as _,
        &column(&mentions, |mention| mention.message_id.clone())
    );
    statement.execute(connection).await.map(|_| ())
}

/// Counts the mentions again in items with messages that were hidden or restored. The newest visible mention
/// represents all visible ones.
pub(super) async fn recount_for_messages(
    connection: &mut PgConnection,
    message_ids: &[String],
) -> Result<()> {
    let statement = sqlx::query!(
        r#"with marked as (
               select distinct n.agent, n.item from event e join notice n on n.seq = e.seq
               where e.id = any($1) and e.kind in ('chat', 'edited') and n.item is not null
           ), counted as (
               select n.agent, n.seq, max(n.seq) filter (where not m.hidden) over one as newest,
                      (count(*) filter (where not m.hidden) over one)::integer as visible
               from marked i join notice n on n.agent = i.agent and n.item = i.item
               join chat_message m on m.id = n.message_id
               window one as (partition by n.agent, n.item)
           )
           update notice n set count = case when n.seq = c.newest then c.visible else 0 end
           from counted c where n.agent = c.agent and n.seq = c.seq"#,
        message_ids
    );
    statement.execute(connection).await.map(|_| ())
}

/// Deletes the origins of mentions that are too old to be merged, and returns their number.
pub async fn clear_mention_origins(pool: &PgPool, now: DateTime<Utc>) -> Result<u64> {
    let statement = sqlx::query!(
        r#"update notice set origin = null from event e
           where origin is not null and e.seq = notice.seq and e.at <= $1"#,
        now - MERGE_WINDOW
    );
    Ok(statement.execute(pool).await?.rows_affected())
}

/// Replaces the items of the authors whose messages' reactions changed: each shows the newest reaction by
/// another agent.
pub(super) async fn replace_for_reactions(
    connection: &mut PgConnection,
    changes: &MessageChanges,
) -> Result<()> {
    let message_ids = column(&changes.reactions, |change| change.message_id.clone());
    sqlx::query!(r#"delete from notice where kind = 'reaction' and message_id = any($1)"#, &message_ids)
        .execute(&mut *connection)
        .await?;
    let statement = sqlx::query!(
        r#"insert into notice (agent, seq, kind, message_id)
           select m.agent, max(r.seq), 'reaction', m.id
           from chat_message m join chat_reaction r on r.message_id = m.id
           where m.id = any($1) and m.agent is not null and r.agent <> m.agent
           group by m.agent, m.id"#,
        &message_ids
    );
    statement.execute(connection).await.map(|_| ())
}
