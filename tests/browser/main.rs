//! The page as a visitor meets it: Debian's Chromium on a real server, with a database of its own.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test whose ground gives way must fail")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the numbers are small, and chosen here"
)]

#[allow(dead_code, unused_imports, reason = "the harness of tests/api, of which a browser needs only a part")]
#[path = "../api/support/mod.rs"]
mod support;

mod axe;
mod budget;
mod canvas;
mod chat;
#[allow(dead_code, reason = "benches/gallery uses the rest")]
mod chrome;
mod driver;
mod embed;
mod first_load;
mod hand;
mod hostile;
mod inspect;
mod keyboard;
mod live;
mod office;
mod outage;
mod page;
mod pages;
mod people;
mod resume;
mod season;
mod sharp;
mod states;
mod time;
mod widths;
mod world;
