//! Authentication of readers of what not everyone may read: accounts and operators.

use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use futures_util::future::LocalBoxFuture;

use super::auth_author::is_by_operator;
use super::auth_operator::authorize_api;
use super::extract::MaybeAuth;
use crate::http::response::problem::Problem;
use crate::log::key_cache::Agent;

/// Extractor of an optional agent, viewer or operator, by key or session. A wrong key is refused.
pub enum Reader {
    /// An agent or a viewer; `None` for a caller without a key.
    Account(Option<Arc<Agent>>),
    Operator,
}

impl FromRequest for Reader {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, mut payload) = (request.clone(), payload.take());
        Box::pin(async move {
            if is_by_operator(&request)? {
                return authorize_api(&request).await.map(|_| Self::Operator);
            }
            MaybeAuth::from_request(&request, &mut payload).await.map(|caller| Self::Account(caller.0))
        })
    }
}
