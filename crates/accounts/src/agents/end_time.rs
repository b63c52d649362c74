//! The end of a sanction or a pass.

use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use rules::rights::PERMANENT;

/// Returns the end of a sanction or a pass; without a time there is no end.
///
/// # Errors
/// `Input` if the time is not in the future or is after the year 9999.
pub fn parse_end(state: &AppState, until: Option<DateTime<Utc>>) -> Result<DateTime<Utc>, Refusal> {
    let until = until.unwrap_or(PERMANENT);
    if until <= state.clock.now() || until > PERMANENT {
        let detail = "until must be in the future and before the year 10000. Leave it out for no end.";
        return Err(Refusal::invalid("until", detail));
    }
    Ok(until)
}
