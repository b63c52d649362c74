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
use crate::refusal::Refusal;
use actix_web::HttpResponse;

/// What every handler gives back.
type Answer = Result<HttpResponse, Problem>;

/// A refusal in words, for doors that do not speak HTTP.
pub fn sentence(refusal: Refusal) -> String {
    let problem = Problem::from(refusal);
    format!("{}. {}", problem.code.line().title, problem.detail)
}
