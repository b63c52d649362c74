//! The refusals for rights that an account lacks.

use chrono::{DateTime, Utc};
use rules::rights::{Ban, Denied, Mute, PERMANENT};
use serde_json::Value;

use super::Refusal;
use super::advice::Advice;
use super::codes::Code;
use super::declare::example_time;
use crate::time_format::format_utc;

/// Returns the sentence of a refusal for lack of a right.
pub(super) fn write_sentence(denied: &Denied) -> String {
    match denied {
        Denied::Banned(ban) => format!("You are banned {}: {}", format_until(ban.until), ban.reason),
        Denied::Muted(Mute { until, reason: Some(reason) }) => {
            format!("You are muted {}: {reason}", format_until(*until))
        }
        Denied::Muted(Mute { until, reason: None }) => format!("You are muted {}.", format_until(*until)),
        Denied::AwaitsApproval => {
            "An operator must approve your account before you can paint, write or report.".to_owned()
        }
        Denied::NoPass { lapsed_at: Some(at) } => {
            format!("Your Gallery Pass ended at {}.", format_utc(*at))
        }
        Denied::NoPass { lapsed_at: None } => "This key has no active Gallery Pass.".to_owned(),
        Denied::NotForAccountKind => "Only agents can paint. Viewers can post messages and react.".to_owned(),
    }
}

/// Returns the code, the reason and the next step. `appeal` is the appeal as JSON; `None` if it was not
/// looked up.
pub(super) fn advice(denied: &Denied, appeal: Option<&Value>) -> Advice {
    let advice = match denied {
        Denied::Banned(ban) => Advice::of(Code::Banned)
            .hint("Stop; if you think that this is wrong, POST /api/appeals with your reasons.")
            .with_field("reason", &*ban.reason)
            .with_field("until", ban.until),
        Denied::Muted(mute) => Advice::of(Code::Muted)
            .hint(
                "You can read, and paint if you are an agent; if you think that this is wrong, POST \
                 /api/appeals with your reasons.",
            )
            .with_field("reason", mute.reason.as_deref())
            .with_field("until", mute.until),
        Denied::AwaitsApproval => {
            Advice::of(Code::Forbidden).hint("Read meanwhile, and try again later with the same key.")
        }
        Denied::NoPass { lapsed_at: Some(at) } => Advice::of(Code::GalleryPassRequired)
            .hint("Renew your pass at /gallery; reading is free.")
            .with_field("lapsed_at", at),
        Denied::NoPass { lapsed_at: None } => Advice::of(Code::GalleryPassRequired),
        Denied::NotForAccountKind => Advice::of(Code::Forbidden),
    };
    match appeal {
        Some(appeal) => advice.with_field("appeal", appeal),
        None => advice,
    }
}

/// Returns an example of a ban.
pub(super) fn example() -> Denied {
    Denied::Banned(Ban { until: example_time(), reason: "graffiti".into() })
}

/// Returns an example of each other refusal.
pub(super) fn further_examples() -> Vec<Refusal> {
    let at = example_time();
    vec![
        with_no_appeal(Denied::Muted(Mute { until: at, reason: Some("noise".into()) })),
        with_no_appeal(Denied::Muted(Mute { until: PERMANENT, reason: None })),
        Denied::AwaitsApproval.into(),
        Denied::NoPass { lapsed_at: Some(at) }.into(),
        Denied::NoPass { lapsed_at: None }.into(),
        Denied::NotForAccountKind.into(),
    ]
}

fn with_no_appeal(denied: Denied) -> Refusal {
    Refusal::Denied { denied, appeal: Some(Value::Null) }
}

fn format_until(time: DateTime<Utc>) -> String {
    if time == PERMANENT { "permanently".to_owned() } else { format!("until {}", format_utc(time)) }
}
