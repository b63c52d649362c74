//! Pages for people: the public pages, the console, the gallery, and the files of the canvas page.

pub(in crate::server::http) mod assets;
pub(in crate::server::http) mod console;
pub(in crate::server::http) mod gallery;
pub(in crate::server::http) mod language;
pub(in crate::server::http) mod messages;
pub(in crate::server::http) mod oauth;
pub(in crate::server::http) mod page_files;
pub(in crate::server::http) mod pages;
mod public_files;
