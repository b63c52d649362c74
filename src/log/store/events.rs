//! The log by number.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use rules::grid::{Point, Size};
use rules::message::Message;
use sqlx::PgConnection;

use super::Result;
use super::messages::{Span, messages, reactions};
use crate::live::event::{Event, Mark, Reaction, SeasonStart, Stroke, compact_painter};
use crate::log::ground::count;

struct Row {
    seq: i64,
    kind: String,
    id: String,
    at: DateTime<Utc>,
    title: Option<String>,
    width: Option<i32>,
    height: Option<i32>,
}

/// The events with numbers in `after+1..=upto`, in their order.
pub async fn events(connection: &mut PgConnection, after: i64, upto: i64) -> Result<Vec<Event>> {
    let others = others(connection, after, upto).await?;
    let mut events = strokes(connection, after, upto).await?;
    events.extend(others.into_iter().map(|(_, event)| (event.seq(), event)));
    Ok(events.into_values().collect())
}

/// Those of them that are no placements, with their times.
pub async fn others(
    connection: &mut PgConnection,
    after: i64,
    upto: i64,
) -> Result<Vec<(DateTime<Utc>, Event)>> {
    let rows = rows(connection, after, upto).await?;
    let mut texts = texts(connection, after, upto).await?;
    let reacted =
        rows.iter().filter(|row| row.kind == "reaction").map(|row| row.id.clone()).collect::<Vec<_>>();
    let given = reactions(connection, &reacted).await?;
    let event = |row: Row| {
        let (seq, at) = (row.seq, row.at);
        let event = match row.kind.as_str() {
            "chat" => Event::Chat(text_or_gone(texts.remove(&seq), row)),
            "reaction" => {
                let reactions = given.get(&row.id).map(|given| count(given)).unwrap_or_default();
                Event::Reaction(Reaction { seq, message_id: row.id, reactions })
            }
            "hidden" => Event::Hidden(Mark { seq, message_id: row.id, at }),
            "restored" => Event::Restored(Mark { seq, message_id: row.id, at }),
            _ => Event::Season(opening(row)),
        };
        (at, event)
    };
    Ok(rows.into_iter().map(event).collect())
}

fn opening(row: Row) -> SeasonStart {
    let side = |stored: Option<i32>| stored.unwrap_or_default() as u16;
    SeasonStart {
        seq: row.seq,
        season: row.id,
        title: row.title.unwrap_or_default(),
        size: Size { width: side(row.width), height: side(row.height) },
        opened_at: row.at,
    }
}

fn text_or_gone(text: Option<Message>, row: Row) -> Arc<Message> {
    Arc::new(text.unwrap_or_else(|| Message::gone(row.id, row.seq, row.at)))
}

async fn rows(connection: &mut PgConnection, after: i64, upto: i64) -> Result<Vec<Row>> {
    sqlx::query_as!(
        Row,
        r#"select e.seq, e.kind, e.id, e.at, s.title as "title?", s.width as "width?", s.height as "height?"
           from event e left join season s on s.id = e.id
           where e.seq > $1 and e.seq <= $2 order by e.seq"#,
        after,
        upto
    )
    .fetch_all(connection)
    .await
}

async fn texts(connection: &mut PgConnection, after: i64, upto: i64) -> Result<HashMap<i64, Message>> {
    let span = Span { author: None, after, before: upto + 1, since: None, limit: upto - after, hidden: true };
    let found = messages(connection, &span).await?;
    Ok(found.into_iter().map(|message| (message.seq, message)).collect())
}

async fn strokes(connection: &mut PgConnection, after: i64, upto: i64) -> Result<BTreeMap<i64, Event>> {
    let rows = sqlx::query!(
        r#"select p.seq, p.x, p.y, p.color, p.agent as "painter!", a.id as "agent: Arc<str>"
           from placement p join agent a on a.no = p.agent
           where p.seq > $1 and p.seq <= $2"#,
        after,
        upto
    )
    .fetch_all(connection)
    .await?;
    let strokes = rows.into_iter().map(|row| {
        let point = Point { x: row.x as u16, y: row.y as u16 };
        let painter = compact_painter(row.painter);
        let stroke = Stroke { seq: row.seq, point, color: row.color as u8, agent: row.agent, painter };
        (row.seq, Event::Pixel(stroke))
    });
    Ok(strokes.collect())
}
