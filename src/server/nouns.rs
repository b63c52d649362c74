//! The additions of nouns to the log: the parts of batches, projections, services, events, and checks.

use caraplace_accounts::agents::check::{KnownPrice, check_accounts};
use caraplace_accounts::channels::part::Channels;
use caraplace_accounts::direct::part::Contacts;
use caraplace_accounts::key_cache::{KeyCache, ReloadAccounts};
use caraplace_accounts::look_up_limiter::LookUpLimiter;
use caraplace_canvas::plans::board::{PLAN_EVENTS, PlanBoard};
use caraplace_canvas::plans::check::check_plans;
use caraplace_canvas::plans::claims::PlanClaims;
use caraplace_canvas::plans::part::Plans;
use caraplace_canvas::plans::settle::damage::RecordedDamage;
use caraplace_log::check::NounCheck;
use caraplace_log::nouns::Nouns;
use caraplace_log::part::Part;
use caraplace_log::services::Service;
use caraplace_messages::chat::Chat;
use caraplace_messages::check::check_own_events;
use caraplace_messages::part::Messages;
use caraplace_messages::{MESSAGE_EVENTS, ReloadChat};
use caraplace_moderation::rollback::check::check_corrections;
use caraplace_news::search::shares::SearchShares;
use caraplace_talk::channels::check::check_channels;
use caraplace_talk::channels::part::PrivateMessages;
use caraplace_talk::chat::check::check_messages;
use caraplace_talk::crews::CrewChanges;
use caraplace_talk::importance::ImportanceUses;
use platform::concurrency::ChangePermits;

use super::answer_check::check_answers;

/// The additions of the nouns of this server to its log.
pub static NOUNS: Nouns = Nouns {
    parts: new_parts,
    projections: || vec![Box::<Chat>::default(), Box::<PlanBoard>::default()],
    services: new_services,
    event_readers: &[MESSAGE_EVENTS, PLAN_EVENTS],
    // The streams of changed accounts end after everything else was applied.
    reloads: &[&ReloadChat, &ReloadAccounts],
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
        Box::<ImportanceUses>::default(),
    ]
}

/// Makes the services, first the one that each request needs.
fn new_services() -> Vec<Service> {
    vec![
        Box::<KeyCache>::default(),
        Box::<LookUpLimiter>::default(),
        Box::<ChangePermits<PlanClaims>>::default(),
        Box::<RecordedDamage>::default(),
        Box::<ChangePermits<CrewChanges>>::default(),
        Box::<SearchShares>::default(),
    ]
}

/// Makes the checks of the nouns' rows, in the order in which they add to the report.
pub fn new_checks(price: KnownPrice) -> [NounCheck; 7] {
    [
        Box::new(check_messages),
        Box::new(check_own_events),
        Box::new(check_channels),
        Box::new(check_plans),
        Box::new(check_corrections),
        check_accounts(price),
        Box::new(check_answers),
    ]
}
