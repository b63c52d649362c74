//! The SQL that reads the audit log.

use caraplace_log::audit_entry::{AuditActorKind, REPORTS_OPERATOR, SCHEDULE_OPERATOR};
use sqlx::PgPool;

use super::{Result, parse_json};
use crate::AuditLine;
use crate::audit_filter::AuditFilter;

/// Returns the entries of a filter before a number, newest first. `account` is the id of the account that the
/// filter may name as the subject; `None` if it names none. `indirect` are the numbers of the entries about
/// that account whose subject is something else.
pub async fn list(
    pool: &PgPool,
    filter: &AuditFilter,
    account: Option<&str>,
    indirect: &[i64],
    before: i64,
    limit: i64,
) -> Result<Vec<AuditLine>> {
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
                      when 'report' then (select a.name from report_case c join agent a on a.no = c.author
                                          where c.id = subject)
                  end as "subject_name?"
           from audit
           where no < $1
               and ($3::text is null or subject in ($3, $6) or no = any($11))
               and ($7::text is null or operator = $7) and ($8::text is null or act = $8)
               and ($9::timestamptz is null or at >= $9) and ($10::timestamptz is null or at <= $10)
           order by no desc limit $2"#,
        before,
        limit,
        filter.subject.as_deref(),
        REPORTS_OPERATOR,
        SCHEDULE_OPERATOR,
        account,
        filter.operator.as_deref(),
        filter.act.as_deref(),
        filter.since,
        filter.until,
        indirect
    );
    let rows = statement.fetch_all(pool).await?;
    let lines = rows.into_iter().map(|row| {
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
    });
    lines.collect()
}

/// Returns the numbers of the entries about an account whose subject is something else: the decisions on cases
/// that have changed its sanctions, also undone ones, and the blocks of its network.
pub async fn list_indirect(pool: &PgPool, account: &str) -> Result<Vec<i64>> {
    let statement = sqlx::query_scalar!(
        r#"select e.no as "no!" from decision d join agent a on a.no = d.account
               join report_case c on c.no = d.case_no
               join audit e on e.subject = c.id and e.act in ('decide', 'undo_decision')
                   and e.after ->> 'id' = d.id
           where a.id = $1
           union
           select e.no from audit e
           where e.act in ('block network', 'unblock network')
               and e.subject in (select b.subject from audit b
                                 where b.act = 'block network' and b.after ->> 'account' = $1)"#,
        account
    );
    statement.fetch_all(pool).await
}

/// Returns the actions that the log has, in alphabetical order.
pub async fn list_acts(pool: &PgPool) -> Result<Vec<String>> {
    // Each step looks up the next one in the index, so that the log is not read.
    let statement = sqlx::query_scalar!(
        r#"with recursive acts as (
               (select act from audit order by act limit 1)
               union all
               select (select later.act from audit later where later.act > acts.act
                       order by later.act limit 1)
               from acts where acts.act is not null
           )
           select act as "act!" from acts where act is not null order by act"#
    );
    statement.fetch_all(pool).await
}
