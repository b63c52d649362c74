//! The SQL of shadow messages.

use chrono::{DateTime, Utc};
use platform::database::{column, to_array_literal};
use rules::message::Message;
use rules::numbers::{AccountNo, Seq};
use sqlx::PgConnection;

use super::Result;
use super::messages::{ChatMessageRow, message_from_row, message_type_name, regions_to_array};
use crate::shadow::changes::ShadowChanges;
use crate::shadow::message::{ChatPosition, ShadowMessage};

struct ShadowMessageRow {
    no: i64,
    author: AccountNo,
    after_seq: Seq,
    id: String,
    agent_id: String,
    agent_name: String,
    sender_type: String,
    kind: String,
    content: String,
    reply_to: Option<String>,
    regions: Option<Vec<i32>>,
    intent_state: Option<String>,
    intent_expires_at: Option<DateTime<Utc>>,
    color_palette: Option<Vec<i16>>,
    badge: Option<String>,
    sent_at: DateTime<Utc>,
    edited_at: Option<DateTime<Utc>>,
    deleted_at: Option<DateTime<Utc>>,
    plan_id: Option<String>,
    names_shadow_plan: Option<bool>,
    importance: String,
}

impl From<ShadowMessageRow> for ShadowMessage {
    fn from(stored: ShadowMessageRow) -> Self {
        let row = ChatMessageRow {
            id: stored.id,
            seq: stored.after_seq,
            agent_id: Some(stored.agent_id),
            agent_name: Some(stored.agent_name),
            sender_type: stored.sender_type,
            badge: stored.badge,
            hidden: stored.deleted_at.is_some(),
            folded: false,
            content: stored.content,
            kind: stored.kind,
            reply_to: stored.reply_to,
            regions: stored.regions,
            intent_state: stored.intent_state,
            intent_expires_at: stored.intent_expires_at,
            color_palette: stored.color_palette,
            sent_at: stored.sent_at,
            edited_at: stored.edited_at,
            deleted_at: stored.deleted_at,
            plan_id: stored.plan_id,
            importance: stored.importance,
        };
        let message = message_from_row(row, &[]).into();
        let names_shadow_plan = stored.names_shadow_plan.unwrap_or_default();
        Self { no: stored.no, author: stored.author, after_seq: stored.after_seq, message, names_shadow_plan }
    }
}

fn from_rows(rows: Vec<ShadowMessageRow>) -> Vec<ShadowMessage> {
    rows.into_iter().map(ShadowMessage::from).collect()
}

/// Returns an author's newest shadow messages after an event and before a position, newest first. Those that
/// it has deleted are left out if `only_visible` is true.
pub async fn shadow_messages(
    connection: &mut PgConnection,
    author: AccountNo,
    after: Seq,
    before: ChatPosition,
    limit: i64,
    only_visible: bool,
) -> Result<Vec<ShadowMessage>> {
    let (seq, no) = before;
    let query = sqlx::query_as!(
        ShadowMessageRow,
        r#"select s.no, s.agent as "author: AccountNo", s.after_seq as "after_seq: Seq", s.id,
                  a.id as agent_id, a.name as agent_name,
                  case a.kind when 'viewer' then 'human' else 'agent' end as "sender_type!", s.type as kind,
                  s.content, s.reply_to, s.regions, s.intent_state, s.intent_expires_at, s.color_palette,
                  s.badge, s.sent_at, s.edited_at, s.deleted_at, p.id as "plan_id?",
                  p.shadow or p.private as "names_shadow_plan?", s.importance
           from shadow_message s join agent a on a.no = s.agent
               left join plan p on p.no = s.plan and not p.hidden
           where s.agent = $1 and s.released is null and s.after_seq >= $2 and (s.after_seq, s.no) < ($3, $4)
             and not ($6 and s.deleted_at is not null)
           order by s.no desc limit $5"#,
        author as _,
        after as _,
        seq as _,
        no,
        limit,
        only_visible
    );
    Ok(from_rows(query.fetch_all(connection).await?))
}

/// Returns those with these ids that are not public yet, in order.
pub async fn shadow_messages_by_ids(
    connection: &mut PgConnection,
    ids: &[String],
) -> Result<Vec<ShadowMessage>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let query = sqlx::query_as!(
        ShadowMessageRow,
        r#"select s.no, s.agent as "author: AccountNo", s.after_seq as "after_seq: Seq", s.id,
                  a.id as agent_id, a.name as agent_name,
                  case a.kind when 'viewer' then 'human' else 'agent' end as "sender_type!", s.type as kind,
                  s.content, s.reply_to, s.regions, s.intent_state, s.intent_expires_at, s.color_palette,
                  s.badge, s.sent_at, s.edited_at, s.deleted_at, p.id as "plan_id?",
                  p.shadow or p.private as "names_shadow_plan?", s.importance
           from shadow_message s join agent a on a.no = s.agent
               left join plan p on p.no = s.plan and not p.hidden
           where s.id = any($1) and s.released is null order by s.no"#,
        ids
    );
    Ok(from_rows(query.fetch_all(connection).await?))
}

