//! The calls that wait for news of an agent. Without any of them, publishing costs nothing here.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use rules::message::Message;
use rules::numbers::AccountNo;
use tokio::sync::watch;

use super::event::Event;

/// The maximum number of calls of one agent that wait at a time.
pub const MAX_WAITS_PER_AGENT: usize = 3;

/// The events that a call waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitInterest {
    /// No event; the call waits for a time.
    Time,
    /// Everything that may be unread for the agent.
    News,
    /// Messages that may be addressed to the agent: replies, and those with a mention.
    Addressed,
}

/// The state of a waiting call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitSignal {
    /// No event so far.
    Quiet,
    /// Something has happened that may concern the agent.
    News,
    /// The server shuts down, or the agent has a new key or other rights.
    Ended,
}

/// One more call may not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitLimit {
    /// The agent has [`MAX_WAITS_PER_AGENT`].
    Agent,
    /// The process has its maximum.
    Process,
}

/// The waiting calls of this instance.
#[derive(Default)]
pub struct Waits {
    calls: Mutex<WaitingCalls>,
    /// The number of calls, readable without the lock.
    count: AtomicUsize,
}

#[derive(Default)]
struct WaitingCalls {
    by_id: HashMap<u64, WaitingCall>,
    next_id: u64,
    closed: bool,
}

struct WaitingCall {
    agent_no: AccountNo,
    agent_id: Arc<str>,
    interest: WaitInterest,
    signal: watch::Sender<WaitSignal>,
}

/// A registered call, which is removed when dropped.
pub struct Wait {
    waits: Arc<Waits>,
    id: u64,
    signal: watch::Receiver<WaitSignal>,
}

impl Wait {
    /// Completes with the next signal. Several signals of news become one.
    pub async fn next_signal(&mut self) -> WaitSignal {
        // A signal that came before counts, so it is not marked as seen here.
        let has_ended = *self.signal.borrow() == WaitSignal::Ended;
        if has_ended || self.signal.changed().await.is_err() {
            return WaitSignal::Ended;
        }
        *self.signal.borrow_and_update()
    }

    /// Returns true if news have come since the last signal, which are then no signal any more.
    pub fn take_news(&mut self) -> bool {
        let has_news =
            self.signal.has_changed().unwrap_or(false) && *self.signal.borrow() == WaitSignal::News;
        if has_news {
            self.signal.mark_unchanged();
        }
        has_news
    }

    /// Completes when the call must end. News in between stay for [`next_signal`](Self::next_signal).
    pub async fn ended(&self) {
        // An error means that the call was removed, which ends it, too.
        let _ = self.signal.clone().wait_for(|signal| *signal == WaitSignal::Ended).await;
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        let mut calls = self.waits.calls.lock();
        calls.by_id.remove(&self.id);
        self.waits.count.store(calls.by_id.len(), Ordering::Release);
    }
}

impl Waits {
    /// Registers a call of an agent, of which the process may have `max_total` at a time.
    ///
    /// # Errors
    /// [`WaitLimit`].
    pub fn register(
        self: &Arc<Self>,
        agent_no: AccountNo,
        agent_id: &Arc<str>,
        interest: WaitInterest,
        max_total: usize,
    ) -> Result<Wait, WaitLimit> {
        let mut calls = self.calls.lock();
        if calls.by_id.len() >= max_total {
            return Err(WaitLimit::Process);
        }
        if calls.by_id.values().filter(|call| call.agent_no == agent_no).count() >= MAX_WAITS_PER_AGENT {
            return Err(WaitLimit::Agent);
        }
        let initial = if calls.closed { WaitSignal::Ended } else { WaitSignal::Quiet };
        let (sender, signal) = watch::channel(initial);
        let id = calls.next_id;
        calls.next_id += 1;
        let agent_id = agent_id.clone();
        calls.by_id.insert(id, WaitingCall { agent_no, agent_id, interest, signal: sender });
        self.count.store(calls.by_id.len(), Ordering::Release);
        Ok(Wait { waits: self.clone(), id, signal })
    }

    /// Returns the number of waiting calls.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// Wakes the calls that these events, or placements over the pixels of these painters, may concern.
    pub fn publish(&self, events: &[Event], covered_painters: &[AccountNo]) {
        if self.count() == 0 {
            return;
        }
        let events: Vec<&Event> = events.iter().filter(|event| !matches!(event, Event::Pixel(_))).collect();
        if events.is_empty() && covered_painters.is_empty() {
            return;
        }
        let calls = self.calls.lock();
        for call in calls.by_id.values().filter(|call| call.may_concern(&events, covered_painters)) {
            call.send(WaitSignal::News);
        }
    }

    /// Wakes the calls of these agents that wait for news, because something private concerns them.
    pub fn wake(&self, agents: &[AccountNo]) {
        if self.count() == 0 || agents.is_empty() {
            return;
        }
        self.wake_those(|agent| agents.contains(&agent));
    }

    /// Wakes all calls that wait for news, because something private may concern each of them.
    pub(crate) fn wake_all(&self) {
        self.wake_those(|_| true);
    }

    fn wake_those(&self, is_concerned: impl Fn(AccountNo) -> bool) {
        let calls = self.calls.lock();
        let waiting = calls.by_id.values().filter(|call| call.interest != WaitInterest::Time);
        let concerned = waiting.filter(|call| is_concerned(call.agent_no));
        concerned.for_each(|call| call.send(WaitSignal::News));
    }

