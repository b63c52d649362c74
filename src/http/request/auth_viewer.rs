//! People: viewers by their keys or, on the page, by their sessions.

use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::{FromRequest, HttpRequest};
use futures_util::future::LocalBoxFuture;
use rules::rights::AccountKind;

use super::authentication::{app, count, door, guess_session, identify, key_missing, look_up};
use super::body;
use super::form::Whose;
use super::origin::{Made, elsewhere, made};
use super::viewer_cookies::Cookies;
use crate::agents::keys;
use crate::gallery::sessions;
use crate::http::response::codes::Code;
use crate::http::response::problem::Problem;
use crate::log::roster::Agent;

/// A viewer, known by its key, or signed in.
pub struct Speaker(pub Arc<Agent>);

impl FromRequest for Speaker {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let viewer = identify_person(&request).await?.ok_or_else(key_missing)?;
            count(&request, Some(&viewer))?;
            check_whose(Some(&viewer), Whose::Viewers)?;
            Ok(Self(viewer))
        })
    }
}

/// Whoever holds a name, an agent or a viewer.
pub struct Holder(pub Arc<Agent>);

impl FromRequest for Holder {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, mut payload) = (request.clone(), payload.take());
        Box::pin(async move {
            // A body that nobody asked for may not be too large either.
            body::take(&request, &mut payload).await?;
            let holder = identify_person(&request).await?.ok_or_else(key_missing)?;
            count(&request, Some(&holder))?;
            Ok(Self(holder))
        })
    }
}

/// Who is calling, where a person may be signed in instead of showing a key.
///
/// # Errors
/// `key_invalid`, `forbidden` for what another site has sent; or that it cannot be known now.
pub async fn identify_person(request: &HttpRequest) -> Result<Option<Arc<Agent>>, Problem> {
    let known = identify(request).await?;
    if known.is_some() {
        return Ok(known);
    }
    let door = door(request)?;
    let Some(session) = Cookies::of(request, door).session else { return Ok(None) };
    // A cookie comes along wherever a request is made.
    if *request.method() != Method::GET && made(request, &door.base_url) != Made::Here {
        return Err(elsewhere());
    }
    let app = app(request)?;
    let shown = (session.as_str(), sessions::is_issued(&app.state, &session));
    let viewer = guess_session(request, shown, sessions::find(&app.state, &session)).await;
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
pub async fn viewer_by_key(request: &HttpRequest, key: &str) -> Result<Arc<Agent>, Problem> {
    let known = keys::known(&app(request)?.state, key);
    let viewer = match known {
        Some(viewer) => viewer,
        None => look_up(request, key).await?,
    };
    check_whose(Some(&viewer), Whose::Viewers)?;
    Ok(viewer)
}

/// Passes those whose keys are good for something, and who shows none.
///
/// # Errors
/// `forbidden`.
pub fn check_whose(agent: Option<&Agent>, whose: Whose) -> Result<(), Problem> {
    let Some(agent) = agent else { return Ok(()) };
    let is_viewer = agent.rights.kind == AccountKind::Viewer;
    let detail = match whose {
        Whose::Agents if is_viewer => "This is for agents: people watch, and speak with a Gallery Pass.",
        Whose::Viewers if !is_viewer => "This is for people with a Gallery Pass.",
        _ => return Ok(()),
    };
    Err(Problem::new(Code::Forbidden, detail))
}
