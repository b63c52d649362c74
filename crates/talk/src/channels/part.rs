//! The part of a batch that knows private messages, and writes those that are posted and changed.

use std::collections::{BTreeSet, HashMap};

use caraplace_accounts::channels::MessageChannel;
use caraplace_log::batch_context::Account;
use caraplace_log::part::{HeadState, Part};
use caraplace_log::sql_future::SqlFuture;
use chrono::{DateTime, Utc};
use platform::telemetry::METRICS;
use rules::ids::MessageId;
use rules::numbers::AccountNo;
use rules::place::Place;
use rules::private_message::AskState;
use sqlx::PgConnection;

use super::batch_message::{EndedAsk, NewPrivateMessage, NewPrivateText, StoredAsk, StoredPrivateMessage};
use super::store::posting as store;

/// The private messages of a batch, with its changes in their order.
#[derive(Default)]
pub struct PrivateMessages {
    /// The ids of messages that are replied to, changed or deleted, or whose questions are declined.
    needed_messages: Vec<String>,
    /// The needed messages that exist, and those that are posted.
    known: HashMap<String, StoredPrivateMessage>,
    posted: Vec<NewPrivateMessage>,
    ended_asks: Vec<EndedAsk>,
    /// The changed texts by the ids of their messages.
    texts: HashMap<String, NewPrivateText>,
    /// The changed texts that only the authors of their messages see, by the ids of these.
    own_texts: HashMap<String, String>,
    /// The ids of messages that operators take down (true) or restore (false).
    hidden: HashMap<String, bool>,
    /// The time of the changes of texts; `None` if there are none.
    changed_at: Option<DateTime<Utc>>,
    /// The accounts that are to be woken.
    concerned: BTreeSet<AccountNo>,
}

impl PrivateMessages {
    /// Requires that a message is read.
    pub fn require(&mut self, id: &MessageId) {
        self.needed_messages.push(id.as_str().to_owned());
    }

    /// Returns a required message, or one that this batch posts; `None` if there is none.
    pub fn find(&self, id: &str) -> Option<&StoredPrivateMessage> {
        self.known.get(id)
    }

    /// Posts a message in a channel. Everyone who may see it is woken.
    pub fn post(&mut self, channel: &MessageChannel, message: NewPrivateMessage, now: DateTime<Utc>) {
        let author = message.author;
        let ask =
            |(to, by)| StoredAsk { to, by, asked_at: now, state: AskState::Waiting, shadow_state: None };
        let stored = StoredPrivateMessage {
            channel_id: message.channel_id.clone(),
            author,
            thread: message.thread.clone(),
            sent_at: now,
            is_gone: false,
            is_hidden: false,
            is_deleted: false,
            audience: message.audience,
            ask: message.ask.map(ask),
        };
        self.known.insert(message.id.clone(), stored);
        if message.audience.is_everyone() {
            let others = channel.members.iter().copied().filter(|no| *no != author);
            self.concerned.extend(others.chain(message.ask.map(|(to, _)| to)));
        }
        self.posted.push(message);
    }

    /// Changes the text of a message, or deletes it; its author sees it like everyone else again. The account
    /// that it asks and those that it mentions are woken if they can see it.
    pub fn change_text(&mut self, message_id: &str, text: NewPrivateText, now: DateTime<Utc>) {
        if let Some(stored) = self.known.get_mut(message_id) {
            stored.is_gone |= text.content.is_none();
            stored.is_deleted |= text.content.is_none();
            if stored.audience.is_everyone() {
                self.concerned.extend(stored.ask.as_ref().map(|ask| ask.to));
                self.concerned.extend(&text.mentions);
            }
        }
        self.changed_at = Some(now);
        self.own_texts.remove(message_id);
        self.texts.insert(message_id.to_owned(), text);
    }

    /// Changes the text of a message that others see, too, so that only its author sees the change.
    pub fn change_own_text(&mut self, message_id: &str, content: String, now: DateTime<Utc>) {
        self.changed_at = Some(now);
        self.own_texts.insert(message_id.to_owned(), content);
    }

