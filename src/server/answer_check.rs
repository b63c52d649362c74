//! Compares the stored responses of idempotency keys with the events that they describe.

use std::collections::HashMap;

use caraplace_log::check::{
    CheckReport, CheckedLog, LogRow, ROWS_PER_PAGE, StoredResponseRow, log_rows_by_seqs, stored_answers,
};
use caraplace_log::sql_future::SqlFuture;
use caraplace_messages::shadow_messages_among;
use rules::numbers::{AccountNo, Seq};
use serde::Deserialize;
use sqlx::PgConnection;

/// The events that a response describes. A reaction in it has no number.
#[derive(Deserialize)]
struct StoredResponseBody {
    /// The author of `pixels`; that of `pixel` stands there.
    agent_id: Option<String>,
    pixel: Option<AnswerPixel>,
    #[serde(default)]
    pixels: Vec<AnswerPixel>,
    message: Option<AnswerMessage>,
}

/// A placed pixel, or one that was left as it was: that has no author, and perhaps no number.
#[derive(Deserialize)]
struct AnswerPixel {
    seq: Option<Seq>,
    x: i16,
    y: i16,
    color: i16,
    agent_id: Option<String>,
}

#[derive(Deserialize)]
struct AnswerMessage {
    /// `None` for a shadow message that was posted under an older version.
    seq: Option<Seq>,
    id: String,
}

impl StoredResponseBody {
    /// Returns the placed pixels with their numbers and authors.
    fn placements(&self) -> impl Iterator<Item = (&AnswerPixel, Seq, &String)> {
        let pixels = self.pixel.iter().chain(&self.pixels);
        pixels.filter_map(|pixel| {
            let author = pixel.agent_id.as_ref().or(self.agent_id.as_ref())?;
            Some((pixel, pixel.seq?, author))
        })
    }

    fn seqs(&self) -> impl Iterator<Item = Seq> {
        let placed = self.placements().map(|(_, seq, _)| seq);
        placed.chain(self.message.iter().filter_map(|message| message.seq))
    }
}

/// Checks all stored responses.
pub fn check_answers<'a>(
    connection: &'a mut PgConnection,
    _: &'a mut CheckedLog,
    report: &'a mut CheckReport,
) -> SqlFuture<'a, ()> {
    Box::pin(check_all(connection, report))
}

async fn check_all(connection: &mut PgConnection, report: &mut CheckReport) -> Result<(), sqlx::Error> {
    let mut agent = AccountNo(i64::MIN);
    let mut route = String::new();
    let mut key = String::new();
    loop {
        let page = stored_answers(connection, agent, &route, &key, ROWS_PER_PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        agent = last.agent;
        route.clone_from(&last.route);
        key.clone_from(&last.key);
        check_page(connection, &page, report).await?;
    }
}

async fn check_page(
    connection: &mut PgConnection,
    page: &[StoredResponseRow],
    report: &mut CheckReport,
) -> Result<(), sqlx::Error> {
    let mut readable = Vec::new();
    for stored in page {
        match serde_json::from_slice::<StoredResponseBody>(&stored.answer) {
            Ok(body) => readable.push((stored, body)),
            Err(_) => add_difference(stored, "it cannot be read", report),
        }
    }
    let seqs: Vec<Seq> = readable.iter().flat_map(|(_, body)| body.seqs()).collect();
    let rows = log_rows_by_seqs(connection, &seqs).await?;
    let rows_by_seq: HashMap<Seq, &LogRow> = rows.iter().map(|line| (line.seq, line)).collect();
    let ids: Vec<String> =
        readable.iter().filter_map(|(_, body)| Some(body.message.as_ref()?.id.clone())).collect();
    let shadow_ids = shadow_messages_among(connection, &ids).await?;
    for (stored, body) in &readable {
        let is_shadow_message = body.message.as_ref().is_some_and(|message| shadow_ids.contains(&message.id));
        if !is_shadow_message && !matches_log(stored, body, &rows_by_seq) {
            add_difference(stored, "it does not match the log", report);
        }
    }
    Ok(())
}

fn matches_log(stored: &StoredResponseRow, body: &StoredResponseBody, rows: &HashMap<Seq, &LogRow>) -> bool {
    let is_pixel_logged = |(pixel, seq, author): (&AnswerPixel, Seq, &String)| {
        rows.get(&seq).is_some_and(|row| {
            (row.x, row.y, row.color) == (Some(pixel.x), Some(pixel.y), Some(pixel.color))
                && row.agent == Some(stored.agent)
                && stored.agent_id.as_ref() == Some(author)
        })
    };
    let is_message_logged = |message: &AnswerMessage| {
        message.seq.is_none_or(|seq| rows.get(&seq).is_some_and(|row| row.id.as_ref() == Some(&message.id)))
    };
    body.placements().all(is_pixel_logged) && body.message.iter().all(is_message_logged)
}

/// Adds a difference. The report does not contain the key, because it belongs to the agent.
fn add_difference(stored: &StoredResponseRow, fault: &str, report: &mut CheckReport) {
    let StoredResponseRow { agent, route, .. } = stored;
    report.add_difference("answer", || {
        format!("the stored answer to {route} by agent number {agent}: {fault}")
    });
}
