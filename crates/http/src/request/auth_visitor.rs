//! Authentication of visitors: people who use the pages, with an account or without one.

use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{FromRequest, HttpRequest};
use caraplace_accounts::agents::accounts;
use caraplace_accounts::operators::Operator;
use caraplace_accounts::visitor::{ConversationOwner, Visitor};
use caraplace_companion::guide::Guide;
use caraplace_log::identity::Identity;
use futures_util::future::{LocalBoxFuture, Ready, ready};
use platform::refusal::codes::Code;
use platform::refusal::{GuideRefusal, Refusal};
use rules::rights::AccountKind;
use serde::de::DeserializeOwned;

use super::address;
use super::app_data::{app, http_state};
use super::auth_author::is_by_operator;
use super::auth_operator::authorize_api;
use super::auth_viewer::authenticate_by_key_or_session;
use super::authentication::count_request;
use super::body::{self, read_json_request};
use super::known_params::check_known_params;
use super::origin::{cross_origin_problem, is_sent_by_other_site};
use super::visitor_cookie::VisitorCookie;
use crate::response::problem::Problem;

/// Extractor of the guide; refuses requests to a server without one.
pub struct GuideEnabled(pub Arc<Guide>);

/// Extractor of a visitor: an operator or a viewer by key or session, or else a browser by its cookie. A
/// wrong key is refused, and so is an agent's. A browser without a cookie is a new visitor, who has no
/// conversation.
pub struct AuthVisitor(pub Visitor);

/// Extractor of a JSON body with its visitor.
pub struct VisitorBody<F> {
    pub visitor: Visitor,
    pub fields: F,
    /// The browser's cookie, which may be a new one; `None` for a visitor with an account.
    pub cookie: Option<VisitorCookie>,
}

/// A visitor with the cookie of the browser; `None` for a visitor with an account.
type FoundVisitor = (Visitor, Option<VisitorCookie>);

impl FromRequest for GuideEnabled {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(find_guide(request).map(Self))
    }
}

impl FromRequest for AuthVisitor {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        let mut payload = payload.take();
        Box::pin(async move {
            find_guide(&request)?;
            // An unused body is read, too, so that its size is checked.
            body::read(&request, &mut payload).await?;
            let (visitor, _) = authenticate_visitor(&request).await?;
            check_known_params(&request)?;
            Ok(Self(visitor))
        })
    }
}

impl<F: DeserializeOwned + 'static> FromRequest for VisitorBody<F> {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        let mut payload = payload.take();
        Box::pin(async move {
            find_guide(&request)?;
            let raw = body::read(&request, &mut payload).await?;
            body::check_is_json(&request)?;
            let (visitor, cookie) = authenticate_visitor(&request).await?;
            Ok(Self { visitor, fields: read_json_request(&request, &raw)?, cookie })
        })
    }
}

fn find_guide(request: &HttpRequest) -> Result<Arc<Guide>, Problem> {
    app(request)?.guide.clone().ok_or_else(|| Refusal::from(GuideRefusal::Disabled).into())
}

/// Returns the visitor who sent a request, which is counted.
///
/// # Errors
/// 401 for a wrong key or the ended session of a write, `forbidden` for agents and requests of other sites,
/// or `too_many_requests`.
async fn authenticate_visitor(request: &HttpRequest) -> Result<FoundVisitor, Problem> {
    let http_state = http_state(request)?;
    let address = address::rate_limit_address(request, &http_state.trusted_proxies);
    let mut operator = None;
    let mut viewer = None;
    let with_cookies = can_use_cookies(request, &http_state.base_url)?;
    if with_cookies {
        operator = find_operator(request).await?;
        if operator.is_none() {
            viewer = Box::pin(find_viewer(request)).await?;
        }
    }
    let (owner, cookie) = match (&operator, &viewer) {
        (Some(_), _) => {
            (ConversationOwner::Account(accounts::find_operator(&app(request)?.state).await?.no), None)
        }
        (None, Some(viewer)) => (ConversationOwner::Account(viewer.no), None),
        (None, None) => {
            let cookie = find_cookie(request, with_cookies)?;
            count_request(request, None)?;
            (cookie.owner(), Some(cookie))
        }
    };
    Ok((Visitor { owner, viewer, operator, address }, cookie))
}

/// Returns true if the cookies of a request may be used: not those of a read that a page of another site has
/// sent.
///
/// # Errors
/// `forbidden` for a write of another site.
fn can_use_cookies(request: &HttpRequest, base_url: &str) -> Result<bool, Problem> {
    if has_key(request) || !is_sent_by_other_site(request, base_url) {
        return Ok(true);
    }
    if is_read(request) { Ok(false) } else { Err(cross_origin_problem()) }
}

/// Returns the operator who sent a request; `None` for others, and for a read with a session that has ended.
async fn find_operator(request: &HttpRequest) -> Result<Option<Operator>, Problem> {
    if !is_by_operator(request)? {
        return Ok(None);
    }
    match authorize_api(request).await {
        Err(problem) if is_read_without_session(request, &problem) => Ok(None),
        operator => operator.map(Some),
    }
}

/// Returns the viewer who sent a request; `None` for others, and for a read with a session that has ended.
async fn find_viewer(request: &HttpRequest) -> Result<Option<Arc<Identity>>, Problem> {
    let account = match authenticate_by_key_or_session(request).await {
        Err(problem) if is_read_without_session(request, &problem) => None,
        account => account?,
    };
    let Some(account) = account else { return Ok(None) };
    count_request(request, Some(&account))?;
    if account.rights.kind == AccountKind::Viewer { Ok(Some(account)) } else { Err(refuse_agent()) }
}

fn refuse_agent() -> Problem {
    let hint =
        "Use the other endpoints in /docs: they have all that the guide reads, and do all that it proposes.";
    Problem::new(Code::Forbidden, "The guide is for people, so an agent’s key cannot use it.").hint(hint)
}

/// Returns true if a refused session is like none: pages of people who have been signed out go on working.
fn is_read_without_session(request: &HttpRequest, problem: &Problem) -> bool {
    let is_refused_session = matches!(problem.code, Code::KeyInvalid | Code::Forbidden);
    is_refused_session && is_read(request) && !has_key(request)
}

/// Returns the browser's cookie, or a new one if it has none. Programs that keep it send no origin.
fn find_cookie(request: &HttpRequest, with_cookies: bool) -> Result<VisitorCookie, Problem> {
    let found = VisitorCookie::from_request(request, http_state(request)?).filter(|_| with_cookies);
    found.map_or_else(|| Ok(VisitorCookie::new()?), Ok)
}

fn has_key(request: &HttpRequest) -> bool {
    request.headers().contains_key(AUTHORIZATION)
}

fn is_read(request: &HttpRequest) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
}
