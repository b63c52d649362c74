//! The SQL of decisions: claims of drafts, and what comes of them.

use caraplace_log::command::DRAFT_ROUTE;
use chrono::{DateTime, Utc};
use rules::ids::OPERATOR_AGENT_ID;
use serde_json::Value;
use sqlx::{PgConnection, PgPool};

use super::Result;
use crate::drafts::access::DraftPerson;
use crate::drafts::{DraftDecider, DraftKind, INTERRUPTED_AFTER};

/// Claims a draft that waits, or whose approval by the same side was interrupted. Returns the number of
/// claims without an outcome, this one included; `None` if it cannot be claimed.
pub(in crate::drafts) async fn claim(
    pool: &PgPool,
    id: &str,
    person: DraftPerson<'_>,
    now: DateTime<Utc>,
) -> Result<Option<i32>> {
    let operator = person.operator().map(|operator| operator.name.as_str());
    let statement = sqlx::query_scalar!(
        r#"update pending_change set state = 'approving', claimed_at = $3, claimed_by = $2,
               claimed_operator = $5, claims = claims + 1
           where id = $1 and expires_at > $3
             and (state = 'pending' or state = 'approving' and claimed_at <= $4 and claimed_by = $2)
           returning claims"#,
        id,
        person.side() as DraftDecider,
        now,
        now - INTERRUPTED_AFTER,
        operator
    );
    statement.fetch_optional(pool).await
}

/// Stores the outcome of an approved draft, unless its claim was taken over. Returns false in that case.
pub(in crate::drafts) async fn finish(
    connection: &mut PgConnection,
    id: &str,
    claimed_at: DateTime<Utc>,
    result: Option<&Value>,
    now: DateTime<Utc>,
) -> Result<bool> {
    let statement = sqlx::query!(
        r#"update pending_change set state = 'approved', decided_at = $4, result = $3, last_refusal = null,
               claimed_at = null, claimed_by = null, claimed_operator = null
           where id = $1 and state = 'approving' and claimed_at = $2"#,
        id,
        claimed_at,
        result,
        now
    );
    Ok(statement.execute(connection).await?.rows_affected() > 0)
}

/// Releases the claim on a draft whose approval was refused, unless the claim was taken over. The draft waits
/// again.
pub(in crate::drafts) async fn release(
    pool: &PgPool,
    id: &str,
    claimed_at: DateTime<Utc>,
    refusal: &str,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"update pending_change set state = 'pending', last_refusal = $3, claimed_at = null,
               claimed_by = null, claimed_operator = null, claims = 0
           where id = $1 and state = 'approving' and claimed_at = $2"#,
        id,
        claimed_at,
        refusal
    );
    statement.execute(pool).await.map(|_| ())
}

/// Rejects a draft that waits, or whose approval was interrupted. Returns false if it cannot be rejected.
pub(in crate::drafts) async fn reject(
    connection: &mut PgConnection,
    id: &str,
    now: DateTime<Utc>,
) -> Result<bool> {
    let statement = sqlx::query!(
        r#"update pending_change set state = 'rejected', decided_at = $2, claimed_at = null,
               claimed_by = null, claimed_operator = null
           where id = $1 and expires_at > $2
             and (state = 'pending' or state = 'approving' and claimed_at <= $3)"#,
        id,
        now,
        now - INTERRUPTED_AFTER
    );
    Ok(statement.execute(connection).await?.rows_affected() > 0)
}

/// A draft whose interrupted approval has made the change.
pub(in crate::drafts) struct SettledDraft {
    pub kind: DraftKind,
    pub change: Value,
    /// The name of the operator who has approved it; `None` if it was the visitor.
    pub operator: Option<String>,
    /// True if the decision is in the audit log.
    pub has_decision: bool,
}

/// Marks a draft as approved whose approval was claimed before a time and has no outcome; `None` if it is not
/// one.
pub(in crate::drafts) async fn settle(
    connection: &mut PgConnection,
    id: &str,
    claimed_before: DateTime<Utc>,
) -> Result<Option<SettledDraft>> {
    let statement = sqlx::query_as!(
        SettledDraft,
        r#"with claimed as (
               select no, claimed_operator from pending_change
               where id = $1 and state = 'approving' and claimed_at <= $2 for update
           )
           update pending_change d set state = 'approved', decided_at = claimed_at, last_refusal = null,
               claimed_at = null, claimed_by = null, claimed_operator = null
           from claimed c where d.no = c.no
           returning d.kind as "kind: DraftKind", d.change, c.claimed_operator as operator,
                     exists (select from audit where subject = d.id) as "has_decision!""#,
        id,
        claimed_before
    );
    statement.fetch_optional(connection).await
}

/// Returns true if the change of a draft that is being approved was made.
pub(in crate::drafts) async fn was_made(pool: &PgPool, id: &str, claimed_at: DateTime<Utc>) -> Result<bool> {
    Ok(!list_made(pool, Some(id), claimed_at).await?.is_empty())
}

/// Returns the drafts whose approval was claimed before a time and has no outcome, although the change was
/// made: its entry in the audit log or the stored response of its command says so.
pub(in crate::drafts) async fn list_made(
    pool: &PgPool,
    id: Option<&str>,
    claimed_before: DateTime<Utc>,
) -> Result<Vec<String>> {
    let statement = sqlx::query_scalar!(
        r#"select d.id from pending_change d
           where d.state = 'approving' and d.claimed_at <= $1 and ($2::text is null or d.id = $2)
             and (exists (select from audit a where a.draft_id = d.id and a.subject <> d.id)
                  or exists (select from idempotency i where i.route = $3 and i.key = d.id
                             and i.agent = case d.claimed_by when 'visitor' then d.account
                                           else (select no from agent where id = $4) end))"#,
        claimed_before,
        id,
        DRAFT_ROUTE,
        OPERATOR_AGENT_ID
    );
    statement.fetch_all(pool).await
}
