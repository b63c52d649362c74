//! HTTP: the route table, the error table, authentication, and the handlers, with one file per noun.

mod admin;
pub mod api;
mod docs;
mod mcp;
mod request;
pub mod response;
pub mod routes;
pub mod server;
pub mod state;
mod tool_context;
pub mod transport;
mod web;

use crate::server::http::response::problem::Problem;
use actix_web::HttpResponse;

/// The result of a handler.
type HandlerResult = Result<HttpResponse, Problem>;
