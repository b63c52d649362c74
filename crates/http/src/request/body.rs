//! Reads request bodies, with limits on size and time, and checks their media type and their JSON.

use actix_web::HttpRequest;
use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use actix_web::web::{Bytes, BytesMut};
use futures_util::StreamExt as _;
use platform::input::json;
use platform::refusal::codes::Code;
use platform::refusal::{InputError, InputErrorKind, Refusal};
use serde::de::DeserializeOwned;

use super::known_params::check_known_params;
use crate::response::problem::Problem;
use crate::transport::timeouts;

/// The largest body, in bytes.
pub const MAX_BODY_BYTES: usize = 256 * 1024;

/// Reads the whole body.
///
/// # Errors
/// `too_large`, or `malformed_json` if it does not arrive in full and in time.
pub async fn read(request: &HttpRequest, payload: &mut Payload) -> Result<Bytes, Problem> {
    let content_length =
        request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if content_length.is_some_and(|length: u64| length > MAX_BODY_BYTES as u64) {
        return Err(too_large());
    }
    match tokio::time::timeout(timeouts::BODY_TIMEOUT, collect_chunks(payload)).await {
        Ok(body) => body,
        Err(_) => {
            let detail = format!("The body did not arrive within {} s.", timeouts::BODY_TIMEOUT.as_secs());
            Err(Problem::new(Code::MalformedJson, detail))
        }
    }
}

async fn collect_chunks(payload: &mut Payload) -> Result<Bytes, Problem> {
    // Most bodies arrive in one chunk, which then needs no copy.
    let mut body = Bytes::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk
            .map_err(|error| Problem::new(Code::MalformedJson, format!("The body ended early: {error}.")))?;
        if body.len() + chunk.len() > MAX_BODY_BYTES {
            return Err(too_large());
        }
        body = if body.is_empty() { chunk } else { append(body, &chunk) };
    }
    Ok(body)
}

fn append(body: Bytes, chunk: &[u8]) -> Bytes {
    let mut joined = BytesMut::from(body);
    joined.extend_from_slice(chunk);
    joined.freeze()
}

fn too_large() -> Problem {
    Problem::new(Code::TooLarge, "The body is larger than 262144 bytes.")
}

/// Checks that a body is uncompressed JSON.
///
/// # Errors
/// `unsupported_media_type` for other bodies.
pub fn check_is_json(request: &HttpRequest) -> Result<(), Problem> {
    find_content_type(request, &["application/json"]).map(|_| ())
}

/// Checks that a body is an uncompressed HTML form.
///
/// # Errors
/// `unsupported_media_type` for other bodies.
pub fn check_is_form(request: &HttpRequest) -> Result<(), Problem> {
    find_content_type(request, &["application/x-www-form-urlencoded"]).map(|_| ())
}

/// Returns which of these media types an uncompressed body has.
///
/// # Errors
/// `unsupported_media_type` for other bodies.
pub fn find_content_type(request: &HttpRequest, supported: &[&'static str]) -> Result<&'static str, Problem> {
    let header = |name| request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = header(CONTENT_TYPE).split(';').next().unwrap_or_default().trim();
    let Some(found) = supported.iter().find(|one| media_type.eq_ignore_ascii_case(one)) else {
        let types = supported.join(" or ");
        let problem = Problem::new(Code::UnsupportedMediaType, format!("Content-Type must be {types}."));
        return Err(problem.hint(format!("Send Content-Type: {types}, uncompressed.")));
    };
    let encoding = header(CONTENT_ENCODING);
    if !encoding.is_empty() && !encoding.eq_ignore_ascii_case("identity") {
        return Err(Problem::new(Code::UnsupportedMediaType, "Compressed bodies are not supported."));
    }
    Ok(found)
}

/// Reads a JSON body, and checks the query between its syntax and its fields.
///
/// # Errors
/// Those of the body, or `unknown_parameter`.
pub fn read_json_request<F: DeserializeOwned>(request: &HttpRequest, body: &[u8]) -> Result<F, Problem> {
    match json::read(body) {
        Err(malformed @ Refusal::Input(InputError { kind: InputErrorKind::Malformed, .. })) => {
            Err(malformed.into())
        }
        fields => check_known_params(request).and_then(|()| Ok(fields?)),
    }
}
