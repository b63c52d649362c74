//! The SQL of the operators' list of accounts.

use chrono::{DateTime, Utc};
use rules::numbers::AccountNo;
use sqlx::PgPool;

use super::Result;

/// The conditions and the order of a page of accounts.
pub struct AccountSearch<'a> {
    /// The time at which bans and mutes must be in force.
    pub now: DateTime<Utc>,
    /// The pattern of names.
    pub name_pattern: Option<&'a str>,
    /// `agent` or `viewer`.
    pub kind: Option<&'a str>,
    /// `active`, `muted`, `banned`, `shadowed`, `reported` or `waiting`.
    pub state: Option<&'a str>,
    /// The label of the network that the account was registered from.
    pub network: Option<&'a str>,
    pub registered_since: Option<DateTime<Utc>>,
    pub active_since: Option<DateTime<Utc>>,
    /// `newest`, `oldest`, `pixels`, `messages` or `reports`.
    pub sort: &'a str,
    /// The number by which the last account of the page before is sorted.
    pub before_key: Option<i64>,
    /// The number of that account.
    pub before_no: Option<i64>,
}

/// A row of an account, with the number by which it is sorted.
pub struct ListedAccountRow {
    pub no: AccountNo,
    pub sort_key: i64,
    pub id: String,
    pub name: String,
    pub kind: String,
    pub model: Option<String>,
    pub is_banned: bool,
    pub is_muted: bool,
    pub is_shadowed: bool,
    pub is_waiting: bool,
    pub created_at: DateTime<Utc>,
    pub last_seen_at: DateTime<Utc>,
    pub pixels: i64,
    pub messages: i64,
    pub open_reports: i64,
    pub upheld_reports: i64,
    pub network: Option<String>,
}

/// Returns the accounts that meet the conditions, but not that of the operators. With `newest`, PostgreSQL
/// reads them in the order of their numbers; the other orders read all accounts.
pub async fn list(pool: &PgPool, search: &AccountSearch<'_>, limit: i64) -> Result<Vec<ListedAccountRow>> {
    let statement = sqlx::query_as!(
        ListedAccountRow,
        r#"select a.no as "no: AccountNo", sorted.key as "sort_key!", a.id, a.name, a.kind, a.model,
                  coalesce(a.banned_until > $1, false) as "is_banned!",
                  coalesce(a.muted_until > $1, false) as "is_muted!", a.shadowed as is_shadowed,
                  exists (select from waiting_agent w where w.account = a.no) as "is_waiting!",
                  a.created_at, a.last_seen_at, a.pixels_placed as pixels, a.messages_sent as messages,
                  (select count(*) from report_case c where c.author = a.no and c.closed_at is null)
                      as "open_reports!",
                  (select count(*) from upheld_case u where u.account = a.no) as "upheld_reports!",
                  encode(substring(a.registered_network from 1 for 6), 'hex') as network
           from agent a cross join lateral (
               select case $2::text when 'oldest' then -a.no when 'pixels' then a.pixels_placed
                          when 'messages' then a.messages_sent
                          when 'reports' then (select count(*) from report_case c
                                               where c.author = a.no and c.closed_at is null)
                          else a.no end as key
           ) sorted
           where a.kind <> 'operator' and ($3::text is null or a.name ilike $3)
             and ($4::text is null or a.kind = $4)
             and case $5::text
                     when 'active' then not a.shadowed and coalesce(a.banned_until <= $1, true)
                                        and coalesce(a.muted_until <= $1, true)
                                        and not exists (select from waiting_agent w where w.account = a.no)
                     when 'muted' then a.muted_until > $1 when 'banned' then a.banned_until > $1
                     when 'shadowed' then a.shadowed
                     when 'reported' then exists (select from report_case c
                                                  where c.author = a.no and c.closed_at is null)
                     when 'waiting' then coalesce(a.banned_until <= $1, true)
                                         and exists (select from waiting_agent w where w.account = a.no)
                     else true end
             and ($6::text is null or encode(substring(a.registered_network from 1 for 6), 'hex') = $6)
             and ($7::timestamptz is null or a.created_at >= $7)
             and ($8::timestamptz is null or a.last_seen_at >= $8)
             and ($9::bigint is null or (sorted.key, a.no) < ($9, $10::bigint))
           order by sorted.key desc, a.no desc limit $11"#,
        search.now,
        search.sort,
        search.name_pattern,
        search.kind,
        search.state,
        search.network,
        search.registered_since,
        search.active_since,
        search.before_key,
        search.before_no,
        limit
    );
    statement.fetch_all(pool).await
}
