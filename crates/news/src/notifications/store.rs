//! The SQL of notifications.

use chrono::{DateTime, Utc};
use rules::numbers::{AccountNo, MessageNo, Seq};
use sqlx::{PgConnection, PgPool, Result};

use super::DeliveryChannel;

/// A viewer whom this instance notifies now. No other instance does until the interval is over.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    /// The agent's number.
    pub viewer: AccountNo,
    /// `viewer_…`.
    pub id: String,
    /// The time from which the viewer could be notified.
    pub due_since: DateTime<Utc>,
    /// The numbers up to which the viewer was notified before.
    pub notified_up_to: NotifiedUpTo,
    /// The newest numbers of each kind, read or not.
    pub newest: NotifiedUpTo,
}

/// The numbers up to which a viewer was notified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct NotifiedUpTo {
    /// Events of notices.
    pub notice: Seq,
    /// Direct messages.
    pub message: MessageNo,
    /// Events of plans.
    pub plan: Seq,
}

/// A plan that has ended.
pub(super) struct EndedPlan {
    pub seq: Seq,
    pub at: DateTime<Utc>,
    /// `plan_…`.
    pub id: String,
    pub title: String,
    /// True if it is finished, false if it has expired.
    pub is_finished: bool,
}

/// The times of a claim.
pub(super) struct ClaimTimes {
    pub now: DateTime<Utc>,
    /// Only viewers with a notice from this time or before.
    pub unread_since: DateTime<Utc>,
    /// The earliest time of the next claim.
    pub next_at: DateTime<Utc>,
}

/// A browser that takes push messages.
#[derive(Clone, Debug)]
pub(super) struct PushDevice {
    pub endpoint: String,
    /// The public key of the browser, an uncompressed point.
    pub p256dh: Vec<u8>,
    /// The authentication secret of the browser.
    pub auth: Vec<u8>,
    /// The number of messages in a row that its push service refused.
    pub refusals: i32,
}

/// Claims viewers with new notices, and moves the times of their next notifications forward. Banned viewers
/// are left out.
pub(super) async fn claim(
    pool: &PgPool,
    channel: DeliveryChannel,
    times: &ClaimTimes,
    limit: i64,
) -> Result<Vec<Claim>> {
    let statement = sqlx::query!(
        r#"with due as (
               select n.viewer, n.next_at, a.id
               from notification n join agent a on a.no = n.viewer
               where n.channel = $1 and n.wanted and n.next_at <= $2
                 and (a.banned_until is null or a.banned_until <= $2)
                 and (exists (select from notice t join event e on e.seq = t.seq
                              where t.agent = n.viewer and t.seq > n.told_seq and e.at <= $3)
                      or exists (select from channel_member m
                                 join private_message p on p.channel = m.channel and p.no > n.told_message
                                 where m.account = n.viewer and p.author <> n.viewer and not p.shadow
                                   and p.sent_at <= $3)
                      or exists (select from plan p join plan_event v on v.plan = p.no and v.seq > n.told_plan
                                 join event e on e.seq = v.seq
                                 where p.author = n.viewer and v.state in ('finished', 'expired')
                                   and e.at <= $3))
               order by n.next_at limit $5
               for update of n skip locked
           )
           update notification n set next_at = $4 from due
           where n.viewer = due.viewer and n.channel = $1
           returning n.viewer as "viewer: AccountNo", due.id, due.next_at as due_since,
                     n.told_seq as "told_seq: Seq", n.told_message as "told_message: MessageNo",
                     n.told_plan as "told_plan: Seq",
                     (select coalesce(max(t.seq), 0) from notice t
                      where t.agent = n.viewer) as "newest_seq!: Seq",
                     (select coalesce(max(p.no), 0)
                      from channel_member m join private_message p on p.channel = m.channel
                      where m.account = n.viewer and p.author <> n.viewer
                        and not p.shadow) as "newest_message!: MessageNo",
                     (select coalesce(max(v.seq), 0) from plan p join plan_event v on v.plan = p.no
                      where p.author = n.viewer) as "newest_plan!: Seq""#,
        channel.as_str(),
        times.now,
        times.unread_since,
        times.next_at,
        limit
    );
    let claims = statement.fetch_all(pool).await?.into_iter().map(|row| Claim {
        viewer: row.viewer,
        id: row.id,
        due_since: row.due_since,
        notified_up_to: NotifiedUpTo { notice: row.told_seq, message: row.told_message, plan: row.told_plan },
        newest: NotifiedUpTo { notice: row.newest_seq, message: row.newest_message, plan: row.newest_plan },
    });
    Ok(claims.collect())
}

