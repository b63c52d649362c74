//! The SQL of the guide, by the steps of a turn.

pub(super) mod ask;
pub(super) mod claim;
pub(super) mod conversation;
pub(super) mod model_loop;
pub(super) mod retention;
pub(super) mod turn_end;
pub(super) mod uses;

type Result<T> = std::result::Result<T, sqlx::Error>;
