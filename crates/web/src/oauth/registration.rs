//! `POST /oauth/register`: dynamic client registration (RFC 7591).

use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use caraplace_accounts::oauth::SCOPE;
use caraplace_accounts::oauth::clients::{self, MAX_REDIRECT_URIS};
use caraplace_accounts::oauth::redirect_uri::RedirectUri;
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::{address, authentication, body};
use caraplace_http::response::no_store::no_store_created;
use caraplace_http::state::HttpState;
use platform::input::json::without_byte_order_mark;
use serde::Deserialize;
use serde_json::json;

use super::refusal::{OAuthRefusal, respond};

const GRANT_TYPES: [&str; 2] = ["authorization_code", "refresh_token"];
const RESPONSE_TYPE: &str = "code";

/// The metadata that a client sends of itself. Other fields are ignored, as the standard wants.
#[derive(Deserialize)]
struct ClientMetadata {
    redirect_uris: Option<Vec<String>>,
    client_name: Option<String>,
    grant_types: Option<Vec<String>>,
    response_types: Option<Vec<String>>,
}

/// Registers a client.
pub async fn register(
    request: HttpRequest,
    payload: Payload,
    app: Data<App>,
    http_state: Data<HttpState>,
) -> HandlerResult {
    respond(register_client(&request, payload, &app, &http_state).await)
}

async fn register_client(
    request: &HttpRequest,
    payload: Payload,
    app: &App,
    http_state: &HttpState,
) -> Result<HttpResponse, OAuthRefusal> {
    let raw = body::read(request, &mut payload.into_inner()).await?;
    body::check_is_json(request)?;
    authentication::count_request(request, None)?;
    let metadata: ClientMetadata = serde_json::from_slice(without_byte_order_mark(&raw))
        .map_err(|error| invalid_metadata(format!("The body is not the metadata of a client: {error}.")))?;
    let redirect_uris = check_metadata(&metadata)?;
    let address = address::rate_limit_address(request, &http_state.trusted_proxies);
    http_state.rate_limits.count_oauth_client(address)?;
    let registered = clients::register(&app.state, metadata.client_name.as_deref(), redirect_uris).await;
    let (client, registered_at) = registered?;
    Ok(no_store_created(json!({
        "client_id": client.id,
        "client_id_issued_at": registered_at.timestamp(),
        "client_name": client.name,
        "redirect_uris": client.redirect_uris,
        "grant_types": GRANT_TYPES,
        "response_types": [RESPONSE_TYPE],
        "token_endpoint_auth_method": "none",
        "scope": SCOPE,
    })))
}

/// Checks the metadata of a client, and returns its redirect URIs.
fn check_metadata(metadata: &ClientMetadata) -> Result<Vec<String>, OAuthRefusal> {
    let contains = |list: &Option<Vec<String>>, value| {
        list.as_ref().is_none_or(|list| list.iter().any(|known| known == value))
    };
    if !contains(&metadata.grant_types, GRANT_TYPES[0]) || !contains(&metadata.response_types, RESPONSE_TYPE)
    {
        return Err(invalid_metadata(
            "Clients here use the grant type authorization_code and the response type code.",
        ));
    }
    let uris = metadata.redirect_uris.clone().unwrap_or_default();
    if uris.is_empty() || uris.len() > MAX_REDIRECT_URIS {
        return Err(invalid_metadata(format!("redirect_uris must have 1 to {MAX_REDIRECT_URIS} entries.")));
    }
    match uris.iter().find(|uri| RedirectUri::parse(uri).is_none()) {
        None => Ok(uris),
        Some(_) => Err(OAuthRefusal::new(
            "invalid_redirect_uri",
            "A redirect URI must use https, or http on localhost, 127.0.0.1 or [::1], or a scheme of an app \
             such as com.example.app:/callback; without a fragment or a user name.",
        )),
    }
}

fn invalid_metadata(description: impl Into<String>) -> OAuthRefusal {
    OAuthRefusal::new("invalid_client_metadata", description)
}
