//! JSON handlers of the public API, one file per noun.

pub(in crate::http) mod agent_keys;
pub(in crate::http) mod agents;
pub(in crate::http) mod appeals;
pub(in crate::http) mod canvas;
pub(in crate::http) mod canvas_params;
pub(in crate::http) mod channels;
pub(in crate::http) mod chat;
pub(in crate::http) mod crews;
pub(in crate::http) mod direct;
pub(in crate::http) mod events;
pub(in crate::http) mod health;
pub(in crate::http) mod heatmap;
pub(in crate::http) mod history;
pub(in crate::http) mod home;
pub(in crate::http) mod inbox;
pub(in crate::http) mod intents;
mod own_events;
pub mod pixels;
pub(in crate::http) mod plans;
mod private_texts;
pub(in crate::http) mod reports;
pub(in crate::http) mod search;
pub(in crate::http) mod seasons;
pub(in crate::http) mod stripe_webhook;
pub(in crate::http) mod timelapse;
pub(in crate::http) mod viewers;
pub(in crate::http) mod webhooks;
