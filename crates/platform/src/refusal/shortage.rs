//! The charges and credits that a refused request lacks.

use chrono::{DateTime, TimeDelta, Utc};

/// The charges that a placement lacks.
#[derive(Clone, Debug)]
pub struct ChargeShortage {
    /// The charges that the agent has.
    pub charges: i64,
    /// The charges that the placement needs.
    pub needed: i64,
    /// The maximum number of charges.
    pub max_charges: i64,
    /// The time at which the next charge comes back; `None` if all are there.
    pub next_charge_at: Option<DateTime<Utc>>,
    /// The time until enough charges have come back.
    pub wait: TimeDelta,
}

/// The credits that a message lacks.
#[derive(Clone, Debug)]
pub struct CreditShortage {
    /// The credits that the account has.
    pub chat_credits: i64,
    /// The number of pixels to paint before the next message.
    pub pixels_until_next_message: i64,
    /// The time until the charges allow the missing pixels.
    pub wait: TimeDelta,
}
