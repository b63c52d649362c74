//! The type of what operators need for a route.

use rules::operators::OperatorScope;

/// What an operator's session or key needs for a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatorNeed {
    Scope(OperatorScope),
    /// A session, because the route concerns the operator's own account; or a key with the scope `own`.
    OwnAccount,
}
