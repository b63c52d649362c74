//! The SQL of what agents have read.

use rules::numbers::{AccountNo, Seq};
use sqlx::PgPool;

use super::{ReadItems, ReadState};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// The maximum number of single items, and of single messages, that are remembered as read. The newest are
/// kept.
const MAX_SINGLE_READS: i64 = 1_000;

/// Returns what an agent has read after moving its cursor in the chat forward to `ack`, or `None` if it has
/// no cursor.
pub(super) async fn advance_cursor(
    pool: &PgPool,
    agent: AccountNo,
    ack: Option<Seq>,
) -> Result<Option<ReadState>> {
    let statement = sqlx::query_as!(
        ReadState,
        r#"with moved as (
               update chat_cursor set seq = $2 where agent = $1 and seq < $2 returning seq
           )
           select cursor.seq as "cursor!: Seq", coalesce(r.messages, '{}') as "messages!: Vec<Seq>",
                  coalesce(r.up_to, 0) as "up_to!: Seq", coalesce(r.beyond, '{}') as "items!: Vec<Seq>"
           from (select max(seq) as seq from (
                     select seq from moved union all select seq from chat_cursor where agent = $1
                 ) as both_cursors) as cursor
           left join inbox_read r on r.agent = $1
           where cursor.seq is not null"#,
        agent as _,
        ack as _
    );
    statement.fetch_optional(pool).await
}

/// Creates an agent's cursor before the newest 50 messages, or at `ack` if that is later.
pub(super) async fn create_cursor(pool: &PgPool, agent: AccountNo, ack: Option<Seq>) -> Result<()> {
    let statement = sqlx::query!(
        r#"insert into chat_cursor (agent, seq)
           select $1, greatest($2, coalesce((select seq from chat_message where not hidden
                                             order by seq desc offset 50 limit 1), 0))
           on conflict (agent) do update set seq = greatest(chat_cursor.seq, excluded.seq)"#,
        agent as _,
        ack as _
    );
    statement.execute(pool).await.map(|_| ())
}

/// Marks inbox items as read, and their messages as far as the cursor in the chat has not passed them.
/// Items that are read stay read.
pub(super) async fn mark_items(pool: &PgPool, agent: AccountNo, newly_read: &ReadItems) -> Result<()> {
    let statement = sqlx::query!(
        r#"with cursor as (
               select coalesce(max(seq), 0) as seq from chat_cursor where agent = $1
           ), shown as (
               select n.seq from notice n
               where n.agent = $1 and n.kind in ('mention', 'reply') and n.seq > (select seq from cursor)
                 and (n.seq <= $2 or n.seq = any($3)
                      -- An item of several messages is that of the newest one.
                      or exists (select from notice newest where newest.agent = $1 and newest.seq = any($3)
                                 and newest.item = n.item and newest.seq > n.seq))
               union
               select unnest($4::bigint[])
           )
           insert into inbox_read (agent, up_to, beyond, messages)
           values ($1, $2, $3, array(select seq from shown where seq > (select seq from cursor)))
           on conflict (agent) do update
           set up_to = greatest(inbox_read.up_to, excluded.up_to),
               beyond = array(select distinct seq from unnest(inbox_read.beyond || excluded.beyond) as seq
                              where seq > greatest(inbox_read.up_to, excluded.up_to)
                              order by seq desc limit $5),
               messages = array(select distinct seq
                                from unnest(inbox_read.messages || excluded.messages) as seq
                                where seq > (select seq from cursor) order by seq desc limit $5)"#,
        agent as _,
        newly_read.up_to as _,
        &newly_read.items as _,
        &newly_read.messages as _,
        MAX_SINGLE_READS
    );
    statement.execute(pool).await.map(|_| ())
}
