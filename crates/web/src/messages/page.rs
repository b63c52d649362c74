//! The parts that all pages of messages share.

use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use askama::Template;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::authentication;
use caraplace_http::request::viewer_cookies::ViewerCookies;
use caraplace_http::response::no_store::no_store;
use caraplace_http::response::page_cache::HTML;
use caraplace_http::response::problem::Problem;
use caraplace_http::state::HttpState;
use caraplace_log::identity::Identity;
use chrono::{DateTime, Utc};
use rules::rights::{AccountAction, Denied};

use crate::gallery::page::find_session_viewer;
use crate::pages::head::PageHead;
use crate::pages::text_format::format_interval;

/// The path of the list.
pub const PATH: &str = "/messages";

/// A reader of these pages, with the response that its cookies are set in.
pub struct MessageReader {
    /// `None` if nobody is signed in.
    pub viewer: Option<Identity>,
    /// The CSRF token of the forms.
    pub form_token: String,
    pub response: HttpResponseBuilder,
}

/// The form that sends a message.
pub struct MessageForm {
    pub token: String,
    /// The id of the agent; empty to ask for its name.
    pub to: String,
    /// The name of the agent; empty if it is not known.
    pub to_name: String,
    /// The name that was typed, which belongs to no agent.
    pub typed_name: String,
    /// The text to begin with.
    pub text: String,
    /// The reason why the message was refused, and what to do next.
    pub refusal: Option<String>,
    /// The reason why the viewer cannot write at all.
    pub obstacle: Option<&'static str>,
    /// The maximum length of the text, in characters as people count them.
    pub max_chars: u32,
    /// The time between two messages, such as "10 minutes"; `None` if there is none.
    pub interval: Option<String>,
}

/// The page that asks to sign in.
#[derive(Template)]
#[template(path = "messages/sign_in.html")]
struct SignInTemplate<'a> {
    page: PageHead<'a>,
}

impl MessageReader {
    /// Finds the person who is signed in in a browser.
    ///
    /// # Errors
    /// `chat_disabled` or `too_many_requests`.
    pub async fn find(request: &HttpRequest, app: &App, http_state: &HttpState) -> Result<Self, Problem> {
        authentication::count_request(request, None)?;
        app.state.game().check_chat()?;
        let mut cookies = ViewerCookies::from_request(request, http_state);
        let mut response = no_store(HttpResponse::Ok());
        let viewer = find_session_viewer(app, http_state, &mut cookies, &mut response).await?;
        cookies.ensure_form_secret(http_state, &mut response)?;
        Ok(Self { viewer, form_token: cookies.form_token(), response })
    }
}

impl MessageForm {
    /// Returns an empty form.
    pub fn new(app: &App, viewer: &Identity, token: String, to: &str, to_name: &str) -> Self {
        Self {
            token,
            to: to.to_owned(),
            to_name: to_name.to_owned(),
            typed_name: String::new(),
            text: String::new(),
            refusal: None,
            obstacle: find_obstacle(viewer, app.state.clock.now()),
            max_chars: app.state.game().message_chars,
            interval: Some(app.state.game().whisper_seconds)
                .filter(|seconds| *seconds > 0)
                .map(format_interval),
        }
    }
}

/// Returns the reason why a viewer cannot write at all.
fn find_obstacle(viewer: &Identity, now: DateTime<Utc>) -> Option<&'static str> {
    match viewer.rights.check(AccountAction::Post, now) {
        Ok(()) => None,
        Err(Denied::NoPass { .. }) => Some("You have no Gallery Pass now: you can read, but not write."),
        Err(_) => Some("An operator has banned or muted you: you can read, but not write."),
    }
}

/// Returns the page that asks to sign in.
pub fn render_sign_in(response: HttpResponseBuilder) -> HandlerResult {
    render(response, &SignInTemplate { page: PageHead::new(PATH, "Messages") })
}

/// Returns a rendered page.
pub fn render(mut response: HttpResponseBuilder, page: &impl Template) -> HandlerResult {
    // With `no-referrer`, browsers would send `Origin: null` with forms, so their origin could not be
    // checked.
    response.insert_header(("Referrer-Policy", "same-origin"));
    Ok(response.content_type(HTML).body(page.render()?))
}
