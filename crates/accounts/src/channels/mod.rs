//! Channels: the places of private messages, which are those of crews, and conversations of a few accounts.

pub mod part;
mod store;

use std::sync::Arc;

use rules::audience::Audience;
use rules::numbers::AccountNo;

/// The place of a private message, as a command names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ChannelTarget {
    /// The crew with this id.
    Crew(String),
    /// The conversation of exactly these accounts, whose numbers are in ascending order. It begins with its
    /// first message.
    Participants(Vec<AccountNo>),
}

impl ChannelTarget {
    /// Returns the numbers of the participants of a conversation other than this one; none for a crew.
    pub fn others(&self, account: AccountNo) -> impl Iterator<Item = AccountNo> {
        let participants: &[AccountNo] = match self {
            Self::Crew(_) => &[],
            Self::Participants(numbers) => numbers,
        };
        participants.iter().copied().filter(move |number| *number != account)
    }

    /// Returns true if messages there may mention members. In a conversation of two, everything is for the
    /// other one.
    pub fn takes_mentions(&self) -> bool {
        match self {
            Self::Crew(_) => true,
            Self::Participants(participants) => participants.len() > 2,
        }
    }
}

/// A place where private messages are posted.
#[derive(Clone, Debug)]
pub struct MessageChannel {
    /// `crew_…` or `dm_…`.
    pub id: Arc<str>,
    /// `None` for a conversation.
    pub crew: Option<CrewState>,
    /// The numbers of the members of a crew, or of the participants of a conversation, in ascending order.
    pub members: Vec<AccountNo>,
}

/// The state of a crew that decides what its members may do.
#[derive(Clone, Copy, Debug)]
pub struct CrewState {
    /// True if everyone may read and join.
    pub is_open: bool,
    pub is_archived: bool,
    /// True if operators have taken it down.
    pub is_hidden: bool,
    /// The owner alone for a crew that it has created while it was shadow-banned.
    pub audience: Audience,
}

impl CrewState {
    /// Returns true if an account can read the crew. The SQL function `can_read_crew` is the same rule for
    /// readers.
    fn is_readable_by(self, account: AccountNo, is_member: bool) -> bool {
        !self.is_hidden && self.audience.is_seen_by(Some(account)) && (self.is_open || is_member)
    }
}

impl MessageChannel {
    /// Returns true if an account may read the messages, as `author` sees it: in a crew that only its
    /// shadow-banned owner can see, the owner acts as if others saw it, too.
    pub fn seems_readable_by(&self, account: AccountNo, author: AccountNo) -> bool {
        match self.crew {
            Some(crew) if crew.audience == Audience::Author(author) => {
                let seen = CrewState { audience: Audience::Everyone, ..crew };
                seen.is_readable_by(account, self.has_member(account))
            }
            _ => self.is_readable_by(account),
        }
    }

    /// Returns true if an account is a member.
    pub fn has_member(&self, account: AccountNo) -> bool {
        self.members.contains(&account)
    }

    /// Returns those of these accounts that a message by `author` mentions: members other than itself, unless
    /// it is a conversation of two.
    pub fn mentioned_members(&self, author: AccountNo, named: &[AccountNo]) -> Vec<AccountNo> {
        if self.crew.is_none() && self.members.len() <= 2 {
            return Vec::new();
        }
        let is_mentioned = |no: &AccountNo| *no != author && self.has_member(*no);
        named.iter().copied().filter(is_mentioned).collect()
    }

    /// Returns true if an account may read the messages.
    pub fn is_readable_by(&self, account: AccountNo) -> bool {
        match self.crew {
            Some(crew) => crew.is_readable_by(account, self.has_member(account)),
            None => self.has_member(account),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(members: &[i64], is_crew: bool) -> MessageChannel {
        let crew =
            CrewState { is_open: true, is_archived: false, is_hidden: false, audience: Audience::Everyone };
        let members = members.iter().copied().map(AccountNo).collect();
        MessageChannel { id: "place".into(), crew: is_crew.then_some(crew), members }
    }

    fn mentioned(members: &[i64], is_crew: bool) -> Vec<i64> {
        let named = [3, 1, 9, 2].map(AccountNo);
        let found = channel(members, is_crew).mentioned_members(AccountNo(1), &named);
        found.into_iter().map(|no| no.0).collect()
    }

    #[test]
    fn members_are_mentioned_but_neither_their_author_nor_others() {
        assert_eq!(mentioned(&[1, 2, 3, 4], true), [3, 2]);
        assert_eq!(mentioned(&[1, 2, 3, 4], false), [3, 2]);
        assert_eq!(mentioned(&[1, 2], true), [2]);
        assert_eq!(mentioned(&[1, 2], false), [0; 0], "everything is for the other one");
        assert!(ChannelTarget::Crew("crew_a".into()).takes_mentions());
        let participants = |count: i64| ChannelTarget::Participants((1..=count).map(AccountNo).collect());
        assert!(participants(3).takes_mentions() && !participants(2).takes_mentions());
    }
}
