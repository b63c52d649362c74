//! The Gallery Pass's SQL: `money` what was paid, `viewers` who holds a pass, `entry` who may come in.

mod payments;
mod sessions;
mod viewers;

pub(super) use payments::*;
pub(super) use sessions::*;
pub(super) use viewers::*;

use crate::tokens::Blake3Hash;

type Result<T> = std::result::Result<T, sqlx::Error>;
