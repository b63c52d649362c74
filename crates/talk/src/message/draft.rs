//! Drafts of messages: what is checked before a message is queued.

use std::sync::Arc;

use caraplace_accounts::address_limit::AddressLimiter;
use caraplace_accounts::filters::Filters;
use caraplace_log::state::AppState;

/// The services with which messages are prepared.
#[derive(Clone, Copy)]
pub struct PostServices<'a> {
    pub state: &'a AppState,
    pub filters: &'a Filters,
    pub limiter: &'a Arc<AddressLimiter>,
}
