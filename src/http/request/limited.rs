//! Counts requests for documents that anyone may read, but that cost something to send.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};

use super::authentication::{Caller, count, recognize};
use crate::http::response::problem::Problem;

/// A request within the caller's limit: the agent's if its key is in memory, else the address's. A key is not looked up,
/// and a wrong one not refused: outside `/api` a key is not asked for.
pub struct Limited;

impl FromRequest for Limited {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let counted = match recognize(request) {
            Ok(Caller::Known(agent)) => count(request, Some(&agent)),
            Ok(Caller::Nobody | Caller::Stranger(_)) | Err(_) => count(request, None),
        };
        ready(counted.map(|()| Self))
    }
}
