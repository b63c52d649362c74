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
    let mut tell = |kind, found: Vec<Misfit>, what: &str| {
        for Misfit { seq, id } in found {
            report.differs(kind, || format!("{id}, number {seq}: {what}"));
        }
    };
    let texts =
        "its text does not belong to an event with this number, id and time, or its author is unknown";
    tell("text", store::stray_texts(connection).await?, texts);
    tell("double", store::doubled_messages(connection).await?, "it was said more than once");
    tell("reaction", store::stray_reactions(connection).await?, "a reaction to what was not said before");
    let marks = "it is not shown as its newest mark says, or the mark is on what was not said before";
    tell("mark", store::stray_marks(connection).await?, marks);
    let unfounded = "a reaction is shown that no event has put there";
    tell("reaction", store::unfounded_reactions(connection).await?, unfounded);
    let (texts, _) = store::texts(connection).await?;
    if texts < fold.messages {
        report.note(format!("{} messages have no text any more, which is allowed", fold.messages - texts));
    }
    Ok(())
}
