//! PostgreSQL's own log, a file of limited size in the data folder.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

/// Maximum size in bytes. A server usually writes a few lines an hour, and some hundred a minute if it has
/// problems.
const MAX_LOG_BYTES: u64 = 32 * 1024 * 1024;

/// The file for PostgreSQL's standard error. Its own log collector is not used, because that process outlives
/// the postmaster.
#[derive(Debug)]
pub(super) struct PostgresLog {
    /// The path of the file.
    pub(super) path: PathBuf,
}

impl PostgresLog {
    /// Opens the file for a postmaster. Also returns its current length in bytes.
    pub(super) fn open(&self) -> io::Result<(File, u64)> {
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&self.path)?;
        let length = file.metadata()?.len();
        Ok((file, length))
    }

    /// Returns the text that was written after this length.
    pub(super) fn read_since(&self, length: u64) -> io::Result<Vec<u8>> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(length))?;
        let mut text = Vec::new();
        file.take(MAX_LOG_BYTES).read_to_end(&mut text)?;
        Ok(text)
    }

    /// Moves the text to `.old` if it is too large. The file itself is emptied and not replaced, because a
    /// running postmaster has it open. Text that is written meanwhile is lost.
    pub(super) fn rotate_if_large(&self) -> io::Result<()> {
        if fs::metadata(&self.path)?.len() > MAX_LOG_BYTES {
            fs::copy(&self.path, self.path.with_extension("log.old"))?;
            OpenOptions::new().write(true).open(&self.path)?.set_len(0)?;
        }
        Ok(())
    }
}
