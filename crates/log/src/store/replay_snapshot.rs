//! The SQL of canvas snapshots, with which the server starts without replaying the whole season.

use rules::numbers::Seq;
use sqlx::PgConnection;

use super::Result;

/// A snapshot of the canvas as of an event.
pub struct ReplaySnapshot {
    /// The newest event that it includes.
    pub seq: Seq,
    /// One palette index per pixel, row by row.
    pub pixels: Vec<u8>,
    /// The number of each pixel's newest placement; [`Seq::ZERO`] if the pixel was never painted.
    pub placement_seqs: Vec<Seq>,
    /// The number of each pixel's newest painter; 0 if the pixel was never painted. `None` if the snapshot is
    /// of an older version, which knew no painters, or no restored ones.
    pub painters: Option<Vec<u32>>,
}

/// Returns the newest snapshot of a season.
pub async fn replay_snapshot(connection: &mut PgConnection, season: Seq) -> Result<Option<ReplaySnapshot>> {
    let row = sqlx::query!(
        r#"select seq as "seq: Seq", pixels, latest, painters, shown_painters_seq as "shown_painters_seq: Seq"
           from fold where season = $1"#,
        season as _
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| {
        let painters = row.painters.filter(|_| row.shown_painters_seq == Some(row.seq));
        ReplaySnapshot {
            seq: row.seq,
            pixels: row.pixels,
            placement_seqs: unpack(&row.latest, |bytes| Seq(i64::from_be_bytes(bytes))),
            painters: painters.map(|bytes| unpack(&bytes, u32::from_be_bytes)),
        }
    }))
}

/// Stores a snapshot. Does nothing if the log ends before it, or if there is a newer one, or one of the same
/// event with painters.
pub async fn store_replay_snapshot(
    connection: &mut PgConnection,
    season: Seq,
    snapshot: &ReplaySnapshot,
) -> Result<()> {
    let mut placement_seqs = Vec::with_capacity(snapshot.placement_seqs.len() * size_of::<i64>());
    snapshot.placement_seqs.iter().for_each(|seq| placement_seqs.extend_from_slice(&seq.0.to_be_bytes()));
    let painters = snapshot
        .painters
        .as_ref()
        .map(|painters| painters.iter().flat_map(|painter| painter.to_be_bytes()).collect::<Vec<u8>>());
    let statement = sqlx::query!(
        r#"insert into fold (season, seq, pixels, latest, painters, painters_seq, shown_painters_seq)
           select $1, $2, $3, $4, $5, $2, $2 from log_head where log_head.seq >= $2
           on conflict (season) do update
               set seq = excluded.seq, pixels = excluded.pixels, latest = excluded.latest,
                   painters = excluded.painters, painters_seq = excluded.painters_seq,
                   shown_painters_seq = excluded.shown_painters_seq
               where fold.seq < excluded.seq
                  or (fold.seq = excluded.seq and fold.shown_painters_seq is distinct from fold.seq)"#,
        season as _,
        snapshot.seq as _,
        snapshot.pixels,
        placement_seqs,
        painters
    );
    statement.execute(connection).await.map(|_| ())
}

fn unpack<const N: usize, T>(bytes: &[u8], parse: impl Fn([u8; N]) -> T) -> Vec<T> {
    let (numbers, _) = bytes.as_chunks::<N>();
    numbers.iter().map(|bytes| parse(*bytes)).collect()
}
