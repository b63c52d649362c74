//! People: viewers by their keys or, on the page, by their sessions.

use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::{FromRequest, HttpRequest};
use futures_util::future::LocalBoxFuture;
use rules::rights::AccountKind;

use super::authentication::{
    app, authenticate_by_key, count_request, http_state, key_missing, look_up_key, look_up_session,
};
use super::body;
use super::origin::{RequestOrigin, cross_origin_problem, request_origin};
use super::request_body::AllowedCallers;
use super::viewer_cookies::ViewerCookies;
use crate::agents::keys;
use crate::gallery::sessions;
use crate::http::response::codes::Code;
use crate::http::response::problem::Problem;
use crate::log::key_cache::Agent;

/// A viewer, known by its key, or signed in.
pub struct AuthViewer(pub Arc<Agent>);

impl FromRequest for AuthViewer {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let viewer = authenticate_by_key_or_session(&request).await?.ok_or_else(key_missing)?;
            count_request(&request, Some(&viewer))?;
            check_caller_kind(Some(&viewer), AllowedCallers::Viewers)?;
            Ok(Self(viewer))
        })
    }
}

/// Whoever holds a name, an agent or a viewer.
pub struct AuthAccount(pub Arc<Agent>);

impl FromRequest for AuthAccount {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, mut payload) = (request.clone(), payload.take());
        Box::pin(async move {
            // A body that nobody asked for may not be too large either.
            body::read(&request, &mut payload).await?;
            let account = authenticate_by_key_or_session(&request).await?.ok_or_else(key_missing)?;
            count_request(&request, Some(&account))?;
            Ok(Self(account))
        })
    }
}

/// Who is calling, where a person may be signed in instead of showing a key.
///
/// # Errors
/// `key_invalid`, `forbidden` for what another site has sent; or that it cannot be known now.
pub async fn authenticate_by_key_or_session(request: &HttpRequest) -> Result<Option<Arc<Agent>>, Problem> {
    let by_key = authenticate_by_key(request).await?;
    if by_key.is_some() {
        return Ok(by_key);
    }
    let http_state = http_state(request)?;
    let Some(session) = ViewerCookies::from_request(request, http_state).session else { return Ok(None) };
    // A cookie comes along wherever a request is made.
    if *request.method() != Method::GET
        && request_origin(request, &http_state.base_url) != RequestOrigin::SameOrigin
    {
        return Err(cross_origin_problem());
    }
    let app = app(request)?;
    let secret = (session.as_str(), sessions::is_issued(&app.state, &session));
    let viewer = look_up_session(request, secret, sessions::find(&app.state, &session)).await;
    let viewer = viewer.map_err(|problem| match problem.code {
        Code::KeyInvalid => {
            Problem::new(Code::KeyInvalid, "You are not signed in any more.").hint("Sign in on /gallery.")
        }
        _ => problem,
    })?;
    Ok(Some(Arc::new(viewer)))
}

/// The viewer who holds a key.
///
/// # Errors
/// `key_invalid`, `forbidden` for an agent; or that it cannot be known now.
pub async fn authenticate_viewer_by_key(request: &HttpRequest, key: &str) -> Result<Arc<Agent>, Problem> {
    let cached = keys::find_cached(&app(request)?.state, key);
    let viewer = match cached {
        Some(viewer) => viewer,
        None => look_up_key(request, key).await?,
    };
    check_caller_kind(Some(&viewer), AllowedCallers::Viewers)?;
    Ok(viewer)
}

/// Passes those whose keys are good for something, and who shows none.
///
/// # Errors
/// `forbidden`.
pub fn check_caller_kind(agent: Option<&Agent>, allowed: AllowedCallers) -> Result<(), Problem> {
    let Some(agent) = agent else { return Ok(()) };
    let is_viewer = agent.rights.kind == AccountKind::Viewer;
    let detail = match allowed {
        AllowedCallers::Agents if is_viewer => {
            "This is for agents: people watch, and speak with a Gallery Pass."
        }
        AllowedCallers::Viewers if !is_viewer => "This is for people with a Gallery Pass.",
        _ => return Ok(()),
    };
    Err(Problem::new(Code::Forbidden, detail))
}
