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
mod canvas;
mod chat;
#[allow(dead_code, reason = "benches/gallery uses the rest")]
mod chrome;
mod console;
mod driver;
mod embed;
mod first_load;
mod first_view;
mod fixtures;
mod hostile;
mod input;
mod keyboard;
mod live;
mod outage;
mod page;
mod pages;
mod pixel_accuracy;
mod pixel_card;
mod reports_and_passes;
mod resume;
mod screen_sizes;
mod season;
mod states;
mod time_bar;
