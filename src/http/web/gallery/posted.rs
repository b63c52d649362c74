//! Forms that people send from our pages: bound to their browser, and made nowhere else.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};

use crate::http::request::origin::{Made, elsewhere, made};
use crate::http::request::query::Params;
use crate::http::request::viewer_cookies::Cookies;
use crate::http::request::{authentication, body};
use crate::http::response::codes::Code;
use crate::http::response::problem::Problem;

/// A form with the cookies that came along.
pub struct Posted {
    pub cookies: Cookies,
    fields: Params,
}

impl Posted {
    /// A field's text, trimmed; empty where there is none.
    pub fn field(&self, name: &str) -> &str {
        self.fields.text(name).ok().flatten().unwrap_or_default().trim()
    }
}

impl FromRequest for Posted {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Problem>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, mut payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let door = authentication::door(&request)?;
            let raw = body::take(&request, &mut payload).await?;
            body::check_is_form(&request)?;
            authentication::count(&request, None)?;
            if made(&request, &door.base_url) == Made::Elsewhere {
                return Err(elsewhere());
            }
            let (cookies, fields) = (Cookies::of(&request, door), Params::of_form(&raw)?);
            if !cookies.bears(fields.text("token")?.unwrap_or_default()) {
                let problem = Problem::new(Code::Forbidden, "This form is too old, or none of ours.");
                return Err(
                    problem.hint("Load the page again, and allow its cookie; then send the form again.")
                );
            }
            Ok(Self { cookies, fields })
        })
    }
}
