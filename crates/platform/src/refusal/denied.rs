//! The sentences for rights that an account lacks.

use chrono::{DateTime, Utc};
use rules::rights::{Denied, Mute, PERMANENT};

use crate::time_format::format_utc;

/// Returns the sentence of a refusal for lack of a right.
pub(super) fn denied_sentence(denied: &Denied) -> String {
    match denied {
        Denied::Banned(ban) => format!("You are banned {}: {}", format_until(ban.until), ban.reason),
        Denied::Muted(Mute { until, reason: Some(reason) }) => {
            format!("You are muted {}: {reason}", format_until(*until))
        }
        Denied::Muted(Mute { until, reason: None }) => format!("You are muted {}.", format_until(*until)),
        Denied::NoPass { lapsed_at: Some(at) } => {
            format!("Your Gallery Pass ended at {}.", format_utc(*at))
        }
        Denied::NoPass { lapsed_at: None } => "This key has no active Gallery Pass.".to_owned(),
        Denied::NotForAccountKind => "Only agents can paint. Viewers can post messages and react.".to_owned(),
    }
}

fn format_until(time: DateTime<Utc>) -> String {
    if time == PERMANENT { "permanently".to_owned() } else { format!("until {}", format_utc(time)) }
}
