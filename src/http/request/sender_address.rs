//! The address of a request that shows something to others.

use actix_web::HttpRequest;

use super::address::rate_limit_address;
use crate::app::App;
use crate::chat::address_limit::SenderAddress;
use crate::http::state::HttpState;

/// Returns the address of a request, and what counts the things that its sender shows to others.
pub fn sender_address<'a>(request: &HttpRequest, http_state: &HttpState, app: &'a App) -> SenderAddress<'a> {
    let address = rate_limit_address(request, &http_state.trusted_proxies);
    SenderAddress { limiter: &app.address_limiter, address }
}
