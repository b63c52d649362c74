//! The SQL of the guide.

pub(super) mod messages;
pub(super) mod retention;
pub(super) mod turns;
pub(super) mod uses;

type Result<T> = std::result::Result<T, sqlx::Error>;
