//! `POST /oauth/token` and `POST /oauth/revoke`.

use actix_web::http::header::AUTHORIZATION;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use caraplace_accounts::oauth::exchange::{self, CodeExchange};
use caraplace_accounts::oauth::{ACCESS_TOKEN_LIFETIME, SCOPE, clients};
use caraplace_companion::app::App;
use caraplace_http::HandlerResult;
use caraplace_http::request::query::QueryParams;
use caraplace_http::request::{authentication, body};
use caraplace_http::response::no_store::{no_store, no_store_json};
use caraplace_http::state::HttpState;
use serde_json::json;

use super::fields::{Fields, missing};
use super::refusal::{OAuthRefusal, respond};

/// Returns tokens for a code or a refresh token.
pub async fn token(
    request: HttpRequest,
    payload: Payload,
    app: Data<App>,
    http_state: Data<HttpState>,
) -> HandlerResult {
    respond(issue_tokens(&request, payload, &app, &http_state).await)
}

/// Revokes a token with its grant.
pub async fn revoke(request: HttpRequest, payload: Payload, app: Data<App>) -> HandlerResult {
    respond(revoke_token(&request, payload, &app).await)
}

async fn issue_tokens(
    request: &HttpRequest,
    payload: Payload,
    app: &App,
    http_state: &HttpState,
) -> Result<HttpResponse, OAuthRefusal> {
    let form = read_form(request, payload).await?;
    let fields = Fields(&form);
    let grant_type = fields.required("grant_type")?;
    let client = authenticate_client(request, app, &fields).await?;
    fields.check_resource(&http_state.base_url)?;
    let tokens = match grant_type {
        "authorization_code" => {
            let exchange = CodeExchange {
                code: fields.required("code")?,
                client,
                redirect_uri: fields.text("redirect_uri")?,
                verifier: fields.required("code_verifier")?,
            };
            exchange::redeem_code(&app.state, &exchange).await?
        }
        "refresh_token" => exchange::refresh(&app.state, fields.required("refresh_token")?, client).await?,
        _ => {
            let description = "grant_type must be authorization_code or refresh_token.";
            return Err(OAuthRefusal::new("unsupported_grant_type", description));
        }
    };
    Ok(no_store_json(json!({
        "access_token": tokens.access_token,
        "token_type": "Bearer",
        "expires_in": ACCESS_TOKEN_LIFETIME.num_seconds(),
        "refresh_token": tokens.refresh_token,
        "scope": SCOPE,
    })))
}

async fn revoke_token(
    request: &HttpRequest,
    payload: Payload,
    app: &App,
) -> Result<HttpResponse, OAuthRefusal> {
    let form = read_form(request, payload).await?;
    let fields = Fields(&form);
    exchange::revoke(&app.state, fields.required("token")?, fields.text("client_id")?).await?;
    Ok(no_store(HttpResponse::Ok()).finish())
}

async fn read_form(request: &HttpRequest, payload: Payload) -> Result<QueryParams, OAuthRefusal> {
    let raw = body::read(request, &mut payload.into_inner()).await?;
    body::check_is_form(request)?;
    authentication::count_request(request, None)?;
    Ok(QueryParams::from_form(&raw)?)
}

/// Returns the id of the client, which must be registered. It has no secret.
async fn authenticate_client<'a>(
    request: &HttpRequest,
    app: &App,
    fields: &Fields<'a>,
) -> Result<&'a str, OAuthRefusal> {
    let invalid = |description| OAuthRefusal::new("invalid_client", description);
    let Some(id) = fields.text("client_id")? else {
        if request.headers().contains_key(AUTHORIZATION) {
            return Err(invalid(
                "Clients have no secret here: send client_id as a field, without Authorization.",
            ));
        }
        return Err(OAuthRefusal::invalid_request(missing("client_id")));
    };
    match clients::find(&app.state, id).await? {
        Some(_) => Ok(id),
        None => Err(invalid("There is no client with this client_id. Register again at /oauth/register.")),
    }
}
