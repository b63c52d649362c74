//! The SQL of the check of messages.

use caraplace_log::check::RowFault;
use sqlx::PgConnection;

use super::Result;

/// Returns the texts, changes of visibility and reactions that contradict the events.
pub(in crate::chat) async fn chat_faults(connection: &mut PgConnection) -> Result<Vec<RowFault>> {
    let statement = sqlx::query_as!(
        RowFault,
        r#"select kind as "kind!", seq as "seq!", id as "id!", fault as "fault!" from (
               select 1 as rank, 'text' as kind, m.seq, m.id,
               'its text does not belong to an event with this number, id and time, or its author is unknown'
                   as fault
               from chat_message m
                   left join event e on e.seq = m.seq and e.kind = 'chat'
                   left join agent a on a.no = m.agent
               where e.id is distinct from m.id or e.at <> m.sent_at
                  or (a.no is null) <> (m.sender_type = 'system')
               union all
               select 1, 'text', m.seq, m.id, 'its event names another author'
               from chat_message m join event e on e.seq = m.seq and e.id = m.id
               where e.agent is not null and e.agent is distinct from m.agent
               union all
               select 2, 'duplicate', max(seq), id, 'it was posted more than once'
               from event where kind = 'chat' group by id having count(*) > 1
               union all
               select 3, 'reaction', seq, id, 'a reaction to a message that was not posted before'
               from event r where kind = 'reaction' and not exists
                   (select from event c where c.id = r.id and c.kind = 'chat' and c.seq < r.seq)
               union all
               select 4, 'visibility', seq, id,
               'its visibility is not that of its newest change, or it was not posted before that change'
               from (
                   select seq, id from event m where kind in ('hidden', 'restored', 'deleted') and not exists
                       (select from event c where c.id = m.id and c.kind = 'chat' and c.seq < m.seq)
                   union all
                   select seq, id from chat_message t where hidden is distinct from
                       coalesce((select kind <> 'restored' from event m
                                 where m.id = t.id and kind in ('hidden', 'restored', 'deleted')
                                 order by m.seq desc limit 1), false)
               ) as fault
               union all
               select 5, 'reaction', seq, message_id, 'a reaction is shown that no event has added'
               from chat_reaction r where not exists
                   (select from event e where e.seq = r.seq and e.kind = 'reaction' and e.id = r.message_id)
           ) as fault_row
           order by rank, seq"#
    );
    statement.fetch_all(connection).await
}

/// Returns the changed and deleted texts that contradict the events.
pub(in crate::chat) async fn edit_faults(connection: &mut PgConnection) -> Result<Vec<RowFault>> {
    let statement = sqlx::query_as!(
        RowFault,
        r#"select kind as "kind!", seq as "seq!", id as "id!", fault as "fault!" from (
               select 1 as rank, 'edit' as kind, seq, id,
                      'its text was changed before it was posted or after it was deleted' as fault
               from event e where kind in ('edited', 'deleted') and (
                   not exists (select from event c where c.id = e.id and c.kind = 'chat' and c.seq < e.seq)
                   or exists (select from event d where d.id = e.id and d.kind = 'deleted' and d.seq < e.seq))
               union all
               select 2, 'edit', seq, id, 'the times of its change and deletion are not those of its events'
               from chat_message m
               where edited_at is distinct from
                     (select max(at) from event e where e.id = m.id and e.kind = 'edited')
                  or deleted_at is distinct from
                     (select at from event e where e.id = m.id and e.kind = 'deleted' order by seq limit 1)
               union all
               select 3, 'edit', m.seq, m.id, 'its earlier texts are not those of its events'
               from chat_message m
               where (exists (select from event e where e.id = m.id and e.kind in ('edited', 'deleted'))
                      or exists (select from earlier_text t where t.message_id = m.id))
                 and array(select at from event e where e.id = m.id and e.kind in ('edited', 'deleted')
                           order by seq)
                     is distinct from
                     array(select until from earlier_text t where t.message_id = m.id order by no)
           ) as fault_row
           order by rank, seq"#
    );
    statement.fetch_all(connection).await
}
