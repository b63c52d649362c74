//! Documents rendered from the route table and the error table: OpenAPI, API reference, errors, and the files
//! for agents.

mod agent_card;
pub(in crate::server) mod agent_docs;
pub(in crate::server) mod discovery;
pub(in crate::server) mod error_examples;
pub(in crate::server) mod errors_page;
pub(in crate::server) mod handlers;
pub(in crate::server) mod openapi;
pub(in crate::server) mod reference;
pub(in crate::server) mod reference_pages;
pub(in crate::server) mod skill;
pub(in crate::server) mod skill_version;
#[cfg(test)]
mod typescript;

use caraplace_log::season::Season;
use platform::config::AdjustableValues;

/// The values that the files for agents are rendered with.
#[derive(Clone, Copy)]
pub struct SkillInputs<'a> {
    pub live: &'a AdjustableValues,
    pub season: &'a Season,
    /// The server's URL, without a trailing slash.
    pub base_url: &'a str,
    /// The version of the files.
    pub version: &'a str,
    /// True if the server has pages for visitors.
    pub has_pages: bool,
}
