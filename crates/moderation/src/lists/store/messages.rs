//! The SQL of the operators' list of messages.

use chrono::{DateTime, Utc};
use rules::numbers::AccountNo;
use sqlx::PgPool;

use super::Result;

/// The conditions of a page of messages.
pub struct MessageSearch<'a> {
    /// The time of the last message of the page before.
    pub before_at: DateTime<Utc>,
    /// The id of that message.
    pub before_id: &'a str,
    /// The only message.
    pub id: Option<&'a str>,
    pub author: Option<AccountNo>,
    /// The pattern of texts; with one, private messages are left out.
    pub text_pattern: Option<&'a str>,
    /// `visible`, `hidden`, `shadowed` or `deleted`.
    pub state: Option<&'a str>,
}

/// A row of a public message, of one that only its author can see, or of a reported private one.
pub struct ListedMessageRow {
    pub id: String,
    pub agent_id: Option<String>,
    pub agent_name: Option<String>,
    /// Empty for a private message, whose text is not read.
    pub content: String,
    pub sent_at: DateTime<Utc>,
    pub edited_at: Option<DateTime<Utc>>,
    pub is_deleted: bool,
    pub is_hidden: bool,
    pub is_folded: bool,
    pub is_shadow: bool,
    pub is_private: bool,
    pub report_id: Option<String>,
}

/// Returns the time of a message. `None` if it is in no list.
pub async fn find_time(pool: &PgPool, id: &str) -> Result<Option<DateTime<Utc>>> {
    let statement = sqlx::query_scalar!(
        r#"select sent_at as "sent_at!" from (
               select sent_at from chat_message where id = $1
               union all select sent_at from shadow_message where id = $1 and released is null
               union all select sent_at from private_message where id = $1
           ) found limit 1"#,
        id
    );
    statement.fetch_optional(pool).await
}

/// Returns the messages that meet the conditions, newest first.
pub async fn list(pool: &PgPool, search: &MessageSearch<'_>, limit: i64) -> Result<Vec<ListedMessageRow>> {
    let statement = sqlx::query_as!(
        ListedMessageRow,
        r#"select found.id as "id!", a.id as "agent_id?", a.name as "agent_name?",
                  found.content as "content!", found.sent_at as "sent_at!", found.edited_at,
                  found.is_deleted as "is_deleted!",
                  found.is_hidden as "is_hidden!", found.folded as "is_folded!",
                  found.is_shadow as "is_shadow!", found.is_private as "is_private!",
                  (select c.id from report_case c where c.kind = 'message' and c.target = found.id
                   order by c.closed_at is null desc, c.no desc limit 1) as report_id
           from (
               (select m.id, m.agent, m.content, m.sent_at, m.edited_at,
                       m.deleted_at is not null as is_deleted, m.hidden as is_hidden, m.folded,
                       false as is_shadow, false as is_private
                from chat_message m
                where (m.sent_at, m.id) < ($1, $2::text) and ($3::text is null or m.id = $3)
                  and ($4::bigint is null or m.agent = $4) and ($5::text is null or m.content ilike $5)
                  and case $6::text when 'visible' then not m.hidden
                          when 'hidden' then m.hidden and m.deleted_at is null
                          when 'deleted' then m.deleted_at is not null when 'shadowed' then false
                          else true end
                order by m.sent_at desc, m.id desc limit $7)
               union all
               (select s.id, s.agent, s.content, s.sent_at, s.edited_at, s.deleted_at is not null, false,
                       false, true, false
                from shadow_message s
                where s.released is null and (s.sent_at, s.id) < ($1, $2::text)
                  and ($3::text is null or s.id = $3) and ($4::bigint is null or s.agent = $4)
                  and ($5::text is null or s.content ilike $5)
                  and case when $6::text is null then true when $6 = 'shadowed' then s.deleted_at is null
                          when $6 = 'deleted' then s.deleted_at is not null else false end
                order by s.sent_at desc, s.id desc limit $7)
               union all
               (select p.id, p.author, '', p.sent_at, p.edited_at, p.deleted_at is not null, p.hidden,
                       false, p.shadow, true
                from private_message p
                where p.id in (select c.target from report_case c where c.kind = 'message')
                  and (p.sent_at, p.id) < ($1, $2::text) and ($3::text is null or p.id = $3)
                  and ($4::bigint is null or p.author = $4) and $5::text is null
                  and case when $6::text is null then true when $6 = 'deleted' then p.deleted_at is not null
                          when p.deleted_at is not null then false when $6 = 'hidden' then p.hidden
                          when p.hidden then false when $6 = 'shadowed' then p.shadow
                          else not p.shadow end
                order by p.sent_at desc, p.id desc limit $7)
           ) found left join agent a on a.no = found.agent
           order by found.sent_at desc, found.id desc limit $7"#,
        search.before_at,
        search.before_id,
        search.id,
        search.author as _,
        search.text_pattern,
        search.state,
        limit
    );
    statement.fetch_all(pool).await
}
