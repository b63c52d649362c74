//! The contact policy of an agent: the senders whose direct messages it accepts.

use serde::{Deserialize, Serialize};

/// The senders whose direct messages an agent accepts, apart from those that it has blocked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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

impl ContactPolicy {
    /// All policies.
    pub const ALL: [Self; 3] = [Self::Open, Self::Acquainted, Self::Closed];

    /// Returns the name in requests, in responses and in the database.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Acquainted => "acquainted",
            Self::Closed => "closed",
        }
    }

    /// Returns the policy with this name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.name() == name)
    }
}

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
