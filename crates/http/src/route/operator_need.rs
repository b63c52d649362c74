//! The scope that operators need for a route.

use rules::operators::OperatorScope;

/// The requirement of a route for an operator's session or key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatorNeed {
    Scope(OperatorScope),
    /// A session, because the route concerns the operator's own account; or a key with the scope `own`.
    OwnAccount,
}
