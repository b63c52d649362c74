//! PostgreSQL's own log, a file in the data folder that is kept from growing without end.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

/// Bytes. A quiet server writes a few lines an hour, a troubled one some hundred a minute.
const MAX_LOG_BYTES: u64 = 32 * 1024 * 1024;

/// The file that PostgreSQL's standard error goes to. Not its own log collector: that would be a
/// process that outlives the postmaster.
#[derive(Debug)]
pub(super) struct PostgresLog {
    /// The path of the file.
    pub(super) path: PathBuf,
}

impl PostgresLog {
    /// Opens it for a postmaster, together with its present length in bytes.
    pub(super) fn open(&self) -> io::Result<(File, u64)> {
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&self.path)?;
        let length = file.metadata()?.len();
        Ok((file, length))
    }

    /// What was written after that length.
    pub(super) fn read_since(&self, length: u64) -> io::Result<Vec<u8>> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(length))?;
        let mut text = Vec::new();
        file.take(MAX_LOG_BYTES).read_to_end(&mut text)?;
        Ok(text)
    }

    /// Moves the text aside to `.old` once it is too large. The file itself stays, emptied, because a
    /// running postmaster holds it open; what it writes in between is lost.
    pub(super) fn rotate_if_large(&self) -> io::Result<()> {
        if fs::metadata(&self.path)?.len() > MAX_LOG_BYTES {
            fs::copy(&self.path, self.path.with_extension("log.old"))?;
            OpenOptions::new().write(true).open(&self.path)?.set_len(0)?;
        }
        Ok(())
    }
}
