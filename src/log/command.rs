//! What passes the gate: a deed that is decided on its ground, and the entry that carries it there and its answer back.

use bytes::Bytes;
use rules::rights::AccountAction;
use serde::Serialize;
use tokio::sync::oneshot;

use super::batch_context::{Account, BatchContext, LookupNeeds};
use super::batch_effects::{IdempotencyKey, StoredAnswer};
use super::reply_batcher::{CommitOutcome, QueuedCommand, ReplyBatcher};
use crate::refusal::Refusal;

/// Something that a holder of a name does, and that everyone will see.
pub trait Command: Send + 'static {
    /// The answer of success, as it goes out.
    type Output: Serialize + Send;

    /// What one must be allowed to do it.
    const ACT: AccountAction;

    /// Adds what it needs to be decided; the agent's account is read anyway.
    fn require_lookups(&self, _needs: &mut LookupNeeds) {}

    /// Checks everything, then spends: a refusal leaves ground and account as they were.
    ///
    /// # Errors
    /// Why the deed is not done.
    fn decide(&self, context: &mut BatchContext<'_>, account: &mut Account) -> Result<Self::Output, Refusal>;

    /// Called when it was not written after all, whatever was decided: gives back what it holds outside the log.
    fn undo(&self) {}
}

/// How a deed ended well.
#[derive(Debug)]
pub enum CommandOutcome<T> {
    /// Done now.
    Executed(T),
    /// Done before under the same idempotency key; the JSON of that answer.
    Replayed(Bytes),
}

/// Makes an answer repeatable.
#[derive(Clone, Debug)]
pub struct RequestIdentity {
    pub key: IdempotencyKey,
    /// BLAKE3 of the raw request body.
    pub body_hash: [u8; 32],
}

pub(super) struct PendingCommand<C: Command> {
    pub agent_no: i64,
    pub key_generation: i32,
    pub request_identity: Option<RequestIdentity>,
    pub command: C,
    pub reply_batcher: Option<ReplyBatcher>,
    pub decision: Option<Result<CommandOutcome<C::Output>, Refusal>>,
    pub reply: oneshot::Sender<Result<CommandOutcome<C::Output>, Refusal>>,
}

impl<C: Command> PendingCommand<C> {
    fn try_decide(&self, context: &mut BatchContext<'_>) -> Result<CommandOutcome<C::Output>, Refusal> {
        let mut account = self.account(context)?;
        if let Some(stored) = self.stored_answer(context)? {
            return Ok(CommandOutcome::Replayed(stored));
        }
        account.rights.check(C::ACT, context.now)?;
        context.check_chat(C::ACT)?;
        context.check_season(account.rights.kind)?;
        let output = self.command.decide(context, &mut account)?;
        context.update_account(account);
        self.store_answer(context, &output);
        Ok(CommandOutcome::Executed(output))
    }

    fn account(&self, context: &BatchContext<'_>) -> Result<Account, Refusal> {
        let account = context.accounts.get(&self.agent_no).cloned();
        let valid = account.filter(|account| account.key_generation == self.key_generation);
        valid.ok_or(Refusal::KeyInvalid)
    }

    fn stored_answer(&self, context: &BatchContext<'_>) -> Result<Option<Bytes>, Refusal> {
        let Some(identity) = &self.request_identity else { return Ok(None) };
        match context.lookups.answers.get(&identity.key) {
            Some(answer) if answer.body_hash == identity.body_hash => Ok(Some(answer.json.clone())),
            Some(_) => Err(Refusal::IdempotencyKeyReused),
            None => Ok(None),
        }
    }

    fn store_answer(&self, context: &mut BatchContext<'_>, output: &C::Output) {
        if let Some(RequestIdentity { key, body_hash }) = self.request_identity.clone() {
            // Answers are plain data: they always have a JSON.
            let json = serde_json::to_vec(output).unwrap_or_default().into();
            context.store_answer(key, StoredAnswer { body_hash, json });
        }
    }
}

impl<C: Command> QueuedCommand for PendingCommand<C> {
    fn require_lookups(&self, needs: &mut LookupNeeds) {
        needs.accounts.push(self.agent_no);
        needs.answers.extend(self.request_identity.iter().map(|repeatable| repeatable.key.clone()));
        self.command.require_lookups(needs);
    }

    fn decide(&mut self, context: &mut BatchContext<'_>) {
        self.decision = Some(self.try_decide(context));
    }

    fn reply_batcher(&self) -> Option<&ReplyBatcher> {
        self.reply_batcher.as_ref()
    }

    fn reply(self: Box<Self>, outcome: CommitOutcome) {
        // What may have been written counts as written.
        if outcome == CommitOutcome::NotCommitted {
            self.command.undo();
        }
        let answer = match (outcome, self.decision) {
            (CommitOutcome::Committed, Some(decision)) => decision,
            (CommitOutcome::Unknown, _) => Err(Refusal::Uncertain),
            _ => Err(Refusal::Unavailable),
        };
        // Fails only when the client is gone; what was done stays done.
        let _ = self.reply.send(answer);
    }
}
