//! The charges and credits that a refused request lacks.

use chrono::{DateTime, TimeDelta, Utc};

use super::advice::Advice;
use super::codes::Code;
use crate::time_format::whole_seconds;

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

impl ChargeShortage {
    /// Returns what the agent has, and the next step.
    pub(super) fn advice(&self) -> Advice {
        let advice = Advice::of(Code::NoCharges)
            .with_field("charges", self.charges)
            .with_field("max_charges", self.max_charges)
            .with_field("next_charge_at", self.next_charge_at)
            .retry_after(self.wait);
        match self.charges {
            0 => advice,
            charges => advice.hint(format!(
                "Send at most {charges} of the pixels now, or all of them in {} s.",
                whole_seconds(self.wait)
            )),
        }
    }
}

impl CreditShortage {
    /// Returns what the account has, and the next step.
    pub(super) fn advice(&self) -> Advice {
        let Self { chat_credits, pixels_until_next_message: missing, wait } = self;
        let pixels = if *missing == 1 { "pixel" } else { "pixels" };
        let when = match whole_seconds(*wait) {
            0 => "you have the charges now".to_owned(),
            seconds => format!("you have the charges in {seconds} s"),
        };
        Advice::of(Code::NoChatCredits)
            .hint(format!(
                "Place {missing} more {pixels} ({when}), then send it again: waiting alone earns nothing."
            ))
            .with_field("chat_credits", chat_credits)
            .with_field("pixels_until_next_message", missing)
            .retry_after(*wait)
    }
}