/// Returns the ids of an author's newest shadow messages that are intents, between two events, both included,
/// newest first: all that it has not deleted, or those that are live at `live_at`.
pub async fn shadow_intent_ids(
    connection: &mut PgConnection,
    author: AccountNo,
    from: Seq,
    up_to: Seq,
    live_at: Option<DateTime<Utc>>,
    limit: i64,
) -> Result<Vec<String>> {
    let statement = sqlx::query_scalar!(
        r#"select id from shadow_message
           where agent = $1 and type = 'intent' and released is null and deleted_at is null
             and after_seq >= $2 and after_seq <= $3
             and ($4::timestamptz is null or intent_state = 'open' and intent_expires_at > $4)
           order by no desc limit $5"#,
        author as _,
        from as _,
        up_to as _,
        live_at,
        limit
    );
    statement.fetch_all(connection).await
}

/// Returns the position of a message in the chat as an author sees it.
pub async fn chat_position(
    connection: &mut PgConnection,
    author: AccountNo,
    id: &str,
) -> Result<Option<ChatPosition>> {
    let statement = sqlx::query!(
        r#"select seq as "seq!: Seq", 0::bigint as "no!" from event where kind = 'chat' and id = $2
           union all
           select after_seq, no from shadow_message where id = $2 and agent = $1 and released is null
           limit 1"#,
        author as _,
        id
    );
    Ok(statement.fetch_optional(connection).await?.map(|row| (row.seq, row.no)))
}

/// Writes shadow messages, and marks those that have become public. The head must be locked.
pub(super) async fn record_shadow_messages(
    connection: &mut PgConnection,
    changes: &ShadowChanges,
) -> Result<()> {
    if !changes.messages.is_empty() {
        insert(connection, changes).await?;
    }
    if changes.released.is_empty() {
        return Ok(());
    }
    let statement = sqlx::query!(
        r#"update shadow_message set released = r.seq
           from unnest($1::text[], $2::bigint[]) as r (id, seq) where shadow_message.id = r.id"#,
        &column(&changes.released, |(id, _)| id.clone()),
        &column(&changes.released, |(_, seq)| *seq) as _
    );
    statement.execute(connection).await.map(|_| ())
}

async fn insert(connection: &mut PgConnection, changes: &ShadowChanges) -> Result<()> {
    let rows = &changes.messages;
    let texts = |text: fn(&Message) -> String| column(rows, |shadow| text(&shadow.message));
    let optional = |text: fn(&Message) -> Option<String>| column(rows, |shadow| text(&shadow.message));
    let statement = sqlx::query!(
        r#"insert into shadow_message
               (id, agent, after_seq, type, content, reply_to, regions, color_palette, badge, sent_at,
                intent_state, intent_expires_at, plan, importance)
           select m.id, m.agent, m.after_seq, m.type, m.content, m.reply_to, m.regions::integer[],
                  m.color_palette::smallint[], m.badge, m.sent_at, m.intent_state, m.intent_expires_at,
                  p.no, m.importance
           from unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
                       $8::text[], $9::text[], $10::timestamptz[], $11::text[], $12::timestamptz[],
                       $13::text[], $14::text[])
                as m (id, agent, after_seq, type, content, reply_to, regions, color_palette, badge, sent_at,
                      intent_state, intent_expires_at, plan_id, importance)
                left join plan p on p.id = m.plan_id"#,
        &texts(|message| message.id.clone()),
        &column(rows, |shadow| shadow.author) as _,
        &column(rows, |shadow| shadow.after_seq) as _,
        &texts(|message| message_type_name(message.kind).to_owned()),
        &texts(|message| message.content.clone().unwrap_or_default()),
        &optional(|message| message.reply_to.clone()) as &[Option<String>],
        &optional(|message| message.intent.as_ref().and_then(regions_to_array)) as &[Option<String>],
        &optional(|message| message.color_palette.as_deref().map(to_array_literal)) as &[Option<String>],
        &optional(|message| message.badge.as_deref().map(str::to_owned)) as &[Option<String>],
        &column(rows, |shadow| shadow.message.timestamp),
        &optional(|message| message.intent.as_ref().map(|intent| intent.state.name().to_owned()))
            as &[Option<String>],
        &column(rows, |shadow| shadow.message.intent.as_ref().map(|intent| intent.expires_at))
            as &[Option<DateTime<Utc>>],
        &optional(|message| message.plan_id.as_deref().map(str::to_owned)) as &[Option<String>],
        &texts(|message| message.importance.name().to_owned())
    );
    statement.execute(connection).await.map(|_| ())
}

/// Returns the number of an author's messages that only it can see, between two events and after a time.
/// Deleted ones count like those of everyone else.
pub async fn count_shadow_messages(
    connection: &mut PgConnection,
    author: AccountNo,
    after: Seq,
    up_to: Seq,
    since: Option<DateTime<Utc>>,
) -> Result<i64> {
    let statement = sqlx::query_scalar!(
        r#"select count(*) as "count!" from shadow_message
           where agent = $1 and released is null and after_seq >= $2 and after_seq <= $4
             and ($3::timestamptz is null or sent_at >= $3)"#,
        author as _,
        after as _,
        since,
        up_to as _
    );
    statement.fetch_one(connection).await
}

/// Returns those of these messages that were posted as shadow messages.
pub async fn shadow_messages_among(connection: &mut PgConnection, ids: &[String]) -> Result<Vec<String>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    sqlx::query_scalar!("select id from shadow_message where id = any($1)", ids).fetch_all(connection).await
}
