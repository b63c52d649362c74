//! The SQL of the Gallery Pass: payments, viewers and sessions.

use platform::tokens::Blake3Hash;

mod charges;
mod duplicates;
mod jobs;
mod payments;
mod sessions;
mod viewers;

pub(super) use charges::*;
pub(super) use duplicates::*;
pub(super) use jobs::*;
pub(super) use payments::*;
pub(super) use sessions::*;
pub(super) use viewers::*;

type Result<T> = std::result::Result<T, sqlx::Error>;
