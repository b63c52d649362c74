//! A mute as text for models.

use caraplace_accounts::agents::profile::OwnMute;
use platform::time_format::format_utc;

/// Describes the end and the reason of a mute.
pub(super) fn describe(mute: &OwnMute) -> String {
    let reason = mute.reason.as_ref().map_or(String::new(), |reason| format!(" ({reason})"));
    format!(" Operators have muted you until {}{reason}: you can read and paint.", format_utc(mute.until))
}
