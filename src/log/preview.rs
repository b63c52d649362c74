//! Decides a command without writing anything.

use platform::refusal::Refusal;

use super::EventLog;
use super::batch_context::{Accounts, BatchContext, Lookups};
use super::batch_plans::PlanLookups;
use super::command::{Command, check_may_act};
use super::key_cache::Identity;
use super::part::Parts;

impl EventLog {
    /// Returns what a command would do if it were executed now: it is decided on the newest canvas, with the
    /// account as it is stored, and nothing is written. The command must not need any lookups but the agent's
    /// own live plans that not everyone can see, or sees so.
    ///
    /// # Errors
    /// The refusal of the command, `Overloaded` if this instance is behind and too many requests make it
    /// catch up, or `Unavailable` if the database cannot be read.
    pub async fn preview<C: Command>(&self, agent: &Identity, command: &C) -> Result<C::Output, Refusal> {
        let (now, mut account) = self.account(agent).await?;
        // The account may have been changed by another instance, whose events belong to the same state.
        self.catch_up_if_behind().await?;
        let own_plans = self.live_unlisted_plans(agent).await?;
        let by_id = own_plans.into_iter().map(|record| (record.id.clone(), record)).collect();
        let lookups = Lookups { plans: PlanLookups { by_id, ..Default::default() }, ..Lookups::default() };
        let mut unchanged = Accounts::new();
        let game = self.projector.settings.game();
        let world = self.projector.world.read();
        let mut context =
            BatchContext::new(now, &game, &world, &mut unchanged, lookups, Parts::new(self.projector.parts));
        check_may_act::<C>(&context, &account)?;
        command.decide(&mut context, &mut account)
    }
}