/// An unread direct message.
pub(super) struct UnreadMessage {
    pub no: MessageNo,
    pub sent_at: DateTime<Utc>,
}

/// Returns the oldest unread direct message to a viewer after a number.
pub(super) async fn oldest_unread_message(
    pool: &PgPool,
    viewer: AccountNo,
    after: MessageNo,
) -> Result<Option<UnreadMessage>> {
    let statement = sqlx::query_as!(
        UnreadMessage,
        r#"select p.no as "no: MessageNo", p.sent_at
           from channel_member m join private_message p on p.channel = m.channel and p.no > $2
               left join channel_cursor k on k.channel = m.channel and k.account = m.account
           where m.account = $1 and p.author <> $1 and p.no > coalesce(k.read_no, 0)
             and p.sent_at >= m.joined_at and not p.shadow and not p.hidden and p.deleted_at is null
             and not exists (select from receipt r
                             where r.message = p.no and r.account = $1 and r.read_at is not null)
           order by p.no limit 1"#,
        viewer as _,
        after as _
    );
    statement.fetch_optional(pool).await
}

/// Returns the plans of a viewer that have ended after an event, newest first.
pub(super) async fn ended_plans(pool: &PgPool, viewer: AccountNo, after: Seq) -> Result<Vec<EndedPlan>> {
    let statement = sqlx::query_as!(
        EndedPlan,
        r#"select newest.seq as "seq: Seq", e.at, p.id, p.title, newest.state = 'finished' as "is_finished!"
           from plan p
           cross join lateral (select seq, state from plan_event where plan = p.no
                               order by seq desc limit 1) newest
           join event e on e.seq = newest.seq
           where p.author = $1 and newest.seq > $2 and newest.state in ('finished', 'expired')
             and not p.hidden and not p.shadow
           order by newest.seq desc"#,
        viewer as _,
        after as _
    );
    statement.fetch_all(pool).await
}

/// Saves the numbers up to which a claim has notified its viewer, and the earliest time of the next
/// notification if it changes.
pub(super) async fn finish(
    pool: &PgPool,
    channel: DeliveryChannel,
    viewer: AccountNo,
    notified_up_to: NotifiedUpTo,
    next_at: Option<DateTime<Utc>>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"update notification set told_seq = greatest(told_seq, $3), next_at = coalesce($4, next_at),
               told_message = greatest(told_message, $5), told_plan = greatest(told_plan, $6)
           where viewer = $1 and channel = $2"#,
        viewer as _,
        channel.as_str(),
        notified_up_to.notice as _,
        next_at,
        notified_up_to.message as _,
        notified_up_to.plan as _
    );
    statement.execute(pool).await.map(|_| ())
}

/// Saves whether a viewer wants a channel, unless it is erased. A viewer that begins to want it is not
/// notified of what exists already. Defaults and a trigger set the numbers of messages and plans, because
/// servers of an earlier version do not know these columns.
pub(super) async fn set_wanted(
    connection: &mut PgConnection,
    channel: DeliveryChannel,
    viewer: AccountNo,
    is_wanted: bool,
    now: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        "insert into notification (viewer, channel, wanted, told_seq, next_at)
         select $1, $2, $3, (select coalesce(max(seq), 0) from notice where agent = $1), $4
         where not exists (select from erasure where account = $1)
         on conflict (viewer, channel) do update set wanted = excluded.wanted,
           told_seq = case when notification.wanted then notification.told_seq else excluded.told_seq end",
        viewer as _,
        channel.as_str(),
        is_wanted,
        now
    );
    statement.execute(connection).await.map(|_| ())
}

