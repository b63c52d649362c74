//! A visitor's two cookies: who is signed in, and the secret that forms are bound to.

use actix_web::http::header::{HeaderValue, SET_COOKIE};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use blake3::Hash;

use crate::gallery::{CHECKOUT, sessions};
use crate::http::request::cookies;
use crate::http::request::cookies::SameSite;
use crate::http::response::private::private;
use crate::http::state::HttpState;
use crate::refusal::Refusal;
use crate::tokens::{is_token, new_token};

const SESSION: &str = "caraplace_viewer";
const FORM: &str = "caraplace_form";
/// Long enough to fill a form in in peace.
const FORM_SECONDS: i64 = 86_400;
const CONTEXT: &str = "caraplace gallery 2026 form token";

/// What a browser has of us.
pub struct Cookies {
    /// The token of a session that may be over.
    pub session: Option<String>,
    pub form: Option<String>,
}

impl Cookies {
    /// Those that came with a request.
    pub fn of(request: &HttpRequest, door: &HttpState) -> Self {
        let find = |name| cookies::read(request, &cookies::name(door, name)).map(str::to_owned);
        Self { session: find(SESSION), form: find(FORM).filter(|form| is_token(form)) }
    }

    /// The secret that forms are bound to; a new one, to be sent along, where there is none yet.
    ///
    /// # Errors
    /// When there is no randomness to be had.
    pub fn form(&mut self, door: &HttpState, response: &mut HttpResponseBuilder) -> Result<String, Refusal> {
        match &self.form {
            Some(form) => Ok(form.clone()),
            None => self.keep(door, response, FORM_SECONDS),
        }
    }

    /// The same secret, from now on for as long as it may take until a payment that is begun with it is made.
    ///
    /// # Errors
    /// When there is no randomness to be had.
    pub fn payment(
        &mut self,
        door: &HttpState,
        response: &mut HttpResponseBuilder,
    ) -> Result<String, Refusal> {
        self.keep(door, response, CHECKOUT.num_seconds())
    }

    fn keep(
        &mut self,
        door: &HttpState,
        response: &mut HttpResponseBuilder,
        seconds: i64,
    ) -> Result<String, Refusal> {
        let form = match self.form.take() {
            Some(form) => form,
            None => new_token()?,
        };
        set(door, response, FORM, &form, seconds);
        self.form = Some(form.clone());
        Ok(form)
    }

    /// What stands in a form of ours: a function of both cookies, which no other site can know.
    pub fn token(&self) -> Option<Hash> {
        let form = self.form.as_deref()?;
        let mut hasher = blake3::Hasher::new_derive_key(CONTEXT);
        [form, " ", self.session.as_deref().unwrap_or_default()].iter().for_each(|part| {
            hasher.update(part.as_bytes());
        });
        Some(hasher.finalize())
    }

    /// Returns [`Self::token`] as text for a form; empty if the browser has no cookie to bind forms to.
    pub fn form_token(&self) -> String {
        self.token().map(|token| token.to_hex().to_string()).unwrap_or_default()
    }

    /// Whether a form bears the right token; compared in constant time.
    pub fn bears(&self, token: &str) -> bool {
        let sent = Hash::from_hex(token).ok();
        sent.zip(self.token()).is_some_and(|(sent, right)| sent == right)
    }

    /// Signs the browser in, always under a new token.
    pub fn sign_in(door: &HttpState, response: &mut HttpResponseBuilder, session: &str) {
        set(door, response, SESSION, session, sessions::LASTS.num_seconds());
    }

    /// Takes the session's cookie away.
    pub fn sign_out(&mut self, door: &HttpState, response: &mut HttpResponseBuilder) {
        self.session = None;
        set(door, response, SESSION, "", 0);
    }
}

/// Stripe sends browsers back to us: what is set must come along then.
fn set(door: &HttpState, response: &mut HttpResponseBuilder, name: &str, value: &str, seconds: i64) {
    if let Ok(cookie) = HeaderValue::from_str(&cookies::set(door, name, value, seconds, SameSite::Lax)) {
        response.append_header((SET_COOKIE, cookie));
    }
}

/// To another page of ours.
pub fn to(place: &'static str) -> HttpResponseBuilder {
    let mut response = private(HttpResponse::SeeOther());
    response.insert_header(("Location", place));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cookies(form: Option<&str>, session: &str) -> Cookies {
        Cookies { session: Some(session.to_owned()), form: form.map(|form| form.repeat(64)) }
    }

    #[test]
    fn form_token_depends_on_browser_and_session() {
        let own = cookies(Some("a"), "s");
        let token = own.token().unwrap().to_hex();
        assert!(own.bears(&token) && !own.bears("") && !own.bears(&"0".repeat(64)));
        for other in [cookies(Some("b"), "s"), cookies(Some("a"), "t"), cookies(None, "s")] {
            assert!(!other.bears(&token));
        }
    }
}
