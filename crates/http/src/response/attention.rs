//! Adds `unread` and `waiting` to the answers to agents that have changed something, so that an agent that
//! ends its turn knows what waits for it. They are not stored: the answer to a repeated request has the
//! current ones.

use std::sync::Arc;

use actix_web::body::{BoxBody, MessageBody as _};
use actix_web::dev::ServiceResponse;
use actix_web::http::header::{CONTENT_TYPE, HeaderMap};
use actix_web::http::{Method, StatusCode};
use actix_web::web::Bytes;
use actix_web::{HttpMessage as _, HttpRequest};
use caraplace_log::identity::Identity;
use caraplace_news::attention::{Attention, UnreadTotals};
use caraplace_news::inbox::private::WaitingAsk;
use platform::schema::{DescribeFn, describe};
use rules::rights::AccountKind;
use serde::Serialize;
use utoipa::ToSchema;

use crate::request::app_data::app;

/// The paths whose answers have an `unread` of their own.
const PATHS_WITH_UNREAD: [&str; 2] = ["/api/home/read", "/api/inbox/read"];

/// The agent that has sent a request, as an extension of it.
struct RecordedSender(Arc<Identity>);

/// The field that is added to an answer with an `unread` of its own.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only the schema is read")]
struct WaitingAsks {
    /// The questions that wait for you, the most urgent first; at most five. Left out for viewers and
    /// operators.
    #[schema(required = false)]
    waiting: Vec<WaitingAsk>,
}

/// The fields that are added to an answer.
#[derive(Serialize)]
struct AddedFields {
    /// `None` if the answer has the field already.
    #[serde(skip_serializing_if = "Option::is_none")]
    unread: Option<UnreadTotals>,
    waiting: Vec<WaitingAsk>,
}

/// Returns the type of the fields that are added to the answers of a path.
pub fn added_type(path: &str) -> DescribeFn {
    if PATHS_WITH_UNREAD.contains(&path) { describe::<WaitingAsks> } else { describe::<Attention> }
}

/// Records the sender of a POST request, if it is an agent, so that the answer tells what waits for it.
pub fn record_sender(request: &HttpRequest, account: &Arc<Identity>) {
    let is_told = request.method() == Method::POST
        && account.rights.kind == AccountKind::Agent
        && request.path().starts_with("/api/");
    if is_told {
        request.extensions_mut().insert(RecordedSender(account.clone()));
    }
}

/// Adds the fields to the response if it is a success, and if the sender of its request was recorded.
pub async fn add_to_response(response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    if response.request().method() != Method::POST {
        return response;
    }
    let sender = response.request().extensions_mut().remove::<RecordedSender>();
    let sender = sender.filter(|_| is_successful_json(response.status(), response.headers()));
    let Some(RecordedSender(agent)) = sender else { return response };
    let Ok(app) = app(response.request()).cloned() else { return response };
    let Some(attention) = app.attention.look_up(&app.state, &agent).await else { return response };
    let has_unread = PATHS_WITH_UNREAD.contains(&response.request().path());
    response.map_body(|_, body| insert_fields(body, attention, has_unread))
}

/// Returns true for a success with a JSON body.
fn is_successful_json(status: StatusCode, headers: &HeaderMap) -> bool {
    let is_json =
        headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    status.is_success() && is_json
}

/// Inserts the fields at the end of a JSON object. Another body stays as it is.
fn insert_fields(body: BoxBody, attention: Attention, has_unread: bool) -> BoxBody {
    let bytes = match body.try_into_bytes() {
        Ok(bytes) => bytes,
        Err(body) => return body,
    };
    let Attention { unread, waiting } = attention;
    let fields = AddedFields { unread: (!has_unread).then_some(unread), waiting };
    BoxBody::new(join_objects(&bytes, &fields).unwrap_or(bytes))
}

/// Returns a JSON object with further fields; `None` if it is not an object.
fn join_objects(object: &[u8], fields: &AddedFields) -> Option<Bytes> {
    let start = object.strip_suffix(b"}")?;
    let mut joined = Vec::with_capacity(object.len() + 128);
    joined.extend_from_slice(start);
    if start != b"{" {
        joined.push(b',');
    }
    let first = joined.len();
    serde_json::to_writer(&mut joined, fields).ok()?;
    // The fields follow those of the object, so their own opening brace is left out.
    joined.remove(first);
    Some(joined.into())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn joined(object: &str, unread: Option<UnreadTotals>) -> Option<Value> {
        let bytes = join_objects(object.as_bytes(), &AddedFields { unread, waiting: Vec::new() })?;
        Some(serde_json::from_slice(&bytes).unwrap())
    }

    #[test]
    fn fields_follow_those_of_the_object() {
        let unread = Some(UnreadTotals { inbox: 1, chat: 2, crews: 3, asks: 4 });
        let numbers = json!({"inbox": 1, "chat": 2, "crews": 3, "asks": 4});
        let both = json!({"a": {"b": 1}, "unread": numbers, "waiting": []});
        assert_eq!(joined(r#"{"a":{"b":1}}"#, unread), Some(both));
        assert_eq!(joined("{}", None), Some(json!({"waiting": []})));
        assert_eq!(joined("[1]", unread), None);
    }
}
