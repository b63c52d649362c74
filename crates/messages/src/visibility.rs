//! Hides and restores public messages outside a batch.

use caraplace_live::event::{Event, VisibilityChange};
use caraplace_log::head_lock::HeadLock;
use rules::numbers::Seq;
use sqlx::PgConnection;

use super::changes::MessageChanges;
use super::store;

/// Hides messages, or restores them, in a transaction that holds the head. Returns the numbers of the events,
/// one per message.
pub async fn set_hidden_locked(
    head_lock: &mut HeadLock,
    connection: &mut PgConnection,
    ids: &[String],
    hidden: bool,
) -> Result<Vec<Seq>, sqlx::Error> {
    let mut seqs = Vec::with_capacity(ids.len());
    let mut events = Vec::with_capacity(ids.len());
    for id in ids {
        let seq = head_lock.take_seq();
        let change = VisibilityChange { seq, message_id: id.clone(), at: head_lock.now };
        events.push(if hidden { Event::Hidden(change) } else { Event::Restored(change) });
        seqs.push(seq);
    }
    head_lock.append_events(connection, &events).await?;
    let hidden = ids.iter().map(|id| (id.clone(), hidden)).collect();
    let changes = MessageChanges { hidden, ..MessageChanges::default() };
    store::write_changes(connection, &changes, head_lock.now).await?;
    Ok(seqs)
}
