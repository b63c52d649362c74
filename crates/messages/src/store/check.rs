//! The SQL of the check of shadow messages, own events and own texts.

use caraplace_log::check::RowFault;
use sqlx::PgConnection;

use super::Result;

/// Returns the shadow messages that others see, or that their authors do not find in their streams. Their
/// texts are deleted after a time, their own events are not.
pub async fn shadow_message_faults(connection: &mut PgConnection) -> Result<Vec<RowFault>> {
    let statement = sqlx::query_as!(
        RowFault,
        r#"select 'own' as "kind!", seq as "seq!", id as "id!", fault as "fault!" from (
               select 1 as rank, s.after_seq as seq, s.id,
                      'only its author sees it, but it has an event' as fault
               from shadow_message s
               where s.released is null and exists (select from event e where e.id = s.id)
               union all
               select 2, s.after_seq, s.id, 'its author does not find it once among the own events'
               from shadow_message s left join shadow_event e on e.message_id = s.id and e.kind = 'chat'
               group by s.no
               having count(e.no) <> 1 or bool_or(e.agent <> s.agent or e.after_seq <> s.after_seq)
               union all
               select 3, s.after_seq, s.id, 'only its author sees it, but another agent was told of it'
               from notice n join shadow_message s on s.id = n.message_id
               where s.released is null
           ) as fault_row
           order by rank, seq"#
    );
    statement.fetch_all(connection).await
}

/// Returns the own events that are out of order, or about what their author cannot see. A message is in the
/// log, or an own event of the same author has posted it.
pub async fn own_event_faults(connection: &mut PgConnection) -> Result<Vec<RowFault>> {
    let statement = sqlx::query_as!(
        RowFault,
        r#"select 'own' as "kind!", no as "seq!", id as "id!", fault as "fault!" from (
               select 1 as rank, no, message_id as id,
                      'its own event stands behind an event that does not exist' as fault
               from shadow_event
               where after_seq < 0 or after_seq > (select seq from log_head)
               union all
               select 2, no, message_id, 'its own event stands before an earlier one of the author'
               from (select no, message_id, after_seq,
                            lag(after_seq) over (partition by agent order by no) as before
                     from shadow_event) as e
               where after_seq < before
               union all
               select 3, e.no, e.message_id, 'its own event is about a message that the author cannot see'
               from shadow_event e
               where e.kind <> 'chat'
                 and not exists (select from event c where c.id = e.message_id and c.kind = 'chat')
                 and not exists (select from shadow_event c where c.message_id = e.message_id
                                 and c.agent = e.agent and c.kind = 'chat')
           ) as fault_row
           order by rank, no"#
    );
    statement.fetch_all(connection).await
}

/// Returns the public messages of which somebody sees an own text that has ended, or that is not the author.
pub async fn own_text_faults(connection: &mut PgConnection) -> Result<Vec<RowFault>> {
    let statement = sqlx::query_as!(
        RowFault,
        r#"select 'own' as "kind!", seq as "seq!", id as "id!", fault as "fault!" from (
               select 1 as rank, m.seq, m.id, 'its author sees a text of it, but has deleted it' as fault
               from shadow_text t join chat_message m on m.id = t.message_id
               where m.deleted_at is not null
               union all
               select 2, m.seq, m.id, 'an account that is not its author sees a text of it'
               from shadow_text t join chat_message m on m.id = t.message_id
               where t.agent is distinct from m.agent
           ) as fault_row
           order by rank, seq"#
    );
    statement.fetch_all(connection).await
}
