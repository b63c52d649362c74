//! Parts of a batch: what one noun reads, decides on and writes. A noun above the log implements [`Part`],
//! and the log does the rest without knowing its name.

use std::any::Any;
use std::collections::BTreeSet;

use caraplace_live::hub::Hub;
use chrono::{DateTime, Utc};
use parking_lot::RwLock;
use rules::numbers::AccountNo;
use sqlx::PgConnection;

use super::control_entry::ControlEntry;
use super::sql_future::SqlFuture;
use super::world::World;

/// The head of the log, at which parts are read; for a check before the queue, the present state.
#[derive(Clone, Copy)]
pub struct HeadState<'a> {
    /// The time of everything that the batch writes.
    pub now: DateTime<Utc>,
    /// The world at the head, without the changes of the batch.
    pub world: &'a RwLock<World>,
}

/// The share of one noun in a batch: the data that its commands are decided on, and their changes of it.
pub trait Part: Any + Send + Sync {
    /// Returns true if something must be read before the batch can be decided.
    fn has_needs(&self) -> bool;

    /// Reads what is needed. The head is locked, unless nothing will be written.
    fn read<'a>(&'a mut self, connection: &'a mut PgConnection, head: HeadState<'a>) -> SqlFuture<'a, ()>;

    /// Returns true if the commands have changed something.
    fn has_changes(&self) -> bool;

    /// Writes the changes. The head is locked.
    fn write<'a>(&'a self, connection: &'a mut PgConnection, now: DateTime<Utc>) -> SqlFuture<'a, ()>;

    /// Returns true if the changes are stored, after a commit that was not answered. All rows of a batch are
    /// written in one transaction, so that one of them proves the others. `None` if this part has no row that
    /// proves it.
    fn is_stored<'a>(&'a self, _: &'a mut PgConnection) -> SqlFuture<'a, Option<bool>> {
        Box::pin(async { Ok(None) })
    }

    /// Returns the entries of the control log by which other instances learn of the changes.
    fn control_entries(&self) -> Vec<ControlEntry> {
        Vec::new()
    }

    /// Publishes committed changes to the streams of this instance, before the events of the batch are.
    fn publish<'a>(&'a self, _: &'a mut PgConnection, _: &'a Hub) -> SqlFuture<'a, ()> {
        Box::pin(async { Ok(()) })
    }

    /// Returns the accounts whose waiting calls the changes wake.
    fn concerned_accounts(&self) -> BTreeSet<AccountNo> {
        BTreeSet::new()
    }

    /// Counts the committed changes.
    fn count_in_metrics(&self) {}
}

/// Makes the parts of a batch, in the order in which they are read and written.
pub type NewParts = fn() -> Vec<Box<dyn Part>>;

/// The parts of a batch; empty after they were taken.
#[derive(Default)]
pub struct Parts(Vec<Box<dyn Part>>);

impl Parts {
    /// Returns the parts of a batch that nothing was read of yet.
    pub(super) fn new(parts: NewParts) -> Self {
        Self(parts())
    }

    /// Returns the part of this type.
    pub fn get<P: Part>(&self) -> &P {
        let mut parts = self.0.iter().map(|part| -> &dyn Any { part.as_ref() });
        let Some(part) = parts.find_map(|part| part.downcast_ref()) else {
            unreachable!("the server names all parts")
        };
        part
    }

    /// Returns the part of this type, to be changed.
    pub fn get_mut<P: Part>(&mut self) -> &mut P {
        let mut parts = self.0.iter_mut().map(|part| -> &mut dyn Any { part.as_mut() });
        let Some(part) = parts.find_map(|part| part.downcast_mut()) else {
            unreachable!("the server names all parts")
        };
        part
    }

    /// Returns true if the parts have been taken.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if something must be read.
    pub(super) fn has_needs(&self) -> bool {
        self.0.iter().any(|part| part.has_needs())
    }

    /// Reads what is needed.
    pub(super) async fn read(
        &mut self,
        connection: &mut PgConnection,
        head: HeadState<'_>,
    ) -> Result<(), sqlx::Error> {
        for part in self.0.iter_mut().filter(|part| part.has_needs()) {
            part.read(connection, head).await?;
        }
        Ok(())
    }

