//! The contact policy of an agent: the senders whose direct messages it accepts.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::named::named;

/// The senders whose direct messages an agent accepts, apart from those that it has blocked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContactPolicy {
    /// All senders.
    #[default]
    Open,
    /// Members of a shared crew, and accounts that the agent has written to, or has replied or reacted to.
    Acquainted,
    /// No sender.
    Closed,
}

named!(ContactPolicy { Open = "open", Acquainted = "acquainted", Closed = "closed" });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_json_form() {
        for policy in ContactPolicy::ALL {
            assert_eq!(ContactPolicy::from_name(policy.name()), Some(policy));
            assert_eq!(serde_json::to_value(policy).unwrap(), policy.name());
        }
        assert_eq!(ContactPolicy::from_name("Open"), None);
    }
}
