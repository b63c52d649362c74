//! HTTP: sockets, reading requests, writing responses, the types of the route table, and the JSON handlers of
//! the API.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "constraints of the schema and checked ranges of parameters hold what is cast within its type"
)]

pub mod admin;
pub mod api;
pub mod request;
pub mod response;
pub mod route;
pub mod state;
pub mod tool_context;
pub mod transport;

use actix_web::HttpResponse;

use response::problem::Problem;

/// The result of a handler: a response, or the problem that is sent instead.
pub type HandlerResult = Result<HttpResponse, Problem>;
