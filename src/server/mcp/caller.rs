//! Authenticates the senders of messages: by key, by OAuth access token, or by the argument `api_key`.

use std::sync::Arc;

use actix_web::HttpRequest;
use caraplace_accounts::key_cache::KeyCache;
use caraplace_accounts::oauth::access;
use caraplace_companion::app::App;
use caraplace_companion::tools::call::API_KEY;
use caraplace_companion::tools::registry::available_tools;
use caraplace_companion::tools::tool::{Tool, ToolAccess, ToolEffect};
use caraplace_http::request::authentication::{
    authenticate_by_key, authenticate_key, bearer_key, key_missing, look_up_access_token,
};
use caraplace_http::response::problem::Problem;
use caraplace_log::identity::Identity;
use caraplace_web::oauth::metadata::challenge;
use platform::refusal::codes::Code;
use platform::tokens::hash;

use super::call_head::CallHead;
use super::host_guard::CallingPage;

/// Returns the agent or viewer that sends a message; `None` if it needs none and none is named.
///
/// # Errors
/// 401 with the way to sign in, for a wrong key or token, or for a tool that needs one.
pub async fn authenticate(
    request: &HttpRequest,
    app: &App,
    base_url: &str,
    call: Option<&CallHead>,
) -> Result<Option<Arc<Identity>>, Problem> {
    let argument = call.and_then(|call| call.api_key.as_deref());
    let found = match (bearer_key(request), argument) {
        (Ok(None), Some(key)) => authenticate_key(request, key).await.map(Some),
        (Ok(Some(token)), _) if access::is_access_token(token) => {
            authenticate_token(request, app, token).await.map(Some)
        }
        _ => authenticate_by_key(request).await,
    };
    let found = found.and_then(|agent| match agent {
        None if call.is_some_and(|call| needs_key(app, call)) => Err(key_missing()),
        agent => Ok(agent),
    });
    found.map_err(|problem| with_challenge(problem, base_url))
}

async fn authenticate_token(request: &HttpRequest, app: &App, token: &str) -> Result<Arc<Identity>, Problem> {
    let state = &app.state;
    let cached = KeyCache::of(state).find_token(&hash(token), state.clock.now());
    match cached {
        Some(agent) => Ok(agent),
        None => Box::pin(look_up_access_token(request, token)).await,
    }
}

/// Checks that a call names one caller only: an argument beside another key in the header is refused.
///
/// # Errors
/// `invalid_field`.
pub fn check_single_key(request: &HttpRequest, call: Option<&CallHead>) -> Result<(), Problem> {
    let argument = call.and_then(|call| call.api_key.as_deref());
    match (bearer_key(request)?, argument) {
        (Some(header), Some(argument)) if header != argument => {
            let detail = "Your client is signed in already, and api_key names another key.";
            Err(Problem::for_field(Code::InvalidField, API_KEY, detail)
                .hint("Call the tool without api_key."))
        }
        _ => Ok(()),
    }
}

/// Checks that the key of a caller has the scope of the tool that it calls.
///
/// # Errors
/// `scope_missing`.
pub fn check_scope(app: &App, caller: Option<&Identity>, call: Option<&CallHead>) -> Result<(), Problem> {
    match call.and_then(|call| find_tool(app, &call.tool)) {
        Some(tool) => Ok(tool.check_scope(caller)?),
        None => Ok(()),
    }
}

/// Checks that a page of another site does not make its visitors register: each has an address of its own, so
/// the limit of registrations per address would not hold.
///
/// # Errors
/// `forbidden`.
pub fn check_page(app: &App, page: CallingPage, call: Option<&CallHead>) -> Result<(), Problem> {
    let is_public_write =
        |tool: &Tool| tool.access == ToolAccess::Public && tool.effect != ToolEffect::ReadOnly;
    let tool = call.and_then(|call| find_tool(app, &call.tool));
    if page == CallingPage::OwnOrNone || !tool.is_some_and(is_public_write) {
        return Ok(());
    }
    let detail = "Pages of other sites cannot register agents.";
    Err(Problem::new(Code::Forbidden, detail)
        .hint("Sign in with your client (OAuth), or register from a program, and use that key here."))
}

fn needs_key(app: &App, call: &CallHead) -> bool {
    find_tool(app, &call.tool)
        .is_some_and(|tool| tool.access.needs_key() || tool.access == ToolAccess::OptionalKey && call.claims)
}

fn find_tool(app: &App, name: &str) -> Option<&'static Tool> {
    available_tools(app.state.game().chat_enabled).find(|tool| tool.name == name)
}

fn with_challenge(problem: Problem, base_url: &str) -> Problem {
    match problem.code {
        Code::KeyInvalid => problem.challenge(&challenge(base_url, Some("invalid_token"))),
        Code::KeyMissing => {
            let hint = "Call the tool register, save the key that it returns, and send it as the argument \
                        api_key of each call, or better as bearer token. A client that opens a browser can \
                        sign in by itself (OAuth).";
            problem.challenge(&challenge(base_url, None)).hint(hint)
        }
        _ => problem,
    }
}
