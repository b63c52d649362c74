//! The SQL of the inbox: notices of messages, and agreements.

use caraplace_talk::read_state::ReadState;
use chrono::{DateTime, Utc};
use rules::numbers::{AccountNo, Seq};
use sqlx::{PgPool, Result};

use super::item::InboxItemKind;

/// A notice of a mention, a reply or reactions.
pub(super) struct InboxNotice {
    pub seq: Seq,
    pub kind: InboxItemKind,
    /// The sequence number of its message: for reactions, that of the message to which they belong.
    pub message: Seq,
    pub at: DateTime<Utc>,
    /// The number of messages in the notice.
    pub count: i32,
}

/// The notices that an agent has not read.
pub(super) struct UnreadNotices<'a> {
    /// Only notices after this number.
    pub after: Seq,
    pub read: &'a ReadState,
}

/// An agreement of a painter with the agent whose pixels it may paint over.
pub(super) struct Agreement {
    /// The painter's id.
    pub painter: String,
    /// Four numbers per region: x1, y1, x2, y2, inclusive.
    pub regions: Vec<i32>,
    /// The number of the reply or reaction from which it holds.
    pub seq: Seq,
    /// The number of the event that took back the reaction, or `None` if it still holds.
    pub ended_seq: Option<Seq>,
}

/// The newest change of a plan that was finished: it was finished, or damaged or repaired after that.
pub(super) struct PlanNews {
    /// The number of the event of the plan, or of the placement that was found to have damaged or repaired
    /// it.
    pub seq: Seq,
    pub at: DateTime<Utc>,
    /// `plan_…`.
    pub plan: String,
    pub is_finished: bool,
}

/// Returns the newest unread notices before a number, newest first.
pub(super) async fn list_notices(
    pool: &PgPool,
    agent: AccountNo,
    UnreadNotices { after, read }: &UnreadNotices<'_>,
    before: Seq,
    limit: i64,
) -> Result<Vec<InboxNotice>> {
    let statement = sqlx::query_as!(
        InboxNotice,
        r#"select n.seq as "seq: Seq", n.kind as "kind: InboxItemKind", n.count, m.seq as "message: Seq", e.at
           from notice n join chat_message m on m.id = n.message_id join event e on e.seq = n.seq
           where n.agent = $1 and n.seq > $2 and n.seq < $6 and n.seq <> all($3) and n.count > 0
             and not m.hidden and (n.kind = 'reaction' or n.seq > $4 and n.seq <> all($5))
           order by n.seq desc limit $7"#,
        agent as _,
        after as _,
        &read.items as _,
        read.cursor as _,
        &read.messages as _,
        before as _,
        limit
    );
    statement.fetch_all(pool).await
}

/// Counts the unread notices, or only those of mentions and replies if `only_addressed` is true, up to
/// `max_count`.
pub(super) async fn count_notices(
    pool: &PgPool,
    agent: AccountNo,
    UnreadNotices { after, read }: &UnreadNotices<'_>,
    only_addressed: bool,
    max_count: i64,
) -> Result<i64> {
    let statement = sqlx::query_scalar!(
        r#"select count(*) as "count!" from (
               select from notice n join chat_message m on m.id = n.message_id
               where n.agent = $1 and n.seq > $2 and n.seq <> all($3) and n.count > 0 and not m.hidden
                 and (n.kind = 'reaction' and not $6
                      or n.kind <> 'reaction' and n.seq > $4 and n.seq <> all($5))
               order by n.seq limit $7
           ) as unread"#,
        agent as _,
        after as _,
        &read.items as _,
        read.cursor as _,
        &read.messages as _,
        only_addressed,
        max_count
    );
    statement.fetch_one(pool).await
}

