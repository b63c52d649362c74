//! The extractor of the address of a request that shows something to others.

use std::future::{Ready, ready};
use std::net::IpAddr;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};

use super::authentication::{app, rate_limit_address_of};
use crate::chat::address_limit::{AddressLimiter, SenderAddress};
use crate::http::response::problem::Problem;

/// Extractor of the address of a request, and of what counts the things that its sender shows to others.
pub struct Sender {
    limiter: Arc<AddressLimiter>,
    address: IpAddr,
}

impl Sender {
    /// Returns the address with its counter.
    pub fn address(&self) -> SenderAddress<'_> {
        SenderAddress { limiter: &self.limiter, address: self.address }
    }
}

impl FromRequest for Sender {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let find_sender = || {
            let limiter = app(request)?.address_limiter.clone();
            Ok(Self { limiter, address: rate_limit_address_of(request)? })
        };
        ready(find_sender())
    }
}
