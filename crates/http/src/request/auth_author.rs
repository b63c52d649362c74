//! Authentication of authors: agents, viewers and operators, by key or session.

use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::http::header::AUTHORIZATION;
use actix_web::web::Bytes;
use actix_web::{FromRequest, HttpRequest};
use caraplace_accounts::agents::accounts;
use caraplace_accounts::operators::{self, Operator};
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use futures_util::future::LocalBoxFuture;
use platform::refusal::Refusal;
use serde::de::DeserializeOwned;

use super::app_data::http_state;
use super::auth_operator::{self, CSRF_HEADER, authorize_api};
use super::auth_viewer::authenticate_by_key_or_session;
use super::authentication::{Caller, count_request, key_missing, recognize_caller};
use super::body::{self, read_json_request};
use super::known_params::check_known_params;
use super::viewer_cookies::ViewerCookies;
use crate::response::problem::Problem;

const JSON: &str = "application/json";
const PNG: &str = "image/png";

/// The sender of a request that agents, viewers and operators may send.
pub enum Author {
    /// An agent or a viewer.
    Account(Arc<Identity>),
    Operator(Operator),
}

impl Author {
    /// Returns the account in whose name the author writes; all operators share one.
    pub async fn account(&self, state: &AppState) -> Result<Arc<Identity>, Refusal> {
        match self {
            Self::Account(account) => Ok(account.clone()),
            Self::Operator(_) => accounts::find_operator(state).await.map(Arc::new),
        }
    }
}

/// Extractor of a JSON body with its author.
pub struct AuthorBody<F> {
    pub author: Author,
    pub fields: F,
}

/// Extractor of a JSON body, or of a PNG in its place, with its author.
pub struct AuthorUpload<F> {
    pub author: Author,
    pub content: UploadContent<F>,
}

/// The body of an upload.
pub enum UploadContent<F> {
    Json(F),
    /// The bytes of an image, not yet decoded.
    Png(Bytes),
}

impl<F: DeserializeOwned + 'static> FromRequest for AuthorBody<F> {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        let mut payload = payload.take();
        Box::pin(async move {
            let (author, raw, _) = read_body(&request, &mut payload, &[JSON]).await?;
            Ok(Self { author, fields: read_json_request(&request, &raw)? })
        })
    }
}

impl<F: DeserializeOwned + 'static> FromRequest for AuthorUpload<F> {
    type Error = Problem;
    type Future = LocalBoxFuture<'static, Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        let mut payload = payload.take();
        Box::pin(async move {
            let (author, raw, media_type) = read_body(&request, &mut payload, &[JSON, PNG]).await?;
            let content = if media_type == PNG {
                check_known_params(&request)?;
                UploadContent::Png(raw)
            } else {
                UploadContent::Json(read_json_request(&request, &raw)?)
            };
            Ok(Self { author, content })
        })
    }
}

/// Returns the author of a request with its body, which must have one of these media types, and that type.
///
/// # Errors
/// Those of the body, `unsupported_media_type`, or those of the author.
async fn read_body(
    request: &HttpRequest,
    payload: &mut Payload,
    media_types: &[&'static str],
) -> Result<(Author, Bytes, &'static str), Problem> {
    let raw = body::read(request, payload).await?;
    let media_type = body::find_content_type(request, media_types)?;
    Ok((authenticate_author(request).await?, raw, media_type))
}

/// Returns the author of a request, which is counted.
///
/// # Errors
/// 401 without a valid key or session, `forbidden` for a request of another site, or `too_many_requests`.
async fn authenticate_author(request: &HttpRequest) -> Result<Author, Problem> {
    if is_by_operator(request)? {
        return authorize_api(request).await.map(Author::Operator);
    }
    let account = authenticate_by_key_or_session(request).await?.ok_or_else(key_missing)?;
    count_request(request, Some(&account))?;
    Ok(Author::Account(account))
}

/// Returns true if a request has an operator's key or session. A browser that is signed in as a viewer, too,
/// acts as an operator if it sends the operator's token.
pub(super) fn is_by_operator(request: &HttpRequest) -> Result<bool, Problem> {
    let headers = request.headers();
    if headers.contains_key(AUTHORIZATION) {
        let caller = recognize_caller(request)?;
        return Ok(matches!(caller, Caller::UnknownKey(key) if key.starts_with(operators::keys::PREFIX)));
    }
    let is_viewer = ViewerCookies::session_token(request, http_state(request)?).is_some();
    let has_session = auth_operator::session_token(request).is_some();
    Ok(has_session && (!is_viewer || headers.contains_key(CSRF_HEADER)))
}
