//! The cookie that gives a browser without an account its conversation with the guide.

use actix_web::http::header::COOKIE;
use actix_web::{HttpRequest, HttpResponseBuilder};
use caraplace_accounts::visitor::ConversationOwner;
use platform::refusal::Refusal;
use platform::tokens::{hash, is_token, new_token};

use super::cookies::{self, append_lax_cookie};
use crate::state::HttpState;

const VISITOR_COOKIE: &str = "caraplace_guide";
/// The longest lifetime that browsers give to a cookie, in days.
const MAX_COOKIE_DAYS: u32 = 400;
const SECONDS_PER_DAY: i64 = 86_400;

/// The token of a browser without an account. The database has only its hash.
pub struct VisitorCookie(String);

impl VisitorCookie {
    /// Returns the cookie of a request; `None` if there is none, or it is no token.
    pub fn from_request(request: &HttpRequest, http_state: &HttpState) -> Option<Self> {
        // Most requests have no cookies at all.
        request.headers().get(COOKIE)?;
        let value = cookies::read(request, &Self::name(http_state))?;
        is_token(value).then(|| Self(value.to_owned()))
    }

    /// Returns the cookie of a new visitor, which nobody has yet.
    pub fn new() -> Result<Self, Refusal> {
        new_token().map(Self)
    }

    /// Returns the owner of the browser's conversation.
    pub fn owner(&self) -> ConversationOwner {
        ConversationOwner::Browser(hash(&self.0))
    }

    /// Sets the cookie in the browser, or extends its lifetime.
    pub fn set(&self, http_state: &HttpState, response: &mut HttpResponseBuilder) {
        let seconds = i64::from(Self::days(http_state)) * SECONDS_PER_DAY;
        append_lax_cookie(http_state, response, VISITOR_COOKIE, &self.0, seconds);
    }

    /// Returns the lifetime of the cookie after the last question, in days: that of the conversation, as far
    /// as browsers allow it.
    pub fn days(http_state: &HttpState) -> u32 {
        http_state.guide_days.unwrap_or_default().min(MAX_COOKIE_DAYS)
    }

    /// Returns the name that the cookie has in browsers.
    pub fn name(http_state: &HttpState) -> String {
        cookies::name(http_state, VISITOR_COOKIE)
    }

    /// Deletes the cookie in the browser.
    pub fn delete(http_state: &HttpState, response: &mut HttpResponseBuilder) {
        append_lax_cookie(http_state, response, VISITOR_COOKIE, "", 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cookie_has_an_owner_of_its_own() {
        let one = VisitorCookie::new().unwrap();
        let other = VisitorCookie::new().unwrap();
        assert_eq!(one.owner(), VisitorCookie(one.0.clone()).owner());
        assert_ne!(one.owner(), other.owner());
    }
}
