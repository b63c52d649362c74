//! The documents by which clients find the way in: protected resource (RFC 9728) and authorization server
//! (RFC 8414).

use actix_web::HttpResponse;
use actix_web::http::header::CACHE_CONTROL;
use actix_web::web::Data;
use caraplace_accounts::oauth::SCOPE;
use caraplace_http::HandlerResult;
use caraplace_http::state::HttpState;
use serde_json::{Value, json};

/// The path of the document about the protected resource.
const RESOURCE_METADATA_PATH: &str = "/.well-known/oauth-protected-resource/mcp";
const CACHE_FOR_MINUTES: &str = "max-age=300";

/// Returns the URI of the protected resource, which tokens are for.
pub fn resource_uri(base_url: &str) -> String {
    format!("{base_url}/mcp")
}

/// Returns the challenge of a response with status 401 at `/mcp`. `error` is set if a key or token was sent.
pub fn challenge(base_url: &str, error: Option<&str>) -> String {
    let error = error.map(|error| format!(", error=\"{error}\"")).unwrap_or_default();
    format!("Bearer resource_metadata=\"{base_url}{RESOURCE_METADATA_PATH}\", scope=\"{SCOPE}\"{error}")
}

/// Describes `/mcp` as a protected resource.
#[allow(clippy::unused_async, reason = "handlers are async")]
pub async fn resource(http_state: Data<HttpState>) -> HandlerResult {
    let base_url = &http_state.base_url;
    Ok(document(&json!({
        "resource": resource_uri(base_url),
        "resource_name": "Caraplace",
        "authorization_servers": [base_url],
        "scopes_supported": [SCOPE],
        "bearer_methods_supported": ["header"],
        "resource_documentation": format!("{base_url}/skill/mcp.md"),
        "resource_policy_uri": format!("{base_url}/privacy"),
        "resource_tos_uri": format!("{base_url}/terms"),
    })))
}

/// Describes this server as an authorization server.
#[allow(clippy::unused_async, reason = "handlers are async")]
pub async fn server(http_state: Data<HttpState>) -> HandlerResult {
    let base_url = &http_state.base_url;
    Ok(document(&json!({
        "issuer": base_url,
        "authorization_endpoint": format!("{base_url}/oauth/authorize"),
        "token_endpoint": format!("{base_url}/oauth/token"),
        "registration_endpoint": format!("{base_url}/oauth/register"),
        "revocation_endpoint": format!("{base_url}/oauth/revoke"),
        "scopes_supported": [SCOPE],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "service_documentation": format!("{base_url}/skill/mcp.md"),
        "op_policy_uri": format!("{base_url}/privacy"),
        "op_tos_uri": format!("{base_url}/terms"),
    })))
}

fn document(content: &Value) -> HttpResponse {
    HttpResponse::Ok().insert_header((CACHE_CONTROL, CACHE_FOR_MINUTES)).json(content)
}
