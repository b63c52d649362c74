//! The canvas as it was folded before, so that a start need not begin at the season's opening.

use sqlx::PgConnection;

use super::Result;

/// A canvas as of an event.
pub struct Fold {
    /// The newest event that is in.
    pub seq: i64,
    /// One palette index per pixel, row by row.
    pub pixels: Vec<u8>,
    /// The number of each pixel's newest placement; 0 where nobody painted.
    pub latest: Vec<i64>,
}

/// The newest fold of a season.
pub async fn fold(connection: &mut PgConnection, season: i64) -> Result<Option<Fold>> {
    let row = sqlx::query!("select seq, pixels, latest from fold where season = $1", season)
        .fetch_optional(connection)
        .await?;
    Ok(row.map(|row| Fold { seq: row.seq, pixels: row.pixels, latest: unpacked(&row.latest) }))
}

/// Keeps a fold, unless a newer one is there, or the log does not reach so far (any more).
pub async fn keep_fold(connection: &mut PgConnection, season: i64, fold: &Fold) -> Result<()> {
    let mut latest = Vec::with_capacity(fold.latest.len() * size_of::<i64>());
    fold.latest.iter().for_each(|seq| latest.extend_from_slice(&seq.to_be_bytes()));
    sqlx::query!(
        r#"insert into fold (season, seq, pixels, latest)
           select $1, $2, $3, $4 from log_head where log_head.seq >= $2
           on conflict (season) do update
               set seq = excluded.seq, pixels = excluded.pixels, latest = excluded.latest
               where fold.seq < excluded.seq"#,
        season,
        fold.seq,
        fold.pixels,
        latest
    )
    .execute(connection)
    .await
    .map(|_| ())
}

fn unpacked(bytes: &[u8]) -> Vec<i64> {
    let (numbers, _) = bytes.as_chunks::<8>();
    numbers.iter().map(|number| i64::from_be_bytes(*number)).collect()
}
