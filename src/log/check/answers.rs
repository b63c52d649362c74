//! The answers that idempotency keys stand for, against the events that they tell of.

use std::collections::HashMap;

use serde::Deserialize;
use sqlx::PgConnection;

use super::PAGE;
use super::report::Report;
use crate::log::store::check::{self as store, Line, Stored};

/// What an answer says was done; a reaction has no number.
#[derive(Deserialize)]
struct Told {
    pixel: Option<ToldPixel>,
    #[serde(default)]
    pixels: Vec<ToldPixel>,
    message: Option<ToldMessage>,
}

#[derive(Deserialize)]
struct ToldPixel {
    seq: i64,
    x: i16,
    y: i16,
    color: i16,
    agent_id: String,
}

#[derive(Deserialize)]
struct ToldMessage {
    /// None for what only its author was shown.
    seq: Option<i64>,
    id: String,
}

impl Told {
    fn pixels(&self) -> impl Iterator<Item = &ToldPixel> {
        self.pixel.iter().chain(&self.pixels)
    }

    fn numbers(&self) -> impl Iterator<Item = i64> {
        self.pixels().map(|pixel| pixel.seq).chain(self.message.iter().filter_map(|message| message.seq))
    }
}

pub(super) async fn check(connection: &mut PgConnection, report: &mut Report) -> Result<(), sqlx::Error> {
    let mut after = (i64::MIN, String::new(), String::new());
    loop {
        let page = store::stored_answers(connection, (after.0, &after.1, &after.2), PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = (last.agent, last.route.clone(), last.key.clone());
        check_page(connection, &page, report).await?;
    }
}

async fn check_page(
    connection: &mut PgConnection,
    page: &[Stored],
    report: &mut Report,
) -> Result<(), sqlx::Error> {
    let mut readable = Vec::new();
    for stored in page {
        match serde_json::from_slice::<Told>(&stored.answer) {
            Ok(told) => readable.push((stored, told)),
            Err(_) => differs(stored, "it cannot be read", report),
        }
    }
    let numbers: Vec<i64> = readable.iter().flat_map(|(_, told)| told.numbers()).collect();
    let lines = store::lines_at(connection, &numbers).await?;
    let lines: HashMap<i64, &Line> = lines.iter().map(|line| (line.seq, line)).collect();
    for (stored, told) in &readable {
        if !is_true(stored, told, &lines) {
            differs(stored, "what it tells is not what the log says", report);
        }
    }
    Ok(())
}

fn is_true(stored: &Stored, told: &Told, lines: &HashMap<i64, &Line>) -> bool {
    let painted = |pixel: &ToldPixel| {
        lines.get(&pixel.seq).is_some_and(|line| {
            (line.x, line.y, line.color) == (Some(pixel.x), Some(pixel.y), Some(pixel.color))
                && line.agent == Some(stored.agent)
                && stored.agent_id.as_ref() == Some(&pixel.agent_id)
        })
    };
    let said = |message: &ToldMessage| {
        message
            .seq
            .is_none_or(|seq| lines.get(&seq).is_some_and(|line| line.id.as_ref() == Some(&message.id)))
    };
    told.pixels().all(painted) && told.message.iter().all(said)
}

/// The key is its owner's: it is not told.
fn differs(stored: &Stored, what: &str, report: &mut Report) {
    let Stored { agent, route, .. } = stored;
    report.differs("answer", || format!("the stored answer to {route} by agent number {agent}: {what}"));
}
