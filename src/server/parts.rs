//! The parts of a batch that nouns above the log add to it, and the checks of their rows.

use crate::accounts::agents::check::check_accounts;
use crate::accounts::channels::part::Channels;
use crate::accounts::direct::part::Contacts;
use crate::canvas::plans::check::check_plans;
use crate::log::check::NounCheck;
use crate::log::part::Part;
use crate::moderation::rollback::check::check_corrections;
use crate::talk::channels::part::PrivateMessages;
use crate::talk::chat::check::check_messages;

/// Makes the parts of a batch, in the order in which they are read and written. A conversation is stored
/// before the message with which it begins.
pub fn new_parts() -> Vec<Box<dyn Part>> {
    vec![Box::<Channels>::default(), Box::<Contacts>::default(), Box::<PrivateMessages>::default()]
}

/// The checks of the nouns' rows, in the order in which they add to the report.
pub const NOUN_CHECKS: [NounCheck; 4] = [check_messages, check_plans, check_corrections, check_accounts];
