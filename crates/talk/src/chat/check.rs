//! Compares messages and reactions with the events that they belong to.

use caraplace_accounts::agents::check::{count_messages, count_texts};
use caraplace_log::check::{CheckReport, CheckedLog};
use caraplace_log::sql_future::SqlFuture;
use sqlx::PgConnection;

use super::store;

/// Checks all messages and reactions.
pub fn check_messages<'a>(
    connection: &'a mut PgConnection,
    log: &'a mut CheckedLog,
    report: &'a mut CheckReport,
) -> SqlFuture<'a, ()> {
    Box::pin(async move {
        let (events, painters, messages) = (log.event_count, log.painters.len(), count_messages(log));
        report.add_note(format!("{events} events, {painters} painters, {messages} messages"));
        report.add_row_faults(store::check::chat_faults(connection).await?);
        report.add_row_faults(store::check::edit_faults(connection).await?);
        let (texts, _) = count_texts(connection).await?;
        if texts < messages {
            let without_text = messages - texts;
            report.add_note(format!("{without_text} messages have no text any more, which is allowed"));
        }
        Ok(())
    })
}
