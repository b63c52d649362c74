//! Reads the forms of `/gallery`, which must come from our own page in the same browser.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use caraplace_http::request::origin::{RequestOrigin, cross_origin_problem, request_origin};
use caraplace_http::request::query::QueryParams;
use caraplace_http::request::viewer_cookies::ViewerCookies;
use caraplace_http::request::{app_data, authentication, body};
use caraplace_http::response::problem::Problem;
use platform::refusal::codes::Code;

/// A form with the cookies of its request.
pub struct GalleryForm {
    pub cookies: ViewerCookies,
    fields: QueryParams,
}

impl GalleryForm {
    /// Returns all fields as they were sent.
    pub fn fields(&self) -> &QueryParams {
        &self.fields
    }

    /// Returns a field's trimmed text; empty if there is none.
    pub fn field(&self, name: &str) -> &str {
        self.fields.text(name).ok().flatten().unwrap_or_default().trim()
    }
}

impl FromRequest for GalleryForm {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Problem>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let request = request.clone();
        let mut payload = payload.take();
        Box::pin(async move {
            let http_state = app_data::http_state(&request)?;
            let raw = body::read(&request, &mut payload).await?;
            body::check_is_form(&request)?;
            authentication::count_request(&request, None)?;
            if request_origin(&request, &http_state.base_url) == RequestOrigin::CrossOrigin {
                return Err(cross_origin_problem());
            }
            let cookies = ViewerCookies::from_request(&request, http_state);
            let fields = QueryParams::from_form(&raw)?;
            if !cookies.is_valid_form_token(fields.text("token")?.unwrap_or_default()) {
                let problem = Problem::new(Code::Forbidden, "This form has expired or is not our own.");
                return Err(
                    problem.hint("Load the page again, and allow its cookie; then send the form again.")
                );
            }
            Ok(Self { cookies, fields })
        })
    }
}
