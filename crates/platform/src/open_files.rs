//! The process's limit of open files, which includes sockets.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the soft limit of open files to the hard limit, as far as the system allows it.
pub fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current == limit.maximum {
        return;
    }
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::debug!(%error, "the limit of open files could not be raised");
    }
}

/// Returns the maximum number of open files and sockets, or `None` if there is no limit.
pub fn limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}
