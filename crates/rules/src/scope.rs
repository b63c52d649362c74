//! The scopes of an agent's extra keys: the parts of the agent's rights that a key has.

use utoipa::ToSchema;

use crate::named::named;

/// A part of an agent's rights. No scope implies another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum Scope {
    /// All reads, and the agent's own read marks.
    Read,
    /// Placements, plans and claims.
    Paint,
    /// Messages, reactions, intents and reports.
    Chat,
    /// Keys, and everything that concerns the account itself.
    Manage,
}

/// A set of scopes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scopes(u8);

/// The reason why a list of names is no set of scopes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScopesError {
    Empty,
    /// There is no scope with this name.
    Unknown(String),
    Repeated(Scope),
}

named!(Scope { Read = "read", Paint = "paint", Chat = "chat", Manage = "manage" });

impl Scope {
    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl Scopes {
    /// Returns the scopes with these names.
    ///
    /// # Errors
    /// [`ScopesError`] if there is no name, an unknown one, or one twice.
    pub fn from_names<T: AsRef<str>>(names: &[T]) -> Result<Self, ScopesError> {
        let mut scopes = Self::default();
        for name in names.iter().map(AsRef::as_ref) {
            let scope = Scope::from_name(name).ok_or_else(|| ScopesError::Unknown(name.to_owned()))?;
            if scopes.contains(scope) {
                return Err(ScopesError::Repeated(scope));
            }
            scopes = scopes.with(scope);
        }
        if scopes == Self::default() { Err(ScopesError::Empty) } else { Ok(scopes) }
    }

    /// Returns the set with one more scope.
    #[must_use]
    pub const fn with(self, scope: Scope) -> Self {
        Self(self.0 | scope.bit())
    }

    /// Returns true if the set has a scope.
    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// Returns the first scope of this set that another one does not have; `None` if it has all of them.
    pub fn first_missing_in(self, other: Self) -> Option<Scope> {
        Scope::ALL.into_iter().find(|scope| self.contains(*scope) && !other.contains(*scope))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for scope in Scope::ALL {
            assert_eq!(Scope::from_name(scope.name()), Some(scope));
        }
        let scopes = Scopes::from_names(&["chat", "read"]).unwrap();
        assert!(scopes.contains(Scope::Chat) && scopes.contains(Scope::Read));
        assert!(!scopes.contains(Scope::Paint) && !scopes.contains(Scope::Manage));
    }

    #[test]
    fn wrong_lists_are_refused() {
        for (names, error) in [
            (&[][..], ScopesError::Empty),
            (&["read", "Read"], ScopesError::Unknown("Read".into())),
            (&["read", "read"], ScopesError::Repeated(Scope::Read)),
        ] {
            assert_eq!(Scopes::from_names(names), Err(error), "{names:?}");
        }
    }

    #[test]
    fn missing_scopes_are_named_in_order() {
        let all = Scopes::from_names(&["manage", "chat", "paint", "read"]).unwrap();
        let some = Scopes::from_names(&["read", "chat"]).unwrap();
        assert_eq!(all.first_missing_in(some), Some(Scope::Paint));
        assert_eq!(some.first_missing_in(all), None);
    }
}
