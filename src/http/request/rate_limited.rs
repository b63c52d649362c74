//! Counts requests for documents that anyone may read, but that cost something to send.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};

use super::authentication::{Caller, count_request, recognize_caller};
use crate::http::response::problem::Problem;

/// A request within the caller's limit: the agent's if its key is in memory, else the address's. A key is not looked up,
/// and a wrong one not refused: outside `/api` a key is not asked for.
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