    /// Returns true if a part was changed.
    pub(super) fn has_changes(&self) -> bool {
        self.0.iter().any(|part| part.has_changes())
    }

    /// Writes the changed parts.
    pub(super) async fn write(
        &self,
        connection: &mut PgConnection,
        now: DateTime<Utc>,
    ) -> Result<(), sqlx::Error> {
        for part in self.changed() {
            part.write(connection, now).await?;
        }
        Ok(())
    }

    /// Returns true if the changes are stored; `None` if no part can prove it.
    pub(super) async fn is_stored(&self, connection: &mut PgConnection) -> Result<Option<bool>, sqlx::Error> {
        for part in self.changed() {
            if let Some(is_stored) = part.is_stored(connection).await? {
                return Ok(Some(is_stored));
            }
        }
        Ok(None)
    }

    /// Returns the entries of the control log by which other instances learn of the changes.
    pub(super) fn control_entries(&self) -> Vec<ControlEntry> {
        self.changed().flat_map(Part::control_entries).collect()
    }

    /// Publishes committed changes to the streams of this instance.
    pub(super) async fn publish(&self, connection: &mut PgConnection, hub: &Hub) -> Result<(), sqlx::Error> {
        for part in self.changed() {
            part.publish(connection, hub).await?;
        }
        Ok(())
    }

    /// Returns the accounts whose waiting calls the changes wake, in ascending order.
    pub(super) fn concerned_accounts(&self) -> Vec<AccountNo> {
        let accounts: BTreeSet<AccountNo> =
            self.changed().flat_map(|part| part.concerned_accounts()).collect();
        accounts.into_iter().collect()
    }

    /// Counts the committed changes.
    pub(super) fn count_in_metrics(&self) {
        self.changed().for_each(Part::count_in_metrics);
    }

    fn changed(&self) -> impl Iterator<Item = &dyn Part> {
        self.0.iter().map(|part| part.as_ref()).filter(|part| part.has_changes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch_effects::BatchEffects;

    /// A part with a number, which was changed if the number is above 0.
    struct Numbered<const NUMBER: i64>;

    impl<const NUMBER: i64> Part for Numbered<NUMBER> {
        fn has_needs(&self) -> bool {
            false
        }

        fn read<'a>(&'a mut self, _: &'a mut PgConnection, _: HeadState<'a>) -> SqlFuture<'a, ()> {
            Box::pin(async { Ok(()) })
        }

        fn has_changes(&self) -> bool {
            NUMBER > 0
        }

        fn write<'a>(&'a self, _: &'a mut PgConnection, _: DateTime<Utc>) -> SqlFuture<'a, ()> {
            Box::pin(async { Ok(()) })
        }

        fn concerned_accounts(&self) -> BTreeSet<AccountNo> {
            BTreeSet::from([AccountNo(NUMBER)])
        }
    }

    #[test]
    fn a_batch_with_a_changed_part_takes_more_than_one_statement() {
        let with = |new_parts| BatchEffects { parts: Parts::new(new_parts), ..BatchEffects::default() };
        assert!(with(|| vec![Box::new(Numbered::<0>)]).fits_one_statement());
        let changed = with(|| vec![Box::new(Numbered::<0>), Box::new(Numbered::<1>)]);
        assert!(!changed.fits_one_statement() && !changed.is_empty() && changed.has_more_than_placements());
    }

    #[test]
    fn changed_parts_are_written_in_the_order_of_the_server() {
        let parts =
            Parts::new(|| vec![Box::new(Numbered::<3>), Box::new(Numbered::<0>), Box::new(Numbered::<1>)]);
        let written: Vec<_> = parts.changed().flat_map(|part| part.concerned_accounts()).collect();
        assert_eq!(written, [3, 1].map(AccountNo));
        assert_eq!(parts.concerned_accounts(), [1, 3].map(AccountNo));
        let _: &Numbered<0> = parts.get();
        assert!(parts.has_changes() && !parts.has_needs());
        assert!(!Parts::new(|| vec![Box::new(Numbered::<0>)]).has_changes());
    }
}
