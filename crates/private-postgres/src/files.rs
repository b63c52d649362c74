//! Private files and folders, and errors with their paths.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use super::error::StartError;

/// Returns a function that converts an I/O error into a [`StartError`] with this path.
pub(super) fn path_error(path: &Path) -> impl FnOnce(io::Error) -> StartError {
    let path = path.to_owned();
    move |source| StartError::Folder { path, source }
}

/// Creates a folder that only its owner may enter. Returns `false` if the path exists already.
pub(super) fn create_private(path: &Path) -> io::Result<bool> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        result => result.map(|()| true),
    }
}

/// Returns the text of a file; `None` if there is no such file.
pub(super) fn read_if_present(file: &Path) -> Result<Option<String>, StartError> {
    match fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some).map_err(path_error(file)),
    }
}

/// Writes a new file that only its owner may read, and waits until it is on disk. An existing file is removed
/// first, so that a process that has it open does not get the new text.
pub(super) fn write_private(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_ref())?;
    file.sync_all()
}

/// Replaces a file that only its owner may read atomically, so that no reader finds a partial text.
/// `give_ownership` sets the new file's owner.
pub(super) fn replace_private(
    path: &Path,
    text: impl AsRef<[u8]>,
    give_ownership: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    let temporary = path.with_added_extension("new");
    write_private(&temporary, text)?;
    give_ownership(&temporary)?;
    move_into_place(&temporary, path)
}

/// Renames a file or folder within its folder, and waits until the change is on disk.
pub(super) fn move_into_place(temporary: &Path, path: &Path) -> io::Result<()> {
    fs::rename(temporary, path)?;
    match path.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}
