//! The SQL that claims deliveries.

use chrono::{DateTime, Utc};
use rules::numbers::Seq;
use serde_json::Value;
use sqlx::{PgConnection, PgPool};

use super::Result;

/// A delivery that this instance sends now. No other instance does until the claim ends.
#[derive(Clone, Debug)]
pub(in crate::webhooks) struct DeliveryClaim {
    pub no: i64,
    /// The number of this attempt, from 1.
    pub attempts: i32,
    /// `delivery_…`.
    pub id: String,
    /// The name of the event.
    pub kind: String,
    pub message_seq: Option<Seq>,
    /// `msg_…`.
    pub private_message: Option<String>,
    /// The data of the event, unless it is a message.
    pub data: Option<Value>,
    /// The time of the event.
    pub occurred_at: DateTime<Utc>,
    /// True if the agent has asked to have it sent again.
    pub is_repeated: bool,
    /// The number of the webhook.
    pub webhook: i64,
    /// `hook_…`.
    pub webhook_id: String,
    pub url: String,
    /// `agent_…`.
    pub agent_id: String,
    /// Encrypted.
    pub secret: Vec<u8>,
    pub previous_secret: Option<Vec<u8>>,
    pub rotated_at: Option<DateTime<Utc>>,
}

/// The bounds of a claim.
pub(in crate::webhooks) struct ClaimBounds {
    /// The maximum number of deliveries.
    pub free: i64,
    /// How many of these are only for hosts to which no request is under way.
    pub reserved: i64,
    /// The maximum number of requests under way to one host from all instances.
    pub per_host: i64,
    /// Requests that began after this time count as under way until their outcome is stored.
    pub under_way_since: DateTime<Utc>,
    /// The time of the next attempts, unless an outcome is stored before.
    pub next_at: DateTime<Utc>,
}

/// Returns true if the time of a delivery has come.
pub(in crate::webhooks) async fn has_due(pool: &PgPool, now: DateTime<Utc>) -> Result<bool> {
    let statement = sqlx::query_scalar!(
        r#"select exists (select from delivery where state = 'pending' and next_at <= $1) as "has_due!""#,
        now
    );
    statement.fetch_one(pool).await
}

/// Acquires the lock of claims until the transaction ends, so that no two instances count requests at the
/// same time.
pub(in crate::webhooks) async fn lock_claims(connection: &mut PgConnection) -> Result<()> {
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended('claims of deliveries to webhooks', 0))")
        .execute(connection)
        .await
        .map(|_| ())
}

/// Claims due deliveries. The lock of claims must be held. Hosts take turns, and so do the webhooks of one
/// host, those that work before those that fail; a webhook whose last attempt failed sends one at a time.
/// Those of banned agents, and of webhooks whose secrets other keys have encrypted, are left out.
///
/// The work grows with the webhooks that have pending deliveries: their numbers are found one after the other
/// in the index, and a few deliveries of each are read.
pub(in crate::webhooks) async fn claim(
    connection: &mut PgConnection,
    now: DateTime<Utc>,
    key_names: &[Vec<u8>],
    bounds: &ClaimBounds,
) -> Result<Vec<DeliveryClaim>> {
    let statement = sqlx::query_as!(
        DeliveryClaim,
        r#"with recursive waiting as (
               (select webhook from delivery where state = 'pending' order by webhook limit 1)
               union all
               select (select d.webhook from delivery d
                       where d.state = 'pending' and d.webhook > waiting.webhook
                       order by d.webhook limit 1)
               from waiting where waiting.webhook is not null
           ), busy as (
               select w.no, w.host, count(*) as count from delivery d join webhook w on w.no = d.webhook
               where d.claimed_at > $4 group by w.no, w.host
           ), busy_host as (
               select host, sum(count)::bigint as count from busy group by host
           ), candidate as (
               select d.no, d.next_at, coalesce(h.count, 0) + row_number() over (
                          partition by w.host
                          order by d.rank + coalesce(b.count, 0), w.failing_since is not null, d.next_at,
                                   d.no) as place
               from waiting join webhook w on w.no = waiting.webhook join agent a on a.no = w.agent
               left join busy b on b.no = w.no left join busy_host h on h.host = w.host
               cross join lateral (
                   select no, next_at, row_number() over (order by next_at, no) as rank from delivery
                   where webhook = w.no and state = 'pending' and next_at <= $1
                     and greatest(no, repeated_after) >= w.ended_before
                   order by next_at, no
                   limit case when w.failing_since is null then $5::bigint when b.count > 0 then 0 else 1 end
               ) as d
               where w.state = 'active' and w.retry_at <= $1
                 and (a.banned_until is null or a.banned_until <= $1)
                 and substring(w.secret from 1 for 8) = any($3)
           ), placed as (
               select no, place, row_number() over (order by place, next_at, no) as position
               from candidate where place <= $5
           ), due as (
               select d.no from placed p join delivery d on d.no = p.no
               where p.position <= case when p.place = 1 then $6::bigint else $6::bigint - $7::bigint end
                 and d.state = 'pending' and d.next_at <= $1
               order by p.position
               for update of d skip locked
           )
           update delivery d set next_at = $2, claimed_at = $1, attempts = d.attempts + 1
           from due, webhook w, agent a where d.no = due.no and w.no = d.webhook and a.no = w.agent
           returning d.no, d.attempts, d.id, d.type as kind, d.message_seq as "message_seq: Seq",
                     d.private_message, d.data,
                     coalesce(d.occurred_at, d.created_at) as "occurred_at!",
                     d.repeated_after is not null as "is_repeated!", w.no as webhook,
                     w.id as webhook_id, w.url, a.id as agent_id, w.secret, w.previous_secret, w.rotated_at"#,
        now,
        bounds.next_at,
        key_names,
        bounds.under_way_since,
        bounds.per_host,
        bounds.free,
        bounds.reserved
    );
    statement.fetch_all(connection).await
}
