//! A mute as text for models.

use super::readable::format_time;
use crate::agents::profile::OwnMute;

/// Describes the end and the reason of a mute.
pub(super) fn describe(mute: &OwnMute) -> String {
    let reason = mute.reason.as_ref().map_or(String::new(), |reason| format!(" ({reason})"));
    format!(" Operators have muted you until {}{reason}: you can read and paint.", format_time(mute.until))
}
