//! The additions of nouns to the log: the parts of batches, projections, events, and checks.

use crate::accounts::agents::check::check_accounts;
use crate::accounts::channels::part::Channels;
use crate::accounts::direct::part::Contacts;
use crate::canvas::plans::board::{PLAN_EVENTS, PlanBoard};
use crate::canvas::plans::check::check_plans;
use crate::canvas::plans::part::Plans;
use crate::log::check::NounCheck;
use crate::log::nouns::Nouns;
use crate::log::part::Part;
use crate::messages::chat::Chat;
use crate::messages::part::Messages;
use crate::messages::{MESSAGE_EVENTS, RefreshChat};
use crate::moderation::rollback::check::check_corrections;
use crate::talk::channels::part::PrivateMessages;
use crate::talk::chat::check::check_messages;

/// The additions of the nouns of this server to its log.
pub static NOUNS: Nouns = Nouns {
    parts: new_parts,
    projections: || vec![Box::<Chat>::default(), Box::<PlanBoard>::default()],
    event_readers: &[MESSAGE_EVENTS, PLAN_EVENTS],
    refreshes: &[&RefreshChat],
};

/// Makes the parts of a batch, in the order in which they are read and written. A conversation is stored
/// before the message with which it begins.
fn new_parts() -> Vec<Box<dyn Part>> {
    vec![
        Box::<Plans>::default(),
        Box::<Messages>::default(),
        Box::<Channels>::default(),
        Box::<Contacts>::default(),
        Box::<PrivateMessages>::default(),
    ]
}

/// The checks of the nouns' rows, in the order in which they add to the report.
pub const NOUN_CHECKS: [NounCheck; 4] = [check_messages, check_plans, check_corrections, check_accounts];
