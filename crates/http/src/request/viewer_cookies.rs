//! The two cookies of `/gallery`: the viewer's session, and the secret that binds forms to the browser.

use actix_web::http::header::COOKIE;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use blake3::Hash;
use caraplace_accounts::gallery::{CHECKOUT_RETENTION, sessions};
use platform::refusal::Refusal;
use platform::tokens::{is_token, new_token};

use crate::request::cookies;
use crate::request::cookies::append_lax_cookie;
use crate::response::no_store::no_store;
use crate::state::HttpState;

const SESSION_COOKIE: &str = "caraplace_viewer";
const FORM_COOKIE: &str = "caraplace_form";
/// The lifetime of the form cookie, in seconds.
const FORM_COOKIE_SECONDS: i64 = 86_400;
const FORM_TOKEN_CONTEXT: &str = "caraplace gallery 2026 form token";

/// The cookies of a request.
pub struct ViewerCookies {
    /// The token of a session, which may have ended.
    pub session: Option<String>,
    pub form_secret: Option<String>,
}

impl ViewerCookies {
    /// Reads the cookies of a request.
    pub fn from_request(request: &HttpRequest, http_state: &HttpState) -> Self {
        let find = |name| cookies::read(request, &cookies::name(http_state, name)).map(str::to_owned);
        Self { session: find(SESSION_COOKIE), form_secret: find(FORM_COOKIE).filter(|form| is_token(form)) }
    }

    /// Returns the session's token alone.
    pub fn session_token(request: &HttpRequest, http_state: &HttpState) -> Option<String> {
        // Most requests have no cookies at all.
        request.headers().get(COOKIE)?;
        cookies::read(request, &cookies::name(http_state, SESSION_COOKIE)).map(str::to_owned)
    }

    /// Returns the form secret; if there is none yet, sets a cookie with a new one.
    pub fn ensure_form_secret(
        &mut self,
        http_state: &HttpState,
        response: &mut HttpResponseBuilder,
    ) -> Result<String, Refusal> {
        match &self.form_secret {
            Some(form) => Ok(form.clone()),
            None => self.set_form_cookie(http_state, response, FORM_COOKIE_SECONDS),
        }
    }

    /// Returns the form secret, and extends the cookie's lifetime to that of a Checkout.
    pub fn extend_for_payment(
        &mut self,
        http_state: &HttpState,
        response: &mut HttpResponseBuilder,
    ) -> Result<String, Refusal> {
        self.set_form_cookie(http_state, response, CHECKOUT_RETENTION.num_seconds())
    }

    fn set_form_cookie(
        &mut self,
        http_state: &HttpState,
        response: &mut HttpResponseBuilder,
        seconds: i64,
    ) -> Result<String, Refusal> {
        let form_secret = match self.form_secret.take() {
            Some(form) => form,
            None => new_token()?,
        };
        append_lax_cookie(http_state, response, FORM_COOKIE, &form_secret, seconds);
        self.form_secret = Some(form_secret.clone());
        Ok(form_secret)
    }

    /// Returns the CSRF token for forms, derived from both cookies, so no other site can know it.
    pub fn form_token_hash(&self) -> Option<Hash> {
        let form_secret = self.form_secret.as_deref()?;
        let mut hasher = blake3::Hasher::new_derive_key(FORM_TOKEN_CONTEXT);
        [form_secret, " ", self.session.as_deref().unwrap_or_default()].iter().for_each(|part| {
            hasher.update(part.as_bytes());
        });
        Some(hasher.finalize())
    }

    /// Returns [`Self::form_token_hash`] as text for a form; empty if the browser has no form cookie.
    pub fn form_token(&self) -> String {
        self.form_token_hash().map(|token| token.to_hex().to_string()).unwrap_or_default()
    }

    /// Returns true if a form has the right CSRF token; compares in constant time.
    pub fn is_valid_form_token(&self, token: &str) -> bool {
        let sent = Hash::from_hex(token).ok();
        sent.zip(self.form_token_hash()).is_some_and(|(sent, right)| sent == right)
    }

    /// Sets the session cookie.
    pub fn sign_in(http_state: &HttpState, response: &mut HttpResponseBuilder, session: &str) {
        append_lax_cookie(
            http_state,
            response,
            SESSION_COOKIE,
            session,
            sessions::SESSION_LIFETIME.num_seconds(),
        );
    }

    /// Deletes the session cookie.
    pub fn sign_out(&mut self, http_state: &HttpState, response: &mut HttpResponseBuilder) {
        self.session = None;
        append_lax_cookie(http_state, response, SESSION_COOKIE, "", 0);
    }
}

/// Redirects to another page of this server.
pub fn redirect_to(path: &str) -> HttpResponseBuilder {
    let mut response = no_store(HttpResponse::SeeOther());
    response.insert_header(("Location", path));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cookies(form: Option<&str>, session: &str) -> ViewerCookies {
        ViewerCookies { session: Some(session.to_owned()), form_secret: form.map(|form| form.repeat(64)) }
    }

    #[test]
    fn form_token_depends_on_browser_and_session() {
        let own = cookies(Some("a"), "s");
        let token = own.form_token_hash().unwrap().to_hex();
        assert!(
            own.is_valid_form_token(&token)
                && !own.is_valid_form_token("")
                && !own.is_valid_form_token(&"0".repeat(64))
        );
        for other in [cookies(Some("b"), "s"), cookies(Some("a"), "t"), cookies(None, "s")] {
            assert!(!other.is_valid_form_token(&token));
        }
    }
}
