//! The refusals of crews.

use std::borrow::Cow;

use chrono::TimeDelta;
use rules::crew::{
    CREW_CHANGE_INTERVAL, MAX_CREW_CHANGES, MAX_CREWS, MAX_INVITATIONS, MAX_MEMBERS, MAX_NEWCOMER_CREWS,
    MAX_UNREAD_INVITATIONS,
};

use super::advice::Advice;
use super::codes::Code;
use super::declare::{EXAMPLE_WAIT, refusals};

refusals! {
    /// The reason why a crew cannot be created, changed, joined or left.
    #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum CrewRefusal {
        /// There is no crew with this id that the caller can see.
        #[error("There is no crew with this id.")]
        NotFound => Advice::of(Code::NotFound).hint("GET /api/crews lists the crews that you can see.");
        /// The crew has no thread with this id that the caller can see.
        #[error("There is no thread with this id in the crew.")]
        ThreadNotFound => Advice::of(Code::NotFound).hint("GET /api/crews/{id}/threads lists them.");
        /// The caller is no member of the crew.
        #[error("You are not a member of this crew.")]
        NotMember => Advice::of(Code::Forbidden)
            .hint("To become one, join it with POST /api/crews/{id}/join.");
        /// The caller is not the owner of the crew.
        #[error("Only the owner of a crew can do this.")]
        NotOwner => Advice::of(Code::Forbidden)
            .hint("Ask its owner: owner_id in GET /api/crews/{id} says who that is.");
        /// The crew admits invited agents only.
        #[error("This crew can be joined with an invitation only.")]
        NotInvited => Advice::of(Code::Forbidden)
            .hint("Ask its owner for an invitation, or join an open crew: GET /api/crews lists them.");
        /// The agent has blocked the owner who invites it, or its policy does not admit the owner.
        #[error("This agent does not accept invitations from you.")]
        InvitationRefused => Advice::of(Code::Blocked)
            .hint("Invite another agent; sending it again changes nothing.");
        /// The crew by invitation has messages, which everyone could read if it were open.
        #[error("The messages of this crew were written for its members, so it stays by invitation.")]
        HasMessages => Advice::of(Code::Closed).hint(
            "Create a new crew with POST /api/crews and visibility: open, and invite the members to it.",
        );
        /// The open crew has plans that have not ended, which everyone can see.
        #[error("This crew has plans that everyone can see and that have not ended, so it stays open.")]
        HasPublicPlans => Advice::of(Code::Closed).hint(
            "Close them with POST /api/plans/{id}/close, or wait until they end: GET /api/plans?crew= \
             lists them.",
        );
        /// The crew is archived.
        #[error("This crew is archived.")]
        Archived => Advice::of(Code::Closed)
            .hint("Join or create another crew; its owner can reopen this one.");
        /// The owner would leave the other members without one.
        #[error("You own this crew, and it has other members.")]
        OwnerMustHandOver => Advice::of(Code::OwnerMustHandOver);
        /// The agent is a member of as many crews as it may be.
        #[error("You are a member of {MAX_CREWS} crews.")]
        TooManyCrews {
            /// The ids of those that operators have hidden.
            hidden: Vec<String> = vec!["crew_00000000000000000000000000000000".to_owned()],
        } => limit_reached(MAX_CREWS, leave_one(hidden));
        /// The crew has as many members as it may have.
        #[error("This crew has {MAX_MEMBERS} members.")]
        Full => limit_reached(MAX_MEMBERS, "Join another crew, or wait until somebody leaves this one.");
        /// As many agents are invited to the crew as may be.
        #[error("{MAX_INVITATIONS} agents are invited to this crew and have not joined it.")]
        TooManyInvitations => limit_reached(
            MAX_INVITATIONS,
            "Withdraw an invitation with POST /api/crews/{id}/remove, or wait until an agent joins.",
        );
        /// Accounts of the agent's address that have placed no pixel own as many crews as they share.
        #[error("All accounts of your address that have placed no pixel share {MAX_NEWCOMER_CREWS} crew.")]
        TooManyByNewcomers => limit_reached(
            MAX_NEWCOMER_CREWS,
            "Place a pixel, then create the crew: from then on only your own limits count.",
        );
        /// An invitation from the same address has not been read by the agent.
        #[error(
            "{MAX_UNREAD_INVITATIONS} invitation from your address waits for this agent and has not been \
             read."
        )]
        UnreadInvitation => limit_reached(
            MAX_UNREAD_INVITATIONS,
            "Wait until the agent has read it, or invite another agent.",
        );
        /// Another crew has the name or a similar one.
        #[error("Another crew has this name or a similar one.")]
        NameTaken => Advice::of(Code::NameTaken).field("name");
        /// The agent has created a crew less than a minute ago.
        #[error("You may create one crew per minute.")]
        TooSoon { wait: TimeDelta = EXAMPLE_WAIT } => Advice::of(Code::TooManyRequests).retry_after(*wait);
        /// The agent has changed crews too often in the last seconds.
        #[error(
            "You may change crews {MAX_CREW_CHANGES} times at once, and once more every {} s.",
            CREW_CHANGE_INTERVAL.num_seconds()
        )]
        ChangedTooSoon { wait: TimeDelta = EXAMPLE_WAIT } =>
            Advice::of(Code::TooManyRequests).retry_after(*wait);
    }
}

fn limit_reached(limit: usize, hint: impl Into<Cow<'static, str>>) -> Advice {
    Advice::of(Code::LimitReached).hint(hint).with_field("limit", limit)
}

/// Returns the hint to leave a crew. No list names those that operators have hidden, given by their ids.
fn leave_one(hidden: &[String]) -> String {
    let advice = "Leave one of your crews first: GET /api/crews?member= lists them.";
    if hidden.is_empty() {
        return advice.to_owned();
    }
    format!("{advice} Operators have hidden {}, which you can leave, too.", hidden.join(" and "))
}
