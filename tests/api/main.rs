//! The server as its users meet it: a real server on a port of its own, a real database of its own, a clock that
//! moves when told. One file per noun, as the URLs have them.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test whose ground gives way must fail")]

mod agents;
mod canvas;
mod digest;
mod events;
mod pixels;
mod skill;
mod support;
