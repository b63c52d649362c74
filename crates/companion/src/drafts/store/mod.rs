//! The SQL of drafts.

pub(super) mod decisions;

use caraplace_accounts::visitor::ConversationOwner;
use chrono::{DateTime, Utc};
use platform::tokens::Blake3Hash;
use rules::ids::OPERATOR_AGENT_ID;
use rules::numbers::AccountNo;
use serde_json::Value;
use sqlx::{PgConnection, PgExecutor, PgPool, Result};

use super::{Draft, DraftDecider, DraftKind, DraftState, INTERRUPTED_AFTER, LIFETIME, StoredDraft, TurnRun};

/// A row of `pending_change`.
struct DraftRow {
    no: i64,
    id: String,
    browser: Option<Vec<u8>>,
    account: Option<AccountNo>,
    kind: DraftKind,
    decider: DraftDecider,
    summary: String,
    change: Value,
    state: DraftState,
    created_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
    claimed_at: Option<DateTime<Utc>>,
    decided_at: Option<DateTime<Utc>>,
    result: Option<Value>,
    last_refusal: Option<String>,
}

impl DraftRow {
    fn into_stored(self) -> StoredDraft {
        let browser = self.browser.and_then(|hash| hash.try_into().ok());
        // A constraint of the table makes sure that a draft has either.
        let owner = browser.map_or_else(
            || ConversationOwner::Account(self.account.unwrap_or(AccountNo::OPERATOR)),
            ConversationOwner::Browser,
        );
        let draft = Draft {
            id: self.id,
            kind: self.kind,
            summary: self.summary,
            change: self.change,
            state: self.state,
            decider: self.decider,
            created_at: self.created_at,
            expires_at: self.expires_at,
            decided_at: self.decided_at,
            result: self.result,
            last_refusal: self.last_refusal,
        };
        StoredDraft { no: self.no, owner, draft, claimed_at: self.claimed_at }
    }
}

/// The drafts to list.
#[derive(Clone, Copy, Debug)]
pub(super) enum DraftFilter {
    /// Those of a conversation.
    Of(ConversationOwner),
    /// Those that wait for operators, or else those that have waited for them.
    Queue { is_waiting: bool },
}

/// A draft to store.
pub(super) struct NewDraft<'a> {
    pub id: &'a str,
    pub owner: ConversationOwner,
    /// The keyed hash of the address of a visitor without an account.
    pub address: Option<Blake3Hash>,
    pub kind: DraftKind,
    pub decider: DraftDecider,
    pub summary: &'a str,
    pub change: &'a Value,
    /// The run of the turn that proposes it.
    pub run: TurnRun,
}

/// The numbers of drafts that wait.
pub(super) struct WaitingDrafts {
    /// Those of the visitor.
    pub own: i64,
    /// Those of the visitor that propose the same change to the same person, with those that an earlier run
    /// of the same question has proposed and that were approved.
    pub same: i64,
    /// Those of visitors without an account from the same address; 0 for a visitor with one.
    pub at_address: i64,
    /// Those of all visitors without an account.
    pub without_account: i64,
}

/// Waits until nobody else proposes a draft. Until the transaction ends, nobody else can.
pub(super) async fn lock_proposals(connection: &mut PgConnection) -> Result<()> {
    let statement = sqlx::query!("select pg_advisory_xact_lock(hashtextextended('proposals of drafts', 0))");
    statement.execute(connection).await.map(|_| ())
}

/// Counts the drafts that wait, before a new one is inserted.
pub(super) async fn count_waiting(
    connection: &mut PgConnection,
    new: &NewDraft<'_>,
    now: DateTime<Utc>,
) -> Result<WaitingDrafts> {
    let (browser, account) = new.owner.columns();
    let statement = sqlx::query_as!(
        WaitingDrafts,
        r#"select count(*) filter (where waits and (browser = $1 or account = $2)) as "own!",
                  count(*) filter (where (browser = $1 or account = $2) and kind = $5 and change = $6
                                         and decider = $7) as "same!",
                  count(*) filter (where waits and address = $3) as "at_address!",
                  count(*) filter (where waits and browser is not null) as "without_account!"
           from (
               select *, state <> 'approved' as waits from pending_change
               where state in ('pending', 'approving') and expires_at > $4
                  or question = $8 and state = 'approved'
           ) as draft"#,
        browser,
        account as _,
        new.address.as_ref().map(|hash| &hash[..]),
        now,
        new.kind as DraftKind,
        new.change,
        new.decider as DraftDecider,
        new.run.question
    );
    statement.fetch_one(connection).await
}

/// Inserts a draft. Returns false if its run has ended. The end of a run waits for the transaction.
pub(super) async fn insert(
    connection: &mut PgConnection,
    new: &NewDraft<'_>,
    now: DateTime<Utc>,
) -> Result<bool> {
    let (browser, account) = new.owner.columns();
    let statement = sqlx::query!(
        r#"insert into pending_change (id, browser, account, kind, decider, summary, change, created_at,
                                       expires_at, address, question)
           select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, no from guide_message
           where no = $11 and runs = $12 and state = 'running' for share"#,
        new.id,
        browser,
        account as _,
        new.kind as DraftKind,
        new.decider as DraftDecider,
        new.summary,
        new.change,
        now,
        now + LIFETIME,
        new.address.as_ref().map(|hash| &hash[..]),
        new.run.question,
        new.run.number
    );
    Ok(statement.execute(connection).await?.rows_affected() > 0)
}

