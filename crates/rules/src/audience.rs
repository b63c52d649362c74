//! The audience of what an account writes: everyone, or its author alone.

use crate::numbers::AccountNo;

/// The readers of something, among those who may read the place where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    Everyone,
    /// The author alone, who was shadow-banned when it wrote.
    Author(AccountNo),
}

impl Audience {
    /// Returns the audience of a row, given its column `shadow` and its author.
    pub fn from_stored(shadow: bool, author: AccountNo) -> Self {
        if shadow { Self::Author(author) } else { Self::Everyone }
    }

    /// Returns true if it is everyone.
    pub fn is_everyone(self) -> bool {
        self == Self::Everyone
    }

    /// Returns the audience of a change of something with this audience, by an account that writes for
    /// `writer`: what only its author sees stays so.
    #[must_use]
    pub fn for_change(self, writer: Self) -> Self {
        if self.is_everyone() { writer } else { self }
    }

    /// Returns true if a reader is among them; `None` for a reader without an account. The SQL function
    /// `seen_by` is the same rule for queries.
    pub fn is_seen_by(self, reader: Option<AccountNo>) -> bool {
        match self {
            Self::Everyone => true,
            Self::Author(author) => reader == Some(author),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AUTHOR: AccountNo = AccountNo(1);
    const OTHER: AccountNo = AccountNo(2);

    #[test]
    fn everyone_sees_what_is_for_everyone() {
        let audience = Audience::from_stored(false, AUTHOR);
        assert_eq!(audience, Audience::Everyone);
        assert!(audience.is_everyone());
        for reader in [Some(AUTHOR), Some(OTHER), None] {
            assert!(audience.is_seen_by(reader), "{reader:?}");
        }
    }

    #[test]
    fn only_the_author_sees_what_is_for_it_alone() {
        let audience = Audience::from_stored(true, AUTHOR);
        assert_eq!(audience, Audience::Author(AUTHOR));
        assert!(!audience.is_everyone());
        for (reader, is_seen) in [(Some(AUTHOR), true), (Some(OTHER), false), (None, false)] {
            assert_eq!(audience.is_seen_by(reader), is_seen, "{reader:?}");
        }
    }

    #[test]
    fn a_change_is_seen_by_those_who_see_both() {
        let own = Audience::Author(AUTHOR);
        for audience in [Audience::Everyone, own] {
            assert_eq!(Audience::Everyone.for_change(audience), audience);
            assert_eq!(own.for_change(audience), own);
        }
    }
}
