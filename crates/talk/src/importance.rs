//! The part of a batch that counts important messages, wherever they are posted.

mod store;

use std::collections::HashMap;

use caraplace_log::part::{HeadState, Part};
use caraplace_log::sql_future::SqlFuture;
use chrono::{DateTime, Utc};
use platform::refusal::{PrivateRefusal, Refusal};
use rules::numbers::AccountNo;
use rules::private_message::Importance;
use sqlx::PgConnection;

/// An important message that an account sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ImportanceUse {
    account: AccountNo,
    importance: Importance,
}

/// The important messages of the authors of a batch within the last day.
#[derive(Debug, Default)]
pub struct ImportanceUses {
    /// The numbers of the authors whose important messages are counted.
    needs: Vec<AccountNo>,
    /// The times of the important messages, including those of this batch.
    known: HashMap<(AccountNo, Importance), Vec<DateTime<Utc>>>,
    /// Those of this batch.
    new: Vec<ImportanceUse>,
}

impl ImportanceUses {
    /// Requires what decides whether an author may send a message of this importance.
    pub(crate) fn require(&mut self, author: AccountNo, importance: Importance) {
        if !importance.is_normal() {
            self.needs.push(author);
        }
    }

    /// Checks that an author may send a message of this importance.
    ///
    /// # Errors
    /// `TooManyImportant`.
    pub(crate) fn check(
        &self,
        author: AccountNo,
        importance: Importance,
        now: DateTime<Utc>,
    ) -> Result<(), Refusal> {
        let uses = self.known.get(&(author, importance)).map(Vec::as_slice).unwrap_or_default();
        match importance.wait_after(uses, now) {
            Some(wait) => Err(PrivateRefusal::TooManyImportant { importance, wait }.into()),
            None => Ok(()),
        }
    }

    /// Records a message of this importance; nothing for a normal one.
    pub(crate) fn record(&mut self, author: AccountNo, importance: Importance, now: DateTime<Utc>) {
        if !importance.is_normal() {
            self.known.entry((author, importance)).or_default().push(now);
            self.new.push(ImportanceUse { account: author, importance });
        }
    }
}

impl Part for ImportanceUses {
    fn has_needs(&self) -> bool {
        !self.needs.is_empty()
    }

    fn read<'a>(&'a mut self, connection: &'a mut PgConnection, head: HeadState<'a>) -> SqlFuture<'a, ()> {
        Box::pin(async move {
            self.known = store::importance_uses(connection, &self.needs, head.now).await?;
            Ok(())
        })
    }

    fn has_changes(&self) -> bool {
        !self.new.is_empty()
    }

    /// Writes the uses. The message of each is proof that the batch is stored.
    fn write<'a>(&'a self, connection: &'a mut PgConnection, now: DateTime<Utc>) -> SqlFuture<'a, ()> {
        Box::pin(store::insert_importance_uses(connection, &self.new, now))
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn messages_of_one_batch_count_together() {
        let mut uses = ImportanceUses::default();
        let now = DateTime::UNIX_EPOCH;
        let (ada, bob) = (AccountNo(1), AccountNo(2));
        uses.require(ada, Importance::Normal);
        uses.record(ada, Importance::Normal, now);
        assert!(!uses.has_needs() && !uses.has_changes(), "normal messages are not counted");
        uses.require(ada, Importance::Critical);
        assert!(uses.has_needs());
        uses.check(ada, Importance::Critical, now).unwrap();
        uses.record(ada, Importance::Critical, now);
        let refused = uses.check(ada, Importance::Critical, now + TimeDelta::hours(1));
        let Err(Refusal::Private(PrivateRefusal::TooManyImportant { wait, .. })) = refused else {
            panic!("the second one is refused");
        };
        assert_eq!(wait, TimeDelta::hours(23));
        uses.check(ada, Importance::High, now).unwrap();
        uses.check(bob, Importance::Critical, now).unwrap();
        assert!(uses.has_changes());
    }
}
