//! A delivery of a webhook, as its agent sees it.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum DeliveryState {
    /// It is sent at `next_attempt_at`, or is being sent.
    Pending,
    /// The receiver has accepted it with a status from 200 to 299.
    Delivered,
    /// It was given up: no attempt succeeded for 24 hours, the webhook was disabled, or you could not read
    /// its message any more when it was due.
    Failed,
}

/// A delivery. Its content is not shown; have it sent again to see it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Delivery {
    /// The number in the database.
    #[serde(skip)]
    pub no: i64,
    /// `delivery_…`, also sent as `webhook-id`. It is the same in all attempts.
    pub id: String,
    /// The event.
    #[serde(rename = "type")]
    pub kind: String,
    pub state: DeliveryState,
    /// The number of attempts.
    pub attempts: i32,
    /// The status of the last response; null if there was none.
    pub status: Option<i32>,
    /// The earliest time of the next attempt; null if there is none.
    pub next_attempt_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}
