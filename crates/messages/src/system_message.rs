//! Posts system messages outside a batch.

use std::sync::Arc;

use caraplace_live::event::Event;
use caraplace_log::head_lock::HeadLock;
use platform::clock;
use rules::grid::Corners;
use rules::message::Message;
use sqlx::PgConnection;

use super::store;

/// Posts a system message about a region, if there is one, in a transaction that holds the head.
pub async fn post_system_message_locked(
    head_lock: &mut HeadLock,
    connection: &mut PgConnection,
    content: String,
    region: Option<Corners>,
) -> Result<(), sqlx::Error> {
    let message = Arc::new(Message {
        id: clock::new_id("msg"),
        seq: head_lock.take_seq(),
        region,
        ..Message::from_system(content, head_lock.now)
    });
    head_lock.append_events(connection, &[Event::Chat(message.clone())]).await?;
    store::insert_system_message(connection, &message).await
}
