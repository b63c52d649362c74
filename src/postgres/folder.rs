//! The data folder: its lock, the places in it, and the address file.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::StartError;
use super::binaries::leading_number;

/// The data folder, locked for as long as this lives; the kernel frees the lock of a killed server.
#[derive(Debug)]
pub(super) struct DataFolder {
    path: PathBuf,
    _lock: File,
}

impl DataFolder {
    /// Makes the folder if it is missing and locks it against other servers.
    pub(super) fn lock(data_dir: &Path) -> Result<Self, StartError> {
        let path = create(data_dir).map_err(at(data_dir))?;
        let file = path.join("lock");
        let mut lock = open_lock(&file).map_err(at(&file))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use(path)),
            Err(TryLockError::Error(error)) => return Err(at(&file)(error)),
        }
        write_pid(&mut lock).map_err(at(&file))?;
        Ok(Self { path, _lock: lock })
    }

    /// The folder itself, absolute and without symbolic links.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of the cluster, whether it exists or not.
    pub(super) fn cluster(&self) -> PathBuf {
        self.path.join("postgres")
    }

    /// The major version that made the cluster; none when there is no cluster yet.
    pub(super) fn cluster_version(&self) -> Result<Option<(PathBuf, u32)>, StartError> {
        let file = self.cluster().join("PG_VERSION");
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(at(&file)(error)),
        };
        match leading_number(&text) {
            Some(major) => Ok(Some((self.cluster(), major))),
            None => Err(at(&file)(io::Error::other("it holds no version number"))),
        }
    }

    /// Writes the database's address where psql users and further instances find it.
    pub(super) fn write_url(&self, url: &str) -> Result<(), StartError> {
        let file = self.path.join("database_url");
        self.replace(&file, url).map_err(at(&file))
    }

    /// Replaces a file in one step, so that nobody reads half an address.
    fn replace(&self, file: &Path, line: &str) -> io::Result<()> {
        let draft = self.path.join("database_url.new");
        match fs::remove_file(&draft) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = OpenOptions::new();
        let mut open = options.write(true).create_new(true).mode(0o600).open(&draft)?;
        writeln!(open, "{line}")?;
        fs::rename(&draft, file)
    }
}

/// Turns an I/O error into a [`StartError`] that names the path.
pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> StartError {
    let path = path.to_owned();
    move |source| StartError::Folder { path, source }
}

/// Makes a folder that only its owner may enter; fails if there is something already.
pub(super) fn create_private(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

fn create(data_dir: &Path) -> io::Result<PathBuf> {
    let data_dir = std::path::absolute(data_dir)?;
    if let Some(parent) = data_dir.parent() {
        fs::create_dir_all(parent)?;
    }
    match create_private(&data_dir) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    data_dir.canonicalize()
}

fn open_lock(file: &Path) -> io::Result<File> {
    // Never truncated here: until the lock is ours, the number in it is another server's.
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(file)
}

fn write_pid(lock: &mut File) -> io::Result<()> {
    lock.set_len(0)?;
    writeln!(lock, "{}", std::process::id())
}

fn in_use(folder: PathBuf) -> StartError {
    let text = fs::read_to_string(folder.join("lock")).unwrap_or_default();
    StartError::InUse { folder, pid: leading_number(&text) }
}
