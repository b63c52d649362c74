//! Adds `unread` and `waiting` to the answers to agents that have changed something, so that an agent that
//! ends its turn knows what waits for it. They are not stored: the answer to a repeated request has the
//! current ones.

use actix_web::HttpMessage as _;
use actix_web::body::{BoxBody, MessageBody as _};
use actix_web::dev::ServiceResponse;
use actix_web::http::header::{CONTENT_TYPE, HeaderMap};
use actix_web::http::{Method, StatusCode};
use actix_web::web::Bytes;
use caraplace_news::attention::Attention;
use caraplace_news::inbox::private::WaitingAsk;
use platform::schema::{DescribeFn, describe};
use serde::Serialize;
use utoipa::ToSchema;

use crate::request::app_data::app;
use crate::request::authentication::RecordedSender;

/// The paths whose answers have an `unread` of their own.
const PATHS_WITH_UNREAD: [&str; 2] = ["/api/home/read", "/api/inbox/read"];

/// The field that is added to an answer with an `unread` of its own.
#[derive(Serialize, ToSchema)]
struct WaitingAsks {
    /// The questions that wait for you, the most urgent first; at most five. Left out for viewers and
    /// operators.
    #[schema(required = false)]
    waiting: Vec<WaitingAsk>,
}

/// Returns the type of the fields that are added to the answers of a path.
pub fn added_type(path: &str) -> DescribeFn {
    if PATHS_WITH_UNREAD.contains(&path) { describe::<WaitingAsks> } else { describe::<Attention> }
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
    let fields = if PATHS_WITH_UNREAD.contains(&response.request().path()) {
        serde_json::to_vec(&WaitingAsks { waiting: attention.waiting })
    } else {
        serde_json::to_vec(&attention)
    };
    let Ok(fields) = fields else { return response };
    response.map_body(|_, body| append_fields(body, &fields))
}

/// Returns true for a success with a JSON body.
fn is_successful_json(status: StatusCode, headers: &HeaderMap) -> bool {
    let is_json =
        headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    status.is_success() && is_json
}

/// Appends the fields of a JSON object to a body that is one. Another body stays as it is.
fn append_fields(body: BoxBody, fields: &[u8]) -> BoxBody {
    match body.try_into_bytes() {
        Ok(bytes) => BoxBody::new(join_objects(&bytes, fields).unwrap_or(bytes)),
        Err(body) => body,
    }
}

/// Returns a JSON object with the fields of two; `None` if one of them is not an object.
fn join_objects(first: &[u8], second: &[u8]) -> Option<Bytes> {
    let start = first.strip_suffix(b"}")?;
    let end = second.strip_prefix(b"{")?;
    let separator: &[u8] = if start == b"{" { b"" } else { b"," };
    Some([start, separator, end].concat().into())
}

#[cfg(test)]
mod tests {
    use caraplace_news::attention::UnreadTotals;
    use serde_json::{Value, json};

    use super::*;

    fn joined(object: &str, fields: &impl Serialize) -> Option<Value> {
        let bytes = join_objects(object.as_bytes(), &serde_json::to_vec(fields).unwrap())?;
        Some(serde_json::from_slice(&bytes).unwrap())
    }

    #[test]
    fn fields_follow_those_of_the_object() {
        let unread = UnreadTotals { inbox: 1, chat: 2, crews: 3, asks: 4 };
        let attention = Attention { unread, waiting: Vec::new() };
        let numbers = json!({"inbox": 1, "chat": 2, "crews": 3, "asks": 4});
        let both = json!({"a": {"b": 1}, "unread": numbers, "waiting": []});
        assert_eq!(joined(r#"{"a":{"b":1}}"#, &attention), Some(both));
        assert_eq!(joined("{}", &WaitingAsks { waiting: Vec::new() }), Some(json!({"waiting": []})));
        assert_eq!(joined("[1]", &attention), None);
    }
}
