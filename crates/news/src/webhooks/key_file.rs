//! The key of webhooks' secrets in the data folder of a private PostgreSQL, for servers without a key in the
//! settings.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use platform::config::{Config, Secret};
use platform::tokens;

/// The name of the file.
const FILE: &str = "webhook_key";

/// A key file that can be neither read nor written.
#[derive(Debug, thiserror::Error)]
#[error("The key of webhooks in {path} cannot be used ({error}). Check it, or set CARAPLACE_WEBHOOK_KEY.")]
pub struct KeyFileError {
    path: String,
    error: io::Error,
}

/// Returns the settings with the key of the file. It follows the keys of the settings, so that secrets from
/// before they were set can still be decrypted. Without a key in the settings, the file is created if it does
/// not exist; with another database than the private one, they stay as they are then.
///
/// # Errors
/// If the file can be neither read nor written.
pub fn with_key_file(mut config: Config) -> Result<Config, KeyFileError> {
    let path = config.data_dir.join(FILE);
    let failed = |error| KeyFileError { path: path.display().to_string(), error };
    let key = match &config.outgoing.webhook_key {
        Some(keys) => {
            let from_file = read(&path).map_err(failed)?;
            from_file.map(|key| Secret::new(&format!("{},{}", keys.expose(), key.expose())))
        }
        None if config.database_url.is_none() => Some(read_or_create(&path).map_err(failed)?),
        None => None,
    };
    if key.is_some() {
        config.outgoing.webhook_key = key;
    }
    Ok(config)
}

fn read_or_create(path: &Path) -> io::Result<Secret> {
    match read(path)? {
        Some(key) => Ok(key),
        None => create(path),
    }
}

/// Returns the key of the file; `None` if there is no file.
fn read(path: &Path) -> io::Result<Option<Secret>> {
    match fs::read_to_string(path) {
        Ok(text) if !text.trim().is_empty() => Ok(Some(Secret::new(text.trim()))),
        Ok(_) => Err(io::Error::new(io::ErrorKind::InvalidData, "the file is empty")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Creates the file, complete and on disk before it has its name: with half of a key, secrets would be lost.
fn create(path: &Path) -> io::Result<Secret> {
    let key = tokens::new_token().map_err(|_| io::Error::other("the system provides no randomness"))?;
    let unfinished = PathBuf::from(format!("{}.new", path.display()));
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&unfinished)?;
    writeln!(file, "{key}")?;
    file.sync_all()?;
    fs::rename(&unfinished, path)?;
    if let Some(folder) = path.parent() {
        fs::File::open(folder)?.sync_all()?;
    }
    Ok(Secret::new(&key))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn config(data_dir: &Path, other_name: &str, other_value: &str) -> Config {
        let data_dir = data_dir.display().to_string();
        Config::read(|name| match name {
            "CARAPLACE_DATA_DIR" => Some(data_dir.clone()),
            name if name == other_name => Some(other_value.to_owned()),
            _ => None,
        })
        .unwrap()
    }

    fn key(config: Config) -> Option<String> {
        with_key_file(config).unwrap().outgoing.webhook_key.map(|key| key.expose().to_owned())
    }

    #[test]
    fn file_is_created_once_and_only_its_owner_can_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let first = key(config(folder.path(), "", "")).unwrap();
        assert_eq!(key(config(folder.path(), "", "")), Some(first.clone()));
        let mode = fs::metadata(folder.path().join(FILE)).unwrap().permissions().mode();
        assert_eq!((mode & 0o777, first.len()), (0o600, tokens::TOKEN_CHARS));
        fs::write(folder.path().join(FILE), "").unwrap();
        assert!(with_key_file(config(folder.path(), "", "")).is_err());
    }

    #[test]
    fn no_file_is_made_beside_a_key_or_another_database() {
        let folder = tempfile::tempdir().unwrap();
        let chosen = "k".repeat(32);
        assert_eq!(key(config(folder.path(), "CARAPLACE_WEBHOOK_KEY", &chosen)), Some(chosen.clone()));
        assert_eq!(key(config(folder.path(), "DATABASE_URL", "postgres://localhost/x")), None);
        assert!(!folder.path().join(FILE).exists());
    }

    #[test]
    fn key_of_the_file_follows_those_of_the_settings() {
        let folder = tempfile::tempdir().unwrap();
        let from_file = key(config(folder.path(), "", "")).unwrap();
        let chosen = "k".repeat(32);
        let both = key(config(folder.path(), "CARAPLACE_WEBHOOK_KEY", &chosen));
        assert_eq!(both, Some(format!("{chosen},{from_file}")));
        assert_eq!(key(config(folder.path(), "DATABASE_URL", "postgres://localhost/x")), None);
    }
}
