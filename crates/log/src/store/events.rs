//! The SQL of events by sequence number.

use std::collections::BTreeMap;
use std::sync::Arc;

use caraplace_live::event::{Event, PlacementEvent, SeasonStart, compact_painter};
use chrono::{DateTime, Utc};
use rules::grid::{Point, Size};
use rules::numbers::{AccountNo, Seq};
use sqlx::PgConnection;

use super::Result;
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
    let mut events = BTreeMap::new();
    let mut of_nouns = Vec::with_capacity(rows.len());
    for row in rows {
        let seq = row.seq;
        let at = row.at;
        if row.kind == "season" {
            let side = |stored: Option<i32>| stored.unwrap_or_default() as u16;
            let size = Size { width: side(row.width), height: side(row.height) };
            let title = row.title.unwrap_or_default();
            let start = SeasonStart { seq, season: row.id, title, size, opened_at: at };
            events.insert(seq, (at, Event::Season(start)));
        } else {
            of_nouns.push(StoredEvent { seq, kind: row.kind, id: row.id, at });
        }
    }
    for reader in nouns.event_readers {
        let is_of_reader = |event: &mut StoredEvent| reader.kinds.contains(&event.kind.as_str());
        let stored: Vec<StoredEvent> = of_nouns.extract_if(.., is_of_reader).collect();
        if !stored.is_empty() {
            let mut read = (reader.read)(connection, &stored).await?;
            let with_time = |event: &StoredEvent| Some((event.seq, (event.at, read.remove(&event.seq)?)));
            events.extend(stored.iter().filter_map(with_time));
        }
    }
    Ok(events.into_values().collect())
}

async fn placements(connection: &mut PgConnection, after: Seq, up_to: Seq) -> Result<BTreeMap<Seq, Event>> {
    let statement = sqlx::query!(
        r#"select p.seq as "seq: Seq", p.x, p.y, p.color, a.no as "painter!: AccountNo",
                  a.id as "agent: Arc<str>"
           from placement p join agent a on a.no = coalesce(p.restored_agent, p.agent)
           where p.seq > $1 and p.seq <= $2"#,
        after as _,
        up_to as _
    );
    let placements = statement.fetch_all(connection).await?.into_iter().map(|row| {
        let point = Point { x: row.x as u16, y: row.y as u16 };
        let painter = compact_painter(row.painter);
        let event = PlacementEvent { seq: row.seq, point, color: row.color as u8, agent: row.agent, painter };
        (row.seq, Event::Pixel(event))
    });
    Ok(placements.collect())
}
