//! The page in Debian's Chromium, on a real server with a database of its own.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a failed assumption must fail the test")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the numbers are small constants"
)]

#[allow(dead_code, unused_imports, reason = "the test support of tests/api, of which only a part is used")]
#[path = "../api/support/mod.rs"]
mod support;

mod archive;
mod avatars;
mod axe;
mod canvas;
mod captions;
mod card_history;
mod chat;

#[allow(dead_code, reason = "benches/gallery uses the rest")]
mod chrome;
mod consent;
mod console;
mod deep_link;
mod drawing_cost;
mod driver;
mod edits;
mod embed;
mod first_load;
mod first_view;
mod fixtures;
mod formats;
mod guide;
mod hostile;
mod inbox;
mod input;
mod intents;
mod keyboard;
mod language;
mod large_canvas;
mod layout;
mod live;
mod menu;
mod message_pages;
mod notifications;
mod outage;
mod page;
mod pages;
mod past;
mod pixel_accuracy;
mod pixel_card;
mod plan_pages;
mod plan_requests;
mod plans;
mod rectangle;
mod replay;
mod reports_and_passes;
mod resume;
mod sample_crew;
mod sample_plans;
mod screen_sizes;
mod search;
mod season;
mod states;
mod time_bar;
mod viewers;
