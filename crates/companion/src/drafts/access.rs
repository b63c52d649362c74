//! The people who decide on drafts: the visitor of the conversation, and operators.

use std::net::IpAddr;

use caraplace_accounts::operators::Operator;
use caraplace_accounts::visitor::Visitor;
use caraplace_log::identity::Identity;
use platform::refusal::{DraftRefusal, Refusal};
use rules::operators::OperatorScope;

use super::{DraftDecider, DraftKind, StoredDraft};

/// A person who decides on a draft.
#[derive(Clone, Copy, Debug)]
pub enum DraftPerson<'a> {
    /// The visitor of the conversation, who may be signed in as an operator.
    Visitor(&'a Visitor),
    /// An operator who takes the draft from the queue.
    Operator { operator: &'a Operator, address: IpAddr },
}

impl<'a> DraftPerson<'a> {
    /// Returns the operator; `None` for a visitor who is none.
    pub(super) fn operator(self) -> Option<&'a Operator> {
        match self {
            Self::Visitor(visitor) => visitor.operator.as_ref(),
            Self::Operator { operator, .. } => Some(operator),
        }
    }

    /// Returns the signed-in viewer; `None` for operators and people without an account.
    pub(super) fn viewer(self) -> Option<&'a Identity> {
        match self {
            Self::Visitor(visitor) if visitor.operator.is_none() => visitor.viewer.as_deref(),
            Self::Visitor(_) | Self::Operator { .. } => None,
        }
    }

    /// Returns the address from which the person sends its requests.
    pub fn address(self) -> IpAddr {
        match self {
            Self::Visitor(visitor) => visitor.address,
            Self::Operator { address, .. } => address,
        }
    }

    /// Returns the side on which the person stands.
    pub(super) fn side(self) -> DraftDecider {
        if self.operator().is_some() { DraftDecider::Operator } else { DraftDecider::Visitor }
    }

    /// Checks that the person can see a draft.
    ///
    /// # Errors
    /// `Draft` if it belongs to another conversation, or does not wait for operators.
    pub(super) fn check_may_see(self, stored: &StoredDraft) -> Result<(), Refusal> {
        let is_visible = match self {
            Self::Visitor(visitor) => stored.owner == visitor.owner,
            Self::Operator { .. } => stored.draft.decider == DraftDecider::Operator,
        };
        if is_visible { Ok(()) } else { Err(DraftRefusal::NotFound.into()) }
    }

    /// Checks that the person may approve a draft of this kind. The change itself checks all other rights.
    ///
    /// # Errors
    /// `Draft`, or `Operator` for an operator who may not do it by hand.
    pub(super) fn check_may_approve(self, kind: DraftKind, decider: DraftDecider) -> Result<(), Refusal> {
        if let Some(operator) = self.operator().filter(|_| kind.is_moderation()) {
            operator.check_scope(OperatorScope::Moderate)?;
        }
        let is_operator = self.side() == DraftDecider::Operator;
        match kind {
            kind if kind.is_for_operators() && !is_operator => Err(DraftRefusal::OperatorsOnly.into()),
            DraftKind::Message | DraftKind::Intent if is_operator => {
                Err(DraftRefusal::NotForOperators.into())
            }
            DraftKind::Message | DraftKind::Intent if self.viewer().is_none() => {
                Err(DraftRefusal::NeedsPass.into())
            }
            DraftKind::Plan
                if decider == DraftDecider::Operator && !is_operator && self.viewer().is_none() =>
            {
                Err(DraftRefusal::OperatorDecides.into())
            }
            _ => Ok(()),
        }
    }
}
