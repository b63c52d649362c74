//! Chooses the folder of PostgreSQL's socket, which only its user may enter, and writes the address.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

use super::account::Account;
use super::error::StartError;
use super::files::{create_private, write_private};
use super::folder::DataFolder;
use super::password::Password;
use super::pidfile::PidFile;

/// The port in the socket's name. Written everywhere, so that a PGPORT in someone's environment
/// does not lead elsewhere.
pub(super) const PORT: u16 = 5432;

/// The file with the path of the data folder, in a socket's folder outside of it.
const DATA_FOLDER: &str = "data_dir";

/// The bytes that RFC 3986 requires to be escaped, and those that it reserves.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The longest path in bytes of a socket's folder: systems allow 104 to 108 bytes for the whole.
const LONGEST: usize = 100 - "/.s.PGSQL.5432".len();

/// The socket's folder: where the running postmaster has it, or else in the data folder, or, where
/// that path is too long or cannot be written in an address, a short one in `/tmp`.
pub(super) fn choose(folder: &DataFolder, account: &Account) -> Result<PathBuf, StartError> {
    let running = PidFile::read(&folder.cluster()).filter(PidFile::is_alive);
    let places = running
        .and_then(|file| file.socket)
        .into_iter()
        .chain(Some(folder.path().join("socket")).filter(|path| fits(path)))
        .chain(in_tmp(folder.path()));
    for place in places {
        if matches!(make_private(&place, account), Ok(true)) && note_data_folder(&place, folder).is_ok() {
            return Ok(place);
        }
    }
    Err(StartError::NoSocketFolder { folder: folder.path().to_owned() })
}

/// The address of the database `caraplace` behind a socket in this folder, with its password.
pub(super) fn url(socket: &Path, password: &Password) -> String {
    let host = percent_encode(socket.as_os_str().as_bytes(), ESCAPED);
    let password = password.secret();
    format!("postgres://caraplace:{password}@localhost:{PORT}/caraplace?host={host}")
}

/// Removes the folder of a postmaster that has ended, unless anything is in it. The next start makes it anew; in `/tmp`
/// it would be litter.
pub(super) fn remove(socket: &Path) {
    let _ = fs::remove_file(socket.join(DATA_FOLDER));
    let _ = fs::remove_dir(socket);
}

/// The data folder whose PostgreSQL has its socket in this folder; `None` if that is not known.
pub(super) fn data_folder(socket: &Path) -> Option<PathBuf> {
    match fs::read(socket.join(DATA_FOLDER)) {
        Ok(path) => Some(PathBuf::from(OsString::from_vec(path))),
        Err(_) => socket.parent().map(Path::to_owned),
    }
}

/// Notes in a socket's folder outside the data folder to which one it belongs.
fn note_data_folder(socket: &Path, folder: &DataFolder) -> io::Result<()> {
    if socket.parent() == Some(folder.path()) {
        return Ok(());
    }
    let note = socket.join(DATA_FOLDER);
    let path = folder.path().as_os_str().as_bytes();
    match fs::read(&note) {
        Ok(noted) if noted == path => Ok(()),
        _ => write_private(&note, path),
    }
}

/// The lock file that PostgreSQL puts beside the socket.
pub(super) fn lock_file(socket: &Path) -> PathBuf {
    socket.join(format!(".s.PGSQL.{PORT}.lock"))
}

/// The setting that makes PostgreSQL listen there; quoted, because it is a list.
pub(super) fn setting(socket: &Path) -> OsString {
    let mut setting = b"unix_socket_directories=\"".to_vec();
    for byte in socket.as_os_str().as_bytes() {
        setting.extend(std::iter::repeat_n(*byte, if *byte == b'"' { 2 } else { 1 }));
    }
    setting.push(b'"');
    OsString::from_vec(setting)
}

fn fits(path: &Path) -> bool {
    // libpq takes a comma for a list of hosts; sqlx wants UTF-8.
    let plain = path.to_str().is_some_and(|text| !text.contains(','));
    plain && path.as_os_str().len() <= LONGEST
}

/// The same names at every start for the same data folder, several in case of squatters.
fn in_tmp(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let hash = blake3::hash(folder.as_os_str().as_bytes()).to_hex();
    (0..8).map(move |number| PathBuf::from(format!("/tmp/caraplace-{}-{number}", &hash[..12])))
}

/// Makes the folder, or checks that the one there is truly PostgreSQL's user's and private; false if it is not.
pub(super) fn make_private(path: &Path, account: &Account) -> io::Result<bool> {
    if create_private(path)? {
        account.adopt(path)?;
    }
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_dir() || !account.is(metadata.uid()) {
        return Ok(false);
    }
    if metadata.mode() & 0o777 != 0o700 {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::{Password, fits, url};
    use std::path::Path;

    #[test]
    fn an_address_escapes_special_characters() {
        let odd = Path::new("/a b/100%/ü+&");
        let password = Password::new().unwrap();
        let host = "%2Fa%20b%2F100%25%2F%C3%BC%2B%26";
        let written =
            format!("postgres://caraplace:{}@localhost:5432/caraplace?host={host}", password.secret());
        assert_eq!(url(odd, &password), written);
        let read = Password::of_address(&written).unwrap();
        assert_eq!(read.secret(), password.secret());
    }

    #[test]
    fn paths_that_no_address_can_hold_are_unusable() {
        assert!(fits(Path::new("/data/socket")));
        assert!(!fits(Path::new("/one,two/socket")));
        assert!(!fits(Path::new(&format!("/{}", "x".repeat(120)))));
    }
}
