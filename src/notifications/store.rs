//! The SQL of notifications.

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};

use super::Channel;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// A viewer whom this instance notifies now. No other instance does until the interval is over.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    /// The agent's number.
    pub viewer: i64,
    /// `viewer_…`.
    pub id: String,
    /// The time from which the viewer could be notified.
    pub due_since: DateTime<Utc>,
    /// Notices up to this number were told before.
    pub told_seq: i64,
    /// The number of the newest notice.
    pub newest_seq: i64,
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

/// Claims viewers with new notices, and moves the times of their next notifications forward. Banned viewers are
/// left out.
pub(super) async fn claim(
    pool: &PgPool,
    channel: Channel,
    times: &ClaimTimes,
    limit: i64,
) -> Result<Vec<Claim>> {
    sqlx::query_as!(
        Claim,
        r#"with due as (
               select n.viewer, n.next_at, a.id
               from notification n join agent a on a.no = n.viewer
               where n.channel = $1 and n.wanted and n.next_at <= $2
                 and (a.banned_until is null or a.banned_until <= $2)
                 and exists (select from notice t join event e on e.seq = t.seq
                             where t.agent = n.viewer and t.seq > n.told_seq and e.at <= $3)
               order by n.next_at limit $5
               for update of n skip locked
           )
           update notification n set next_at = $4 from due
           where n.viewer = due.viewer and n.channel = $1
           returning n.viewer, due.id, due.next_at as due_since, n.told_seq,
                     (select coalesce(max(t.seq), 0) from notice t where t.agent = n.viewer) as "newest_seq!""#,
        channel.as_str(),
        times.now,
        times.unread_since,
        times.next_at,
        limit
    )
    .fetch_all(pool)
    .await
}

/// Saves what was told by a claim, and the earliest time of the next notification, if it changes.
pub(super) async fn finish(
    pool: &PgPool,
    channel: Channel,
    viewer: i64,
    told_seq: i64,
    next_at: Option<DateTime<Utc>>,
) -> Result<()> {
    sqlx::query!(
        r#"update notification set told_seq = greatest(told_seq, $3), next_at = coalesce($4, next_at)
           where viewer = $1 and channel = $2"#,
        viewer,
        channel.as_str(),
        told_seq,
        next_at
    )
    .execute(pool)
    .await
    .map(|_| ())
}

/// Saves whether a viewer wants a channel. What was there before it is wanted is not told.
pub(super) async fn set_wanted(
    connection: &mut PgConnection,
    channel: Channel,
    viewer: i64,
    is_wanted: bool,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        r#"insert into notification (viewer, channel, wanted, told_seq, next_at)
           select $1, $2, $3, coalesce(max(seq), 0), $4 from notice where agent = $1
           on conflict (viewer, channel) do update
           set wanted = excluded.wanted,
               told_seq = case when notification.wanted then notification.told_seq else excluded.told_seq end"#,
        viewer,
        channel.as_str(),
        is_wanted,
        now
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// Returns true if a viewer wants mail.
pub(super) async fn wants_mail(pool: &PgPool, viewer: i64) -> Result<bool> {
    sqlx::query_scalar!(
        r#"select exists (select from notification where viewer = $1 and channel = 'mail' and wanted) as "wants!""#,
        viewer
    )
    .fetch_one(pool)
    .await
}

/// Saves a device of a viewer. A browser belongs to the viewer who subscribed last. Of more than `max_devices`,
/// the oldest are deleted.
pub(super) async fn insert_device(
    connection: &mut PgConnection,
    viewer: i64,
    device: &PushDevice,
    now: DateTime<Utc>,
    max_devices: i64,
) -> Result<()> {
    sqlx::query!(
        r#"insert into push_device (endpoint, viewer, p256dh, auth, created_at) values ($1, $2, $3, $4, $5)
           on conflict (endpoint) do update
           set viewer = excluded.viewer, p256dh = excluded.p256dh, auth = excluded.auth,
               created_at = excluded.created_at, refusals = 0"#,
        device.endpoint,
        viewer,
        &device.p256dh,
        &device.auth,
        now
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        r#"delete from push_device where endpoint in (
               select endpoint from push_device where viewer = $1
               order by created_at desc, endpoint offset $2
           )"#,
        viewer,
        max_devices
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// Deletes a device, if it is one of the viewer's.
pub(super) async fn delete_device(pool: &PgPool, viewer: i64, endpoint: &str) -> Result<()> {
    sqlx::query!("delete from push_device where viewer = $1 and endpoint = $2", viewer, endpoint)
        .execute(pool)
        .await
        .map(|_| ())
}

/// Saves the number of messages in a row that were refused for a device of a viewer.
pub(super) async fn set_refusals(pool: &PgPool, viewer: i64, endpoint: &str, refusals: i32) -> Result<()> {
    sqlx::query!(
        "update push_device set refusals = $3 where viewer = $1 and endpoint = $2",
        viewer,
        endpoint,
        refusals
    )
    .execute(pool)
    .await
    .map(|_| ())
}

/// Returns the devices of a viewer, the newest first.
pub(super) async fn devices(pool: &PgPool, viewer: i64) -> Result<Vec<PushDevice>> {
    sqlx::query_as!(
        PushDevice,
        "select endpoint, p256dh, auth, refusals from push_device where viewer = $1 order by created_at desc, endpoint",
        viewer
    )
    .fetch_all(pool)
    .await
}

/// Returns the number of devices of a viewer.
pub(super) async fn count_devices(pool: &PgPool, viewer: i64) -> Result<i64> {
    sqlx::query_scalar!(r#"select count(*) as "count!" from push_device where viewer = $1"#, viewer)
        .fetch_one(pool)
        .await
}

/// Switches mail off for the viewer with this id.
pub(super) async fn stop_mail(pool: &PgPool, id: &str) -> Result<()> {
    sqlx::query!(
        r#"update notification n set wanted = false from agent a
           where a.id = $1 and n.viewer = a.no and n.channel = 'mail'"#,
        id
    )
    .execute(pool)
    .await
    .map(|_| ())
}
