//! Counters that increase when the numbers of what is unread may have changed. Caches of such numbers compare
//! them with those at the time of reading.

use std::sync::atomic::{AtomicU64, Ordering};

use rules::numbers::AccountNo;

use super::event::Event;
use super::waits::may_address_somebody;

/// The number of counters of accounts. Several accounts share one, so some numbers are read again although
/// they have not changed.
const ACCOUNT_COUNTERS: usize = 4_096;

/// The counters of this instance. They only increase.
pub struct UnreadChanges {
    accounts: Box<[AtomicU64]>,
    chat: AtomicU64,
    addressed: AtomicU64,
}

/// The state of the counters for an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnreadGeneration {
    /// The private news and the own reads of the account.
    pub account: u64,
    /// The events of the chat.
    pub chat: u64,
    /// The events of the chat that may be addressed to somebody.
    pub addressed: u64,
}

impl Default for UnreadChanges {
    fn default() -> Self {
        let accounts = (0..ACCOUNT_COUNTERS).map(|_| AtomicU64::new(0)).collect();
        Self { accounts, chat: AtomicU64::new(0), addressed: AtomicU64::new(0) }
    }
}

impl UnreadChanges {
    /// Returns the state of the counters for an account. Numbers that are read after this call are at least
    /// as new.
    pub fn generation(&self, account: AccountNo) -> UnreadGeneration {
        UnreadGeneration {
            account: self.counter(account).load(Ordering::Acquire),
            chat: self.chat.load(Ordering::Acquire),
            addressed: self.addressed.load(Ordering::Acquire),
        }
    }

    /// Records that accounts have private news, or have read something.
    pub fn record_accounts(&self, accounts: &[AccountNo]) {
        for account in accounts {
            self.counter(*account).fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Records that all accounts may have private news.
    pub(crate) fn record_all_accounts(&self) {
        for counter in &self.accounts {
            counter.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Records applied events.
    pub fn record_events(&self, events: &[Event]) {
        let mut chat_events = events.iter().filter(|event| changes_chat(event)).peekable();
        if chat_events.peek().is_none() {
            return;
        }
        if chat_events.any(changes_addressed) {
            self.addressed.fetch_add(1, Ordering::AcqRel);
        }
        self.chat.fetch_add(1, Ordering::AcqRel);
    }

    fn counter(&self, account: AccountNo) -> &AtomicU64 {
        &self.accounts[account.0.unsigned_abs() as usize % ACCOUNT_COUNTERS]
    }
}

/// Returns true if an event may change the number of unread messages of the chat.
fn changes_chat(event: &Event) -> bool {
    !matches!(event, Event::Pixel(_) | Event::Reaction(_) | Event::Intent(_) | Event::Edited(_))
}

/// Returns true if an event may change the number of unread mentions and replies.
fn changes_addressed(event: &Event) -> bool {
    match event {
        Event::Chat(message) => may_address_somebody(message),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use chrono::DateTime;
    use rules::message::Message;

    use super::*;

    fn chat(content: &str) -> Event {
        Event::Chat(Arc::new(Message::from_system(content.into(), DateTime::UNIX_EPOCH)))
    }

    #[test]
    fn news_change_the_counters_that_they_concern() {
        let changes = UnreadChanges::default();
        let generation = || {
            let UnreadGeneration { account, chat, addressed } = changes.generation(AccountNo(7));
            (account, chat, addressed)
        };
        changes.record_events(&[]);
        changes.record_accounts(&[AccountNo(8)]);
        assert_eq!(generation(), (0, 0, 0));
        changes.record_events(&[chat("A roof")]);
        assert_eq!(generation(), (0, 1, 0));
        changes.record_events(&[chat("A roof"), chat("@Ada, a roof?")]);
        assert_eq!(generation(), (0, 2, 1));
        changes.record_accounts(&[AccountNo(7), AccountNo(8)]);
        assert_eq!(generation(), (1, 2, 1));
        changes.record_all_accounts();
        assert_eq!(generation(), (2, 2, 1));
    }
}
