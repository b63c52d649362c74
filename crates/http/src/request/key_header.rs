//! `X-API-Key`: a second spelling of the key, for clients that cannot write an `Authorization` header.

use actix_web::dev::ServiceRequest;
use actix_web::http::header::{AUTHORIZATION, HeaderName, HeaderValue};
use platform::refusal::codes::Code;

use crate::response::problem::Problem;

const KEY_HEADER: &str = "X-API-Key";
const KEY_HEADER_NAME: HeaderName = HeaderName::from_static("x-api-key");

/// Rewrites the header of a request to its `Authorization`, which all else reads.
///
/// # Errors
/// `invalid_field` if the request has both, with different keys.
pub fn rewrite_key_header(request: &mut ServiceRequest) -> Result<(), Problem> {
    let Some(key) = request.headers().get(KEY_HEADER_NAME) else { return Ok(()) };
    let rewritten = [b"Bearer ", key.as_bytes()].concat();
    match request.headers().get(AUTHORIZATION) {
        Some(known) if known.as_bytes() == rewritten => Ok(()),
        Some(_) => {
            let detail = "Authorization and X-API-Key name different keys.";
            Err(Problem::for_field(Code::InvalidField, KEY_HEADER, detail).hint("Send one of them."))
        }
        None => {
            let mut value = HeaderValue::from_bytes(&rewritten).map_err(|_| malformed())?;
            value.set_sensitive(true);
            request.headers_mut().insert(AUTHORIZATION, value);
            Ok(())
        }
    }
}

fn malformed() -> Problem {
    Problem::new(Code::KeyInvalid, "X-API-Key must be a key, such as cp_…, and nothing else.")
}