/// Returns the drafts with these ids, in any order.
pub(super) async fn find(executor: impl PgExecutor<'_>, ids: &[String]) -> Result<Vec<StoredDraft>> {
    let statement = sqlx::query_as!(
        DraftRow,
        r#"select no, id, browser, account as "account: AccountNo", kind as "kind: DraftKind",
                  decider as "decider: DraftDecider", summary, change, state as "state: DraftState",
                  created_at, expires_at, claimed_at, decided_at, result, last_refusal
           from pending_change where id = any($1)"#,
        ids
    );
    Ok(statement.fetch_all(executor).await?.into_iter().map(DraftRow::into_stored).collect())
}

/// Returns drafts before a number, newest first.
pub(super) async fn list(
    pool: &PgPool,
    filter: DraftFilter,
    before: i64,
    limit: i64,
    now: DateTime<Utc>,
) -> Result<Vec<StoredDraft>> {
    let rows = match filter {
        DraftFilter::Of(owner) => list_of(pool, owner, before, limit).await?,
        DraftFilter::Queue { is_waiting } => list_queue(pool, is_waiting, before, limit, now).await?,
    };
    Ok(rows.into_iter().map(DraftRow::into_stored).collect())
}

async fn list_of(pool: &PgPool, owner: ConversationOwner, before: i64, limit: i64) -> Result<Vec<DraftRow>> {
    let (browser, account) = owner.columns();
    let statement = sqlx::query_as!(
        DraftRow,
        r#"select no, id, browser, account as "account: AccountNo", kind as "kind: DraftKind",
                  decider as "decider: DraftDecider", summary, change, state as "state: DraftState",
                  created_at, expires_at, claimed_at, decided_at, result, last_refusal
           from pending_change where no < $1 and (browser = $2 or account = $3)
           order by no desc limit $4"#,
        before,
        browser,
        account as _,
        limit
    );
    statement.fetch_all(pool).await
}

async fn list_queue(
    pool: &PgPool,
    is_waiting: bool,
    before: i64,
    limit: i64,
    now: DateTime<Utc>,
) -> Result<Vec<DraftRow>> {
    let statement = sqlx::query_as!(
        DraftRow,
        r#"select no, id, browser, account as "account: AccountNo", kind as "kind: DraftKind",
                  decider as "decider: DraftDecider", summary, change, state as "state: DraftState",
                  created_at, expires_at, claimed_at, decided_at, result, last_refusal
           from pending_change
           where no < $1 and decider = 'operator'
             and (state in ('pending', 'approving') and expires_at > $3) = $2
           order by no desc limit $4"#,
        before,
        is_waiting,
        now,
        limit
    );
    statement.fetch_all(pool).await
}

/// Returns the number of drafts that wait for operators.
pub(super) async fn count_queue(pool: &PgPool, now: DateTime<Utc>) -> Result<i64> {
    let statement = sqlx::query_scalar!(
        r#"select count(*) as "count!" from pending_change
           where decider = 'operator' and state in ('pending', 'approving') and expires_at > $1"#,
        now
    );
    statement.fetch_one(pool).await
}

/// Marks drafts as expired that were not decided in time.
pub(super) async fn expire(pool: &PgPool, now: DateTime<Utc>) -> Result<u64> {
    let statement = sqlx::query!(
        r#"update pending_change set state = 'expired', claimed_at = null, claimed_by = null,
               claimed_operator = null
           where expires_at <= $1 and (state = 'pending' or state = 'approving' and claimed_at <= $2)"#,
        now,
        now - INTERRUPTED_AFTER
    );
    Ok(statement.execute(pool).await?.rows_affected())
}

/// Deletes drafts that were proposed before a time.
pub(super) async fn delete_old(pool: &PgPool, before: DateTime<Utc>, limit: i64) -> Result<u64> {
    let statement = sqlx::query!(
        r#"delete from pending_change where no in (
               select no from pending_change where created_at < $1 and state <> 'approving'
               order by created_at limit $2
           )"#,
        before,
        limit
    );
    Ok(statement.execute(pool).await?.rows_affected())
}

/// Deletes the waiting drafts of these questions, except those that an answer names: nobody can learn of the
/// others.
pub(crate) async fn withdraw(
    connection: &mut PgConnection,
    questions: &[i64],
    kept: &[String],
) -> Result<()> {
    let statement = sqlx::query!(
        "delete from pending_change where question = any($1) and state = 'pending' and id <> all($2)",
        questions,
        kept
    );
    statement.execute(connection).await.map(|_| ())
}

/// Deletes the drafts of a conversation that is deleted. Three kinds stay: drafts that are being carried out,
/// drafts that operators have decided, and drafts that wait for operators.
pub(crate) async fn delete_of(connection: &mut PgConnection, owner: ConversationOwner) -> Result<()> {
    let (browser, account) = owner.columns();
    let statement = sqlx::query!(
        r#"delete from pending_change
           where (browser = $1 or account = $2) and state <> 'approving'
             and not (decider = 'operator' and state in ('approved', 'rejected'))
             and (state <> 'pending' or account is distinct from (select no from agent where id = $3))"#,
        browser,
        account as _,
        OPERATOR_AGENT_ID
    );
    statement.execute(connection).await.map(|_| ())
}