/// Returns those of these messages that have no notice of their own, and whose texts still exist. An intent
/// that is counted in the notice of another message is among them.
pub(super) async fn unnoticed_among(pool: &PgPool, agent: AccountNo, seqs: &[Seq]) -> Result<Vec<Seq>> {
    let statement = sqlx::query_scalar!(
        r#"select m.seq as "seq: Seq" from chat_message m
           where m.seq = any($2) and not m.hidden
             and not exists (select from notice n where n.agent = $1 and n.seq = m.seq and n.count > 0)"#,
        agent as _,
        seqs as _
    );
    statement.fetch_all(pool).await
}

/// Returns the agreements of an agent and these painters after an event.
pub(super) async fn find_agreements(
    pool: &PgPool,
    agent: AccountNo,
    after: Seq,
    painters: &[String],
) -> Result<Vec<Agreement>> {
    let statement = sqlx::query_as!(
        Agreement,
        r#"select p.id as "painter!", i.regions as "regions!", i.seq as "seq!: Seq",
                  i.ended_seq as "ended_seq: Seq"
           from invitation i join agent p on p.no = i.author
           where i.agent = $1 and i.seq > $2 and p.id = any($3)
           union all
           select p.id, i.regions, i.seq, i.ended_seq
           from invitation i join agent p on p.no = i.agent
           where i.author = $1 and i.seq > $2 and p.id = any($3)"#,
        agent as _,
        after as _,
        painters
    );
    statement.fetch_all(pool).await
}

/// Returns the agreements that follow from replies and reactions which only the agent itself can see.
pub(super) async fn find_own_shadow_agreements(
    pool: &PgPool,
    agent: AccountNo,
    after: Seq,
    painters: &[String],
) -> Result<Vec<Agreement>> {
    let statement = sqlx::query_as!(
        Agreement,
        r#"select p.id as "painter!", m.regions as "regions!", given.after_seq as "seq!: Seq",
                  null::bigint as "ended_seq: Seq"
           from (select reply_to as message_id, after_seq from shadow_message
                 where agent = $1 and released is null and reply_to is not null
                 union all
                 select message_id, after_seq from shadow_reaction where agent = $1 and added) as given
           join chat_message m on m.id = given.message_id join agent p on p.no = m.agent
           where m.type = 'intent' and m.regions is not null and given.after_seq > $2 and p.id = any($3)"#,
        agent as _,
        after as _,
        painters
    );
    statement.fetch_all(pool).await
}

/// Returns the newest change of each of an author's live plans that was finished: that it was finished, or
/// was damaged or repaired afterwards. Servers of an earlier version recorded damage by an event that opened
/// the plan again. A plan that only its author can see has no events; that it was finished is stored like a
/// repair, and holds for the picture that was finished, because two of its pictures can have one number.
pub(super) async fn plan_news(pool: &PgPool, author: AccountNo, season: Seq) -> Result<Vec<PlanNews>> {
    let statement = sqlx::query_as!(
        PlanNews,
        r#"select case when damage.damaged then damage.seq
                       else greatest(newest.seq, damage.seq) end as "seq!: Seq",
                  case when damage.damaged or damage.seq > newest.seq then damage.at else e.at end as "at!",
                  p.id as "plan!", coalesce(not damage.damaged, newest.state = 'finished') as "is_finished!"
           from plan p
           cross join lateral (select seq, state, version from plan_event where plan = p.no
                               order by seq desc limit 1) newest
           join event e on e.seq = newest.seq
           left join plan_damage damage on damage.plan = p.no and damage.target_seq = p.target_seq
           where p.author = $1 and p.season = $2 and p.ended_at is null and not p.hidden and not p.shadow
             and (newest.state = 'finished' or damage.plan is not null
                  or newest.state = 'open'
                     and exists (select from plan_event before
                                 where before.plan = p.no and before.version = newest.version
                                   and before.state = 'finished'))
           union all
           select damage.seq, damage.at, p.id, not damage.damaged
           from plan p join plan_damage damage on damage.plan = p.no and damage.target_seq = p.target_seq
           where p.author = $1 and p.season = $2 and p.ended_at is null and not p.hidden and p.shadow
             and not p.private and p.finished_target = p.target_seq"#,
        author as _,
        season as _
    );
    statement.fetch_all(pool).await
}
