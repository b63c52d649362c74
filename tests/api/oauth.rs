//! OAuth 2.1 for MCP clients, step by step and with the protocol's official clients.

mod authorize;
mod browser;
mod clients;
mod codes;
mod conformance;
mod flow;
mod limits;
mod metadata;
mod refresh;
mod registration;
mod tokens;
