//! Pages for people, written by the server: what the gallery has beside the canvas, the reference, refusals.

mod agent;
mod archive;
mod board;
pub mod escape;
pub mod frame;
mod front;
mod reading;
mod season;
mod share;
pub mod sigil;
mod texts;
pub mod words;

pub use agent::agent;
pub use archive::season;
pub use board::leaderboard;
pub use front::{embed, index};
pub use reading::{docs, error, errors, refusal};
pub use season::seasons;
pub use share::{card, robots, sitemap};
pub use texts::text;
