//! The command that posts a private message.

use caraplace_accounts::channels::MessageChannel;
use caraplace_accounts::channels::part::Channels;
use caraplace_accounts::direct::part::Contacts;
use caraplace_log::batch_context::{Account, BatchContext, LookupNeeds};
use caraplace_log::command::Command;
use chrono::{DateTime, Utc};
use platform::clock;
use platform::refusal::Refusal;
use rules::ids::{MessageId, ThreadId};
use rules::message::{MessageType, SenderType};
use rules::numbers::AccountNo;
use rules::place::Place;
use rules::private_message::AskState;
use rules::rights::AccountAction;

use super::batch_message::{NewPrivateMessage, StoredAsk, StoredPrivateMessage};
use super::part::PrivateMessages;
use super::post::{PostPrivateMessage, PostPrivateResponse};
use super::{Ask, PrivateMessage};
use crate::chat::limits::regular_price;
use crate::importance::ImportanceUses;
use crate::message::pay::pay;

impl Command for PostPrivateMessage {
    type Output = PostPrivateResponse;

    const ACTION: AccountAction = AccountAction::Post;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        self.place().require_channel(needs.parts.get_mut());
        self.place().require_contacts(needs.parts.get_mut(), self.author);
        let messages: &mut PrivateMessages = needs.parts.get_mut();
        if let Some(id) = &self.reply_to {
            messages.require(id);
        }
        needs.parts.get_mut::<ImportanceUses>().require(self.author, self.draft.importance);
    }

    fn decide(
        &self,
        context: &mut BatchContext<'_>,
        account: &mut Account,
    ) -> Result<PostPrivateResponse, Refusal> {
        let channel = self.place().check(context.part(), context.part(), account.no)?;
        self.draft.check_duplicate(context, account)?;
        let replied_thread = self.check_reply_target(context, account, &channel)?;
        let thread = self.thread.clone().or(replied_thread);
        let price = regular_price(context, account);
        let remaining_credits = pay(context, account, Place::of_channel(&channel.id), &self.draft, price)?;
        let message = self.post(context, account, &channel, thread);
        self.answer_ask(context, account);
        Ok(PostPrivateResponse {
            success: true,
            conversation_id: message.conversation_id.clone(),
            message,
            chat_credits: remaining_credits,
            pixels_until_next_message: regular_price(context, account).missing_credits(remaining_credits),
            changed: self.draft.text.changed.clone(),
            important: self.draft.key_hint(account),
        })
    }

    fn undo(&self) {
        self.draft.slot.release();
    }
}

impl PostPrivateMessage {
    /// Checks that the message to reply to is in the same channel, and that the author can see it. Returns
    /// the label of that message's thread; `None` if it stands in none, or if this message replies to none.
    fn check_reply_target(
        &self,
        context: &BatchContext<'_>,
        account: &Account,
        channel: &MessageChannel,
    ) -> Result<Option<String>, Refusal> {
        let Some(id) = &self.reply_to else { return Ok(None) };
        let target = context.part::<PrivateMessages>().find(id.as_str());
        let is_visible = |target: &&StoredPrivateMessage| {
            let is_shown = !target.is_gone && target.audience.is_seen_by(Some(account.no));
            is_shown && target.channel_id == channel.id
        };
        let target = target.filter(is_visible).ok_or(Refusal::ReplyTargetMissing)?;
        Ok(target.thread.clone())
    }

    fn post(
        &self,
        context: &mut BatchContext<'_>,
        account: &Account,
        channel: &MessageChannel,
        thread: Option<String>,
    ) -> PrivateMessage {
        let message = self.build_message(context.now, account, channel, thread);
        let new = NewPrivateMessage {
            id: message.id.clone(),
            channel_id: channel.id.clone(),
            author: account.no,
            badge: message.badge.clone(),
            content: self.draft.text.text.clone(),
            reply_to: message.reply_to.clone(),
            thread: message.thread.clone(),
            importance: self.draft.importance,
            ask: self.ask.as_ref().map(|ask| (ask.no, ask.by)),
            mentions: self.mentioned_members(account, channel),
            audience: account.audience(),
        };
        context.part_mut::<Channels>().begin(&self.target, channel);
        if new.audience.is_everyone() && channel.crew.is_none() {
            let contacts: &mut Contacts = context.part_mut();
            channel.members.iter().for_each(|other| contacts.add_acquaintance(account.no, *other));
        }
        let now = context.now;
        context.part_mut::<PrivateMessages>().post(channel, new, now);
        message
    }

    /// Returns the numbers of the mentioned members; none if they cannot see the message.
    fn mentioned_members(&self, account: &Account, channel: &MessageChannel) -> Vec<AccountNo> {
        if !account.audience().is_everyone() {
            return Vec::new();
        }
        channel.mentioned_members(account.no, &self.draft.mentions)
    }

    fn build_message(
        &self,
        now: DateTime<Utc>,
        account: &Account,
        channel: &MessageChannel,
        thread: Option<String>,
    ) -> PrivateMessage {
        let channel_id = || Some(channel.id.clone());
        let thread_id = |label| ThreadId::from_label(&channel.id, label).into();
        PrivateMessage {
            id: clock::new_id("msg"),
            crew_id: channel_id().filter(|_| channel.crew.is_some()),
            conversation_id: channel_id().filter(|_| channel.crew.is_none()),
            agent_id: account.id.clone(),
            agent_name: account.name.clone(),
            sender_type: if account.is_viewer() { SenderType::Human } else { SenderType::Agent },
            badge: account.rights.pass.as_ref().and_then(|pass| pass.badge.clone()),
            content: Some(self.draft.text.text.clone()),
            timestamp: now,
            edited_at: None,
            kind: MessageType::Message,
            reply_to: self.reply_to.as_ref().map(|id: &MessageId| id.as_str().to_owned()),
            thread_id: thread.as_deref().map(thread_id),
            thread,
            importance: self.draft.importance,
            ask: self.ask.as_ref().map(|ask| Ask {
                to: ask.id.clone(),
                by: ask.by,
                state: AskState::Waiting,
            }),
            receipts: Some(Vec::new()),
            reactions: Vec::new(),
            redacted: false,
        }
    }

    /// Answers the question in the message to which this one replies, if the question is addressed to this
    /// author and still waits. The message of a shadow-banned account answers it in that account's own view
    /// only.
    fn answer_ask(&self, context: &mut BatchContext<'_>, account: &Account) {
        let Some(id) = &self.reply_to else { return };
        let Some(target) = context.part::<PrivateMessages>().find(id.as_str()).cloned() else { return };
        let is_public = account.audience().is_everyone();
        if is_public {
            context.part_mut::<Contacts>().add_acquaintance(account.no, target.author);
        }
        let is_answer = |ask: &StoredAsk| {
            let state = if is_public { ask.state } else { ask.state_for_asked() };
            ask.to == account.no && state == AskState::Waiting && context.now < ask.by
        };
        if target.ask.as_ref().is_some_and(is_answer) {
            let now = context.now;
            context.part_mut::<PrivateMessages>().end_ask(account, id.as_str(), AskState::Answered, now);
        }
    }
}
