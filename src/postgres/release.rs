//! Decides whether a process that lets go of a data folder stops PostgreSQL.

use tracing::info;

use super::StartError;
use super::folder::DataFolder;
use super::locks::Change;
use super::sessions::{self, Others};

/// The right to stop PostgreSQL: no other process uses it, nor begins to while this lives.
#[derive(Debug)]
pub(super) struct LastUse {
    _change: Change,
}

/// Claims the right to stop PostgreSQL; `None` if it must be left running, which is logged unless another process
/// supervises it. `change` is given where this process has begun to start it.
pub(super) async fn claim(folder: &mut DataFolder, change: Option<Change>, url: &str) -> Option<LastUse> {
    match may_stop(folder, change, url).await {
        Ok(last_use) => Some(last_use),
        Err(Reason::Supervised) => None,
        Err(Reason::Used(by)) => {
            info!(
                folder = %folder.path().display(),
                by,
                "PostgreSQL is left running because others use it; the last caraplace process that holds the folder \
                 stops it, or a later one that finds it there"
            );
            None
        }
    }
}

/// Why PostgreSQL is left running.
enum Reason {
    /// Another process supervises it, and stops it in turn.
    Supervised,
    /// These use it.
    Used(String),
}

async fn may_stop(folder: &mut DataFolder, change: Option<Change>, url: &str) -> Result<LastUse, Reason> {
    let change = match change {
        Some(change) => change,
        None => begin_change(folder).await?,
    };
    let is_only_user = folder.is_only_user();
    if !folder.supervise().unwrap_or(false) {
        return Err(Reason::Supervised);
    }
    if !is_only_user {
        return Err(Reason::Used("other caraplace processes on the folder".to_owned()));
    }
    match sessions::others(url).await {
        Others::Absent => Ok(LastUse { _change: change }),
        Others::Present(count) => Err(Reason::Used(format!("{count} sessions of other programs"))),
        Others::Unknown(error) => Err(Reason::Used(format!("unknown sessions: {error}"))),
    }
}

async fn begin_change(folder: &DataFolder) -> Result<Change, Reason> {
    let busy = || Reason::Used("a process that starts or stops it".to_owned());
    let begun: Result<Option<Change>, StartError> = Change::begin(folder.path()).await;
    begun.ok().flatten().ok_or_else(busy)
}
