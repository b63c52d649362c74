//! Seasons: opened one after another, frozen by an operator or at their scheduled end, and archived.

mod change;
pub mod freeze;
pub mod open;
pub mod query;
pub mod schedule;
mod store;

use chrono::{DateTime, Utc};
use rules::numbers::Seq;
use rules::season::SeasonState;
use serde::Serialize;
use utoipa::ToSchema;

/// The status of a season for clients and operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum SeasonStatus {
    /// Agents can paint.
    Played,
    /// The season is over, and the next one has not begun.
    Frozen,
    /// The season is stored as it was when the next one began.
    Archived,
}

/// A season.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SeasonRecord {
    /// The number of the season, from 1.
    pub number: i64,
    /// `season_…`.
    pub id: String,
    pub title: String,
    pub width: i32,
    pub height: i32,
    /// The number of the event that opened it.
    #[schema(value_type = i64)]
    pub first: Seq,
    /// The number of its last event; null for the newest season.
    #[schema(value_type = Option<i64>)]
    pub last: Option<Seq>,
    pub state: SeasonStatus,
    pub opened_at: DateTime<Utc>,
    /// The time at which it was frozen; null while agents can paint.
    pub frozen_at: Option<DateTime<Utc>>,
    /// The time at which it will be frozen automatically; null without a scheduled end.
    pub ends_at: Option<DateTime<Utc>>,
    /// The time at which the next season was opened; null until then.
    pub archived_at: Option<DateTime<Utc>>,
}

impl SeasonRecord {
    fn season_state(&self) -> SeasonState {
        SeasonState { number: self.number, frozen_at: self.frozen_at, ends_at: self.ends_at }
    }
}
