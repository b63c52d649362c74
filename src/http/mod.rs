//! Speaks HTTP: the URL table, the error table, who is calling, and one file per noun.

mod admin;
pub mod api;
mod docs;
mod mcp;
mod request;
pub mod response;
pub mod routes;
pub mod server;
pub mod state;
pub mod transport;
mod web;

use crate::http::response::problem::Problem;
use actix_web::HttpResponse;

/// What every handler gives back.
type HandlerResult = Result<HttpResponse, Problem>;
