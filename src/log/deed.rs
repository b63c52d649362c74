//! What passes the gate: a deed that is decided on its ground, and the entry that carries it there and its answer back.

use bytes::Bytes;
use rules::rights::AccountAction;
use serde::Serialize;
use tokio::sync::oneshot;

use super::desk::{Desk, Entry, Fate};
use super::effects::{IdempotencyKey, StoredAnswer};
use super::ground::{Account, Ground, Needs};
use crate::refusal::Refusal;

/// Something that a holder of a name does, and that everyone will see.
pub trait Deed: Send + 'static {
    /// The answer of success, as it goes out.
    type Done: Serialize + Send;

    /// What one must be allowed to do it.
    const ACT: AccountAction;

    /// Adds what it needs to be decided; the agent's account is read anyway.
    fn needs(&self, _needs: &mut Needs) {}

    /// Checks everything, then spends: a refusal leaves ground and account as they were.
    ///
    /// # Errors
    /// Why the deed is not done.
    fn decide(&self, ground: &mut Ground<'_>, account: &mut Account) -> Result<Self::Done, Refusal>;

    /// Called when it was not written after all, whatever was decided: gives back what it holds outside the log.
    fn undo(&self) {}
}

/// How a deed ended well.
#[derive(Debug)]
pub enum Outcome<T> {
    /// Done now.
    Fresh(T),
    /// Done before under the same idempotency key; the JSON of that answer.
    Replayed(Bytes),
}

/// Makes an answer repeatable.
#[derive(Clone, Debug)]
pub struct Repeatable {
    pub key: IdempotencyKey,
    /// BLAKE3 of the raw request body.
    pub body_hash: [u8; 32],
}

pub(super) struct Pending<D: Deed> {
    pub agent_no: i64,
    pub key_generation: i32,
    pub repeatable: Option<Repeatable>,
    pub deed: D,
    pub desk: Option<Desk>,
    pub decision: Option<Result<Outcome<D::Done>, Refusal>>,
    pub reply: oneshot::Sender<Result<Outcome<D::Done>, Refusal>>,
}

impl<D: Deed> Pending<D> {
    fn judge(&self, ground: &mut Ground<'_>) -> Result<Outcome<D::Done>, Refusal> {
        let mut account = self.account(ground)?;
        if let Some(replayed) = self.replay(ground)? {
            return Ok(Outcome::Replayed(replayed));
        }
        account.rights.check(D::ACT, ground.now)?;
        ground.check_chat(D::ACT)?;
        ground.check_season(account.rights.kind)?;
        let done = self.deed.decide(ground, &mut account)?;
        ground.settle(account);
        self.store(ground, &done);
        Ok(Outcome::Fresh(done))
    }

    fn account(&self, ground: &Ground<'_>) -> Result<Account, Refusal> {
        let account = ground.accounts.get(&self.agent_no).cloned();
        let valid = account.filter(|account| account.key_generation == self.key_generation);
        valid.ok_or(Refusal::KeyInvalid)
    }

    fn replay(&self, ground: &Ground<'_>) -> Result<Option<Bytes>, Refusal> {
        let Some(repeatable) = &self.repeatable else { return Ok(None) };
        match ground.known.answers.get(&repeatable.key) {
            Some(answer) if answer.body_hash == repeatable.body_hash => Ok(Some(answer.json.clone())),
            Some(_) => Err(Refusal::IdempotencyKeyReused),
            None => Ok(None),
        }
    }

    fn store(&self, ground: &mut Ground<'_>, done: &D::Done) {
        if let Some(Repeatable { key, body_hash }) = self.repeatable.clone() {
            // Answers are plain data: they always have a JSON.
            let json = serde_json::to_vec(done).unwrap_or_default().into();
            ground.store_answer(key, StoredAnswer { body_hash, json });
        }
    }
}

impl<D: Deed> Entry for Pending<D> {
    fn needs(&self, needs: &mut Needs) {
        needs.accounts.push(self.agent_no);
        needs.answers.extend(self.repeatable.iter().map(|repeatable| repeatable.key.clone()));
        self.deed.needs(needs);
    }

    fn decide(&mut self, ground: &mut Ground<'_>) {
        self.decision = Some(self.judge(ground));
    }

    fn desk(&self) -> Option<&Desk> {
        self.desk.as_ref()
    }

    fn answer(self: Box<Self>, fate: Fate) {
        // What may have been written counts as written.
        if fate == Fate::Undone {
            self.deed.undo();
        }
        let answer = match (fate, self.decision) {
            (Fate::Committed, Some(decision)) => decision,
            (Fate::Unknown, _) => Err(Refusal::Uncertain),
            _ => Err(Refusal::Unavailable),
        };
        // Fails only when the client is gone; what was done stays done.
        let _ = self.reply.send(answer);
    }
}
