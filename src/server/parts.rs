//! The parts of a batch: what nouns above the log read and write with it.

use crate::accounts::channels::part::Channels;
use crate::accounts::direct::part::Contacts;
use crate::log::part::Part;
use crate::talk::channels::part::PrivateMessages;

/// Makes the parts of a batch, in the order in which they are read and written. A conversation is stored
/// before the message with which it begins.
pub fn new_parts() -> Vec<Box<dyn Part>> {
    vec![Box::<Channels>::default(), Box::<Contacts>::default(), Box::<PrivateMessages>::default()]
}
