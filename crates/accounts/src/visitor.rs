//! A person who uses the pages: a browser without an account, a viewer with a Gallery Pass, or an operator.

use std::net::IpAddr;
use std::sync::Arc;

use caraplace_log::identity::Identity;
use platform::tokens::Blake3Hash;
use rules::numbers::AccountNo;

use crate::operators::Operator;

/// The owner of a conversation with the guide, and of the drafts in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConversationOwner {
    /// The hash of a browser's cookie.
    Browser(Blake3Hash),
    /// The number of a viewer's account, or of the one that all operators share.
    Account(AccountNo),
}

impl ConversationOwner {
    /// Returns true for a browser without an account.
    pub fn is_browser(&self) -> bool {
        matches!(self, Self::Browser(_))
    }

    /// Returns the columns of the database by which the owner is found: the hash of the browser's cookie, and
    /// the number of the account.
    pub fn columns(&self) -> (Option<&[u8]>, Option<AccountNo>) {
        match self {
            Self::Browser(hash) => (Some(hash), None),
            Self::Account(no) => (None, Some(*no)),
        }
    }
}

/// A person who uses the pages.
#[derive(Clone, Debug)]
pub struct Visitor {
    pub owner: ConversationOwner,
    /// The signed-in viewer; `None` for everyone else. The pass may have ended.
    pub viewer: Option<Arc<Identity>>,
    /// The signed-in operator; `None` for everyone else.
    pub operator: Option<Operator>,
    pub address: IpAddr,
}
