//! Texts and reactions against the events that they belong to.

use sqlx::PgConnection;

use super::fold::Fold;
use super::report::Report;
use crate::log::store::check::{self as store, Misfit};

pub(super) async fn check(
    connection: &mut PgConnection,
    fold: &Fold,
    report: &mut Report,
) -> Result<(), sqlx::Error> {
    for Misfit { kind, seq, id, fault } in store::chat_misfits(connection).await? {
        report.differs(&kind, || format!("{id}, number {seq}: {fault}"));
    }
    let (texts, _) = store::texts(connection).await?;
    if texts < fold.messages {
        report.note(format!("{} messages have no text any more, which is allowed", fold.messages - texts));
    }
    Ok(())
}
