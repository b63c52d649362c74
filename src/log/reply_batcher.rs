//! Answers go back together: one wake-up for each thread that asked and each batch, not one for each answer.

use std::future::Future;

use tokio::sync::mpsc;

use super::batch_context::{BatchContext, LookupNeeds};

/// What the gate needs to know of an entry, whatever its deed.
pub(super) trait QueuedCommand: Send {
    fn require_lookups(&self, needs: &mut LookupNeeds);
    fn decide(&mut self, context: &mut BatchContext<'_>);
    /// Where the answer is to be given, if anywhere in particular.
    fn reply_batcher(&self) -> Option<&ReplyBatcher>;
    /// Answers whoever waits: with the decision where that is what happened.
    fn reply(self: Box<Self>, outcome: CommitOutcome);
}

/// What became of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommitOutcome {
    Committed,
    /// Nothing of it is in the log.
    NotCommitted,
    /// The database cannot be asked.
    Unknown,
}

/// What is handed over: a batch's entries that came from one desk, and what became of them.
type ReplyBatch = (Vec<Box<dyn QueuedCommand>>, CommitOutcome);

/// Where the answers to one thread's questions are handed over. A thread that waits for many of them serves a desk of
/// its own.
#[derive(Clone, Debug)]
pub struct ReplyBatcher(mpsc::UnboundedSender<ReplyBatch>);

impl ReplyBatcher {
    /// A desk, and the work of serving it, which belongs on the thread that asks.
    pub fn open() -> (Self, impl Future<Output = ()>) {
        let (sender, mut receiver) = mpsc::unbounded_channel::<ReplyBatch>();
        let serve = async move {
            while let Some((commands, outcome)) = receiver.recv().await {
                commands.into_iter().for_each(|command| command.reply(outcome));
            }
        };
        (Self(sender), serve)
    }

    fn is_same(&self, other: &Self) -> bool {
        self.0.same_channel(&other.0)
    }

    fn send(&self, commands: Vec<Box<dyn QueuedCommand>>, outcome: CommitOutcome) {
        // A thread that serves no longer has nobody who waits.
        let _ = self.0.send((commands, outcome));
    }
}

/// Answers a batch, each entry at the desk where it was asked, or directly where there is none.
pub(super) fn reply_to_batch(batch: &mut Vec<Box<dyn QueuedCommand>>, outcome: CommitOutcome) {
    let mut replies: Vec<(ReplyBatcher, Vec<Box<dyn QueuedCommand>>)> = Vec::new();
    for command in batch.drain(..) {
        let Some(reply_batcher) = command.reply_batcher() else {
            command.reply(outcome);
            continue;
        };
        match replies.iter_mut().find(|(other, _)| other.is_same(reply_batcher)) {
            Some((_, commands)) => commands.push(command),
            None => replies.push((reply_batcher.clone(), vec![command])),
        }
    }
    replies.into_iter().for_each(|(reply_batcher, commands)| reply_batcher.send(commands, outcome));
}
