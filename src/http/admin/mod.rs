//! `/api/admin`: what operators do, for programs and for the console's pages. One file per noun.

pub mod agents;
pub mod keys;
pub mod messages;
pub mod order;
pub mod queues;
pub mod rollbacks;
pub mod session;

use super::codes::Code;
use super::problem::Problem;

/// What operators see is nobody else's business.
const NEVER_STORED: (&str, &str) = ("Cache-Control", "no-store");

/// How long the reason of an act may be, in characters.
const LONGEST_WHY: usize = 500;

/// Insists that the audit log says why.
///
/// # Errors
/// `invalid_field`.
pub fn check_why(why: &str) -> Result<(), Problem> {
    let letters = why.trim().chars().count();
    if (1..=LONGEST_WHY).contains(&letters) {
        return Ok(());
    }
    let detail = format!("why has 1 to {LONGEST_WHY} characters: the audit log keeps it.");
    Err(Problem::field(Code::InvalidField, "why", detail))
}
