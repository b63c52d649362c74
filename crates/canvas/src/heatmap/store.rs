//! The SQL of heatmaps.

use caraplace_accounts::agents::find_labels;
use rules::numbers::{AccountNo, Seq};
use sqlx::PgPool;

use super::pixel_stats::{PixelOwner, PixelStats, PlacementColumns, StoredPixelStats};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// Returns the placements after one event up to another.
pub(super) async fn placement_columns(pool: &PgPool, after: Seq, up_to: Seq) -> Result<PlacementColumns> {
    let statement = sqlx::query_as!(
        PlacementColumns,
        r#"select coalesce(array_agg(seq order by seq), '{}') as "seq!: Vec<Seq>",
                  coalesce(array_agg(x order by seq), '{}') as "x!",
                  coalesce(array_agg(y order by seq), '{}') as "y!",
                  coalesce(array_agg(coalesce(restored_agent, agent) order by seq), '{}')
                      as "agent!: Vec<AccountNo>",
                  coalesce(array_agg(floor(date_part('epoch', placed_at))::bigint order by seq), '{}')
                      as "painted_at!",
                  coalesce(array_agg(restored_agent is not null order by seq), '{}') as "is_restored!"
           from placement where seq > $1 and seq <= $2"#,
        after as _,
        up_to as _
    );
    statement.fetch_one(pool).await
}

/// Returns the stored counts of a season. `None` if there are none, or only those of an earlier version of
/// this program.
pub(super) async fn find_stats(pool: &PgPool, season: Seq) -> Result<Option<StoredPixelStats>> {
    let row = sqlx::query!(
        r#"select heat.seq as "seq: Seq", painters, painted_at, strokes, overpaints as "overpaints!",
                  (select max(seq) from placement where placement.seq <= heat.seq) as "version: Seq"
           from heat where season = $1 and overpaints_seq = heat.seq"#,
        season as _
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|row| StoredPixelStats {
        up_to: row.seq,
        version: row.version.unwrap_or(season).max(season),
        painters: decode_numbers(&row.painters),
        painted_at: decode_numbers(&row.painted_at),
        placement_counts: decode_numbers(&row.strokes),
        overpaints: row.overpaints,
    }))
}

/// Stores the counts, unless newer ones are stored, or the log ends before them, as after a restore.
pub(super) async fn store_stats(pool: &PgPool, stats: &PixelStats) -> Result<()> {
    let statement = sqlx::query!(
        r#"insert into heat (season, seq, painters, painted_at, strokes, overpaints, overpaints_seq)
           select $1, $2, $3, $4, $5, $6, $2 from log_head where log_head.seq >= $2
           on conflict (season) do update
               set seq = excluded.seq, painters = excluded.painters, painted_at = excluded.painted_at,
                   strokes = excluded.strokes, overpaints = excluded.overpaints,
                   overpaints_seq = excluded.overpaints_seq
               where heat.seq < excluded.seq or heat.overpaints_seq is distinct from heat.seq"#,
        stats.season as _,
        stats.up_to as _,
        encode_numbers(&stats.painters),
        encode_numbers(&stats.painted_at),
        encode_numbers(&stats.placement_counts),
        stats.overpaints.as_bytes()
    );
    statement.execute(pool).await.map(|_| ())
}

/// Returns these agents with their numbers of pixels, in the same order.
pub(super) async fn find_owners(pool: &PgPool, owners: &[(u32, u32)]) -> Result<Vec<PixelOwner>> {
    let numbers: Vec<AccountNo> = owners.iter().map(|(painter, _)| AccountNo::of_painter(*painter)).collect();
    let mut labels = find_labels(pool, &numbers).await?;
    let to_owner = |(painter, pixels): &(u32, u32)| {
        let label = labels.remove(&AccountNo::of_painter(*painter))?;
        Some(PixelOwner { id: label.id, name: label.name, pixels: *pixels })
    };
    // A missing agent is an error, because values refer to agents by their position.
    owners.iter().map(to_owner).collect::<Option<_>>().ok_or(sqlx::Error::RowNotFound)
}

fn encode_numbers(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

fn decode_numbers(bytes: &[u8]) -> Vec<u32> {
    let (numbers, _) = bytes.as_chunks::<4>();
    numbers.iter().map(|number| u32::from_be_bytes(*number)).collect()
}
