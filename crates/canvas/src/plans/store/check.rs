//! The SQL of the check of plans.

use caraplace_log::check::RowFault;
use sqlx::PgConnection;

use super::Result;

/// Returns the events of plans without a plan, and the references to plans that are not of their season.
pub(in crate::plans) async fn plan_faults(connection: &mut PgConnection) -> Result<Vec<RowFault>> {
    let statement = sqlx::query_as!(
        RowFault,
        r#"select 'plan' as "kind!", seq as "seq!", id as "id!", fault as "fault!" from (
               select e.seq, e.id, 'its event does not belong to a change of a plan' as fault
               from event e
                   left join plan_event c on c.seq = e.seq
                   left join plan p on p.no = c.plan
               where e.kind = 'plan' and p.id is distinct from e.id
               union all
               select c.seq, p.id, 'a change of it has no event'
               from plan_event c join plan p on p.no = c.plan
               where not exists (select from event e where e.seq = c.seq and e.kind = 'plan')
               union all
               select p.no, p.id, 'it was opened without an event, or outside its season'
               from plan p
               where p.no > 0
                 and (not exists (select from event e where e.seq = p.no and e.kind = 'plan' and e.id = p.id)
                      or p.season is distinct from (select max(s.seq) from season s where s.seq < p.no))
               union all
               select s.seq, coalesce(p.id, 'plan number ' || s.plan),
                      'a placement names it outside its season'
               from placement s left join plan p on p.no = s.plan
               where s.plan is not null
                 and (p.no is null
                      or p.season is distinct from (select max(o.seq) from season o where o.seq < s.seq))
           ) as fault_row
           order by seq"#
    );
    statement.fetch_all(connection).await
}

/// Returns the plans whose version, state, picture or end is not that of their events, or of which an account
/// sees another version that must not.
pub(in crate::plans) async fn plan_state_faults(connection: &mut PgConnection) -> Result<Vec<RowFault>> {
    let statement = sqlx::query_as!(
        RowFault,
        r#"select 'plan' as "kind!", seq as "seq!", id as "id!", fault as "fault!" from (
               select 1 as rank, c.seq, p.id, 'its version does not follow the one before it' as fault
               from (select seq, plan, version,
                            lag(version, 1, 0) over (partition by plan order by seq) as before
                     from plan_event) as c
                   join plan p on p.no = c.plan
               where c.version not in (c.before, c.before + 1)
               union all
               select 2, p.no, p.id, 'its version and state are not those of its newest event'
               from plan p
               where not p.shadow and not p.private and not exists (
                   select from (select version, state from plan_event c where c.plan = p.no
                                order by seq desc limit 1) as c
                   where c.version = p.version and c.state = p.state)
               union all
               select 2, p.no, p.id, 'the event that set its picture is not one of its events'
               from plan p
               where not p.shadow and not p.private
                 and not exists (select from plan_event c where c.plan = p.no and c.seq = p.target_seq)
               union all
               select 2, p.no, p.id, 'not everyone can see it, but it has an event'
               from plan p
               where (p.shadow or p.private)
                 and (p.no > 0 or exists (select from plan_event c where c.plan = p.no))
               union all
               select 2, p.no, p.id, 'its end does not match its state'
               from plan p
               where p.state in ('closed', 'expired') and p.ended_at is null
                  or p.state = 'open' and p.ended_at is not null
               union all
               select 2, p.no, p.id, 'an account that is not shadow-banned sees another version of it'
               from shadow_plan_change c
                   join plan p on p.no = c.plan
                   left join agent a on a.no = c.account
               where a.shadowed is not true
           ) as fault_row
           order by rank, seq"#
    );
    statement.fetch_all(connection).await
}