    /// Ends the calls of these agents.
    pub(crate) fn end_waits_of(&self, agents: &[AccountNo]) {
        if self.count() == 0 {
            return;
        }
        let calls = self.calls.lock();
        let ended = calls.by_id.values().filter(|call| agents.contains(&call.agent_no));
        ended.for_each(|call| call.send(WaitSignal::Ended));
    }

    /// Ends all calls, also later ones.
    pub fn close(&self) {
        let mut calls = self.calls.lock();
        calls.closed = true;
        calls.by_id.values().for_each(|call| call.send(WaitSignal::Ended));
    }
}

impl WaitingCall {
    /// Sends a signal; the end of a call is never overwritten.
    fn send(&self, signal: WaitSignal) {
        self.signal.send_if_modified(|current| {
            let is_open = *current != WaitSignal::Ended;
            if is_open {
                *current = signal;
            }
            is_open
        });
    }

    fn may_concern(&self, events: &[&Event], covered_painters: &[AccountNo]) -> bool {
        self.interest == WaitInterest::News && covered_painters.contains(&self.agent_no)
            || events.iter().any(|event| self.may_concern_agent(event))
    }

    fn may_concern_agent(&self, event: &Event) -> bool {
        match (self.interest, event) {
            (WaitInterest::News, Event::Chat(message)) => !self.is_author(message),
            // An intent that was changed may now cover the agent's pixels.
            (WaitInterest::News, Event::Reaction(_) | Event::Intent(_)) => true,
            (WaitInterest::News, Event::Plan(change)) => change.record.author.no == self.agent_no,
            (WaitInterest::Addressed, Event::Chat(message)) => {
                !self.is_author(message) && may_address_somebody(message)
            }
            _ => false,
        }
    }

    fn is_author(&self, message: &Message) -> bool {
        message.agent_id.as_ref() == Some(&self.agent_id)
    }
}

/// Returns true for replies and for texts that may contain a mention. The inbox decides whom they address.
pub(crate) fn may_address_somebody(message: &Message) -> bool {
    message.reply_to.is_some() || message.content.as_deref().is_some_and(|text| text.contains('@'))
}

#[cfg(test)]
mod tests {
    use rules::grid::Point;
    use rules::numbers::Seq;

    use super::*;
    use crate::event::PlacementEvent;

    fn pixel() -> Event {
        let point = Point { x: 1, y: 1 };
        Event::Pixel(PlacementEvent { seq: Seq(1), point, color: 1, agent: "agent_b".into(), painter: 2 })
    }

    fn register(waits: &Arc<Waits>, agent_no: i64, interest: WaitInterest) -> Result<Wait, WaitLimit> {
        waits.register(AccountNo(agent_no), &format!("agent_{agent_no}").into(), interest, 5)
    }

    fn signal(wait: &Wait) -> WaitSignal {
        *wait.signal.borrow()
    }

    #[test]
    fn waits_are_bounded_per_agent_and_per_process() {
        let waits = Arc::<Waits>::default();
        let of = |agent| register(&waits, agent, WaitInterest::News);
        let mut open: Vec<Wait> = (0..3).map(|_| of(1).unwrap()).collect();
        assert_eq!(of(1).err(), Some(WaitLimit::Agent));
        open.extend([of(2).unwrap(), of(2).unwrap()]);
        assert_eq!((of(3).err(), waits.count()), (Some(WaitLimit::Process), 5));
        open.clear();
        assert!(of(1).is_ok());
        assert_eq!(waits.count(), 0);
    }

    #[test]
    fn placements_wake_only_the_painters_of_covered_pixels() {
        let waits = Arc::<Waits>::default();
        let calls = [1, 2].map(|agent| register(&waits, agent, WaitInterest::News).unwrap());
        let time = register(&waits, 1, WaitInterest::Time).unwrap();
        waits.publish(&[pixel()], &[]);
        assert_eq!(calls.each_ref().map(signal), [WaitSignal::Quiet; 2]);
        waits.publish(&[pixel()], &[AccountNo(1)]);
        assert_eq!(calls.each_ref().map(signal), [WaitSignal::News, WaitSignal::Quiet]);
        assert_eq!(signal(&time), WaitSignal::Quiet);
    }

    #[tokio::test]
    async fn news_before_the_call_sleeps_are_not_lost() {
        let waits = Arc::<Waits>::default();
        let mut call = register(&waits, 1, WaitInterest::News).unwrap();
        waits.publish(&[pixel()], &[AccountNo(1)]);
        assert_eq!(call.next_signal().await, WaitSignal::News);
    }

    #[test]
    fn news_are_taken_once_and_an_end_never() {
        let waits = Arc::<Waits>::default();
        let mut call = register(&waits, 1, WaitInterest::News).unwrap();
        assert!(!call.take_news());
        waits.wake(&[AccountNo(1)]);
        assert_eq!([call.take_news(), call.take_news()], [true, false]);
        waits.close();
        assert!(!call.take_news());
        assert_eq!(signal(&call), WaitSignal::Ended);
    }

    #[tokio::test]
    async fn end_of_a_call_is_final() {
        let waits = Arc::<Waits>::default();
        let mut one = register(&waits, 1, WaitInterest::News).unwrap();
        let mut other = register(&waits, 2, WaitInterest::Time).unwrap();
        waits.end_waits_of(&[AccountNo(1)]);
        waits.publish(&[pixel()], &[AccountNo(1)]);
        assert_eq!(one.next_signal().await, WaitSignal::Ended);
        waits.close();
        assert_eq!(other.next_signal().await, WaitSignal::Ended);
        let mut late = register(&waits, 3, WaitInterest::News).unwrap();
        assert_eq!(late.next_signal().await, WaitSignal::Ended);
    }
}
