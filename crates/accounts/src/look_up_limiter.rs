//! How often unknown keys and sessions are looked up in the database.

use std::num::NonZeroU32;

use caraplace_log::state::AppState;
use governor::{DefaultKeyedRateLimiter, Quota};
use platform::refusal::Refusal;
use rules::rights::AccountKind;

/// Database look-ups per second for unknown keys of each kind, and for sessions without a valid tag. Each
/// instance counts separately.
const LOOK_UPS_PER_SECOND: NonZeroU32 = NonZeroU32::new(1_000).unwrap();

/// Limits look-ups separately for each kind of key, and for sessions under `None`. Guesses at keys of one
/// kind therefore do not block look-ups of the others.
pub struct LookUpLimiter(DefaultKeyedRateLimiter<Option<AccountKind>>);

impl Default for LookUpLimiter {
    fn default() -> Self {
        Self(DefaultKeyedRateLimiter::keyed(Quota::per_second(LOOK_UPS_PER_SECOND)))
    }
}

impl LookUpLimiter {
    /// Returns the limiter of this instance.
    pub(crate) fn of(state: &AppState) -> &Self {
        state.service::<LookUpLimiter>()
    }

    /// Counts one more look-up of an unknown key of this kind.
    ///
    /// # Errors
    /// `Overloaded` if there are too many.
    pub(crate) fn check_key(&self, kind: AccountKind) -> Result<(), Refusal> {
        self.check(Some(kind))
    }

    /// Counts one more look-up of a session whose token has no valid tag.
    ///
    /// # Errors
    /// `Overloaded` if there are too many.
    pub(crate) fn check_session(&self) -> Result<(), Refusal> {
        self.check(None)
    }

    fn check(&self, kind: Option<AccountKind>) -> Result<(), Refusal> {
        self.0.check_key(&kind).ok().ok_or(Refusal::Overloaded)
    }
}
