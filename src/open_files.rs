//! The process's limit of open files, which counts sockets, too.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the soft limit of open files to the hard limit, as far as the system lets it.
pub fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current == limit.maximum {
        return;
    }
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::debug!(%error, "the limit of open files stays as it is");
    }
}

/// Returns how many files and sockets the process may have open. `None` if that is not limited.
pub fn limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}
