//! The refusals of operators' rights, and of changes of operators.

use rules::operators::{OperatorRole, OperatorScope};

use super::advice::Advice;
use super::codes::Code;
use super::declare::refusals;

refusals! {
    /// The reason why an operator may not do something, or cannot be changed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum OperatorRefusal {
        /// The role of a signed-in operator lacks the scope.
        #[error("Your role, {}, may not do this: it needs the scope {}.", role.name(), scope.name())]
        RoleLacksScope {
            role: OperatorRole = OperatorRole::Moderator,
            scope: OperatorScope = OperatorScope::Manage,
        } => Advice::of(Code::ScopeMissing)
            .hint("Ask an owner of this server to do it, or to change your role.")
            .with_field("scope", scope);
        /// The operator's key lacks the scope, or its operator has lost it.
        #[error("This operator's key does not have the scope {}.", scope.name())]
        KeyLacksScope { scope: OperatorScope = OperatorScope::Manage } => Advice::of(Code::ScopeMissing)
            .hint("Use an operator's key with this scope, or sign in to the console.")
            .with_field("scope", scope);
        /// The first owner cannot be disabled, and keeps its role and its password.
        #[error("The first owner cannot be changed: its password is a setting of the server.")]
        FirstOwner => Advice::of(Code::FirstOwner);
    }
}
