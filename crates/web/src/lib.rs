//! Pages for people: the public pages, the console, the gallery, and the files of the canvas page.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "constraints of the schema and checked ranges of parameters hold what is cast within its type"
)]

// Templates name functions of this crate, also those templates that the server derives.
extern crate self as caraplace_web;

pub mod assets;
pub mod console;
pub mod content_policy;
pub mod gallery;
pub mod language;
pub mod messages;
pub mod oauth;
pub mod page_files;
pub mod pages;
mod public_files;
