//! The Gallery Pass's SQL: `money` what was paid, `viewers` who holds a pass, `entry` who may come in.

mod entry;
mod money;
mod viewers;

pub(super) use entry::*;
pub(super) use money::*;
pub(super) use viewers::*;

use crate::tokens::Hash;

type Result<T> = std::result::Result<T, sqlx::Error>;
