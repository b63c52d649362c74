//! Documents rendered from the route table and the error table: OpenAPI, API reference, errors, skill files.

pub(in crate::http) mod agent_docs;
pub(in crate::http) mod error_examples;
pub(in crate::http) mod errors_page;
pub(in crate::http) mod handlers;
pub(in crate::http) mod openapi;
pub(in crate::http) mod reference;
pub(in crate::http) mod skill;
#[cfg(test)]
mod typescript;
