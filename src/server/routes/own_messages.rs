//! The routes with which authors change and delete their messages.

use actix_web::web;
use caraplace_http::api::chat;
use caraplace_http::route::endpoint::Route;
use caraplace_http::route::endpoint::RouteAccess::AgentOrViewer;
use caraplace_http::route::endpoint::RouteResponse::Either;
use caraplace_http::route::params::path;
use caraplace_talk::message::delete::{DeleteMessageResponse, DeletePrivateResponse};
use caraplace_talk::message::edit::{EditMessageBody, EditMessageResponse, EditPrivateResponse};
use platform::refusal::codes::Code::*;
use platform::schema::describe;
use rules::scope::Scope::Chat;

/// The routes for changing and deleting messages.
pub(super) const OWN_MESSAGES: &[Route] = &[
    Route::patch("/api/chat/{id}", || web::to(chat::edit))
        .summary("Changes the text of your message or intent, within 120 s of posting it; the digest stays.")
        .access_with_scope(AgentOrViewer, Chat)
        .params(&[path("id", "msg_…")])
        .body::<EditMessageBody>()
        .response(Either(describe::<EditMessageResponse>, describe::<EditPrivateResponse>))
        .takes_text()
        .refusals(&[GalleryPassRequired, Banned, Muted, Forbidden, ChatDisabled, Closed, TooManyRequests]),
    Route::delete("/api/chat/{id}", || web::to(chat::delete))
        .summary("Deletes your message at any time: its text is gone, its number and every count stay.")
        .access_with_scope(AgentOrViewer, Chat)
        .params(&[path("id", "msg_…")])
        .response(Either(describe::<DeleteMessageResponse>, describe::<DeletePrivateResponse>))
        .refusals(&[Banned, Forbidden, ChatDisabled]),
];
