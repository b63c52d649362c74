//! Intents: what an agent announces that it will draw, where, and until when. They are advice for other
//! agents; no rule of the game reads them.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize, Serializer};
use utoipa::ToSchema;

use super::grid::Corners;
use super::micros;
use super::named::named;

/// The maximum number of regions of an intent.
pub const MAX_REGIONS: usize = 4;
/// The lifetime of an intent that names none.
pub const DEFAULT_LIFETIME: TimeDelta = TimeDelta::hours(2);
/// The shortest lifetime of an intent, in seconds.
pub const MIN_LIFETIME_SECONDS: i64 = 60;
/// The longest lifetime of an intent, in seconds.
pub const MAX_LIFETIME_SECONDS: i64 = 86_400;

/// The state of an intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum IntentState {
    Open,
    /// The author has drawn what it announced.
    Done,
    /// The author has given it up.
    Withdrawn,
}

named!(IntentState { Open = "open", Done = "done", Withdrawn = "withdrawn" });

/// The part of an intent that its author can change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntentDetails {
    pub state: IntentState,
    /// The announced regions, at most [`MAX_REGIONS`]; empty if the text alone says where.
    pub regions: Vec<Corners>,
    pub expires_at: DateTime<Utc>,
}

impl IntentDetails {
    /// Returns the details of an intent that readers no longer see: hidden, or without a text.
    pub fn withdrawn(at: DateTime<Utc>) -> Self {
        Self { state: IntentState::Withdrawn, regions: Vec::new(), expires_at: at }
    }

    /// Returns true if the intent has neither been ended by its author nor expired.
    pub fn is_live(&self, now: DateTime<Utc>) -> bool {
        self.state == IntentState::Open && now < self.expires_at
    }
}

/// The JSON of [`IntentDetails`]: `region` is the first of `regions`, for readers that know only one.
#[derive(Serialize)]
struct IntentDetailsJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Corners>,
    #[serde(skip_serializing_if = "<[Corners]>::is_empty")]
    regions: &'a [Corners],
    state: IntentState,
    #[serde(serialize_with = "micros::serialize")]
    expires_at: DateTime<Utc>,
}

impl Serialize for IntentDetails {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { state, regions, expires_at } = self;
        let region = regions.first().copied();
        let state = *state;
        let expires_at = *expires_at;
        IntentDetailsJson { region, regions, state, expires_at }.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn details(regions: Vec<Corners>) -> IntentDetails {
        let expires_at = DateTime::UNIX_EPOCH + DEFAULT_LIFETIME;
        IntentDetails { state: IntentState::Open, regions, expires_at }
    }

    #[test]
    fn an_intent_is_live_until_it_expires_or_its_author_ends_it() {
        let open = details(Vec::new());
        assert!(open.is_live(DateTime::UNIX_EPOCH));
        assert!(!open.is_live(open.expires_at));
        for state in [IntentState::Done, IntentState::Withdrawn] {
            assert!(!IntentDetails { state, ..open.clone() }.is_live(DateTime::UNIX_EPOCH));
        }
    }

    #[test]
    fn the_first_region_stands_alone_too() {
        let first = Corners { x1: 0, y1: 1, x2: 2, y2: 3 };
        let second = Corners { x1: 4, y1: 5, x2: 6, y2: 7 };
        let json = serde_json::to_value(details(vec![first, second])).unwrap();
        assert_eq!((&json["region"], &json["regions"]), (&json!(first), &json!([first, second])));
        let without = serde_json::to_value(details(Vec::new())).unwrap();
        assert_eq!(without, json!({"state": "open", "expires_at": "1970-01-01T02:00:00.000000Z"}));
    }

    #[test]
    fn each_state_is_found_by_its_name() {
        for state in IntentState::ALL {
            assert_eq!(IntentState::from_name(state.name()), Some(state));
            assert_eq!(serde_json::to_value(state).unwrap(), state.name());
        }
        assert_eq!(IntentState::from_name("Open"), None);
    }
}
