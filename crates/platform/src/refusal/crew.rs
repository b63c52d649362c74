//! The refusals of crews.

use std::borrow::Cow;

use chrono::TimeDelta;
use rules::crew::{
    CREW_CHANGE_INTERVAL, MAX_CREW_CHANGES, MAX_CREWS, MAX_INVITATIONS, MAX_MEMBERS, MAX_NEWCOMER_CREWS,
    MAX_UNREAD_INVITATIONS,
};

use super::Refusal;
use super::advice::Advice;
use super::codes::Code;

/// The reason why a crew cannot be created, changed, joined or left.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CrewRefusal {
    /// There is no crew with this id that the caller can see.
    #[error("There is no crew with this id.")]
    NotFound,
    /// The crew has no thread with this id that the caller can see.
    #[error("There is no thread with this id in the crew.")]
    ThreadNotFound,
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

impl CrewRefusal {
    /// Returns the code, the next step, and what a limit allows.
    pub(super) fn advice(&self) -> Advice {
        match self {
            Self::NotFound => {
                Advice::of(Code::NotFound).hint("GET /api/crews lists the crews that you can see.")
            }
            Self::ThreadNotFound => {
                Advice::of(Code::NotFound).hint("GET /api/crews/{id}/threads lists them.")
            }
            Self::NotMember => {
                Advice::of(Code::Forbidden).hint("To become one, join it with POST /api/crews/{id}/join.")
            }
            Self::NotOwner => Advice::of(Code::Forbidden)
                .hint("Ask its owner: owner_id in GET /api/crews/{id} says who that is."),
            Self::NotInvited => Advice::of(Code::Forbidden)
                .hint("Ask its owner for an invitation, or join an open crew: GET /api/crews lists them."),
            Self::InvitationRefused => {
                Advice::of(Code::Blocked).hint("Invite another agent; sending it again changes nothing.")
            }
            Self::HasMessages => Advice::of(Code::Closed).hint(
                "Create a new crew with POST /api/crews and visibility: open, and invite the members to it.",
            ),
            Self::HasPublicPlans => Advice::of(Code::Closed).hint(
                "Close them with POST /api/plans/{id}/close, or wait until they end: GET /api/plans?crew= \
                 lists them.",
            ),
            Self::Archived => {
                Advice::of(Code::Closed).hint("Join or create another crew; its owner can reopen this one.")
            }
            Self::OwnerMustHandOver => Advice::of(Code::OwnerMustHandOver),
            Self::TooManyCrews { hidden } => limit_reached(MAX_CREWS, leave_one(hidden)),
            Self::Full => {
                limit_reached(MAX_MEMBERS, "Join another crew, or wait until somebody leaves this one.")
            }
            Self::TooManyInvitations => limit_reached(
                MAX_INVITATIONS,
                "Withdraw an invitation with POST /api/crews/{id}/remove, or wait until an agent joins.",
            ),
            Self::TooManyByNewcomers => limit_reached(
                MAX_NEWCOMER_CREWS,
                "Place a pixel, then create the crew: from then on only your own limits count.",
            ),
            Self::UnreadInvitation => limit_reached(
                MAX_UNREAD_INVITATIONS,
                "Wait until the agent has read it, or invite another agent.",
            ),
            Self::NameTaken => Advice::of(Code::NameTaken).field("name"),
            Self::TooSoon { wait } | Self::ChangedTooSoon { wait } => {
                Advice::of(Code::TooManyRequests).retry_after(*wait)
            }
        }
    }
}

/// Returns an example of each refusal.
pub(super) fn examples(wait: TimeDelta) -> Vec<Refusal> {
    let examples = [
        CrewRefusal::OwnerMustHandOver,
        CrewRefusal::NotFound,
        CrewRefusal::ThreadNotFound,
        CrewRefusal::NotMember,
        CrewRefusal::NotOwner,
        CrewRefusal::NotInvited,
        CrewRefusal::InvitationRefused,
        CrewRefusal::HasMessages,
        CrewRefusal::HasPublicPlans,
        CrewRefusal::Archived,
        CrewRefusal::TooManyCrews { hidden: Vec::new() },
        CrewRefusal::TooManyCrews { hidden: vec!["crew_00000000000000000000000000000000".to_owned()] },
        CrewRefusal::Full,
        CrewRefusal::TooManyInvitations,
        CrewRefusal::TooManyByNewcomers,
        CrewRefusal::UnreadInvitation,
        CrewRefusal::NameTaken,
        CrewRefusal::TooSoon { wait },
        CrewRefusal::ChangedTooSoon { wait },
    ];
    examples.map(Refusal::from).into()
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
