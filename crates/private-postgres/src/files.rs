//! Private files and folders, and errors that name them.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use super::error::StartError;

/// Turns an I/O error into a [`StartError`] that names the path.
pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> StartError {
    let path = path.to_owned();
    move |source| StartError::Folder { path, source }
}

/// Makes a folder that only its owner may enter; fails if there is something already.
pub(super) fn create_private(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Writes a new file that only its owner may read, and waits until it is on disk. An older file of that name is
/// removed, so that no reader of it gets the new text.
pub(super) fn write_private(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_ref())?;
    file.sync_all()
}
