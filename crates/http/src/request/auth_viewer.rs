//! Authentication of viewers, by key or by session cookie.

use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{FromRequest, HttpRequest};
use caraplace_accounts::gallery::sessions;
use caraplace_accounts::key_cache::KeyCache;
use caraplace_companion::app::App;
use caraplace_log::identity::Identity;
use futures_util::future::LocalBoxFuture;
use platform::refusal::codes::Code;
use platform::tokens::hash;

use super::app_data::{app, http_state};
use super::authentication::{
    authenticate_by_key, check_caller_kind, count_request, key_missing, look_up_key, look_up_session,
};
use super::body;
use super::known_params::check_known_params;
use super::origin::{RequestOrigin, cross_origin_problem, is_sent_by_other_site, request_origin};
use super::request_body::AllowedCallers;
use super::viewer_cookies::ViewerCookies;
use crate::response::problem::Problem;

/// Extractor of a viewer, by key or session.
pub struct AuthViewer(pub Arc<Identity>);

impl FromRequest for AuthViewer {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let viewer = authenticate_by_key_or_session(&request).await?.ok_or_else(key_missing)?;
            count_request(&request, Some(&viewer))?;
            check_caller_kind(Some(&viewer), AllowedCallers::Viewers)?;
            check_known_params(&request)?;
            Ok(Self(viewer))
        })
    }
}

/// Extractor of an agent or a viewer, by key or session.
pub struct AuthAccount(pub Arc<Identity>);

impl FromRequest for AuthAccount {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        let mut payload = payload.take();
        Box::pin(async move {
            // An unused body is read, too, so that its size is checked.
            body::read(&request, &mut payload).await?;
            let account = authenticate_by_key_or_session(&request).await?.ok_or_else(key_missing)?;
            count_request(&request, Some(&account))?;
            check_known_params(&request)?;
            Ok(Self(account))
        })
    }
}

/// Returns the caller by key or viewer session; `None` without both.
///
/// # Errors
/// `key_invalid`, `forbidden` for a request from another site, or the errors of a look-up.
pub async fn authenticate_by_key_or_session(request: &HttpRequest) -> Result<Option<Arc<Identity>>, Problem> {
    let by_key = authenticate_by_key(request).await?;
    if by_key.is_some() {
        return Ok(by_key);
    }
    let http_state = http_state(request)?;
    let Some(session) = ViewerCookies::from_request(request, http_state).session else { return Ok(None) };
    if *request.method() != Method::GET {
        check_session_origin(request)?;
    }
    let app = app(request)?;
    let is_issued = sessions::is_issued(&app.state, &session);
    let viewer = look_up_session(request, &session, is_issued, sessions::find(&app.state, &session)).await;
    let viewer = viewer.map_err(|problem| match problem.code {
        Code::KeyInvalid => {
            Problem::new(Code::KeyInvalid, "Your session has ended.").hint("Sign in on /gallery.")
        }
        _ => problem,
    })?;
    Ok(Some(Arc::new(viewer)))
}

/// Checks that a request without a key, which a session cookie can authenticate, comes from our own pages.
/// Browsers send the cookie with requests from other sites, too, so everything that changes a state needs
/// this.
///
/// # Errors
/// `forbidden` for a request from another site.
pub fn check_session_origin(request: &HttpRequest) -> Result<(), Problem> {
    let is_own = request.headers().contains_key(AUTHORIZATION)
        || request_origin(request, &http_state(request)?.base_url) == RequestOrigin::SameOrigin;
    if is_own { Ok(()) } else { Err(cross_origin_problem()) }
}

/// The session of a request that reads.
pub(super) enum ReadSession {
    /// The request is anonymous, or its session has ended.
    None,
    Known(Arc<Identity>),
    /// The token of a session that must be looked up.
    Unknown(String),
}

/// Returns the session of a request that reads, as far as it is known without the database. A session that
/// cannot be used is like none, so that pages of people who have been signed out go on working.
pub(super) fn find_read_session(request: &HttpRequest) -> Result<ReadSession, Problem> {
    let http_state = http_state(request)?;
    let Some(token) = ViewerCookies::session_token(request, http_state) else { return Ok(ReadSession::None) };
    if is_sent_by_other_site(request, &http_state.base_url) {
        return Ok(ReadSession::None);
    }
    let app = app(request)?;
    Ok(match sessions::find_cached(&app.state, &token) {
        Some(viewer) => ReadSession::from_viewer(viewer, app),
        None => ReadSession::Unknown(token),
    })
}

/// Returns the viewer of a session that reads; `None` if it has ended or cannot be looked up now.
///
/// # Errors
/// `too_many_requests`.
pub(super) async fn look_up_read_session(
    request: &HttpRequest,
    token: &str,
) -> Result<Option<Arc<Identity>>, Problem> {
    let app = app(request)?;
    let is_issued = sessions::is_issued(&app.state, token);
    let look_up = sessions::look_up_for_reads(&app.state, token);
    let viewer = match look_up_session(request, token, is_issued, look_up).await {
        Ok(viewer) => viewer,
        Err(problem) if problem.code == Code::TooManyRequests => return Err(problem),
        Err(_) => None,
    };
    Ok(match ReadSession::from_viewer(viewer, app) {
        ReadSession::Known(viewer) => Some(viewer),
        ReadSession::None | ReadSession::Unknown(_) => None,
    })
}

impl ReadSession {
    /// Returns the session of a viewer. One who is banned reads like anyone else.
    fn from_viewer(viewer: Option<Arc<Identity>>, app: &App) -> Self {
        let now = app.state.clock.now();
        viewer.filter(|viewer| viewer.rights.active_ban(now).is_none()).map_or(Self::None, Self::Known)
    }
}

/// Returns the viewer with this key.
///
/// # Errors
/// `key_invalid`, `forbidden` for an agent's key, or the errors of a look-up.
pub async fn authenticate_viewer_by_key(request: &HttpRequest, key: &str) -> Result<Arc<Identity>, Problem> {
    let state = &app(request)?.state;
    let cached = KeyCache::of(state).find(&hash(key), state.clock.now());
    let viewer = match cached {
        Some(viewer) => viewer,
        None => look_up_key(request, key).await?,
    };
    check_caller_kind(Some(&viewer), AllowedCallers::Viewers)?;
    Ok(viewer)
}
