//! The routes of OAuth, by which MCP clients sign in: metadata, registration, consent and tokens.

use actix_web::web;
use caraplace_http::route::endpoint::{AUTHORIZE_PATH, ParamKind, Route};
use caraplace_http::route::params::query;
use caraplace_web::oauth::{authorize, metadata, registration, token};
use platform::refusal::codes::Code::*;

/// The routes of OAuth.
pub(super) const OAUTH: &[Route] = &[
    Route::get("/.well-known/oauth-protected-resource", || web::to(metadata::resource))
        .summary("Where clients of /mcp sign in (RFC 9728)."),
    Route::get("/.well-known/oauth-protected-resource/mcp", || web::to(metadata::resource))
        .summary("The same as /.well-known/oauth-protected-resource, at the path that belongs to /mcp."),
    Route::get("/.well-known/oauth-authorization-server", || web::to(metadata::server))
        .summary("The endpoints of OAuth 2.1 for clients of /mcp (RFC 8414)."),
    Route::post("/oauth/register", || web::to(registration::register))
        .summary("Registers a client of OAuth (RFC 7591). All clients are public and use PKCE.")
        .refusals(&[TooManyRequests, DatabaseUnavailable]),
    Route::page(AUTHORIZE_PATH, || web::to(authorize::show))
        .params(&[
            query("client_id", ParamKind::Text, "the client's id, from POST /oauth/register").required(),
            query("redirect_uri", ParamKind::Text, "an address that the client has registered"),
        ])
        .refusals(&[TooManyRequests, DatabaseUnavailable]),
    Route::form(AUTHORIZE_PATH, || web::to(authorize::answer)),
    Route::post("/oauth/token", || web::to(token::token))
        .summary(
            "Returns access and refresh tokens for a code or a refresh token (OAuth 2.1; a form, not JSON). \
             Access tokens work at /mcp only.",
        )
        .refusals(&[TooManyRequests, DatabaseUnavailable]),
    Route::post("/oauth/revoke", || web::to(token::revoke))
        .summary("Revokes a token and all others of the same consent (RFC 7009; a form, not JSON).")
        .refusals(&[TooManyRequests, DatabaseUnavailable]),
];
