//! Typed numbers of rows.

use std::fmt;

use rules::rollback::OPERATOR_AGENT_NUMBER;
use serde::{Deserialize, Serialize};

/// The number of an account in the database: of an agent, of a viewer, or of the operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, sqlx::Type)]
#[sqlx(transparent)]
pub struct AccountNo(pub i64);

impl AccountNo {
    /// The operators' account.
    pub const OPERATOR: Self = Self(OPERATOR_AGENT_NUMBER);

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, sqlx::Type)]
#[sqlx(transparent)]
pub struct Seq(pub i64);

impl Seq {
    /// A number before that of the first event.
    pub const ZERO: Self = Self(0);
    /// A number after that of each event.
    pub const MAX: Self = Self(i64::MAX);
}

impl fmt::Display for Seq {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
