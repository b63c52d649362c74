//! Commands, and the queue entries that carry them to the writer and the replies back.

use bytes::Bytes;
use platform::refusal::{Refusal, internal};
use rules::numbers::AccountNo;
use rules::rights::AccountAction;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::oneshot;

use super::account::SentKey;
use super::batch_context::{Account, BatchContext, LookupNeeds};
use super::batch_effects::{IdempotencyKey, StoredResponse};
use super::reply_batcher::{CommitOutcome, ErasedCommand, ReplyBatcher};

/// The name in idempotency keys of commands that carry out drafts.
pub const DRAFT_ROUTE: &str = "draft";

/// A command: a public action of an account, decided by the writer.
pub trait Command: Send + 'static {
    /// The body of the success response.
    type Output: Serialize + Send;

    /// The right that the command needs.
    const ACTION: AccountAction;

    /// False if the command is also executed while the season is frozen.
    const NEEDS_OPEN_SEASON: bool = true;

    /// Adds the data that must be read before the decision. The account is always read.
    fn require_lookups(&self, _needs: &mut LookupNeeds) {}

    /// Checks everything, then spends: a refused command leaves context and account unchanged.
    fn decide(&self, context: &mut BatchContext<'_>, account: &mut Account) -> Result<Self::Output, Refusal>;

    /// Called if the command was not written, whatever was decided: releases what the command reserved
    /// outside the log.
    fn undo(&self) {}
}

/// The outcome of a successful command.
#[derive(Debug)]
pub enum CommandOutcome<T> {
    /// The command was executed now.
    Executed(T),
    /// The command was executed before with the same idempotency key. Holds the JSON of that response.
    Replayed(Bytes),
}

impl<T: Serialize> CommandOutcome<T> {
    /// Returns the response, the stored one if the command was executed before.
    ///
    /// # Errors
    /// `Internal` if it is not JSON.
    pub fn into_json(self) -> Result<Value, Refusal> {
        match self {
            Self::Executed(output) => serde_json::to_value(output),
            Self::Replayed(json) => serde_json::from_slice(&json),
        }
        .map_err(internal("reading a stored response"))
    }
}

/// A request whose response can be stored and repeated.
#[derive(Clone, Debug)]
pub struct RepeatableRequest {
    pub key: IdempotencyKey,
    /// The BLAKE3 hash of the raw request body.
    pub body_hash: [u8; 32],
}

impl RepeatableRequest {
    /// Returns the request that carries out a draft of the guide in the name of the account with this number.
    /// The change of a draft never changes, so its id stands for the body.
    pub fn of_draft(agent: AccountNo, draft_id: &str) -> Self {
        let key = IdempotencyKey { agent, route: DRAFT_ROUTE, key: draft_id.to_owned() };
        Self { key, body_hash: *blake3::hash(draft_id.as_bytes()).as_bytes() }
    }
}

/// A command in the queue of the writer.
pub(super) struct QueuedCommand<C: Command> {
    pub agent_no: AccountNo,
    pub key: SentKey,
    pub repeatable: Option<RepeatableRequest>,
    pub command: C,
    pub reply_batcher: Option<ReplyBatcher>,
    pub decision: Option<Result<CommandOutcome<C::Output>, Refusal>>,
    pub reply: oneshot::Sender<Result<CommandOutcome<C::Output>, Refusal>>,
}

impl<C: Command> QueuedCommand<C> {
    fn try_decide(&self, context: &mut BatchContext<'_>) -> Result<CommandOutcome<C::Output>, Refusal> {
        let mut account = self.account(context)?;
        if let Some(stored) = self.stored_response(context)? {
            return Ok(CommandOutcome::Replayed(stored));
        }
        check_may_act::<C>(context, &account)?;
        let output = self.command.decide(context, &mut account)?;
        context.update_account(account);
        self.store_response(context, &output);
        Ok(CommandOutcome::Executed(output))
    }

    fn account(&self, context: &BatchContext<'_>) -> Result<Account, Refusal> {
        let account = context.accounts.get(&self.agent_no);
        let valid = account.filter(|account| account.has_key(self.key, context.now));
        valid.cloned().ok_or(Refusal::KeyInvalid)
    }

    fn stored_response(&self, context: &BatchContext<'_>) -> Result<Option<Bytes>, Refusal> {
        let Some(repeatable) = &self.repeatable else { return Ok(None) };
        match context.lookups.answers.get(&repeatable.key) {
            Some(answer) if answer.body_hash == repeatable.body_hash => Ok(Some(answer.json.clone())),
            Some(_) => Err(Refusal::IdempotencyKeyReused),
            None => Ok(None),
        }
    }

    fn store_response(&self, context: &mut BatchContext<'_>, output: &C::Output) {
        if let Some(RepeatableRequest { key, body_hash }) = self.repeatable.clone() {
            // Responses are plain data, which always has a JSON form.
            let json = serde_json::to_vec(output).unwrap_or_default().into();
            context.store_response(key, StoredResponse { body_hash, json });
        }
    }
}

/// Checks that an account may execute a command now.
///
/// # Errors
/// The refusal of its rights or of the settings, or `SeasonOver`.
pub(super) fn check_may_act<C: Command>(
    context: &BatchContext<'_>,
    account: &Account,
) -> Result<(), Refusal> {
    account.rights.check(C::ACTION, context.now)?;
    context.game.check_action(C::ACTION)?;
    if C::NEEDS_OPEN_SEASON {
        context.check_season(account.rights.kind)?;
    }
    Ok(())
}

impl<C: Command> ErasedCommand for QueuedCommand<C> {
    fn require_lookups(&self, needs: &mut LookupNeeds) {
        needs.accounts.push(self.agent_no);
        needs.answers.extend(self.repeatable.iter().map(|repeatable| repeatable.key.clone()));
        needs.writes_more |= C::ACTION != AccountAction::Paint;
        self.command.require_lookups(needs);
    }

    fn decide(&mut self, context: &mut BatchContext<'_>) {
        self.decision = Some(self.try_decide(context));
    }

    fn reply_batcher(&self) -> Option<&ReplyBatcher> {
        self.reply_batcher.as_ref()
    }

    fn reply(self: Box<Self>, outcome: CommitOutcome) {
        // A command that may have been written counts as written.
        if outcome == CommitOutcome::NotCommitted {
            self.command.undo();
        }
        let answer = match (outcome, self.decision) {
            (CommitOutcome::Committed, Some(decision)) => decision,
            (CommitOutcome::Unknown, _) => Err(Refusal::Uncertain),
            _ => Err(Refusal::Unavailable),
        };
        // Sending fails only if the client is gone; the command stays done.
        let _ = self.reply.send(answer);
    }
}
