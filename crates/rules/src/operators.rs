//! Operators: their roles, the scopes of what they may do, and their names.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::named::named;

/// The id of the first owner, whose password is a setting of the server.
pub const FIRST_OWNER_ID: &str = "operator_00000000000000000000000000000000";
/// The name of the first owner.
pub const FIRST_OWNER_NAME: &str = "owner";
/// Minimum length of an operator's name, in characters.
pub const MIN_NAME_CHARS: usize = 2;
/// Maximum length of an operator's name, in characters.
pub const MAX_NAME_CHARS: usize = 32;
/// The words that name something else in the audit log, in lower case.
const RESERVED_NAMES: [&str; 6] = ["command line", "console", "guide", "key", "reports", "schedule"];

/// The role of an operator. Each has the scopes of the role before it, and one more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(type_name = "text", rename_all = "snake_case"))]
pub enum OperatorRole {
    /// Reads, and changes nothing but the own account.
    ReadOnly,
    /// Decides reports and appeals, and applies sanctions.
    Moderator,
    /// Changes settings, seasons, passes, drafts, names and announcements, too.
    Operator,
    /// Invites and changes operators, too.
    Owner,
}

/// A part of what operators may do. No scope implies another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OperatorScope {
    /// All reads but those of reported private messages and of what members of crews alone see.
    Read,
    /// Reports, appeals, sanctions, and what they are about.
    Moderate,
    /// Settings, seasons, passes, drafts, names and announcements.
    Manage,
    /// Operators, and their keys.
    Own,
}

/// A set of scopes of operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperatorScopes(u8);

named!(OperatorRole {
    ReadOnly = "read_only",
    Moderator = "moderator",
    Operator = "operator",
    Owner = "owner",
});
named!(OperatorScope { Read = "read", Moderate = "moderate", Manage = "manage", Own = "own" });

impl OperatorRole {
    /// Returns the name for people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::ReadOnly => "read only",
            Self::Moderator => "moderator",
            Self::Operator => "operator",
            Self::Owner => "owner",
        }
    }

    /// Returns the scopes of the role.
    pub const fn scopes(self) -> OperatorScopes {
        let read = OperatorScopes(OperatorScope::Read.bit());
        match self {
            Self::ReadOnly => read,
            Self::Moderator => read.with(OperatorScope::Moderate),
            Self::Operator => read.with(OperatorScope::Moderate).with(OperatorScope::Manage),
            Self::Owner => OperatorScopes::ALL,
        }
    }
}

impl OperatorScope {
    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl OperatorScopes {
    /// All scopes.
    pub const ALL: Self = Self(0b1111);

    /// Returns the scopes with these names; `None` if there is no name, an unknown one, or one twice.
    pub fn from_names<T: AsRef<str>>(names: &[T]) -> Option<Self> {
        let mut scopes = Self(0);
        for name in names {
            let scope = OperatorScope::from_name(name.as_ref())?;
            if scopes.contains(scope) {
                return None;
            }
            scopes = scopes.with(scope);
        }
        (scopes != Self(0)).then_some(scopes)
    }

    /// Returns the set with one more scope.
    #[must_use]
    const fn with(self, scope: OperatorScope) -> Self {
        Self(self.0 | scope.bit())
    }

    /// Returns true if the set has a scope.
    pub const fn contains(self, scope: OperatorScope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// Returns the scopes that both sets have.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns the scopes in their order.
    pub fn iter(self) -> impl Iterator<Item = OperatorScope> {
        OperatorScope::ALL.into_iter().filter(move |scope| self.contains(*scope))
    }

    /// Returns the first scope of this set that another one does not have; `None` if it has all of them.
    pub fn first_missing_in(self, other: Self) -> Option<OperatorScope> {
        self.iter().find(|scope| !other.contains(*scope))
    }
}

/// Returns true if an operator may have this name: letters from a to z, digits, spaces and `_ - .` between
/// them, so that no two names look alike in the audit log, and none of what stands there for something else.
pub fn is_valid_operator_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b" _-.".contains(&byte);
    let is_at_end = |end: Option<&u8>| end.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = name.as_bytes();
    let lower = name.to_ascii_lowercase();
    let is_reserved =
        |word: &&str| lower.strip_prefix(*word).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    (MIN_NAME_CHARS..=MAX_NAME_CHARS).contains(&bytes.len())
        && bytes.iter().copied().all(is_allowed)
        && is_at_end(bytes.first())
        && is_at_end(bytes.last())
        && !name.contains("  ")
        && !RESERVED_NAMES.iter().any(is_reserved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_has_one_scope_more_than_the_one_before() {
        for (index, role) in OperatorRole::ALL.into_iter().enumerate() {
            let scopes: Vec<OperatorScope> = role.scopes().iter().collect();
            assert_eq!(scopes, OperatorScope::ALL[..=index], "{role:?}");
            assert_eq!(OperatorRole::from_name(role.name()), Some(role));
            assert_eq!(serde_json::to_value(role).unwrap(), role.name());
        }
    }

    #[test]
    fn scopes_are_read_from_their_names() {
        let some = OperatorScopes::from_names(&["moderate", "read"]).unwrap();
        assert_eq!(some, OperatorRole::Moderator.scopes());
        for wrong in [&[][..], &["read", "read"], &["read", "Own"]] {
            assert_eq!(OperatorScopes::from_names(wrong), None, "{wrong:?}");
        }
        for scope in OperatorScope::ALL {
            assert_eq!(serde_json::to_value(scope).unwrap(), scope.name());
        }
    }

    #[test]
    fn missing_scopes_are_named_in_order() {
        let some = OperatorScopes::from_names(&["own", "moderate"]).unwrap();
        assert_eq!(some.first_missing_in(OperatorRole::ReadOnly.scopes()), Some(OperatorScope::Moderate));
        assert_eq!(some.first_missing_in(OperatorRole::Moderator.scopes()), Some(OperatorScope::Own));
        assert_eq!(some.first_missing_in(OperatorScopes::ALL), None);
        let common = some.intersection(OperatorRole::Operator.scopes());
        assert_eq!(common.iter().collect::<Vec<_>>(), [OperatorScope::Moderate]);
    }

    #[test]
    fn names_are_plain_and_stand_for_nothing_else() {
        for good in ["Al", "Ada Lovelace", "ada.lovelace-2", "Keyla", "reporter", &"a".repeat(32), "owner"] {
            assert!(is_valid_operator_name(good), "{good}");
        }
        for bad in [
            "",
            "A",
            " Ada",
            "Ada ",
            "Ada  L",
            "-Ada",
            "Ada (key x)",
            "Аda",
            "Key deploy",
            "command line",
            "Console 192.0.2.1",
            "reports",
            &"a".repeat(33),
        ] {
            assert!(!is_valid_operator_name(bad), "{bad}");
        }
    }
}
