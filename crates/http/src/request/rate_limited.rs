//! Rate limits for public documents that are expensive to send.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};

use super::authentication::{Caller, count_request, recognize_caller};
use crate::response::problem::Problem;

/// Extractor that counts a request: for the agent if its key is in memory, or else for the address. Keys are
/// not looked up and wrong ones not refused, because outside `/api` no key is needed.
pub struct RateLimited;

impl FromRequest for RateLimited {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let result = match recognize_caller(request) {
            Ok(Caller::Known(agent)) => count_request(request, Some(&agent)),
            Ok(Caller::Anonymous | Caller::UnknownKey(_)) | Err(_) => count_request(request, None),
        };
        ready(result.map(|()| Self))
    }
}
