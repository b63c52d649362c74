//! The SQL of events by sequence number.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use rules::grid::{Point, Size};
use rules::numbers::{AccountNo, Seq};
use sqlx::PgConnection;

use super::{Result, column};
use crate::live::event::{Event, PlacementEvent, SeasonStart, compact_painter};
use crate::nouns::{Nouns, StoredEvent};

/// Returns the events with numbers in `after+1..=up_to`, in order.
pub async fn events(
    connection: &mut PgConnection,
    nouns: &Nouns,
    after: Seq,
    up_to: Seq,
) -> Result<Vec<Event>> {
    let events_except_placements = events_except_placements(connection, nouns, after, up_to).await?;
    let mut events = placements(connection, after, up_to).await?;
    events.extend(events_except_placements.into_iter().map(|(_, event)| (event.seq(), event)));
    Ok(events.into_values().collect())
}

/// Returns those of them that are not placements, with their times.
pub async fn events_except_placements(
    connection: &mut PgConnection,
    nouns: &Nouns,
    after: Seq,
    up_to: Seq,
) -> Result<Vec<(DateTime<Utc>, Event)>> {
    let rows = sqlx::query!(
        r#"select e.seq as "seq: Seq", e.kind, e.id, e.at, s.title as "title?", s.width as "width?",
                  s.height as "height?"
           from event e left join season s on s.id = e.id
           where e.seq > $1 and e.seq <= $2 order by e.seq"#,
        after as _,
        up_to as _
    )
    .fetch_all(&mut *connection)
    .await?;
    let stored = column(&rows, |row| StoredEvent {
        seq: row.seq,
        kind: row.kind.clone(),
        id: row.id.clone(),
        at: row.at,
    });
    let mut events_of_nouns = read_events_of_nouns(connection, nouns, stored).await?;
    let events = rows.into_iter().filter_map(|row| {
        let seq = row.seq;
        let id = row.id;
        let at = row.at;
        let event = match row.kind.as_str() {
            "season" => {
                let side = |stored: Option<i32>| stored.unwrap_or_default() as u16;
                let size = Size { width: side(row.width), height: side(row.height) };
                let title = row.title.unwrap_or_default();
                Event::Season(SeasonStart { seq, season: id, title, size, opened_at: at })
            }
            // Without its rows there is nothing to tell, and the stream has a hole that shows the damage.
            _ => events_of_nouns.remove(&seq)?,
        };
        Some((at, event))
    });
    Ok(events.collect())
}

/// Returns the events of nouns by their numbers.
async fn read_events_of_nouns(
    connection: &mut PgConnection,
    nouns: &Nouns,
    mut stored: Vec<StoredEvent>,
) -> Result<HashMap<Seq, Event>> {
    let mut events = HashMap::new();
    for reader in nouns.event_readers {
        let is_of_reader = |event: &mut StoredEvent| reader.kinds.contains(&event.kind.as_str());
        let of_reader: Vec<StoredEvent> = stored.extract_if(.., is_of_reader).collect();
        if !of_reader.is_empty() {
            events.extend((reader.read)(connection, &of_reader).await?);
        }
    }
    Ok(events)
}

async fn placements(connection: &mut PgConnection, after: Seq, up_to: Seq) -> Result<BTreeMap<Seq, Event>> {
    let rows = sqlx::query!(
        r#"select p.seq as "seq: Seq", p.x, p.y, p.color, a.no as "painter!: AccountNo",
                  a.id as "agent: Arc<str>"
           from placement p join agent a on a.no = coalesce(p.restored_agent, p.agent)
           where p.seq > $1 and p.seq <= $2"#,
        after as _,
        up_to as _
    )
    .fetch_all(connection)
    .await?;
    let placements = rows.into_iter().map(|row| {
        let point = Point { x: row.x as u16, y: row.y as u16 };
        let painter = compact_painter(row.painter);
        let event = PlacementEvent { seq: row.seq, point, color: row.color as u8, agent: row.agent, painter };
        (row.seq, Event::Pixel(event))
    });
    Ok(placements.collect())
}
