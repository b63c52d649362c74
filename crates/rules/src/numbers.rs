//! Typed numbers of rows: an argument in the place of another does not compile.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The number of an account: of an agent, of a viewer, or of the operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
pub struct AccountNo(pub i64);

impl AccountNo {
    /// The account through which operators paint.
    pub const OPERATOR: Self = Self(0);

    /// Returns the account of a painter as it is stored for each pixel.
    pub fn of_painter(painter: u32) -> Self {
        Self(painter.into())
    }
}

impl fmt::Display for AccountNo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// The number of an event in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
pub struct Seq(pub i64);

impl Seq {
    /// A number before that of the first event.
    pub const ZERO: Self = Self(0);
    /// A number after that of each event.
    pub const MAX: Self = Self(i64::MAX);

    /// Returns the number of the event after this one.
    #[must_use]
    pub fn next(self) -> Self {
        self.plus(1)
    }

    /// Returns the number that is `count` after this one.
    #[must_use]
    pub fn plus(self, count: i64) -> Self {
        Self(self.0.saturating_add(count))
    }

    /// Returns the number that is `count` before this one. It is negative if there are fewer.
    #[must_use]
    pub fn minus(self, count: i64) -> Self {
        Self(self.0.saturating_sub(count))
    }

    /// Returns the number of the event before this one; -1 for [`Seq::ZERO`].
    #[must_use]
    pub fn previous(self) -> Self {
        self.minus(1)
    }

    /// Returns the number of events after `earlier` up to and including this one. It is negative if `earlier`
    /// is later.
    #[must_use]
    pub fn events_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// The number of a message in a crew's channel or in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
pub struct MessageNo(pub i64);

impl MessageNo {
    /// A number before that of the first message.
    pub const ZERO: Self = Self(0);
    /// A number after that of each message.
    pub const MAX: Self = Self(i64::MAX);

    /// Returns the number of the message before this one; -1 for [`MessageNo::ZERO`].
    #[must_use]
    pub fn previous(self) -> Self {
        Self(self.0.saturating_sub(1))
    }
}
