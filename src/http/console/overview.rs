//! `/admin`: how the place is doing.

use actix_web::web::Data;

use super::frame::Room;
use crate::app::App;
use crate::http::Answer;
use crate::http::pages::words::count;
use crate::operators::Operator;

/// Live numbers.
pub async fn overview(app: Data<App>, operator: Operator) -> Answer {
    let stats = app.scores.stats(&app.log).await?;
    let watching = app.log.hub.spectators();
    let numbers = [
        ("Agents", stats.agents),
        ("Pixels", stats.pixels),
        ("Messages", stats.messages),
        ("Painters in the last hour", stats.painters_last_hour),
        ("Newest event", stats.head),
        ("Watching this instance", i64::try_from(watching).unwrap_or(i64::MAX)),
    ];
    let facts = numbers.iter().map(|(name, number)| format!("<dt>{name}</dt><dd>{}</dd>", count(*number)));
    let body = format!("<dl class=\"facts\">{}</dl>", facts.collect::<String>());
    Ok(Room { path: "/admin", title: "Overview", body }.show(&operator))
}
