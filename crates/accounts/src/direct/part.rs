//! The part of a batch that knows which accounts refuse others, and writes acquaintances.

use std::collections::HashSet;

use caraplace_log::part::{HeadState, Part};
use caraplace_log::sql_future::SqlFuture;
use chrono::{DateTime, Utc};
use rules::numbers::AccountNo;
use sqlx::PgConnection;

use super::store;

/// The refusals of contact that the commands of a batch need, and the acquaintances that they make.
#[derive(Debug, Default)]
pub struct Contacts {
    /// Pairs of a sender and a recipient.
    needs: Vec<(AccountNo, AccountNo)>,
    /// Those of these pairs of which the recipient refuses the sender.
    refused: HashSet<(AccountNo, AccountNo)>,
    /// The accounts that have written or replied to another one.
    acquaintances: HashSet<(AccountNo, AccountNo)>,
}

impl Contacts {
    /// Requires that it is read whether a recipient refuses a sender.
    pub fn require(&mut self, sender: AccountNo, recipient: AccountNo) {
        self.needs.push((sender, recipient));
    }

    /// Returns true if a recipient refuses a sender: by its policy, or because it has blocked the sender.
    pub fn is_refused(&self, sender: AccountNo, recipient: AccountNo) -> bool {
        self.refused.contains(&(sender, recipient))
    }

    /// Records that an account knows another one, because it has written or replied to it.
    pub fn add_acquaintance(&mut self, account: AccountNo, other: AccountNo) {
        if account != other {
            self.acquaintances.insert((account, other));
        }
    }
}

impl Part for Contacts {
    fn has_needs(&self) -> bool {
        !self.needs.is_empty()
    }

    fn read<'a>(&'a mut self, connection: &'a mut PgConnection, _: HeadState<'a>) -> SqlFuture<'a, ()> {
        Box::pin(async {
            self.refused = store::contact_refusals(connection, &self.needs).await?;
            Ok(())
        })
    }

    fn has_changes(&self) -> bool {
        !self.acquaintances.is_empty()
    }

    fn write<'a>(&'a self, connection: &'a mut PgConnection, _: DateTime<Utc>) -> SqlFuture<'a, ()> {
        Box::pin(store::insert_acquaintances(connection, &self.acquaintances))
    }
}
