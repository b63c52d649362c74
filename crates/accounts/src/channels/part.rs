//! The part of a batch that knows channels, and writes the conversations that begin.

use std::collections::HashMap;
use std::sync::Arc;

use caraplace_log::part::{HeadState, Part};
use caraplace_log::sql_future::SqlFuture;
use chrono::{DateTime, Utc};
use platform::clock;
use rules::numbers::AccountNo;
use sqlx::PgConnection;

use super::{ChannelTarget, MessageChannel, store};

/// The channels that the commands of a batch name.
#[derive(Debug, Default)]
pub struct Channels {
    needs: Vec<ChannelTarget>,
    /// The needed crews and conversations that exist, and the conversations that begin.
    known: HashMap<ChannelTarget, MessageChannel>,
    /// The conversations that begin: their ids and the numbers of their participants.
    begun: Vec<(Arc<str>, Vec<AccountNo>)>,
}

impl Channels {
    /// Requires that a channel is read.
    pub fn require(&mut self, target: ChannelTarget) {
        self.needs.push(target);
    }

    /// Returns a required channel; `None` if there is no such crew. A conversation that does not exist yet is
    /// returned as it will be, with a new id.
    pub fn find_or_new(&self, target: &ChannelTarget) -> Option<MessageChannel> {
        if let Some(channel) = self.known.get(target) {
            return Some(channel.clone());
        }
        let ChannelTarget::Participants(participants) = target else { return None };
        Some(MessageChannel { id: clock::new_id("dm").into(), crew: None, members: participants.clone() })
    }

    /// Stores a channel in which a message is posted, if it is a conversation that begins with it.
    pub fn begin(&mut self, target: &ChannelTarget, channel: &MessageChannel) {
        if !self.known.contains_key(target) {
            self.begun.push((channel.id.clone(), channel.members.clone()));
            self.known.insert(target.clone(), channel.clone());
        }
    }
}

impl Part for Channels {
    fn has_needs(&self) -> bool {
        !self.needs.is_empty()
    }

    fn read<'a>(&'a mut self, connection: &'a mut PgConnection, _: HeadState<'a>) -> SqlFuture<'a, ()> {
        Box::pin(async {
            self.known = store::channels(connection, &self.needs).await?;
            Ok(())
        })
    }

    fn has_changes(&self) -> bool {
        !self.begun.is_empty()
    }

    fn write<'a>(&'a self, connection: &'a mut PgConnection, now: DateTime<Utc>) -> SqlFuture<'a, ()> {
        Box::pin(store::insert_conversations(connection, &self.begun, now))
    }
}
