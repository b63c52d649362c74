//! The SQL of what the shadow-banned say.

use chrono::{DateTime, Utc};
use rules::message::Message;
use sqlx::PgConnection;

use super::messages::{Row, array, kind_name, message, region};
use super::{Result, column};
use crate::log::effects::Effects;
use crate::log::shadow::{Place, Shadow};

struct Found {
    no: i64,
    author: i64,
    after_seq: i64,
    id: String,
    agent_id: String,
    agent_name: String,
    sender_type: String,
    kind: String,
    content: String,
    reply_to: Option<String>,
    region: Option<Vec<i32>>,
    color_palette: Option<Vec<i16>>,
    badge: Option<String>,
    sent_at: DateTime<Utc>,
}

impl From<Found> for Shadow {
    fn from(found: Found) -> Self {
        let row = Row {
            id: found.id,
            seq: Message::NO_SEQ,
            agent_id: Some(found.agent_id),
            agent_name: Some(found.agent_name),
            sender_type: found.sender_type,
            badge: found.badge,
            hidden: false,
            content: found.content,
            kind: found.kind,
            reply_to: found.reply_to,
            region: found.region,
            color_palette: found.color_palette,
            sent_at: found.sent_at,
        };
        let message = message(row, &[]).into();
        Self { no: found.no, author: found.author, after: found.after_seq, message }
    }
}

fn shadows_of(found: Vec<Found>) -> Vec<Shadow> {
    found.into_iter().map(Shadow::from).collect()
}

/// An author's newest that stand after an event and before a place, newest first.
pub async fn shadows(
    connection: &mut PgConnection,
    author: i64,
    after: i64,
    (seq, no): Place,
    limit: i64,
) -> Result<Vec<Shadow>> {
    let found = sqlx::query_as!(
        Found,
        r#"select s.no, s.agent as author, s.after_seq, s.id, a.id as agent_id, a.name as agent_name,
                  case a.kind when 'viewer' then 'human' else 'agent' end as "sender_type!", s.type as kind, s.content,
                  s.reply_to, s.region, s.color_palette, s.badge, s.sent_at
           from shadow_message s join agent a on a.no = s.agent
           where s.agent = $1 and s.released is null and s.after_seq >= $2 and (s.after_seq, s.no) < ($3, $4)
           order by s.no desc limit $5"#,
        author,
        after,
        seq,
        no,
        limit
    );
    Ok(shadows_of(found.fetch_all(connection).await?))
}

/// Those with a number greater than this, in their order.
pub async fn shadows_after(connection: &mut PgConnection, no: i64) -> Result<Vec<Shadow>> {
    let found = sqlx::query_as!(
        Found,
        r#"select s.no, s.agent as author, s.after_seq, s.id, a.id as agent_id, a.name as agent_name,
                  case a.kind when 'viewer' then 'human' else 'agent' end as "sender_type!", s.type as kind, s.content,
                  s.reply_to, s.region, s.color_palette, s.badge, s.sent_at
           from shadow_message s join agent a on a.no = s.agent where s.no > $1 order by s.no"#,
        no
    );
    Ok(shadows_of(found.fetch_all(connection).await?))
}

/// Those with these ids that were not said to all yet, in their order.
pub async fn shadows_with(connection: &mut PgConnection, ids: &[String]) -> Result<Vec<Shadow>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let found = sqlx::query_as!(
        Found,
        r#"select s.no, s.agent as author, s.after_seq, s.id, a.id as agent_id, a.name as agent_name,
                  case a.kind when 'viewer' then 'human' else 'agent' end as "sender_type!", s.type as kind, s.content,
                  s.reply_to, s.region, s.color_palette, s.badge, s.sent_at
           from shadow_message s join agent a on a.no = s.agent
           where s.id = any($1) and s.released is null order by s.no"#,
        ids
    );
    Ok(shadows_of(found.fetch_all(connection).await?))
}

/// Where a message stands that an author is shown.
pub async fn place_of(connection: &mut PgConnection, author: i64, id: &str) -> Result<Option<Place>> {
    let row = sqlx::query!(
        r#"select seq as "seq!", 0::bigint as "no!" from event where kind = 'chat' and id = $2
           union all
           select after_seq, no from shadow_message where id = $2 and agent = $1 and released is null
           limit 1"#,
        author,
        id
    );
    Ok(row.fetch_optional(connection).await?.map(|row| (row.seq, row.no)))
}

/// The number of the newest.
pub async fn newest_shadow(connection: &mut PgConnection) -> Result<i64> {
    sqlx::query_scalar!(r#"select coalesce(max(no), 0) as "no!" from shadow_message"#)
        .fetch_one(connection)
        .await
}

/// Whether all that a batch has said beside the log was written.
pub async fn has_shadows(connection: &mut PgConnection, effects: &Effects) -> Result<bool> {
    let ids = column(&effects.shadows, |shadow| shadow.message.id.clone());
    let written =
        sqlx::query_scalar!(r#"select count(*) as "count!" from shadow_message where id = any($1)"#, &ids);
    Ok(written.fetch_one(connection).await? == ids.len() as i64)
}

/// Writes what was said beside the log, and what of it was said after all. The gate must be closed.
pub(super) async fn record_shadows(connection: &mut PgConnection, effects: &Effects) -> Result<()> {
    let rows = &effects.shadows;
    if !rows.is_empty() {
        insert(connection, effects).await?;
    }
    if effects.released.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        r#"update shadow_message set released = r.seq
           from unnest($1::text[], $2::bigint[]) as r (id, seq) where shadow_message.id = r.id"#,
        &column(&effects.released, |(id, _)| id.clone()),
        &column(&effects.released, |(_, seq)| *seq)
    )
    .execute(connection)
    .await
    .map(|_| ())
}

async fn insert(connection: &mut PgConnection, effects: &Effects) -> Result<()> {
    let rows = &effects.shadows;
    let texts = |text: fn(&Message) -> String| column(rows, |shadow| text(&shadow.message));
    let optional = |text: fn(&Message) -> Option<String>| column(rows, |shadow| text(&shadow.message));
    sqlx::query!(
        r#"insert into shadow_message
               (id, agent, after_seq, type, content, reply_to, region, color_palette, badge, sent_at)
           select m.id, m.agent, m.after_seq, m.type, m.content, m.reply_to, m.region::integer[],
                  m.color_palette::smallint[], m.badge, m.sent_at
           from unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
                       $8::text[], $9::text[], $10::timestamptz[])
                as m (id, agent, after_seq, type, content, reply_to, region, color_palette, badge, sent_at)"#,
        &texts(|message| message.id.clone()),
        &column(rows, |shadow| shadow.author),
        &column(rows, |shadow| shadow.after),
        &texts(|message| kind_name(message.kind).to_owned()),
        &texts(|message| message.content.clone().unwrap_or_default()),
        &optional(|message| message.reply_to.clone()) as &[Option<String>],
        &optional(|message| message.region.map(region)) as &[Option<String>],
        &optional(|message| message.color_palette.as_deref().map(array)) as &[Option<String>],
        &optional(|message| message.badge.as_deref().map(str::to_owned)) as &[Option<String>],
        &column(rows, |shadow| shadow.message.timestamp)
    )
    .execute(connection)
    .await
    .map(|_| ())
}
