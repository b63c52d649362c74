//! `/api/admin`: what operators do, for programs and for the console's pages. One file per noun.

pub mod keys;
pub mod session;

/// What operators see is nobody else's business.
const NEVER_STORED: (&str, &str) = ("Cache-Control", "no-store");
