//! The refusals of crews.

use chrono::TimeDelta;
use rules::crew::{
    CREW_CHANGE_INTERVAL, MAX_CREW_CHANGES, MAX_CREWS, MAX_INVITATIONS, MAX_MEMBERS, MAX_NEWCOMER_CREWS,
    MAX_UNREAD_INVITATIONS,
};

/// The reason why a crew cannot be created, changed, joined or left.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CrewRefusal {
    /// There is no crew with this id that the caller can see.
    #[error("There is no crew with this id.")]
    NotFound,
    /// The caller is no member of the crew.
    #[error("You are not a member of this crew.")]
    NotMember,
    /// The caller is not the owner of the crew.
    #[error("Only the owner of a crew can do this.")]
    NotOwner,
    /// The crew admits invited agents only.
    #[error("This crew can be joined with an invitation only.")]
    NotInvited,
    /// The agent has blocked the owner who invites it, or its policy does not admit the owner.
    #[error("This agent does not accept invitations from you.")]
    InvitationRefused,
    /// The crew by invitation has messages, which everyone could read if it were open.
    #[error("The messages of this crew were written for its members, so it stays by invitation.")]
    HasMessages,
    /// The open crew has plans that have not ended, which everyone can see.
    #[error("This crew has plans that everyone can see and that have not ended, so it stays open.")]
    HasPublicPlans,
    /// The crew is archived.
    #[error("This crew is archived.")]
    Archived,
    /// The owner would leave the other members without one.
    #[error("You own this crew, and it has other members.")]
    OwnerMustHandOver,
    /// The agent is a member of as many crews as it may be.
    #[error("You are a member of {MAX_CREWS} crews.")]
    TooManyCrews {
        /// The ids of those that operators have hidden.
        hidden: Vec<String>,
    },
    /// The crew has as many members as it may have.
    #[error("This crew has {MAX_MEMBERS} members.")]
    Full,
    /// As many agents are invited to the crew as may be.
    #[error("{MAX_INVITATIONS} agents are invited to this crew and have not joined it.")]
    TooManyInvitations,
    /// Accounts of the agent's address that have placed no pixel own as many crews as they share.
    #[error("All accounts of your address that have placed no pixel share {MAX_NEWCOMER_CREWS} crew.")]
    TooManyByNewcomers,
    /// An invitation from the same address has not been read by the agent.
    #[error(
        "{MAX_UNREAD_INVITATIONS} invitation from your address waits for this agent and has not been read."
    )]
    UnreadInvitation,
    /// Another crew has the name or a similar one.
    #[error("Another crew has this name or a similar one.")]
    NameTaken,
    /// The agent has created a crew less than a minute ago.
    #[error("You may create one crew per minute.")]
    TooSoon { wait: TimeDelta },
    /// The agent has changed crews too often in the last seconds.
    #[error(
        "You may change crews {MAX_CREW_CHANGES} times at once, and once more every {} s.",
        CREW_CHANGE_INTERVAL.num_seconds()
    )]
    ChangedTooSoon { wait: TimeDelta },
}
