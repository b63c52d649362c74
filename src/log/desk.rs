//! Answers go back together: one wake-up for each thread that asked and each batch, not one for each answer.

use std::future::Future;

use tokio::sync::mpsc;

use super::ground::{Ground, Needs};

/// What the gate needs to know of an entry, whatever its deed.
pub(super) trait Entry: Send {
    fn needs(&self, needs: &mut Needs);
    fn decide(&mut self, ground: &mut Ground<'_>);
    /// Where the answer is to be given, if anywhere in particular.
    fn desk(&self) -> Option<&Desk>;
    /// Answers whoever waits: with the decision where that is what happened.
    fn answer(self: Box<Self>, fate: Fate);
}

/// What became of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Committed,
    /// Nothing of it is in the log.
    Undone,
    /// The database cannot be asked.
    Unknown,
}

/// What is handed over: a batch's entries that came from one desk, and what became of them.
type Post = (Vec<Box<dyn Entry>>, Fate);

/// Where the answers to one thread's questions are handed over. A thread that waits for many of them serves a desk of
/// its own.
#[derive(Clone, Debug)]
pub struct Desk(mpsc::UnboundedSender<Post>);

impl Desk {
    /// A desk, and the work of serving it, which belongs on the thread that asks.
    pub fn open() -> (Self, impl Future<Output = ()>) {
        let (sender, mut receiver) = mpsc::unbounded_channel::<Post>();
        let serve = async move {
            while let Some((entries, fate)) = receiver.recv().await {
                entries.into_iter().for_each(|entry| entry.answer(fate));
            }
        };
        (Self(sender), serve)
    }

    fn is(&self, other: &Self) -> bool {
        self.0.same_channel(&other.0)
    }

    fn hand_over(&self, entries: Vec<Box<dyn Entry>>, fate: Fate) {
        // A thread that serves no longer has nobody who waits.
        let _ = self.0.send((entries, fate));
    }
}

/// Answers a batch, each entry at the desk where it was asked, or directly where there is none.
pub(super) fn answer(batch: &mut Vec<Box<dyn Entry>>, fate: Fate) {
    let mut desks: Vec<(Desk, Vec<Box<dyn Entry>>)> = Vec::new();
    for entry in batch.drain(..) {
        let Some(desk) = entry.desk() else {
            entry.answer(fate);
            continue;
        };
        match desks.iter_mut().find(|(known, _)| known.is(desk)) {
            Some((_, entries)) => entries.push(entry),
            None => desks.push((desk.clone(), vec![entry])),
        }
    }
    desks.into_iter().for_each(|(desk, entries)| desk.hand_over(entries, fate));
}
