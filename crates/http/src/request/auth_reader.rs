//! Authentication of readers of what not everyone may read: accounts and operators.

use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{FromRequest, HttpRequest};
use caraplace_accounts::operators::Operator;
use caraplace_log::identity::Identity;
use caraplace_talk::channels::access::ChannelReader;
use caraplace_talk::crews::CrewReader;
use futures_util::future::LocalBoxFuture;
use platform::refusal::codes::Code;
use rules::operators::OperatorScope;

use super::auth_author::is_by_operator;
use super::auth_operator::{authorize_api, session_token};
use super::extract::MaybeAuth;
use crate::response::problem::Problem;

/// Extractor of an optional agent, viewer or operator, by key or session. A wrong key is refused.
pub enum Reader {
    /// An agent or a viewer; `None` for a caller without a key.
    Account(Option<Arc<Identity>>),
    /// An operator with the scope `moderate`, who reads everything. Others read like anyone.
    Operator,
}

impl Reader {
    /// Returns the reader that an operator is.
    fn from_operator(operator: &Operator) -> Self {
        let reads_all = operator.scopes.contains(OperatorScope::Moderate);
        if reads_all { Self::Operator } else { Self::Account(None) }
    }

    /// Returns the reader as crews know it.
    pub fn of_crews(&self) -> CrewReader<'_> {
        match self {
            Self::Account(account) => CrewReader::Account(account.as_deref()),
            Self::Operator => CrewReader::Operator,
        }
    }

    /// Returns the reader as the channels of crews know it.
    pub fn of_channels(&self) -> ChannelReader<'_> {
        match self {
            Self::Account(account) => ChannelReader::from_account(account.as_deref()),
            Self::Operator => ChannelReader::Operator,
        }
    }
}

impl FromRequest for Reader {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        let mut payload = payload.take();
        Box::pin(async move {
            if is_by_operator(&request)? {
                return authorize_api(&request).await.map(|operator| Self::from_operator(&operator));
            }
            MaybeAuth::from_request(&request, &mut payload).await.map(|caller| Self::Account(caller.0))
        })
    }
}

/// Extractor of the reader of a page. Unlike with [`Reader`], a browser whose operator session has ended
/// reads like anyone else, and one that is signed in as a viewer, too, reads as an operator: it cannot send a
/// token with a link.
pub struct PageReader(pub Reader);

impl PageReader {
    /// Returns true if the page may show what not everyone can see, so that shared caches must not keep it.
    pub fn is_known(&self) -> bool {
        !matches!(self.0, Reader::Account(None))
    }
}

impl FromRequest for PageReader {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        let mut payload = payload.take();
        Box::pin(async move {
            if request.headers().contains_key(AUTHORIZATION) {
                return Reader::from_request(&request, &mut payload).await.map(Self);
            }
            if session_token(&request).is_some() {
                match authorize_api(&request).await {
                    Ok(operator) => return Ok(Self(Reader::from_operator(&operator))),
                    Err(problem) if !matches!(problem.code, Code::KeyInvalid | Code::Forbidden) => {
                        return Err(problem);
                    }
                    Err(_) => {}
                }
            }
            let caller = MaybeAuth::from_request(&request, &mut payload).await?;
            Ok(Self(Reader::Account(caller.0)))
        })
    }
}
