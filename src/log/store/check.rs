//! The SQL of the log check, which reads page by page.

use chrono::{DateTime, Utc};
use rules::numbers::{AccountNo, Seq};
use sqlx::PgConnection;

use super::Result;
use crate::log::check::RowFault;

/// A row of the log: a placement or another event.
pub struct LogRow {
    pub seq: Seq,
    pub at: DateTime<Utc>,
    /// `None` for placements.
    pub kind: Option<String>,
    pub id: Option<String>,
    pub x: Option<i16>,
    pub y: Option<i16>,
    pub color: Option<i16>,
    pub agent: Option<AccountNo>,
    /// The agent that a correction shows as the painter.
    pub restored_agent: Option<AccountNo>,
    pub covers: Option<Seq>,
    pub previous: Option<Seq>,
}

/// An agent's counters, and the numbers to compare them with.
pub struct AgentCounters {
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

/// A stored response, with the agent it belongs to.
pub struct StoredResponseRow {
    pub agent: AccountNo,
    pub agent_id: Option<String>,
    pub route: String,
    pub key: String,
    pub answer: Vec<u8>,
}

/// Returns the newest event under the old rule, by which repainting one's own pixel in the same colour earned
/// a credit.
pub async fn old_credit_rule_until(connection: &mut PgConnection) -> Result<Seq> {
    sqlx::query_scalar!(
        r#"select after_seq as "after_seq: Seq" from rule_start where rule = 'own_repaint_earns_nothing'"#
    )
    .fetch_one(connection)
    .await
}

/// Returns the seasons with a stored snapshot, by the numbers of their openings.
pub async fn snapshot_seasons(connection: &mut PgConnection) -> Result<Vec<Seq>> {
    sqlx::query_scalar!(r#"select season as "season: Seq" from fold order by season"#)
        .fetch_all(connection)
        .await
}

/// Returns the next rows after a number. Rows with the same number are never separated.
pub async fn log_rows(connection: &mut PgConnection, after: Seq, limit: i64) -> Result<Vec<LogRow>> {
    sqlx::query_as!(
        LogRow,
        r#"select seq as "seq!: Seq", at as "at!", kind, id, x, y, color, agent as "agent: AccountNo",
                  restored_agent as "restored_agent: AccountNo", covers as "covers: Seq",
                  previous as "previous: Seq" from (
               (select seq, placed_at as at, null::text as kind, null::text as id, x, y, color, agent,
                       restored_agent, covers, previous
                from placement where seq > $1 order by seq limit $2)
               union all
               (select seq, at, kind, id, null, null, null, null, null, null, null
                from event where seq > $1 order by seq limit $2)
           ) as line
           order by seq fetch first $2 rows with ties"#,
        after as _,
        limit
    )
    .fetch_all(connection)
    .await
}

/// Returns the rows with these numbers.
pub async fn log_rows_by_seqs(connection: &mut PgConnection, seqs: &[Seq]) -> Result<Vec<LogRow>> {
    sqlx::query_as!(
        LogRow,
        r#"select seq as "seq!: Seq", placed_at as "at!", null::text as kind, null::text as id, x, y, color,
                  agent as "agent: AccountNo", restored_agent as "restored_agent: AccountNo",
                  covers as "covers: Seq", previous as "previous: Seq"
           from placement where seq = any($1)
           union all
           select seq, at, kind, id, null, null, null, null, null, null, null
           from event where seq = any($1)"#,
        seqs as _
    )
    .fetch_all(connection)
    .await
}

/// Returns the next agents after a number, with their counters.
pub async fn agent_counters(
    connection: &mut PgConnection,
    after: AccountNo,
    limit: i64,
) -> Result<Vec<AgentCounters>> {
    sqlx::query_as!(
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
    )
    .fetch_all(connection)
    .await
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
pub async fn count_unreleased_shadow_messages(connection: &mut PgConnection) -> Result<i64> {
    sqlx::query_scalar!(r#"select count(*) as "count!" from shadow_message where released is null"#)
        .fetch_one(connection)
        .await
}

/// Returns those of these messages that were posted as shadow messages.
pub async fn shadow_messages_among(connection: &mut PgConnection, ids: &[String]) -> Result<Vec<String>> {
    sqlx::query_scalar!("select id from shadow_message where id = any($1)", ids).fetch_all(connection).await
}

/// Returns the texts, changes of visibility and reactions that contradict the events.
pub async fn chat_faults(connection: &mut PgConnection) -> Result<Vec<RowFault>> {
    sqlx::query_as!(
        RowFault,
        r#"select kind as "kind!", seq as "seq!", id as "id!", fault as "fault!" from (
               select 1 as rank, 'text' as kind, m.seq, m.id,
               'its text does not belong to an event with this number, id and time, or its author is unknown'
                   as fault
               from chat_message m
                   left join event e on e.seq = m.seq and e.kind = 'chat'
                   left join agent a on a.no = m.agent
               where e.id is distinct from m.id or e.at <> m.sent_at
                  or (a.no is null) <> (m.sender_type = 'system')
               union all
               select 1, 'text', m.seq, m.id, 'its event names another author'
               from chat_message m join event e on e.seq = m.seq and e.id = m.id
               where e.agent is not null and e.agent is distinct from m.agent
               union all
               select 2, 'duplicate', max(seq), id, 'it was posted more than once'
               from event where kind = 'chat' group by id having count(*) > 1
               union all
               select 3, 'reaction', seq, id, 'a reaction to a message that was not posted before'
               from event r where kind = 'reaction' and not exists
                   (select from event c where c.id = r.id and c.kind = 'chat' and c.seq < r.seq)
               union all
               select 4, 'visibility', seq, id,
               'its visibility is not that of its newest change, or it was not posted before that change'
               from (
                   select seq, id from event m where kind in ('hidden', 'restored', 'deleted') and not exists
                       (select from event c where c.id = m.id and c.kind = 'chat' and c.seq < m.seq)
                   union all
                   select seq, id from chat_message t where hidden is distinct from
                       coalesce((select kind <> 'restored' from event m
                                 where m.id = t.id and kind in ('hidden', 'restored', 'deleted')
                                 order by m.seq desc limit 1), false)
               ) as fault
               union all
               select 5, 'reaction', seq, message_id, 'a reaction is shown that no event has added'
               from chat_reaction r where not exists
                   (select from event e where e.seq = r.seq and e.kind = 'reaction' and e.id = r.message_id)
           ) as fault_row
           order by rank, seq"#
    )
    .fetch_all(connection)
    .await
}

/// Returns the changed and deleted texts that contradict the events.
pub async fn edit_faults(connection: &mut PgConnection) -> Result<Vec<RowFault>> {
    sqlx::query_as!(
        RowFault,
        r#"select kind as "kind!", seq as "seq!", id as "id!", fault as "fault!" from (
               select 1 as rank, 'edit' as kind, seq, id,
                      'its text was changed before it was posted or after it was deleted' as fault
               from event e where kind in ('edited', 'deleted') and (
                   not exists (select from event c where c.id = e.id and c.kind = 'chat' and c.seq < e.seq)
                   or exists (select from event d where d.id = e.id and d.kind = 'deleted' and d.seq < e.seq))
               union all
               select 2, 'edit', seq, id, 'the times of its change and deletion are not those of its events'
               from chat_message m
               where edited_at is distinct from
                     (select max(at) from event e where e.id = m.id and e.kind = 'edited')
                  or deleted_at is distinct from
                     (select at from event e where e.id = m.id and e.kind = 'deleted' order by seq limit 1)
               union all
               select 3, 'edit', m.seq, m.id, 'its earlier texts are not those of its events'
               from chat_message m
               where (exists (select from event e where e.id = m.id and e.kind in ('edited', 'deleted'))
                      or exists (select from earlier_text t where t.message_id = m.id))
                 and array(select at from event e where e.id = m.id and e.kind in ('edited', 'deleted')
                           order by seq)
                     is distinct from
                     array(select until from earlier_text t where t.message_id = m.id order by no)
           ) as fault_row
           order by rank, seq"#
    )
    .fetch_all(connection)
    .await
}

/// Returns the entries of the control log whose number does not follow the previous one, or the newest
/// deleted one, or whose subject is unknown.
pub async fn invalid_control_entries(connection: &mut PgConnection) -> Result<Vec<i64>> {
    sqlx::query_scalar!(
        r#"select c.no as "no!"
           from (select no, kind, subject, lag(no, 1, control_deleted) over (order by no) as before
                 from control cross join log_head) as c
               left join agent a on a.no = c.subject
           where c.no <> c.before + 1
              or a.no is null and c.kind in ('key_changed', 'standing', 'shadow', 'shadow_ban')
           order by c.no"#
    )
    .fetch_all(connection)
    .await
}

/// Returns the newest number of the control log, also if its entry was deleted.
pub async fn newest_control_entry(connection: &mut PgConnection) -> Result<i64> {
    sqlx::query_scalar!(
        r#"select greatest((select max(no) from control), control_deleted) as "no!" from log_head"#
    )
    .fetch_one(connection)
    .await
}

/// Returns the next stored responses after this agent, route and key.
pub async fn stored_answers(
    connection: &mut PgConnection,
    agent: AccountNo,
    route: &str,
    key: &str,
    limit: i64,
) -> Result<Vec<StoredResponseRow>> {
    sqlx::query_as!(
        StoredResponseRow,
        r#"select i.agent as "agent: AccountNo", a.id as "agent_id?", i.route, i.key, i.answer
           from idempotency i left join agent a on a.no = i.agent
           where (i.agent, i.route, i.key) > ($1, $2, $3) order by i.agent, i.route, i.key limit $4"#,
        agent as _,
        route,
        key,
        limit
    )
    .fetch_all(connection)
    .await
}
