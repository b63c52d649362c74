//! The program's use of the private PostgreSQL, which has its own tests in `crates/private-postgres/`.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a failed assumption must fail the test")]

mod backup;
mod command;
#[allow(dead_code, reason = "the tests of the private PostgreSQL use the rest")]
#[path = "../../crates/private-postgres/tests/postgres/postmaster.rs"]
mod postmaster;
#[allow(dead_code, reason = "as above")]
#[path = "../../crates/private-postgres/tests/postgres/support.rs"]
mod support;
