//! The extractor of the address of a request that shows something to others.

use std::future::{Ready, ready};
use std::net::IpAddr;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use caraplace_accounts::address_limit::{AddressLimiter, SenderAddress};

use super::app_data::app;
use super::authentication::rate_limit_address_of;
use crate::response::problem::Problem;

/// The address of a request, and the limiter that counts what is shown to others from it.
pub struct RequestAddress {
    limiter: Arc<AddressLimiter>,
    address: IpAddr,
}

impl RequestAddress {
    /// Returns the address with its counter.
    pub fn sender_address(&self) -> SenderAddress<'_> {
        SenderAddress { limiter: &self.limiter, address: self.address }
    }
}

impl FromRequest for RequestAddress {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let find_address = || {
            let limiter = app(request)?.address_limiter.clone();
            Ok(Self { limiter, address: rate_limit_address_of(request)? })
        };
        ready(find_address())
    }
}
