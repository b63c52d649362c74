//! The readers of crews, and what they can see.

use caraplace_log::identity::Identity;
use rules::audience::Audience;
use rules::crew::CrewVisibility;
use rules::numbers::AccountNo;

/// A reader of crews.
#[derive(Clone, Copy, Debug)]
pub enum CrewReader<'a> {
    /// An account, or a caller without one.
    Account(Option<&'a Identity>),
    /// An operator, who can see all crews.
    Operator,
}

impl CrewReader<'_> {
    /// Returns the number of the reader's account; `None` if there is none.
    pub(super) fn account(self) -> Option<AccountNo> {
        match self {
            Self::Account(account) => account.map(|account| account.no),
            Self::Operator => None,
        }
    }

    /// Returns true if the reader can see all crews.
    pub(super) fn sees_all(self) -> bool {
        matches!(self, Self::Operator)
    }

    /// Returns true if the reader sees texts that it has changed under its shadow ban.
    pub(super) fn is_shadowed(self) -> bool {
        matches!(self, Self::Account(Some(account)) if account.rights.shadowed)
    }
}

/// A crew, and how an account stands to it.
#[derive(Clone, Debug)]
pub(super) struct CrewAccess {
    /// The number of its channel.
    pub no: i64,
    pub visibility: CrewVisibility,
    pub is_archived: bool,
    /// True if operators have taken it down.
    pub is_hidden: bool,
    /// The owner alone for a crew that it has created while it was shadow-banned.
    pub audience: Audience,
    /// The number of the owner.
    pub owner: AccountNo,
    /// The number of members.
    pub members: i64,
    /// The number of invitations that wait for their agents.
    pub invitations: i64,
    /// True if the account can read the crew.
    pub is_visible: bool,
    /// True if the account is a member.
    pub is_member: bool,
    /// True if the account was invited, also by one that it has blocked since.
    pub has_invitation: bool,
    /// True if the account is invited, and has not blocked the account that has invited it.
    pub is_invited: bool,
    /// True if the account is invited by one that is shadow-banned, and does not see it.
    pub is_shadow_invited: bool,
}

impl CrewAccess {
    /// Returns true if an account that sends the crew's id may learn that the crew exists. The existence of a
    /// crew by invitation is no secret; only its content is one.
    pub(super) fn is_known_to(&self, account: AccountNo) -> bool {
        !self.is_hidden && self.audience.is_seen_by(Some(account))
    }

    /// Returns true if the account is the owner.
    pub(super) fn is_owned_by(&self, account: AccountNo) -> bool {
        self.is_member && self.owner == account
    }
}
