//! The part of a batch that knows plans, and writes those that are opened and changed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use caraplace_log::batch_context::Account;
use caraplace_log::part::{HeadState, Part};
use caraplace_log::sql_future::SqlFuture;
use chrono::{DateTime, Utc};
use rules::grid::Point;
use rules::numbers::{AccountNo, Seq};
use rules::plan::record::{PlanChange, PlanRecord};
use sqlx::PgConnection;

use super::compare::wrong_pixels;
use super::store::{self, AuthorPlans, ShadowPlanFinish};

/// The number of placements on a pixel that are searched for damage of a plan that is not in memory. The
/// search may hold the head locked.
pub(super) const MAX_SHADOW_STEPS: i32 = 8;

/// An account whose plans are needed that not everyone can see.
#[derive(Debug)]
struct UnlistedNeed {
    account: AccountNo,
    is_shadowed: bool,
}

/// The plans of a batch, with its changes.
#[derive(Debug, Default)]
pub struct Plans {
    /// The ids of plans that are changed.
    needed_plans: Vec<String>,
    /// The numbers of authors whose plans are counted.
    needed_authors: Vec<AccountNo>,
    /// The account whose plans are needed that not everyone can see. There is one at most, because each sees
    /// other plans.
    needed_unlisted: Option<UnlistedNeed>,
    /// The needed plans that exist, hidden ones included, and those that are opened.
    known: HashMap<String, Arc<PlanRecord>>,
    /// The damaged pixels of those of these plans that not everyone can see, which are not in memory.
    damaged: HashMap<String, Vec<Point>>,
    of_authors: HashMap<AccountNo, AuthorPlans>,
    /// The newest states of the plans that the batch opens or changes, by their ids.
    changed: BTreeMap<String, Arc<PlanRecord>>,
    /// The changes that everyone can see, in the order of their events.
    events: Vec<PlanChange>,
    /// The plans that the batch finishes and that only their authors can see, by their ids.
    finished: BTreeMap<String, ShadowPlanFinish>,
}

impl Plans {
    /// Requires that a plan is read.
    pub(super) fn require(&mut self, id: &str) {
        self.needed_plans.push(id.to_owned());
    }

    /// Requires that the plans of an author are counted.
    pub(super) fn require_author(&mut self, author: AccountNo) {
        self.needed_authors.push(author);
    }

    /// Requires those live plans of an account and its crews that not everyone can see, or sees so.
    pub(crate) fn require_unlisted(&mut self, account: AccountNo, is_shadowed: bool) {
        debug_assert!(self.needed_unlisted.is_none(), "plans of two accounts would be mixed");
        self.needed_unlisted = Some(UnlistedNeed { account, is_shadowed });
    }

    /// Returns a required plan, including changes of this batch; `None` if there is none.
    pub(super) fn find(&self, id: &str) -> Option<&Arc<PlanRecord>> {
        self.known.get(id)
    }

    /// Returns the required plans, in no order.
    pub(super) fn known(&self) -> impl Iterator<Item = &Arc<PlanRecord>> {
        self.known.values()
    }

    /// Returns the plans of a required author, including those of this batch.
    pub(super) fn of_author(&self, author: AccountNo) -> AuthorPlans {
        self.of_authors.get(&author).cloned().unwrap_or_default()
    }

    /// Returns the damaged pixels of a required plan that not everyone can see.
    pub(super) fn damaged_points(&self, id: &str) -> &[Point] {
        self.damaged.get(id).map(Vec::as_slice).unwrap_or_default()
    }

    /// Forgets the damage of a plan whose picture is set anew.
    pub(super) fn clear_damage(&mut self, id: &str) {
        self.damaged.remove(id);
    }

    /// Stores the newest state of a plan.
    pub fn change(&mut self, record: Arc<PlanRecord>) {
        self.known.insert(record.id.clone(), record.clone());
        self.changed.insert(record.id.clone(), record);
    }

    /// Stores a change that has an event.
    pub(super) fn add_event(&mut self, change: PlanChange) {
        self.events.push(change);
    }

