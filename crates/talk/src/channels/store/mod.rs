//! The SQL of private messages.

mod activity;
mod check;
mod marks;
mod own;
mod places;
pub(super) mod posting;
mod rows;
mod selection;
mod threads;
mod unread;
mod webhook_deliveries;

type Result<T> = std::result::Result<T, sqlx::Error>;

pub(super) use activity::newest_times;
pub(super) use check::channel_faults;
pub(super) use marks::{NewlyRead, mark_delivered, mark_delivered_as_read, mark_read_up_to};
pub use own::{OwnMessageWindow, OwnPrivateMessage};
pub(super) use own::{own_message_window, own_messages};
pub(super) use places::{
    ConversationRow, find_conversation, find_crew_channel, find_pair, find_target, list_conversations,
    participants,
};
pub(super) use rows::{StoredMessage, messages_by_no, receipts};
pub(super) use selection::{
    PageSelection, channel_of_message, find_message_no, find_own_message_no, is_stored, newest_before,
    newest_message, select_page, select_unread,
};
pub(super) use threads::{ThreadRow, list_labels, list_threads};
pub(super) use unread::{
    AskRow, ChannelUnread, ThreadUnread, count_unread, group_by_thread, unread_channels, waiting_asks,
};
