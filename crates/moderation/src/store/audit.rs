//! The SQL that reads the audit log.

use caraplace_log::audit_entry::{AuditActorKind, REPORTS_OPERATOR, SCHEDULE_OPERATOR};
use sqlx::PgPool;

use super::{Result, parse_json};
use crate::AuditLine;

/// Returns entries before a number, newest first, of all or of those about one subject. Those about an
/// account include decisions on cases that have changed its sanctions.
pub async fn list(pool: &PgPool, before: i64, limit: i64, subject: Option<&str>) -> Result<Vec<AuditLine>> {
    let statement = sqlx::query!(
        r#"select no, at, operator, act, subject, why, before::text as "before!", after::text as "after!",
                  draft_id,
                  -- entries from before the guide have none
                  coalesce(actor_kind, case when operator in ($4, $5) then 'automatic' else 'operator' end)
                      as "actor_kind!: AuditActorKind"
           from audit
           where no < $1
             and ($3::text is null or subject = $3
                  or no = any(array(select change.no from sanction_change change where change.account = $3)))
           order by no desc limit $2"#,
        before,
        limit,
        subject,
        REPORTS_OPERATOR,
        SCHEDULE_OPERATOR
    );
    statement
        .fetch_all(pool)
        .await?
        .into_iter()
        .map(|row| {
            Ok(AuditLine {
                no: row.no,
                at: row.at,
                operator: row.operator,
                act: row.act,
                subject: row.subject,
                reason: row.why,
                before: parse_json(&row.before)?,
                after: parse_json(&row.after)?,
                actor_kind: row.actor_kind,
                draft_id: row.draft_id,
            })
        })
        .collect()
}
