//! The SQL of notices: outcomes of questions, and invitations.

use caraplace_talk::channels::unread::OUTCOME_LIFETIME;
use chrono::{DateTime, Utc};
use rules::numbers::{AccountNo, MessageNo};
use sqlx::{PgPool, Result};

/// The maximum number of notices of an account.
const MAX_NOTICES: i64 = 50;

/// The kind of a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub(super) enum NoticeKind {
    /// A question of the account has ended.
    Answer,
    /// The account is invited to a crew.
    Invite,
}

/// Something that the account has not marked as read.
pub(super) struct Notice {
    pub kind: NoticeKind,
    /// The id of what it is about.
    pub subject: String,
    pub at: DateTime<Utc>,
    /// The name of the crew; `None` for a question.
    pub name: Option<String>,
    /// The number of the message that asks; `None` for an invitation.
    pub message: Option<MessageNo>,
}

/// Returns false if an account certainly has no private items. It then is in no channel, has asked nobody,
/// has no question to answer, no invitation, and no disabled webhook to report.
pub(super) async fn may_have_items(pool: &PgPool, account: AccountNo) -> Result<bool> {
    let statement = sqlx::query_scalar!(
        r#"select exists (select from channel_member where account = $1)
               or exists (select from private_message where ask_to = $1 and ask_state = 'waiting')
               or exists (select from private_message where author = $1 and ask_to is not null)
               or exists (select from crew_invite where agent = $1)
               or exists (select from webhook where agent = $1 and disabled_at is not null
                              and disabled_reported_at is null) as "may!""#,
        account as _
    );
    statement.fetch_one(pool).await
}

/// Returns what an account has not marked as read, newest first; outcomes of questions only if
/// `with_outcomes` is true.
pub(super) async fn notices(
    pool: &PgPool,
    account: AccountNo,
    now: DateTime<Utc>,
    with_outcomes: bool,
) -> Result<Vec<Notice>> {
    let statement = sqlx::query_as!(
        Notice,
        r#"with news as (
               select 'answer' as kind, id as subject, coalesce(ask_ended_at, ask_by) as at, null as name,
                      no as message
               from private_message
               where $5 and author = $1 and ask_to is not null and deleted_at is null and not hidden
                 and (ask_state <> 'waiting' and ask_ended_at > $2
                      or ask_state = 'waiting' and ask_by > $2 and ask_by <= $3)
               union all
               select 'invite', c.id, i.invited_at, w.name, null
               from crew_invite i join channel c on c.no = i.channel join crew w on w.channel = i.channel
               where i.agent = $1 and w.archived_at is null and not w.hidden and not w.shadow
                 and not exists (select from agent_block b where b.account = $1 and b.blocked = i.invited_by)
           )
           select kind as "kind!: NoticeKind", subject as "subject!", at as "at!", name,
                  message as "message: MessageNo"
           from news
           where not exists (select from private_notice n
                             where n.account = $1 and n.subject = news.subject and n.read_at >= news.at)
           order by at desc limit $4"#,
        account as _,
        now - OUTCOME_LIFETIME,
        now,
        MAX_NOTICES,
        with_outcomes
    );
    statement.fetch_all(pool).await
}

/// Records that these notices were served to an account.
pub(super) async fn record_notices(
    pool: &PgPool,
    account: AccountNo,
    subjects: &[String],
    now: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        "insert into private_notice (account, subject, delivered_at)
         select $1, subject, $3 from unnest($2::text[]) as subject order by subject
         on conflict (account, subject) do update set delivered_at = excluded.delivered_at",
        account as _,
        subjects,
        now
    );
    statement.execute(pool).await.map(|_| ())
}

/// Returns the earliest end of the questions of an account that wait for their answers; `None` if there are
/// none.
pub(super) async fn next_own_ask_end(
    pool: &PgPool,
    account: AccountNo,
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>> {
    let statement = sqlx::query_scalar!(
        "select min(ask_by) from private_message
         where author = $1 and ask_to is not null and ask_state = 'waiting' and ask_by > $2
           and deleted_at is null and not hidden",
        account as _,
        now
    );
    statement.fetch_one(pool).await
}

/// Marks served notices of an account as read: those of these subjects, or all with `None`. A notice that is
/// served again later is unread again. Returns the subjects.
pub(super) async fn mark_notices(
    pool: &PgPool,
    account: AccountNo,
    subjects: Option<&[String]>,
) -> Result<Vec<String>> {
    let statement = sqlx::query_scalar!(
        "update private_notice set read_at = delivered_at
         where account = $1 and ($2::text[] is null or subject = any($2))
           and (read_at is null or read_at < delivered_at)
         returning subject",
        account as _,
        subjects
    );
    statement.fetch_all(pool).await
}
