//! Checks a stored log from its first number to its head against everything that was counted along the way.

mod accounts;
mod answers;
mod canvas;
mod chat;
mod fold;
mod report;

use rules::credits::MessagePrice;
use sqlx::{Connection as _, PgConnection};

use super::store;
use crate::log::world::Season;
use fold::Fold;
pub use report::Report;

/// How many rows are held at a time.
const PAGE: i64 = 10_000;

/// What a message costs, if that can be relied on.
pub type KnownPrice = Option<MessagePrice>;

/// Checks everything as of one moment; servers may go on writing. `progress` is told how far it is, and how far
/// there is to go.
///
/// # Errors
/// When the database cannot be read.
pub async fn check(
    connection: &mut PgConnection,
    price: KnownPrice,
    mut progress: impl FnMut(i64, i64),
) -> Result<Report, sqlx::Error> {
    let mut moment = connection.begin_with("begin isolation level repeatable read, read only").await?;
    let mut report = Report::default();
    let head = store::head(&mut moment).await?;
    let (newest, control) = (head.seq, head.control);
    let seasons = seasons(&mut moment, &mut report).await?;
    let older_rule_until = store::check::older_rule_until(&mut moment).await?;
    let mut fold = Fold::new(head, older_rule_until, seasons);
    loop {
        let lines = store::check::lines(&mut moment, fold.reached, PAGE).await?;
        lines.iter().for_each(|line| fold.take(line, &mut report));
        if lines.is_empty() {
            break;
        }
        progress(fold.reached, newest);
    }
    fold.end(&mut report);
    chat::check(&mut moment, &fold, &mut report).await?;
    accounts::check(&mut moment, &mut fold, price, &mut report).await?;
    accounts::check_control(&mut moment, control, &mut report).await?;
    answers::check(&mut moment, &mut report).await?;
    if let Some(MessagePrice(price)) = price {
        report.note(format!("credits were checked as if a message had always cost {price}"));
    }
    moment.rollback().await?;
    Ok(report)
}

/// Each season with the canvas that was kept of it, if one was.
async fn seasons(
    connection: &mut PgConnection,
    report: &mut Report,
) -> Result<Vec<(Season, Option<store::Fold>)>, sqlx::Error> {
    let mut seasons = Vec::new();
    for season in store::seasons(connection, None).await? {
        let kept = store::fold(connection, season.seq).await?;
        seasons.push((season, kept));
    }
    for kept in store::check::folded_seasons(connection).await? {
        if !seasons.iter().any(|(season, _)| season.seq == kept) {
            report.differs("canvas", || format!("a canvas was kept of a season that begins at {kept}"));
        }
    }
    Ok(seasons)
}
