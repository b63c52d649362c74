//! Batches replies: each batch wakes each waiting thread once, instead of once per reply.

use std::future::Future;

use tokio::sync::mpsc;

use super::batch_context::{BatchContext, LookupNeeds};

/// The interface of a queued command to the writer, whatever the type of the command.
pub(super) trait ErasedCommand: Send {
    fn require_lookups(&self, needs: &mut LookupNeeds);
    fn decide(&mut self, context: &mut BatchContext<'_>);
    /// Returns the batcher that delivers the reply, or `None` to deliver it directly.
    fn reply_batcher(&self) -> Option<&ReplyBatcher>;
    /// Sends the reply: the decision if the batch was committed, otherwise the refusal that follows from the
    /// outcome.
    fn reply(self: Box<Self>, outcome: CommitOutcome);
}

/// The outcome of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommitOutcome {
    Committed,
    /// The batch was rolled back.
    NotCommitted,
    /// The database cannot tell whether the batch was committed.
    Unknown,
}

/// The queued commands of a batch that belong to one batcher, and the outcome of the batch.
type ReplyBatch = (Vec<Box<dyn ErasedCommand>>, CommitOutcome);

/// Delivers the replies to the requests of one thread. A thread with many waiting requests has a batcher of
/// its own.
#[derive(Clone, Debug)]
pub struct ReplyBatcher(mpsc::UnboundedSender<ReplyBatch>);

impl ReplyBatcher {
    /// Returns a batcher, and the future that delivers its replies, which must run on the requests' thread.
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

    fn send(&self, commands: Vec<Box<dyn ErasedCommand>>, outcome: CommitOutcome) {
        // If the receiving task has ended, no request waits any more.
        let _ = self.0.send((commands, outcome));
    }
}

/// Replies to a batch: through the batcher of each command, or directly if it has none.
pub(super) fn reply_to_batch(batch: &mut Vec<Box<dyn ErasedCommand>>, outcome: CommitOutcome) {
    let mut replies: Vec<(ReplyBatcher, Vec<Box<dyn ErasedCommand>>)> = Vec::new();
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
