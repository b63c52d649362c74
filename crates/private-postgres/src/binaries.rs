//! Finds the installed PostgreSQL server programs.

use std::fs;
use std::path::{Path, PathBuf};

use tokio::process::Command;

use super::error::StartError;

const PROGRAMS: [&str; 3] = ["initdb", "postgres", "pg_isready"];

/// Locations of server programs outside PATH: every `<folder>/<prefix>*/bin`.
const INSTALL_LOCATIONS: [(&str, &str); 4] = [
    ("/usr/lib/postgresql", ""),
    ("/usr", "pgsql-"),
    ("/opt/homebrew/opt", "postgresql"),
    ("/usr/local/opt", "postgresql"),
];

/// A folder with the server programs of one major version.
#[derive(Debug)]
pub(super) struct Binaries {
    folder: PathBuf,
    /// The major version, such as 15.
    pub(super) major: u32,
}

impl Binaries {
    /// Finds the programs for a cluster (its folder and version). For a new cluster these are the ones in
    /// PATH, or else the newest.
    pub(super) async fn find(cluster: Option<(PathBuf, u32)>) -> Result<Self, StartError> {
        let mut found = usable_binaries(path_folders()).await;
        let mut outside_path = usable_binaries(install_folders()).await;
        outside_path.sort_by_key(|binaries| std::cmp::Reverse(binaries.major));
        found.append(&mut outside_path);
        let Some((cluster, required)) = cluster else {
            return found.into_iter().next().ok_or(StartError::NoBinaries);
        };
        match found.iter().position(|binaries| binaries.major == required) {
            Some(index) => Ok(found.swap_remove(index)),
            None if found.is_empty() => Err(StartError::NoBinaries),
            None => {
                Err(StartError::WrongVersion { cluster, wanted: required, found: format_versions(&found) })
            }
        }
    }

    /// Returns the path of one of the programs.
    pub(super) fn program(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

/// Returns the number at the start of a text, such as 15 in `15.18 (Debian …)`.
pub(super) fn leading_number(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

fn path_folders() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect()
}

fn install_folders() -> Vec<PathBuf> {
    let entries = |(folder, prefix): (&str, &'static str)| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries
            .filter(move |entry| entry.file_name().to_string_lossy().starts_with(prefix))
            .map(|entry| entry.path().join("bin"))
    };
    INSTALL_LOCATIONS.into_iter().flat_map(entries).collect()
}

async fn usable_binaries(folders: Vec<PathBuf>) -> Vec<Binaries> {
    let mut usable = Vec::new();
    for folder in folders {
        if PROGRAMS.iter().all(|program| folder.join(program).is_file())
            && let Some(major) = major_version(&folder).await
        {
            usable.push(Binaries { folder, major });
        }
    }
    usable
}

async fn major_version(folder: &Path) -> Option<u32> {
    let output = Command::new(folder.join("postgres")).arg("--version").output().await.ok()?;
    // Such as "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)".
    let text = String::from_utf8(output.stdout).ok()?;
    leading_number(text.split_once("(PostgreSQL) ")?.1)
}

fn format_versions(found: &[Binaries]) -> String {
    let mut majors: Vec<String> = found.iter().map(|binaries| binaries.major.to_string()).collect();
    majors.dedup();
    majors.join(", ")
}
