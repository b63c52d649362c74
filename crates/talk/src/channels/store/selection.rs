//! Selects messages of a channel by their numbers.

use chrono::{DateTime, Utc};
use rules::numbers::{AccountNo, MessageNo};
use sqlx::PgPool;

use super::Result;

/// The selection of a page of a channel.
pub struct PageSelection<'a> {
    pub channel: i64,
    /// The number of the reader's account, which sees its own shadow messages.
    pub reader: Option<AccountNo>,
    /// Only messages with a lower number.
    pub before: MessageNo,
    /// Only the messages with this label, and the message with this id.
    pub thread: Option<&'a str>,
    pub limit: i64,
}

/// Returns the numbers of a page, newest first.
pub async fn select_page(pool: &PgPool, page: &PageSelection<'_>) -> Result<Vec<MessageNo>> {
    if let Some(thread) = page.thread {
        return select_thread(pool, page, thread).await;
    }
    let statement = sqlx::query_scalar!(
        r#"select no as "no: MessageNo" from private_message
           where channel = $1 and no < $2 and seen_by(shadow, author, $3)
           order by no desc limit $4"#,
        page.channel,
        page.before as _,
        page.reader as _,
        page.limit
    );
    statement.fetch_all(pool).await
}

/// Returns the numbers of a page of a thread, newest first. Each part has an index of its own.
async fn select_thread(pool: &PgPool, page: &PageSelection<'_>, thread: &str) -> Result<Vec<MessageNo>> {
    let statement = sqlx::query_scalar!(
        r#"select no as "no!: MessageNo" from (
               (select no from private_message
                where channel = $1 and thread = $4 and no < $2 and seen_by(shadow, author, $3)
                order by no desc limit $5)
               union
               (select no from private_message
                where channel = $1 and id = $4 and no < $2 and seen_by(shadow, author, $3))
           ) as found order by no desc limit $5"#,
        page.channel,
        page.before as _,
        page.reader as _,
        thread,
        page.limit
    );
    statement.fetch_all(pool).await
}

/// Returns the numbers of the oldest messages in a channel that a member has not read.
pub async fn select_unread(
    pool: &PgPool,
    channel: i64,
    account: AccountNo,
    limit: i64,
) -> Result<Vec<MessageNo>> {
    let statement = sqlx::query_scalar!(
        r#"select p.no as "no: MessageNo"
           from channel_member m
               left join channel_cursor k on k.channel = m.channel and k.account = m.account
               join private_message p on p.channel = m.channel and p.no > coalesce(k.read_no, 0)
           where m.channel = $1 and m.account = $2 and p.author <> $2 and p.sent_at >= m.joined_at
             and not p.shadow and not p.hidden and p.deleted_at is null
             and not exists (select from receipt r where r.message = p.no and r.account = $2
                             and r.read_at is not null)
           order by p.no limit $3"#,
        channel,
        account as _,
        limit
    );
    statement.fetch_all(pool).await
}

/// Returns the number of a message in a channel that an account can see; `None` if there is none.
pub async fn find_message_no(
    pool: &PgPool,
    channel: i64,
    id: &str,
    reader: Option<AccountNo>,
) -> Result<Option<MessageNo>> {
    let statement = sqlx::query_scalar!(
        r#"select no as "no: MessageNo" from private_message
           where channel = $1 and id = $2 and seen_by(shadow, author, $3)"#,
        channel,
        id,
        reader as _
    );
    statement.fetch_optional(pool).await
}

/// Returns true if there is a message with this id in any channel.
pub async fn is_stored(pool: &PgPool, id: &str) -> Result<bool> {
    sqlx::query_scalar!(r#"select exists (select from private_message where id = $1) as "stored!""#, id)
        .fetch_one(pool)
        .await
}

/// Returns the number of the newest message in a channel that was sent before a time; [`MessageNo::ZERO`] if
/// there is none.
pub async fn newest_before(pool: &PgPool, channel: i64, before: DateTime<Utc>) -> Result<MessageNo> {
    let statement = sqlx::query_scalar!(
        r#"select no as "no: MessageNo" from private_message
           where channel = $1 and sent_at < $2 order by no desc limit 1"#,
        channel,
        before
    );
    Ok(statement.fetch_optional(pool).await?.unwrap_or(MessageNo::ZERO))
}

/// Returns the number and the id of the newest message in a channel that an account can see.
pub async fn newest_message(
    pool: &PgPool,
    channel: i64,
    reader: Option<AccountNo>,
) -> Result<Option<(MessageNo, String)>> {
    let row = sqlx::query!(
        r#"select no as "no: MessageNo", id from private_message
           where channel = $1 and seen_by(shadow, author, $2) order by no desc limit 1"#,
        channel,
        reader as _
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|row| (row.no, row.id)))
}

/// Returns the number of a message and the id of its channel, if an account can see the message as such.
pub async fn channel_of_message(
    pool: &PgPool,
    id: &str,
    reader: Option<AccountNo>,
) -> Result<Option<(MessageNo, String)>> {
    let row = sqlx::query!(
        r#"select p.no as "no: MessageNo", c.id from private_message p join channel c on c.no = p.channel
           where p.id = $1 and seen_by(p.shadow, p.author, $2)"#,
        id,
        reader as _
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|row| (row.no, row.id)))
}

/// Returns the number of a message by an account; `None` if the account has written none with this id.
pub async fn find_own_message_no(pool: &PgPool, id: &str, author: AccountNo) -> Result<Option<MessageNo>> {
    let statement = sqlx::query_scalar!(
        r#"select no as "no: MessageNo" from private_message where id = $1 and author = $2"#,
        id,
        author as _
    );
    statement.fetch_optional(pool).await
}