/// Returns true if a viewer wants mail.
pub(super) async fn wants_mail(pool: &PgPool, viewer: AccountNo) -> Result<bool> {
    let statement = sqlx::query_scalar!(
        r#"select exists (select from notification
                          where viewer = $1 and channel = 'mail' and wanted) as "wants!""#,
        viewer as _
    );
    statement.fetch_one(pool).await
}

/// Saves a device of a viewer, unless it is erased. A browser belongs to the viewer who subscribed last. Of
/// more than `max_devices`, the oldest are deleted.
pub(super) async fn insert_device(
    connection: &mut PgConnection,
    viewer: AccountNo,
    device: &PushDevice,
    now: DateTime<Utc>,
    max_devices: i64,
) -> Result<()> {
    sqlx::query!(
        r#"insert into push_device (endpoint, viewer, p256dh, auth, created_at)
           select $1, $2, $3, $4, $5 where not exists (select from erasure where account = $2)
           on conflict (endpoint) do update
           set viewer = excluded.viewer, p256dh = excluded.p256dh, auth = excluded.auth,
               created_at = excluded.created_at, refusals = 0"#,
        device.endpoint,
        viewer as _,
        &device.p256dh,
        &device.auth,
        now
    )
    .execute(&mut *connection)
    .await?;
    let statement = sqlx::query!(
        r#"delete from push_device where endpoint in (
               select endpoint from push_device where viewer = $1
               order by created_at desc, endpoint offset $2
           )"#,
        viewer as _,
        max_devices
    );
    statement.execute(connection).await.map(|_| ())
}

/// Deletes a device, if it is one of the viewer's.
pub(super) async fn delete_device(pool: &PgPool, viewer: AccountNo, endpoint: &str) -> Result<()> {
    sqlx::query!("delete from push_device where viewer = $1 and endpoint = $2", viewer as _, endpoint)
        .execute(pool)
        .await
        .map(|_| ())
}

/// Deletes the devices of a viewer, and what it wants to be notified of.
pub(super) async fn delete_all(pool: &PgPool, viewer: AccountNo) -> Result<()> {
    let statement = sqlx::query!(
        r#"with devices as (delete from push_device where viewer = $1)
           delete from notification where viewer = $1"#,
        viewer as _
    );
    statement.execute(pool).await.map(|_| ())
}

/// Saves the number of messages in a row that were refused for a device of a viewer.
pub(super) async fn set_refusals(
    pool: &PgPool,
    viewer: AccountNo,
    endpoint: &str,
    refusals: i32,
) -> Result<()> {
    let statement = sqlx::query!(
        "update push_device set refusals = $3 where viewer = $1 and endpoint = $2",
        viewer as _,
        endpoint,
        refusals
    );
    statement.execute(pool).await.map(|_| ())
}

/// Returns the devices of a viewer, the newest first.
pub(super) async fn devices(pool: &PgPool, viewer: AccountNo) -> Result<Vec<PushDevice>> {
    let statement = sqlx::query_as!(
        PushDevice,
        r#"select endpoint, p256dh, auth, refusals from push_device where viewer = $1
           order by created_at desc, endpoint"#,
        viewer as _
    );
    statement.fetch_all(pool).await
}

/// Returns the number of devices of a viewer.
pub(super) async fn count_devices(pool: &PgPool, viewer: AccountNo) -> Result<i64> {
    sqlx::query_scalar!(r#"select count(*) as "count!" from push_device where viewer = $1"#, viewer as _)
        .fetch_one(pool)
        .await
}

/// Switches mail off for the viewer with this id.
pub(super) async fn stop_mail(pool: &PgPool, id: &str) -> Result<()> {
    let statement = sqlx::query!(
        r#"update notification n set wanted = false from agent a
           where a.id = $1 and n.viewer = a.no and n.channel = 'mail'"#,
        id
    );
    statement.execute(pool).await.map(|_| ())
}
