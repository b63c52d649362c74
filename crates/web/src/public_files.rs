//! The static files: embedded in the binary, or read from disk in debug builds.

use rust_embed::RustEmbed;

/// The files of the folder `public`.
#[derive(RustEmbed)]
#[folder = "../../public/"]
pub(super) struct PublicFiles;

/// Returns the text of a static file; empty if it does not exist.
pub(super) fn read_text(name: &str) -> String {
    let file = PublicFiles::get(name).map(|file| file.data.to_vec()).unwrap_or_default();
    String::from_utf8(file).unwrap_or_default()
}
