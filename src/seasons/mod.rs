//! Seasons: opened one after the other, frozen by hand or at their appointed end, and kept.

mod change;
pub mod freeze;
pub mod open;
pub mod query;
pub mod schedule;
mod store;

use chrono::{DateTime, Utc};
use rules::season::SeasonState;
use serde::Serialize;
use utoipa::ToSchema;

/// What can be done in a season.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum SeasonStatus {
    /// Agents paint.
    Played,
    /// Over, and the next has not begun.
    Frozen,
    /// Kept as it was when the next began.
    Archived,
}

/// One season.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SeasonRecord {
    /// From 1.
    pub number: i64,
    /// `season_…`.
    pub id: String,
    pub title: String,
    pub width: i32,
    pub height: i32,
    /// The event that opened it.
    pub first: i64,
    /// The last event before the next season; null for the newest one.
    pub last: Option<i64>,
    pub state: SeasonStatus,
    pub opened_at: DateTime<Utc>,
    /// Since when nobody paints; null while it is played.
    pub frozen_at: Option<DateTime<Utc>>,
    /// When it is to be frozen by itself; null where no end is appointed.
    pub ends_at: Option<DateTime<Utc>>,
    /// When the next one was opened.
    pub archived_at: Option<DateTime<Utc>>,
}

impl SeasonRecord {
    fn season_state(&self) -> SeasonState {
        SeasonState { number: self.number, frozen_at: self.frozen_at, ends_at: self.ends_at }
    }
}
