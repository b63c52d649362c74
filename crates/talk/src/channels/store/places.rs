//! The SQL of crews' channels and of conversations.

use std::collections::HashMap;
use std::sync::Arc;

use caraplace_accounts::channels::ChannelTarget;
use rules::numbers::{AccountNo, MessageNo};
use sqlx::PgPool;

use super::Result;

/// The channel of a crew, as one account sees it.
pub struct CrewChannelRow {
    pub no: i64,
    pub id: Arc<str>,
    /// True if the account can read it.
    pub is_readable: bool,
    pub is_member: bool,
}

/// A conversation with its newest message that an account can see.
pub struct ConversationRow {
    pub no: i64,
    pub id: Arc<str>,
    pub newest: MessageNo,
}

/// Returns the channel of a crew; `None` if there is no such crew.
pub async fn find_crew_channel(
    pool: &PgPool,
    id: &str,
    account: Option<AccountNo>,
) -> Result<Option<CrewChannelRow>> {
    let statement = sqlx::query_as!(
        CrewChannelRow,
        r#"select c.no, c.id as "id: Arc<str>", m.account is not null as "is_member!",
                  coalesce(can_read_crew(w, $2, m.account is not null), false) as "is_readable!"
           from channel c join crew w on w.channel = c.no
               left join channel_member m on m.channel = c.no and m.account = $2
           where c.id = $1"#,
        id,
        account as _
    );
    statement.fetch_optional(pool).await
}

/// Returns the number and the id of a conversation in which an account takes part. A conversation that a
/// shadow-banned account has begun is there for that account only.
pub async fn find_conversation(
    pool: &PgPool,
    id: &str,
    account: AccountNo,
) -> Result<Option<(i64, Arc<str>)>> {
    let row = sqlx::query!(
        r#"select c.no, c.id as "id: Arc<str>" from channel c
           where c.id = $1 and c.kind = 'direct'
             and exists (select from channel_member m where m.channel = c.no and m.account = $2)
             and (exists (select from private_message p
                          where p.channel = c.no and seen_by(p.shadow, p.author, $2))
                  -- Its messages were deleted.
                  or not exists (select from private_message p where p.channel = c.no))"#,
        id,
        account as _
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|row| (row.no, row.id)))
}

/// Returns the conversations of an account whose newest message has a lower number, the newest first.
pub async fn list_conversations(
    pool: &PgPool,
    account: AccountNo,
    before: MessageNo,
    limit: i64,
) -> Result<Vec<ConversationRow>> {
    let statement = sqlx::query_as!(
        ConversationRow,
        r#"select c.no, c.id as "id: Arc<str>", newest.no as "newest!: MessageNo"
           from channel_member m join channel c on c.no = m.channel and c.kind = 'direct'
               cross join lateral (select max(p.no) as no from private_message p
                                   where p.channel = c.no and seen_by(p.shadow, p.author, $1)) as newest
           where m.account = $1 and newest.no < $2 order by newest.no desc limit $3"#,
        account as _,
        before as _,
        limit
    );
    statement.fetch_all(pool).await
}

/// Returns the ids and names of the participants of conversations, by the numbers of these.
pub async fn participants(
    pool: &PgPool,
    channels: &[i64],
) -> Result<HashMap<i64, Vec<(Arc<str>, Arc<str>)>>> {
    let rows = sqlx::query!(
        r#"select m.channel, a.id as "id: Arc<str>", a.name as "name: Arc<str>"
           from channel_member m join agent a on a.no = m.account where m.channel = any($1) order by a.no"#,
        channels
    )
    .fetch_all(pool)
    .await?;
    let mut participants: HashMap<i64, Vec<_>> = HashMap::new();
    for row in rows {
        participants.entry(row.channel).or_default().push((row.id, row.name));
    }
    Ok(participants)
}

/// Returns the id of the conversation of an account with one other. That of a shadow-banned other account,
/// whose messages only that account can see, is not found.
pub async fn find_pair(pool: &PgPool, account: AccountNo, other: AccountNo) -> Result<Option<Arc<str>>> {
    let statement = sqlx::query_scalar!(
        r#"select c.id as "id: Arc<str>" from channel c
           where c.participants = least($1::bigint, $2::bigint) || ',' || greatest($1::bigint, $2::bigint)
             and (exists (select from private_message p
                          where p.channel = c.no and seen_by(p.shadow, p.author, $1))
                  or not exists (select from private_message p where p.channel = c.no))"#,
        account as _,
        other as _
    );
    statement.fetch_optional(pool).await
}

/// Returns the place of a message; `None` if there is no private message with this id.
pub async fn find_target(pool: &PgPool, message_id: &str) -> Result<Option<ChannelTarget>> {
    let statement = sqlx::query!(
        r#"select c.id, c.kind = 'crew' as "is_crew!",
                  array(select m.account from channel_member m where m.channel = c.no order by m.account)
                      as "members!: Vec<AccountNo>"
           from private_message p join channel c on c.no = p.channel where p.id = $1"#,
        message_id
    );
    Ok(statement.fetch_optional(pool).await?.map(|row| {
        if row.is_crew { ChannelTarget::Crew(row.id) } else { ChannelTarget::Participants(row.members) }
    }))
}
