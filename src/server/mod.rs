//! The program: the route table with what serves it, the documents rendered from it, MCP, the command line,
//! tasks beside the requests, the deletion of old texts and of those of erased accounts, and the check of the
//! log.

mod accept;
pub mod answer_check;
pub mod cli;
mod docs;
mod erasure;
pub mod log_check;
mod mcp;
pub mod nouns;
pub mod response_headers;
pub mod retention;
pub mod routes;
pub mod running_server;
pub mod tasks;
