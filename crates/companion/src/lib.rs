//! Programs that act for somebody: the tools of models, and the guide with its drafts.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "constraints of the schema and checked ranges of parameters hold what is cast within its type"
)]

pub mod app;
pub mod drafts;
pub mod guide;
pub mod tools;
