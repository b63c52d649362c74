//! The SQL that claims deliveries.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::PgPool;

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
    pub message_seq: Option<i64>,
    /// `msg_…`.
    pub private_message: Option<String>,
    /// The data of the event, unless it is a message.
    pub data: Option<Value>,
    pub created_at: DateTime<Utc>,
    /// The number of the webhook.
    pub webhook: i64,
    /// `hook_…`.
    pub webhook_id: String,
    pub url: String,
    pub host: String,
    /// `agent_…`.
    pub agent_id: String,
    /// Encrypted.
    pub secret: Vec<u8>,
    pub previous_secret: Option<Vec<u8>>,
    pub rotated_at: Option<DateTime<Utc>>,
}

/// The bounds of a claim.
pub(in crate::webhooks) struct HostLimits {
    /// The maximum number of deliveries.
    pub free: i64,
    /// The maximum number of requests under way to one host.
    pub per_host: i64,
    /// The hosts to which requests are under way, and the number of these.
    pub busy: Vec<(String, i64)>,
}

/// Claims due deliveries, and moves their next attempts forward to `next_at`. The webhooks of one host take turns, and
/// a webhook whose last attempt failed sends one at a time. Those of banned agents, and of webhooks whose secrets other
/// keys have encrypted, are left out.
pub(in crate::webhooks) async fn claim(
    pool: &PgPool,
    now: DateTime<Utc>,
    next_at: DateTime<Utc>,
    key_names: &[Vec<u8>],
    limits: &HostLimits,
) -> Result<Vec<DeliveryClaim>> {
    let (hosts, counts): (Vec<String>, Vec<i64>) = limits.busy.iter().cloned().unzip();
    sqlx::query_as!(
        DeliveryClaim,
        r#"with candidate as (
               select d.no, w.host, w.failing_since is not null as is_failing,
                      row_number() over (partition by w.host order by d.rank, d.next_at, d.no) as place
               from webhook w join agent a on a.no = w.agent
               cross join lateral (
                   select no, next_at, row_number() over (order by next_at, no) as rank from delivery
                   where webhook = w.no and state = 'pending' and next_at <= $1 order by next_at, no limit $4
               ) as d
               where exists (select from delivery where state = 'pending' and next_at <= $1)
                 and w.state = 'active' and w.retry_at <= $1
                 and (a.banned_until is null or a.banned_until <= $1)
                 and substring(w.secret from 1 for 8) = any($3)
           ), due as (
               select d.no from candidate c join delivery d on d.no = c.no
               left join unnest($5::text[], $6::bigint[]) as busy (host, count) on busy.host = c.host
               where c.place + coalesce(busy.count, 0) <= case when c.is_failing then 1 else $4 end
                 and d.state = 'pending' and d.next_at <= $1
               order by c.place, d.next_at limit $7
               for update of d skip locked
           )
           update delivery d set next_at = $2, attempts = d.attempts + 1
           from due, webhook w, agent a where d.no = due.no and w.no = d.webhook and a.no = w.agent
           returning d.no, d.attempts, d.id, d.type as kind, d.message_seq, d.private_message, d.data, d.created_at,
                     w.no as webhook, w.id as webhook_id, w.url, w.host, a.id as agent_id, w.secret, w.previous_secret,
                     w.rotated_at"#,
        now,
        next_at,
        key_names,
        limits.per_host,
        &hosts,
        &counts,
        limits.free
    )
    .fetch_all(pool)
    .await
}
