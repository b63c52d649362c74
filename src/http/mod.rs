//! Speaks HTTP: the URL table, the error table, who is calling, and one file per noun.

mod address;
mod agents;
mod assets;
mod body;
mod canvas;
mod chat;
pub mod codes;
mod dress;
mod events;
mod form;
mod idempotency;
mod intake;
pub mod limits;
mod negotiate;
pub mod openapi;
mod pages;
mod pixels;
mod problem;
mod query;
pub mod routes;
mod service;
mod skill;

pub use assets::Assets;
pub use dress::dress;
pub use idempotency::InFlight;
pub use routes::mount;
pub use skill::SkillFiles;

use actix_web::HttpResponse;
use problem::Problem;

/// What every handler gives back.
type Answer = Result<HttpResponse, Problem>;
