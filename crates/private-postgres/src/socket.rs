//! Chooses the folder of PostgreSQL's socket, which only PostgreSQL's user may enter, and builds the address.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

use super::data_folder::DataFolder;
use super::error::StartError;
use super::files::{create_private, write_private};
use super::os_user::OsUser;
use super::password::Password;
use super::pidfile::PidFile;

/// The port in the socket's name. It is always explicit, so that a PGPORT in the environment has no effect.
pub(super) const PORT: u16 = 5432;

/// The file with the path of the data folder, in a socket's folder outside of it.
const DATA_FOLDER_FILE: &str = "data_dir";

/// All bytes but the unreserved ones of RFC 3986.
const ESCAPED_BYTES: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Maximum length of the path of a socket's folder in bytes. Systems allow 104 to 108 bytes for the whole
/// path.
const MAX_FOLDER_BYTES: usize = 100 - "/.s.PGSQL.5432".len();

/// Returns the socket's folder: that of the running postmaster, or else the data folder, or a short path in
/// `/tmp` if that path is too long or cannot be part of an address.
pub(super) fn choose(folder: &DataFolder, account: &OsUser) -> Result<PathBuf, StartError> {
    let running = PidFile::read(&folder.cluster()).filter(PidFile::is_alive);
    let candidates = running
        .and_then(|file| file.socket)
        .into_iter()
        .chain(Some(folder.path().join("socket")).filter(|path| is_usable_path(path)))
        .chain(tmp_candidates(folder.path()));
    for candidate in candidates {
        if matches!(make_private(&candidate, account), Ok(true))
            && write_data_folder_file(&candidate, folder).is_ok()
        {
            return Ok(candidate);
        }
    }
    Err(StartError::NoSocketFolder { folder: folder.path().to_owned() })
}

/// Returns the address of the database `caraplace` with a socket in this folder, including its password.
pub(super) fn url(socket: &Path, password: &Password) -> String {
    let host = percent_encode(socket.as_os_str().as_bytes(), ESCAPED_BYTES);
    let password = password.secret();
    format!("postgres://caraplace:{password}@localhost:{PORT}/caraplace?host={host}")
}

/// Removes the folder of a postmaster that has ended, if it is empty. The next start creates it again.
pub(super) fn remove_folder(socket: &Path) {
    let _ = fs::remove_file(socket.join(DATA_FOLDER_FILE));
    let _ = fs::remove_dir(socket);
}

/// Returns the data folder whose PostgreSQL has its socket in this folder; `None` if it is unknown.
pub(super) fn find_data_folder(socket: &Path) -> Option<PathBuf> {
    match fs::read(socket.join(DATA_FOLDER_FILE)) {
        Ok(path) => Some(PathBuf::from(OsString::from_vec(path))),
        Err(_) => socket.parent().map(Path::to_owned),
    }
}

/// Writes the path of the data folder into a socket's folder outside of it.
fn write_data_folder_file(socket: &Path, folder: &DataFolder) -> io::Result<()> {
    if socket.parent() == Some(folder.path()) {
        return Ok(());
    }
    let file = socket.join(DATA_FOLDER_FILE);
    let path = folder.path().as_os_str().as_bytes();
    match fs::read(&file) {
        Ok(recorded) if recorded == path => Ok(()),
        _ => write_private(&file, path),
    }
}

/// Returns the lock file that PostgreSQL creates beside the socket.
pub(super) fn lock_file(socket: &Path) -> PathBuf {
    socket.join(format!(".s.PGSQL.{PORT}.lock"))
}

/// Returns the setting for the socket's folder, quoted because it is a list.
pub(super) fn directories_setting(socket: &Path) -> OsString {
    let mut setting = b"unix_socket_directories=\"".to_vec();
    for byte in socket.as_os_str().as_bytes() {
        setting.extend(std::iter::repeat_n(*byte, if *byte == b'"' { 2 } else { 1 }));
    }
    setting.push(b'"');
    OsString::from_vec(setting)
}

fn is_usable_path(path: &Path) -> bool {
    // libpq splits hosts at commas, and sqlx requires UTF-8.
    let is_plain = path.to_str().is_some_and(|text| !text.contains(','));
    is_plain && path.as_os_str().len() <= MAX_FOLDER_BYTES
}

/// Returns the same paths at every start for the same data folder; several, in case other users have created
/// some.
fn tmp_candidates(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let hash = blake3::hash(folder.as_os_str().as_bytes()).to_hex();
    (0..8).map(move |number| PathBuf::from(format!("/tmp/caraplace-{}-{number}", &hash[..12])))
}

/// Creates the folder, or checks that an existing one is owned by PostgreSQL's user and private. Returns
/// false if not.
pub(super) fn make_private(path: &Path, account: &OsUser) -> io::Result<bool> {
    if create_private(path)? {
        account.give_ownership(path)?;
    }
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_dir() || !account.has_uid(metadata.uid()) {
        return Ok(false);
    }
    if metadata.mode() & 0o777 != 0o700 {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::{Password, is_usable_path, url};
    use std::path::Path;

    #[test]
    fn an_address_escapes_special_characters() {
        let special = Path::new("/a b/100%/ü+&");
        let password = Password::new().unwrap();
        let host = "%2Fa%20b%2F100%25%2F%C3%BC%2B%26";
        let address =
            format!("postgres://caraplace:{}@localhost:5432/caraplace?host={host}", password.secret());
        assert_eq!(url(special, &password), address);
        let parsed = Password::from_url(&address).unwrap();
        assert_eq!(parsed.secret(), password.secret());
    }

    #[test]
    fn paths_that_no_address_can_hold_are_unusable() {
        assert!(is_usable_path(Path::new("/data/socket")));
        assert!(!is_usable_path(Path::new("/one,two/socket")));
        assert!(!is_usable_path(Path::new(&format!("/{}", "x".repeat(120)))));
    }
}
