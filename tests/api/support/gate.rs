//! The gate, closed for a while: what was sent waits, and too much of it is refused.

use caraplace::log::deed::Deed;
use caraplace::log::ground::{Account, Ground};
use caraplace::refusal::Refusal;
use caraplace::tokens;
use rules::rights::AccountAction;
use sqlx::{Postgres, Transaction};

use super::{Agent, Server};

/// Nothing is written while this stands. It must be opened within the gate's patience, five seconds.
pub struct ClosedGate(Transaction<'static, Postgres>);

/// Waits at the gate, and is refused there.
struct Nothing;

impl Deed for Nothing {
    type Done = ();

    const ACT: AccountAction = AccountAction::Paint;

    fn decide(&self, _: &mut Ground<'_>, _: &mut Account) -> Result<(), Refusal> {
        Err(Refusal::KeyInvalid)
    }
}

impl ClosedGate {
    pub async fn open(self) {
        self.0.rollback().await.unwrap();
    }
}

impl Server {
    /// Holds the head, as a slow writer would.
    pub async fn close_gate(&self) -> ClosedGate {
        let mut transaction = self.pool.begin().await.unwrap();
        sqlx::query("select seq from log_head for update").execute(&mut *transaction).await.unwrap();
        ClosedGate(transaction)
    }

    /// Returns when so many wait before the closed gate.
    pub async fn crowded(&self, count: i64) {
        let waiting = "select count(*) from pg_stat_activity where datname = current_database()
            and wait_event_type = 'Lock' and query like '%from log_head for update%'";
        while sqlx::query_scalar::<_, i64>(waiting).fetch_one(&self.pool).await.unwrap() < count {
            tokio::task::yield_now().await;
        }
    }

    /// Closes the gate and fills the queue before it.
    pub async fn overload(&self, agent: &Agent<'_>) -> ClosedGate {
        agent.me().await;
        let state = &self.running().state;
        let known = state.roster.find(&tokens::hash(&agent.key)).unwrap();
        let gate = self.close_gate().await;
        while !state.log.is_overloaded() {
            let (state, known) = (state.clone(), known.clone());
            tokio::spawn(async move { state.log.submit(&known, None, Nothing, None).await });
            tokio::task::yield_now().await;
        }
        gate
    }
}
