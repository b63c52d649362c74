//! The refusals of decisions on cases of reports.

use super::advice::Advice;
use super::codes::Code;
use super::declare::refusals;

refusals! {
    /// The reason why a case cannot be decided, or a decision cannot be undone.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum DecisionRefusal {
        /// An operator has decided the case before.
        #[error("This case is decided already.")]
        CaseClosed => Advice::of(Code::Closed).hint(
            "GET /api/admin/reports/{id} has the outcome. A decision can be undone within ten minutes; after \
             that, change its parts one by one.",
        );
        /// The decision is too old to be undone.
        #[error("A decision can be undone within ten minutes, and this one is older.")]
        UndoTooLate => Advice::of(Code::Closed).hint(
            "Take back its parts one by one: restore the messages, lift the sanction on the page of the \
             account, and undo the rollback.",
        );
        /// The decision was undone before.
        #[error("This decision is undone already.")]
        Undone => Advice::of(Code::Closed).hint("The case is open again: decide it anew.");
    }
}
