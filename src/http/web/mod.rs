//! Pages for people: the public pages, the console, the gallery, and the files of the canvas page.

pub(in crate::http) mod assets;
pub(in crate::http) mod console;
pub(in crate::http) mod gallery;
pub(in crate::http) mod language;
pub(in crate::http) mod messages;
pub(in crate::http) mod oauth;
pub(in crate::http) mod page_files;
pub(in crate::http) mod pages;
mod public_files;
