//! Changes of crews. Each is a transaction that holds the head of the log locked, so that the writer decides
//! messages and plans on committed memberships, and changes of crews follow one another on all instances.

use std::collections::BTreeSet;

use caraplace_accounts::address_limit::{CountedMessage, SenderAddress};
use caraplace_log::batch_context::Account;
use caraplace_log::head_lock::HeadLock;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::concurrency::ChangePermits;
use platform::refusal::{CrewRefusal, Refusal};
use rules::crew::count_change;
use rules::ids::CrewId;
use rules::numbers::AccountNo;
use rules::rights::AccountAction;
use sqlx::{PgConnection, Postgres, Transaction};
use tokio::sync::SemaphorePermit;

use super::access::CrewAccess;
use super::{Crew, CrewChanges, CrewReader, store};

/// A change of a crew that is not committed yet.
pub(super) struct CrewTransaction<'a> {
    state: &'a AppState,
    _permit: SemaphorePermit<'a>,
    transaction: Transaction<'static, Postgres>,
    caller: &'a Identity,
    /// The numbers of the accounts that are woken.
    concerned: BTreeSet<AccountNo>,
    /// The change in the count of the caller's address; `None` if it is not counted.
    counted: Option<CountedMessage>,
    /// The caller's account with its present rights.
    pub account: Account,
    /// The time of the change.
    pub now: DateTime<Utc>,
}

impl<'a> CrewTransaction<'a> {
    /// Locks the head, and checks the rights of the caller again.
    ///
    /// # Errors
    /// `KeyInvalid` or `Denied` if the rights have changed meanwhile, or `Overloaded`.
    pub(super) async fn begin(
        state: &'a AppState,
        caller: &'a Identity,
        action: AccountAction,
    ) -> Result<Self, Refusal> {
        let permit = state.service::<ChangePermits<CrewChanges>>().acquire().await?;
        let mut transaction = state.pool.begin().await?;
        let head_lock = HeadLock::acquire(&mut transaction, &state.clock).await?;
        let account = head_lock.find_account(&mut transaction, caller).await?;
        account.rights.check(action, head_lock.now)?;
        let concerned = BTreeSet::new();
        let counted = None;
        let now = head_lock.now;
        Ok(Self { state, _permit: permit, transaction, caller, concerned, counted, account, now })
    }

    /// Returns the connection.
    pub(super) fn connection(&mut self) -> &mut PgConnection {
        &mut self.transaction
    }

    /// Returns a crew, and how an account stands to it.
    ///
    /// # Errors
    /// `Crew` if there is none.
    pub(super) async fn find_crew(&mut self, id: &CrewId, account: AccountNo) -> Result<CrewAccess, Refusal> {
        let found = store::find_access(self.connection(), id, account).await?;
        Ok(found.ok_or(CrewRefusal::NotFound)?)
    }

    /// Counts a change of crews by the caller.
    ///
    /// # Errors
    /// `Crew` if there were too many just now.
    pub(super) async fn count_change(&mut self) -> Result<(), Refusal> {
        let agent = self.account.no;
        let now = self.now;
        let counted_until = store::changes_until(self.connection(), agent).await?;
        let until = count_change(counted_until, now).map_err(|wait| CrewRefusal::ChangedTooSoon { wait })?;
        Ok(store::set_changes_until(self.connection(), agent, until).await?)
    }

    /// Counts a change that others see for the address of its request, unless the transaction ends without a
    /// commit. This is the last check, so that it does not hide another refusal.
    ///
    /// # Errors
    /// `TooManyFromAddress`.
    pub(super) fn count_for_address(&mut self, address: SenderAddress<'_>) -> Result<(), Refusal> {
        let kind = self.account.rights.kind;
        let limit = self.state.game().messages_per_ip_per_minute;
        self.counted = Some(address.slot().count_as(kind, limit, self.now)?);
        Ok(())
    }

    /// Returns true if accounts of one address share limits.
    pub(super) fn limits_addresses(&self) -> bool {
        self.state.game().messages_per_ip_per_minute > 0
    }

    /// Returns the hash of an address whose accounts share limits; `None` if they do not.
    pub(super) fn hash_limited_address(&self, address: SenderAddress<'_>) -> Option<[u8; 32]> {
        self.limits_addresses().then(|| self.state.hash_address(address.address))
    }

    /// Wakes other accounts, by their numbers, when the change is committed. Nobody hears of a shadow-banned
    /// agent.
    pub(super) fn wake(&mut self, accounts: impl IntoIterator<Item = AccountNo>) {
        let caller = self.account.no;
        if self.account.audience().is_everyone() {
            self.concerned.extend(accounts.into_iter().filter(|account| *account != caller));
        }
    }

    /// Commits the change, and returns the crew after it as the caller sees it, also if it has just left the
    /// crew.
    ///
    /// # Errors
    /// `Uncertain` if the database did not answer, or its error.
    pub(super) async fn commit(mut self, id: &CrewId) -> Result<Crew, Refusal> {
        let crew = self.read_crew(id).await?;
        let concerned: Vec<AccountNo> = self.concerned.into_iter().collect();
        // A change that may have been written counts as written.
        if let Some(counted) = self.counted {
            counted.keep();
        }
        self.state.log.commit_private_news(self.transaction, &concerned).await?;
        // The answer tells the caller what is unread after the change.
        self.state.hub.unread_changes.record_accounts(&[self.account.no]);
        Ok(crew)
    }

    /// Returns a crew as the caller sees it, also if it has just left the crew.
    async fn read_crew(&mut self, id: &CrewId) -> Result<Crew, Refusal> {
        let caller = Identity { rights: self.account.rights.clone(), ..self.caller.clone() };
        let row = store::find(self.connection(), id, CrewReader::Operator).await?;
        Ok(row.ok_or(CrewRefusal::NotFound)?.into_changed_crew(&caller))
    }
}
