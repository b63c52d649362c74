//! Blocks the writer for a while, so that commands wait in its queue or are refused.

use caraplace_accounts::key_cache::KeyCache;
use caraplace_log::batch_context::{Account, BatchContext};
use caraplace_log::command::Command;
use platform::refusal::Refusal;
use platform::tokens;
use rules::rights::AccountAction;
use sqlx::{Postgres, Transaction};

use super::waiting::wait_until;
use super::{Agent, Server};

/// A lock that stops all writes while it exists. The writer times out after five seconds.
pub struct HeldHeadLock(Transaction<'static, Postgres>);

/// A command that waits in the writer's queue and is then refused.
struct RefusedCommand;

impl Command for RefusedCommand {
    type Output = ();

    const ACTION: AccountAction = AccountAction::Paint;

    fn decide(&self, _: &mut BatchContext<'_>, _: &mut Account) -> Result<(), Refusal> {
        Err(Refusal::KeyInvalid)
    }
}

impl HeldHeadLock {
    pub async fn release(self) {
        self.0.rollback().await.unwrap();
    }
}

impl Server {
    /// Locks the log head, as a slow writer would.
    pub async fn lock_head(&self) -> HeldHeadLock {
        let mut transaction = self.pool.begin().await.unwrap();
        sqlx::query("select seq from log_head for update").execute(&mut *transaction).await.unwrap();
        HeldHeadLock(transaction)
    }

    /// Waits until this number of commands is queued.
    pub async fn wait_for_blocked_writers(&self, count: i64) {
        self.wait_for_blocked_queries("%from log_head for update%", count).await;
    }

    /// Blocks the writer and fills its queue.
    pub async fn fill_writer_queue(&self, agent: &Agent<'_>) -> HeldHeadLock {
        agent.me().await;
        let state = &self.running().state;
        let account = KeyCache::of(state).find(&tokens::hash(&agent.key), state.clock.now()).unwrap();
        let head_lock = self.lock_head().await;
        let submit_until_overloaded = async || {
            let is_overloaded = state.log.is_overloaded();
            if !is_overloaded {
                let (state, account) = (state.clone(), account.clone());
                tokio::spawn(async move { state.log.submit(&account, None, RefusedCommand, None).await });
            }
            is_overloaded
        };
        wait_until(submit_until_overloaded, "the writer's queue is never full").await;
        head_lock
    }
}