    /// Stores that a plan is finished which only its author can see. `seq` is the number of the newest event.
    pub(super) fn finish_shadow_plan(&mut self, record: &PlanRecord, seq: Seq) {
        let finish = ShadowPlanFinish {
            plan: record.id.clone(),
            author: record.author.no,
            target_seq: record.target_seq,
            seq,
            // Nobody is called for a picture that was there before the plan.
            is_reported: record.is_announced,
        };
        self.finished.insert(record.id.clone(), finish);
    }

    /// Counts a new plan for its author, and for the newcomers of the author's address if the author is one.
    pub(super) fn count_new(&mut self, account: &Account, now: DateTime<Utc>) {
        let of_author = self.of_authors.entry(account.no).or_default();
        (of_author.live, of_author.newest_at) = (of_author.live + 1, Some(now));
        if !account.is_newcomer() {
            return;
        }
        let address = of_author.registered_from.clone();
        let shares_address = |(author, plans): &(&AccountNo, &mut AuthorPlans)| {
            **author == account.no || address.is_some() && plans.registered_from == address
        };
        self.of_authors.iter_mut().filter(shares_address).for_each(|(_, plans)| plans.live_of_newcomers += 1);
    }

    /// Counts the end of a plan for its author.
    pub(super) fn count_end(&mut self, author: AccountNo) {
        let of_author = self.of_authors.entry(author).or_default();
        of_author.live = (of_author.live - 1).max(0);
    }

    /// Reads the damaged pixels of those of the needed plans that not everyone can see.
    async fn read_damage(
        &mut self,
        connection: &mut PgConnection,
        head: HeadState<'_>,
    ) -> Result<(), sqlx::Error> {
        for record in self.known.values().filter(|record| !record.is_public() && record.is_live()) {
            let wrong = wrong_pixels(&head.world.read().canvas, record);
            let points =
                store::damaged_points(connection, record.target_seq, &wrong, MAX_SHADOW_STEPS).await?;
            self.damaged.insert(record.id.clone(), points);
        }
        Ok(())
    }
}

impl Part for Plans {
    fn has_needs(&self) -> bool {
        !self.needed_plans.is_empty() || !self.needed_authors.is_empty() || self.needed_unlisted.is_some()
    }

    fn read<'a>(&'a mut self, connection: &'a mut PgConnection, head: HeadState<'a>) -> SqlFuture<'a, ()> {
        Box::pin(async move {
            self.known = store::plans_by_ids(connection, &self.needed_plans).await?;
            self.read_damage(connection, head).await?;
            self.of_authors = store::plans_of_authors(connection, &self.needed_authors, head.now).await?;
            if let Some(UnlistedNeed { account, is_shadowed }) = &self.needed_unlisted {
                let season = head.world.read().season.seq;
                let unlisted = store::live_unlisted_plans(connection, season, *account, *is_shadowed).await?;
                self.known.extend(unlisted.into_iter().map(|record| (record.id.clone(), record)));
            }
            Ok(())
        })
    }

    fn has_changes(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Returns true if the first changed plan is stored as it was changed. Plans that not everyone can see
    /// have no event that proves it.
    fn is_stored<'a>(&'a self, connection: &'a mut PgConnection) -> SqlFuture<'a, Option<bool>> {
        Box::pin(async {
            let Some(changed) = self.changed.values().next() else { return Ok(None) };
            let stored = store::plans_by_ids(connection, std::slice::from_ref(&changed.id)).await?;
            Ok(Some(stored.get(&changed.id).is_some_and(|stored| stored.is_as_changed(changed))))
        })
    }

    fn write<'a>(&'a self, connection: &'a mut PgConnection, now: DateTime<Utc>) -> SqlFuture<'a, ()> {
        Box::pin(async move {
            for record in self.changed.values() {
                store::upsert_plan(connection, record).await?;
                store::upsert_member_changes(connection, record).await?;
            }
            let finished: Vec<_> = self.finished.values().collect();
            store::record_shadow_finishes(connection, &finished, now).await?;
            store::insert_plan_events(connection, &self.events).await
        })
    }

    /// Returns the authors of plans that are finished without an event, which would wake them.
    fn concerned_accounts(&self) -> BTreeSet<AccountNo> {
        self.finished.values().map(|finish| finish.author).collect()
    }
}
