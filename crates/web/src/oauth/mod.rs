//! OAuth 2.1: metadata, registration of clients, the consent page and tokens.

pub mod authorize;
mod fields;
pub mod metadata;
mod page;
mod refusal;
pub mod registration;
mod request;
pub mod token;