    /// Takes a message down, or restores it. Those of the members of its channel are woken who can see it
    /// while it is not taken down.
    pub fn set_hidden(&mut self, message_id: &str, hidden: bool, members: &[AccountNo]) {
        let Some(stored) = self.known.get_mut(message_id) else { return };
        stored.is_hidden = hidden;
        stored.is_gone = hidden || stored.is_deleted;
        let audience = stored.audience;
        self.concerned.extend(members.iter().copied().filter(|member| audience.is_seen_by(Some(*member))));
        self.hidden.insert(message_id.to_owned(), hidden);
    }

    /// Ends a question that waits for an account's answer. The end concerns the asked account and the one
    /// that has asked. If the asked account is shadow-banned, the end is recorded for that account only.
    pub fn end_ask(&mut self, account: &Account, message_id: &str, state: AskState, now: DateTime<Utc>) {
        let Some(stored) = self.known.get_mut(message_id) else { return };
        let Some(ask) = &mut stored.ask else { return };
        let audience = account.audience();
        if audience.is_everyone() {
            ask.state = state;
            self.concerned.insert(stored.author);
        } else {
            ask.shadow_state = Some(state);
        }
        self.concerned.insert(ask.to);
        let after = now - ask.asked_at;
        self.ended_asks.push(EndedAsk { message_id: message_id.to_owned(), state, audience, after });
    }
}

impl Part for PrivateMessages {
    fn has_needs(&self) -> bool {
        !self.needed_messages.is_empty()
    }

    fn read<'a>(&'a mut self, connection: &'a mut PgConnection, head: HeadState<'a>) -> SqlFuture<'a, ()> {
        Box::pin(async move {
            self.known = store::messages(connection, &self.needed_messages, head.now).await?;
            Ok(())
        })
    }

    fn has_changes(&self) -> bool {
        let has_texts = !self.texts.is_empty() || !self.own_texts.is_empty();
        !self.posted.is_empty() || !self.ended_asks.is_empty() || has_texts || !self.hidden.is_empty()
    }

    fn write<'a>(&'a self, connection: &'a mut PgConnection, now: DateTime<Utc>) -> SqlFuture<'a, ()> {
        Box::pin(async move {
            store::insert_messages(connection, &self.posted, now).await?;
            store::end_asks(connection, &self.ended_asks, now).await?;
            store::update_texts(connection, &self.texts, now).await?;
            store::upsert_own_texts(connection, &self.own_texts, now).await?;
            for (id, hidden) in &self.hidden {
                store::set_hidden(connection, id, *hidden).await?;
            }
            Ok(())
        })
    }

    /// Returns true if a change is stored: the first message, else the first ended question, else a changed
    /// text. The same text may have been stored before, but not at the same time. Operators change visibility
    /// in transactions of their own.
    fn is_stored<'a>(&'a self, connection: &'a mut PgConnection) -> SqlFuture<'a, Option<bool>> {
        let (message, ask) = (self.posted.first(), self.ended_asks.first());
        let text = self.texts.iter().next().map(|(id, text)| (id, &text.content));
        let has_others = message.is_some() || ask.is_some() || text.is_some();
        let own_text = self.own_texts.iter().next().filter(|_| !has_others);
        let changed_at = self.changed_at;
        Box::pin(async move {
            let is_stored = match own_text {
                Some((id, content)) => store::has_own_text(connection, id, content, changed_at).await?,
                None => store::has_changes(connection, message, ask, text, changed_at).await?,
            };
            Ok(Some(is_stored))
        })
    }

    fn concerned_accounts(&self) -> BTreeSet<AccountNo> {
        self.concerned.clone()
    }

    /// Counts messages and ended questions. The log has no texts of private messages.
    fn count_in_metrics(&self) {
        let metrics = &METRICS.messaging;
        for message in &self.posted {
            metrics.posted(Place::of_channel(&message.channel_id)).inc();
            tracing::debug!(
                channel = &*message.channel_id,
                author = message.author.0,
                importance = message.importance.name(),
                bytes = message.content.len(),
                asks = message.ask.is_some(),
                "private message posted"
            );
        }
        for ask in self.ended_asks.iter().filter(|ask| ask.audience.is_everyone()) {
            if ask.state == AskState::Answered {
                metrics.answered.inc();
                metrics.answer_seconds.observe(ask.after.as_seconds_f64());
            } else {
                metrics.declined.inc();
            }
        }
    }
}
