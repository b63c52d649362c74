//! The SQL of notices.

use chrono::{DateTime, Utc};
use sqlx::PgPool;

type Result<T, E = sqlx::Error> = std::result::Result<T, E>;

/// The maximum number of subjects of one notice.
const MAX_SUBJECTS: i64 = 100;

/// The kind of a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub(super) enum SubjectKind {
    Report,
    Appeal,
    /// An agent that waits for an approval.
    Approval,
    /// A webhook that the server has disabled.
    Webhook,
    /// An address, a device or an operator whose sign-ins are locked.
    SignIn,
}

impl SubjectKind {
    /// All kinds, in the order in which a notice has them.
    pub const ALL: [Self; 5] = [Self::Report, Self::Appeal, Self::Approval, Self::Webhook, Self::SignIn];
}

/// Something about which no notice was sent yet.
#[derive(Debug)]
pub(super) struct NoticeSubject {
    /// The key under which it is sent once.
    pub thing: String,
    pub kind: SubjectKind,
    /// The id of the report, of the appeal, of the agent or of the webhook, or the source of the sign-ins.
    pub subject: String,
}

/// Claims the subjects of which this channel has sent no notice yet and no instance is sending one.
///
/// Webhooks count for a week after they were disabled, so that the first start with notices sends no old
/// ones. Locks of one source count once a day.
pub(super) async fn claim(
    pool: &PgPool,
    channel: &str,
    now: DateTime<Utc>,
    claimed_until: DateTime<Utc>,
) -> Result<Vec<NoticeSubject>> {
    let statement = sqlx::query_as!(
        NoticeSubject,
        r#"with waiting as (
               select id as thing, 'report' as kind, id as subject from report_case where closed_at is null
               union all
               select id, 'appeal', id from appeal where outcome = 'open'
               union all
               select a.id, 'approval', a.id from waiting_agent w join agent a on a.no = w.account
               where coalesce(a.banned_until <= $2::timestamptz, true)
               union all
               select id || ' ' || disabled_at, 'webhook', id from webhook
               where disabled_at > $2::timestamptz - interval '7 days'
               union all
               select who || ' ' || ($2 at time zone 'UTC')::date, 'sign_in',
                      case when who = '*' then 'all addresses together'
                           when who like 'name %' then 'the name of an operator'
                           when who like 'account %' then 'an operator who is signed in'
                           when who like 'device %' then 'a browser that has signed in before'
                           else replace(who, ' named', '') end
               from sign_in_tally where locked_until > $2
           ), unsent as (
               select thing, kind, subject from waiting where not exists (
                   select from operator_notice n where n.thing = waiting.thing and n.channel = $1
                       and (n.sent_at is not null or n.claimed_until > $2))
               limit $4
           ), claimed as (
               insert into operator_notice (thing, channel, claimed_until)
               select thing, $1, $3 from unsent
               on conflict (thing, channel) do update set claimed_until = $3
               where operator_notice.sent_at is null and operator_notice.claimed_until <= $2
               returning thing
           )
           select thing as "thing!", kind as "kind!: SubjectKind", subject as "subject!"
           from unsent join claimed using (thing) order by thing"#,
        channel,
        now,
        claimed_until,
        MAX_SUBJECTS
    );
    statement.fetch_all(pool).await
}

/// Marks subjects as sent by this channel.
pub(super) async fn mark_sent(
    pool: &PgPool,
    channel: &str,
    things: &[String],
    now: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        "update operator_notice set sent_at = $3 where channel = $1 and thing = any($2)",
        channel,
        things,
        now
    );
    statement.execute(pool).await.map(|_| ())
}

/// Deletes the notices that were sent, or claimed without success, before a time; those of sign-ins, which
/// have addresses, before another one.
pub(super) async fn delete_sent_before(
    pool: &PgPool,
    time: DateTime<Utc>,
    sign_in_time: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"delete from operator_notice
           where coalesce(sent_at, claimed_until)
                 < case when thing ~ '^(report|appeal|hook)_' then $1::timestamptz else $2 end"#,
        time,
        sign_in_time
    );
    statement.execute(pool).await.map(|_| ())
}
