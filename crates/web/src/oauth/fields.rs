//! The fields of OAuth's requests. Unknown ones are ignored, and repeated ones refused (RFC 6749, 3.1).

use caraplace_http::request::query::QueryParams;

use super::refusal::OAuthRefusal;

/// The fields of a program's request.
pub struct Fields<'a>(pub &'a QueryParams);

impl<'a> Fields<'a> {
    /// Returns a field; `None` if it is absent or empty, which means the same (RFC 6749, 3.1).
    pub fn text(&self, name: &str) -> Result<Option<&'a str>, OAuthRefusal> {
        text(self.0, name).map_err(OAuthRefusal::invalid_request)
    }

    /// Returns a field that must be there.
    pub fn required(&self, name: &str) -> Result<&'a str, OAuthRefusal> {
        self.text(name)?.ok_or_else(|| OAuthRefusal::invalid_request(missing(name)))
    }

    /// Checks that the tokens that a request asks for are for `/mcp`. Without the field, they are anyway.
    pub fn check_resource(&self, base_url: &str) -> Result<(), OAuthRefusal> {
        let is_ours = is_for_this_server(self.0, base_url);
        is_ours.then_some(()).ok_or_else(|| OAuthRefusal::new("invalid_target", other_resource(base_url)))
    }
}

/// Returns a parameter; `None` if it is absent or empty.
///
/// # Errors
/// A sentence if it is repeated.
pub fn text<'a>(params: &'a QueryParams, name: &str) -> Result<Option<&'a str>, String> {
    let text = params.text(name).map_err(|problem| problem.detail)?;
    Ok(text.filter(|text| !text.is_empty()))
}

/// Returns true if every `resource` (RFC 8707, it may be repeated) names `/mcp` or this server.
pub fn is_for_this_server(params: &QueryParams, base_url: &str) -> bool {
    let is_ours = |uri: &str| {
        uri.strip_prefix(base_url).is_some_and(|rest| matches!(rest.trim_end_matches('/'), "" | "/mcp"))
    };
    params.pairs().filter(|(name, _)| *name == "resource").all(|(_, uri)| uri.is_empty() || is_ours(uri))
}

/// Returns the sentence about a resource of another server.
pub fn other_resource(base_url: &str) -> String {
    format!("resource must be {base_url}/mcp.")
}

/// Returns the sentence about a missing field.
pub fn missing(name: &str) -> String {
    format!("{name} is missing.")
}
