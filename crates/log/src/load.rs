//! Replays the stored log when the server starts, from the newest snapshot of the canvas.

use platform::clock::Clock;
use platform::config::Config;
use rules::numbers::Seq;
use sqlx::{Connection as _, PgConnection, PgPool};

use super::clock_watch;
use super::current_settings::CurrentSettings;
use super::error::LogError;
use super::head_lock::HeadLock;
use super::nouns::Nouns;
use super::projection::Projections;
use super::store::{self, PointPlacement, ReplaySnapshot};
use crate::season::Season;
use crate::world::World;

/// The number of new events after which a new snapshot is due, or the number of pixels if that is larger.
const MIN_NEW_EVENTS: i64 = 100_000;

/// The replayed log, and the head of the control log.
pub(super) struct LoadedLog {
    pub world: World,
    pub control_head: i64,
    /// The secret from which digests are computed.
    pub secret: [u8; 32],
    /// The number of the newest own event.
    pub newest_own: i64,
    pub settings: CurrentSettings,
}

/// Reads everything in one snapshot of the database. The head is not locked: other instances go on writing.
pub(super) async fn load(
    pool: &PgPool,
    clock: &Clock,
    config: &Config,
    nouns: &Nouns,
) -> Result<LoadedLog, LogError> {
    let mut connection = pool.acquire().await?;
    clock_watch::resume(&mut connection, clock).await?;
    let season = open_season(&mut connection, clock, config).await?;
    let mut transaction = connection.begin_with("begin isolation level repeatable read, read only").await?;
    let head = store::head(&mut transaction).await?;
    let secret = store::digest_secret(&mut transaction).await?;
    // The conversion error would contain the secret itself.
    let secret: [u8; 32] = secret.try_into().map_err(|_| LogError::InvalidSecret)?;
    let mut world = World::new(season, Projections::new(nouns.projections));
    let stored = store::settings(&mut transaction).await?;
    let settings = CurrentSettings::new(config, head.control, &stored);
    let (season_seq, season_state) = store::season_state(&mut transaction).await?;
    world.set_season_state(head.control, season_seq, season_state);
    restore_canvas(&mut transaction, &mut world, head.seq).await?;
    world.head = head.seq;
    world.version = head.version;
    world.load_projections(&mut transaction, clock.now(), &secret, &config.game).await?;
    let mut newest_own = 0_i64;
    for reload in nouns.reloads {
        newest_own = newest_own.max(reload.newest_own(&mut transaction).await?);
    }
    transaction.commit().await?;
    Ok(LoadedLog { world, control_head: head.control, secret, newest_own, settings })
}

/// Restores the canvas from its stored snapshot and the placements since. A snapshot beyond the head belongs
/// to another log, and one without painters cannot be used.
async fn restore_canvas(
    connection: &mut PgConnection,
    world: &mut World,
    head: Seq,
) -> Result<(), sqlx::Error> {
    let mut restored_seq = world.season.seq;
    if let Some(snapshot) = store::replay_snapshot(connection, world.season.seq).await?
        && snapshot.seq <= head
        && let Some(painters) = snapshot.painters
        && world.canvas.restore(snapshot.pixels, snapshot.placement_seqs, painters)
    {
        restored_seq = snapshot.seq;
    }
    for PointPlacement { point, placement } in store::newest_placements(connection, restored_seq).await? {
        world.canvas.set_pixel(point, placement);
    }
    Ok(())
}

/// Returns the season and a snapshot of the canvas, if enough events have been applied since event
/// `stored_seq`.
pub(super) fn replay_snapshot_if_due(world: &World, stored_seq: Seq) -> Option<(Seq, ReplaySnapshot)> {
    if world.head.events_since(stored_seq) < MIN_NEW_EVENTS.max(world.canvas.pixels().len() as i64) {
        return None;
    }
    let snapshot = ReplaySnapshot {
        seq: world.head,
        pixels: world.canvas.pixels().to_vec(),
        placement_seqs: world.canvas.placement_seqs().to_vec(),
        painters: Some(world.canvas.painters().to_vec()),
    };
    Some((world.season.seq, snapshot))
}

/// Returns the current season; opens the first one if there is none.
async fn open_season(
    connection: &mut PgConnection,
    clock: &Clock,
    config: &Config,
) -> Result<Season, sqlx::Error> {
    let season = match store::newest_season(connection).await? {
        Some(season) => season,
        None => open_first_season(connection, clock, config).await?,
    };
    if season.size != config.size {
        let width = season.size.width;
        let height = season.size.height;
        tracing::warn!(
            "the current season has {width}×{height} pixels, the configured size applies to the next season"
        );
    }
    Ok(season)
}

/// Opens the first season. The head is locked, because another instance may have opened it meanwhile.
async fn open_first_season(
    connection: &mut PgConnection,
    clock: &Clock,
    config: &Config,
) -> Result<Season, sqlx::Error> {
    let mut transaction = connection.begin().await?;
    let mut head_lock = HeadLock::acquire(&mut transaction, clock).await?;
    if let Some(season) = store::newest_season(&mut transaction).await? {
        return Ok(season);
    }
    let season = head_lock.open_season(&mut transaction, "Season 1".to_owned(), config.size).await?;
    transaction.commit().await?;
    Ok(season)
}
