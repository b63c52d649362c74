//! The SQL of the conditions of registration.

pub(super) mod admission;
pub(super) mod approval;
pub(super) mod invitation_codes;
pub(super) mod network_blocks;

type Result<T> = std::result::Result<T, sqlx::Error>;
