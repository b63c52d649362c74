//! The SQL that reads the audit log.

use caraplace_log::audit_entry::{AuditActorKind, REPORTS_OPERATOR, SCHEDULE_OPERATOR};
use sqlx::PgPool;

use super::{Result, parse_json};
use crate::AuditLine;

/// Returns entries before a number, newest first.
pub async fn list(pool: &PgPool, before: i64, limit: i64, subject: Option<&str>) -> Result<Vec<AuditLine>> {
    let statement = sqlx::query!(
        r#"select no, at, operator, act, subject, why, before::text as "before!", after::text as "after!",
                  draft_id,
                  -- entries from before the guide have none
                  coalesce(actor_kind, case when operator in ($4, $5) then 'automatic' else 'operator' end)
                      as "actor_kind!: AuditActorKind",
                  case split_part(subject, '_', 1)
                      when 'agent' then (select a.name from agent a where a.id = subject)
                      when 'viewer' then (select a.name from agent a where a.id = subject)
                      when 'crew' then (select c.name from channel ch join crew c on c.channel = ch.no
                                        where ch.id = subject)
                      when 'plan' then (select p.title from plan p where p.id = subject)
                      when 'season' then (select s.title from season s where s.id = subject)
                      when 'msg' then coalesce(
                          (select a.name from event said join agent a on a.no = said.agent
                           where said.id = subject and said.kind = 'chat'),
                          (select a.name from private_message m join agent a on a.no = m.author
                           where m.id = subject))
                  end as "subject_name?"
           from audit
           where no < $1 and ($3::text is null or subject = $3) order by no desc limit $2"#,
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
                subject_name: row.subject_name,
                reason: row.why,
                before: parse_json(&row.before)?,
                after: parse_json(&row.after)?,
                actor_kind: row.actor_kind,
                draft_id: row.draft_id,
            })
        })
        .collect()
}
