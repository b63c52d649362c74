//! The space on the disk of a folder.

use std::path::Path;

use rustix::fs::statvfs;

/// The space on a disk, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskSpace {
    /// The space that programs without special rights can still use.
    pub free: u64,
    pub size: u64,
}

impl DiskSpace {
    /// Returns the space on the disk of a folder, or `None` if the folder cannot be read.
    pub fn of(folder: &Path) -> Option<Self> {
        let disk = statvfs(folder).ok()?;
        let bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
        Some(Self { free: bytes(disk.f_bavail), size: bytes(disk.f_blocks) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_space_and_a_missing_one_none() {
        let space = DiskSpace::of(Path::new("/")).unwrap();
        assert!(space.size > 0 && space.free <= space.size);
        assert_eq!(DiskSpace::of(Path::new("/no/such/folder")), None);
    }
}
