//! Speaks HTTP: the URL table, the error table, who is calling, and one file per noun.

mod address;
mod admin;
mod agents;
mod appeals;
mod assets;
mod body;
mod canvas;
mod capacity;
mod chat;
pub mod codes;
mod connections;
mod console;
mod cookies;
mod cors;
pub mod door;
pub mod dress;
mod events;
mod explain;
mod files;
mod form;
mod gallery;
mod guesses;
mod heat;
mod home;
mod idempotency;
mod inbox;
mod intake;
mod limited;
mod limits;
mod lines;
mod markup;
mod mcp;
mod measure;
mod metrics_access;
mod negotiate;
mod object;
mod open_connections;
mod openapi;
mod operator;
mod origin;
mod pages;
mod past;
mod patience;
mod person;
pub mod pixels;
mod problem;
mod query;
mod reference;
mod refusals;
mod reports;
mod request_id;
pub mod routes;
mod seasons;
pub mod server;
mod service;
mod skill;
mod standing;
mod stream_slots;
mod timelapse;
pub mod turns;
mod wire;
mod written;

use crate::refusal::Refusal;
use actix_web::HttpResponse;
use problem::Problem;

/// What every handler gives back.
type Answer = Result<HttpResponse, Problem>;

/// A refusal in words, for doors that do not speak HTTP.
pub fn sentence(refusal: Refusal) -> String {
    let problem = Problem::from(refusal);
    format!("{}. {}", problem.code.line().title, problem.detail)
}
