//! The public pages, rendered on the server.

mod agent;
mod canvas;
pub mod crews;
pub mod escape;
pub mod first_view;
pub mod head;
pub mod identicon;
mod leaderboard;
pub mod message_rows;
mod not_found;
pub mod plans;
mod refusal;
mod season;
mod seasons;
pub mod text_format;
mod text_pages;

pub use agent::agent;
pub use canvas::{EMBED_CSP, EMBED_PARAMS, embed, index, render_embed_refusal};
pub use leaderboard::leaderboard;
pub(crate) use refusal::next_step;
pub use refusal::render_refusal;
pub use season::season;
pub use seasons::seasons;
pub use text_pages::text;
