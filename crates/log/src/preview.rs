//! Decides a command without writing anything.

use platform::refusal::Refusal;

use super::EventLog;
use super::batch_context::{Accounts, BatchContext, LookupNeeds, Lookups};
use super::command::{Command, check_may_act};
use super::identity::Identity;
use super::part::{HeadState, Parts};

impl EventLog {
    /// Returns what a command would do if it were executed now: it is decided on the newest canvas, with the
    /// account as it is stored, and nothing is written. The command must not need anything but parts.
    ///
    /// # Errors
    /// The refusal of the command, `Overloaded` if this instance is behind and too many requests make it
    /// catch up, or `Unavailable` if the database cannot be read.
    pub async fn preview<C: Command>(&self, agent: &Identity, command: &C) -> Result<C::Output, Refusal> {
        let (now, mut account) = self.account(agent).await?;
        // The account may have been changed by another instance, whose events belong to the same state.
        self.catch_up_if_behind().await?;
        let mut needs =
            LookupNeeds { parts: Parts::new(self.projector.nouns.parts), ..LookupNeeds::default() };
        command.require_lookups(&mut needs);
        let mut parts = needs.parts;
        let head = HeadState { now, world: &self.projector.world };
        parts.read(&mut *self.connection().await?, head).await?;
        let mut unchanged = Accounts::new();
        let game = self.projector.settings.game();
        let world = self.projector.world.read();
        let mut context = BatchContext::new(now, &game, &world, &mut unchanged, Lookups::default(), parts);
        check_may_act::<C>(&context, &account)?;
        command.decide(&mut context, &mut account)
    }
}
