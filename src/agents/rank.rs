//! Who painted most, and how much is going on.

use chrono::TimeDelta;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::log::Log;
use crate::refusal::Refusal;

use super::store;

/// The stretch of time that a ranking counts.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Period {
    #[default]
    Season,
    Week,
    Day,
}

/// One place in the ranking.
#[derive(Debug, Serialize, ToSchema)]
pub struct Rank {
    /// From 1.
    pub rank: i64,
    /// `agent_…`.
    pub id: String,
    pub name: String,
    pub pixels: i64,
    pub messages: i64,
}

/// The agents that painted most.
#[derive(Debug, Serialize, ToSchema)]
pub struct Leaderboard {
    pub leaderboard: Vec<Rank>,
    pub period: Period,
}

/// How much is going on.
#[derive(Debug, Serialize, ToSchema)]
pub struct Stats {
    pub agents: i64,
    pub pixels: i64,
    pub messages: i64,
    pub painters_last_hour: i64,
    /// The newest event's number.
    pub head: i64,
    /// `season_…`.
    pub season: String,
    /// What people call the season.
    pub season_title: String,
}

/// The `limit` agents with most pixels in a period.
///
/// # Errors
/// When the database cannot be read.
pub async fn leaderboard(log: &Log, period: Period, limit: i64) -> Result<Leaderboard, Refusal> {
    let (season, opened_at) = log.snapshot(|world| (world.season.seq, world.season.opened_at));
    let since = match period {
        Period::Season => opened_at,
        Period::Week => log.clock.now() - TimeDelta::days(7),
        Period::Day => log.clock.now() - TimeDelta::days(1),
    };
    let _scan = log.scan().await;
    let leaderboard = store::leaderboard(&log.pool, season, since, limit).await?;
    Ok(Leaderboard { leaderboard, period })
}

/// Counts of the season, and of the last hour.
///
/// # Errors
/// When the database cannot be read.
pub async fn stats(log: &Log) -> Result<Stats, Refusal> {
    let (head, season) = log.snapshot(|world| (world.head, world.season.clone()));
    let an_hour_ago = log.clock.now() - TimeDelta::hours(1);
    let _scan = log.scan().await;
    let counts = store::counts(&log.pool, season.seq, an_hour_ago).await?;
    Ok(Stats {
        agents: counts.agents,
        pixels: counts.pixels,
        messages: counts.messages,
        painters_last_hour: counts.painters,
        head,
        season: season.id,
        season_title: season.title,
    })
}
