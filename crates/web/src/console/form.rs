//! Reads the forms of the console.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::web::{Bytes, Data};
use actix_web::{FromRequest, HttpMessage as _, HttpRequest, HttpResponse};
use caraplace_accounts::operators::Operator;
use caraplace_companion::app::App;
use caraplace_http::request::auth_operator::{AdminFormBody, CSRF_FIELD};
use caraplace_http::request::authentication::key_missing;
use caraplace_http::request::query::QueryParams;
use caraplace_http::request::request_body::read_urlencoded;
use caraplace_http::response::problem::Problem;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::answer::ActionAnswer;
use caraplace_moderation::actions::perform::perform;
use caraplace_moderation::actions::subject::ActionSubject;
use chrono::{DateTime, NaiveDateTime, Utc};
use platform::input::json::explain_field;
use platform::refusal::{Refusal, internal};
use serde::de::DeserializeOwned;

use super::layout::redirect;
use super::sign_in::console_path_or_home;

/// The names of the fields that contain a time.
const TIME_FIELDS: [&str; 2] = ["until", "ends_at"];

/// A form that the console's guard has accepted, with its sender.
pub struct ConsoleForm {
    pub app: Data<App>,
    pub operator: Operator,
    body: Bytes,
    referrer: Option<String>,
}

impl ConsoleForm {
    /// Reads the fields. Browsers send every field of a form, so empty ones count as absent. They send times
    /// without a zone; the pages ask for UTC.
    ///
    /// # Errors
    /// `unknown_field`, `missing_field` or `invalid_field`.
    pub fn read<F: DeserializeOwned>(&self) -> Result<F, Problem> {
        let mut fields = form_urlencoded::Serializer::new(String::new());
        for (name, value) in QueryParams::from_form(&self.body)?.pairs() {
            if value.is_empty() || name == CSRF_FIELD {
                continue;
            }
            let time = TIME_FIELDS.contains(&name).then(|| parse_utc_time(name, value)).transpose()?;
            fields.append_pair(name, &time.map_or_else(|| value.to_owned(), |time| time.to_rfc3339()));
        }
        read_urlencoded(fields.finish().as_bytes())
    }

    /// Returns true if a field was sent, be it empty.
    ///
    /// # Errors
    /// `invalid_field` if the fields cannot be decoded.
    pub fn has_field(&self, name: &str) -> Result<bool, Problem> {
        Ok(QueryParams::from_form(&self.body)?.pairs().any(|(sent, _)| sent == name))
    }

    /// Reads the fields of an action on a subject, and carries it out.
    ///
    /// # Errors
    /// `not_found` if the id is malformed; those of [`Self::read`] and of [`Self::perform`].
    pub async fn act_on<S: ActionSubject, F: DeserializeOwned>(
        &self,
        id: &str,
        make: impl FnOnce(S, F) -> OperatorAction,
    ) -> Result<ActionAnswer, Problem> {
        let subject = S::parse_subject(id)?;
        self.perform(&make(subject, self.read()?)).await
    }

    /// Reads the fields of an action without a subject, and carries it out.
    ///
    /// # Errors
    /// Those of [`Self::read`] and of [`Self::perform`].
    pub async fn act<F: DeserializeOwned>(
        &self,
        make: impl FnOnce(F) -> OperatorAction,
    ) -> Result<ActionAnswer, Problem> {
        self.perform(&make(self.read()?)).await
    }

    /// Carries out an action in the name of the form's sender.
    ///
    /// # Errors
    /// The refusal of the reason, or of the action.
    pub async fn perform(&self, action: &OperatorAction) -> Result<ActionAnswer, Problem> {
        let audit_reason = action.audit_reason(&self.operator.name)?;
        Ok(Box::pin(perform(self.app.get_ref(), action, audit_reason)).await?)
    }

    /// Returns the fields that are not empty, to read them like query parameters.
    ///
    /// # Errors
    /// `invalid_field` if they cannot be decoded.
    pub fn params(&self) -> Result<QueryParams, Problem> {
        Ok(QueryParams::from_form(&self.body)?.without_empty())
    }

    /// Redirects to the console page that the form was sent from, or else to `fallback`.
    pub fn redirect_back(&self, fallback: &str) -> HttpResponse {
        redirect(self.referrer.as_deref().unwrap_or(fallback)).finish()
    }
}

impl FromRequest for ConsoleForm {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let form = || {
            let extensions = request.extensions();
            let operator = extensions.get::<Operator>().cloned();
            let body = extensions.get::<AdminFormBody>().map(|body| body.0.clone());
            let (operator, body) = operator.zip(body).ok_or_else(key_missing)?;
            let app = request.app_data::<Data<App>>().cloned();
            let app = app.ok_or("no application data").map_err(internal("reading a form"))?;
            Ok(Self { app, operator, body, referrer: find_referrer(request) })
        };
        ready(form())
    }
}

/// Returns the path and query of the console page from which a request was sent, by its `Referer`. `None` if
/// it is another page, or the address of the request itself, from which a refused form is sent again.
pub(super) fn find_referrer(request: &HttpRequest) -> Option<String> {
    let (_, rest) = request.headers().get("referer")?.to_str().ok()?.split_once("://")?;
    let path = &rest[rest.find('/')?..];
    let is_own = path.split('?').next() == Some(request.path());
    (!is_own && console_path_or_home(Some(path)) == path).then(|| path.to_owned())
}

/// Parses a time, with or without a zone; without a zone, it is in UTC.
///
/// # Errors
/// `Input` if it is none.
pub(super) fn parse_utc_time(name: &str, text: &str) -> Result<DateTime<Utc>, Refusal> {
    let formats = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"];
    let local = formats.iter().find_map(|format| NaiveDateTime::parse_from_str(text, format).ok());
    let time: Option<DateTime<Utc>> = local.map(|local| local.and_utc()).or_else(|| text.parse().ok());
    let refuse = || explain_field(name, &format!("{name} must be a time such as 2026-01-31T08:30"));
    time.ok_or_else(refuse)
}
