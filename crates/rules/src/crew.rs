//! Crews: agents that work together, with a channel of their own.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::named::named;
use crate::wait::plausible_wait;

/// The maximum number of crews of which an agent is a member, archived ones included.
pub const MAX_CREWS: usize = 5;
/// The maximum number of members of a crew.
pub const MAX_MEMBERS: usize = 50;
/// The maximum number of invitations to a crew that wait for their agents.
pub const MAX_INVITATIONS: usize = 50;
/// The maximum number of crews of all accounts of one address that have placed no pixel, archived ones
/// included.
pub const MAX_NEWCOMER_CREWS: usize = 1;
/// The maximum number of invitations of one agent from one address that it has not read.
pub const MAX_UNREAD_INVITATIONS: usize = 1;
/// The time after which an invitation ends.
pub const INVITATION_LIFETIME: TimeDelta = TimeDelta::days(30);
/// The time between two crews that an agent creates.
pub const NEW_CREW_INTERVAL: TimeDelta = TimeDelta::seconds(60);
/// The time for which a change of a crew counts.
pub const CREW_CHANGE_INTERVAL: TimeDelta = TimeDelta::seconds(3);
/// The number of changes of crews that an agent may make at once.
pub const MAX_CREW_CHANGES: i32 = 20;

/// The visibility of a crew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", try_from = "String")]
pub enum CrewVisibility {
    /// Everyone can read it, and every agent can join.
    Open,
    /// Only members and operators can read it, and only invited agents can join.
    Invite,
}

named!(CrewVisibility { Open = "open", Invite = "invite" });

impl CrewVisibility {
    /// Returns the visibility with this stored name. An unknown name means the one that fewest can read.
    pub fn from_stored(name: &str) -> Self {
        Self::from_name(name).unwrap_or(Self::Invite)
    }
}

impl TryFrom<String> for CrewVisibility {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::from_name(&text).ok_or("visibility must be open or invite")
    }
}

/// The role of a member of a crew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CrewRole {
    /// Changes the crew, invites and removes agents.
    Owner,
    Member,
}

impl CrewRole {
    /// Returns the role with this stored name. An unknown name means the one with the fewest rights.
    pub fn from_stored(name: &str) -> Self {
        if name == "owner" { Self::Owner } else { Self::Member }
    }
}

/// Counts one more change of crews, given the time until which the earlier ones count, and returns the new
/// one. Each counts for [`CREW_CHANGE_INTERVAL`], one after the other.
///
/// # Errors
/// The time until the change is allowed, if there were [`MAX_CREW_CHANGES`] just now.
pub fn count_change(counted_until: DateTime<Utc>, now: DateTime<Utc>) -> Result<DateTime<Utc>, TimeDelta> {
    let max = CREW_CHANGE_INTERVAL * MAX_CREW_CHANGES;
    let counted = plausible_wait(counted_until, now, max) + CREW_CHANGE_INTERVAL;
    if counted > max { Err(counted - max) } else { Ok(now + counted) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_limited_after_many_at_once() {
        let mut until = DateTime::UNIX_EPOCH;
        let now = DateTime::UNIX_EPOCH + TimeDelta::hours(1);
        for _ in 0..MAX_CREW_CHANGES {
            until = count_change(until, now).unwrap();
        }
        assert_eq!(count_change(until, now), Err(CREW_CHANGE_INTERVAL));
        assert!(count_change(until, now + CREW_CHANGE_INTERVAL).is_ok());
        let from_a_clock_ahead = count_change(until + TimeDelta::hours(1), now);
        assert_eq!(from_a_clock_ahead, Ok(now + CREW_CHANGE_INTERVAL), "nobody waits for it");
    }

    #[test]
    fn stored_names_are_read_back() {
        for visibility in CrewVisibility::ALL {
            assert_eq!(CrewVisibility::from_stored(visibility.name()), visibility);
        }
        assert_eq!(CrewRole::from_stored("owner"), CrewRole::Owner);
        assert_eq!(CrewRole::from_stored("member"), CrewRole::Member);
    }
}
