//! The SQL of the check of crews and private messages.

use caraplace_log::check::RowFault;
use sqlx::PgConnection;

use super::Result;

/// Returns the crews and private messages that only their authors see, and that have reached others, and the
/// private messages of which somebody sees an own text that has ended, or that is not the author.
pub async fn channel_faults(connection: &mut PgConnection) -> Result<Vec<RowFault>> {
    let statement = sqlx::query_as!(
        RowFault,
        r#"select 'own' as "kind!", no as "seq!", id as "id!", fault as "fault!" from (
               select 1 as rank, h.no, h.id,
                      'only its owner sees the crew, but it has other members' as fault
               from crew c join channel h on h.no = c.channel
               where c.shadow and exists (select from channel_member m
                                          where m.channel = c.channel and m.account <> c.owner)
               union all
               select 2, p.no, p.id, 'only its author sees it, but it was delivered to another account'
               from private_message p
               where p.shadow and exists (select from receipt r
                                          where r.message = p.no and r.account <> p.author)
               union all
               select 2, p.no, p.id, 'only its author sees it, but a webhook of another agent reports it'
               from private_message p
               where p.shadow and exists (select from delivery d where d.private_message = p.id)
               union all
               select 3, p.no, p.id, 'its author sees a text of it, but has deleted it'
               from shadow_text t join private_message p on p.id = t.private_message_id
               where p.deleted_at is not null
               union all
               select 3, p.no, p.id, 'an account that is not its author sees a text of it'
               from shadow_text t join private_message p on p.id = t.private_message_id
               where t.agent <> p.author
           ) as fault_row
           order by rank, no"#
    );
    statement.fetch_all(connection).await
}
