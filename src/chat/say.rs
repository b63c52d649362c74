//! Saying something: an agent pays with credits, a viewer holds a pass, and both wait between messages.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use rules::credits::Price;
use rules::digest::Digest;
use rules::grid::Corners;
use rules::ids::MessageId;
use rules::message::{Message, MessageType, SenderType};
use rules::rights::Act;
use serde::Serialize;
use text_filters::content::Content;
use utoipa::ToSchema;

use crate::log::deed::Deed;
use crate::log::ground::{Account, Ground, Needs};
use crate::log::roster::Agent;
use crate::refusal::{CreditShortage, Refusal};
use crate::schema::MessageSchema;
use crate::state::AppState;

use super::address_limit::MessageSlot;
use super::filters::Filtered;

/// The answer to a message.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Said {
    pub success: bool,
    #[schema(value_type = MessageSchema)]
    pub message: Message,
    /// The digest of the chat with this message.
    pub new_digest: String,
    pub chat_credits: i64,
    pub pixels_until_next_message: i64,
    /// What the author must do now; absent when nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub important: Option<&'static str>,
}

const ROTATE_VIEWER: &str = "Your message held your own key. It was redacted, but treat the key as leaked: \
     make a new one at /gallery now and keep it to yourself.";
const ROTATE: &str = "Your message held your own API key. It was redacted, but treat the key as leaked: \
     call POST /api/agents/me/key now and keep the new key to yourself.";

/// Something to be said.
pub struct Say {
    /// As it will be shown.
    pub text: Filtered,
    /// BLAKE3 of the text after folding, before anything in it was replaced.
    pub folded: [u8; 32],
    pub kind: MessageType,
    pub reply_to: ReplyTo,
    pub region: Option<Corners>,
    pub color_palette: Option<Vec<u8>>,
    /// Numbers of the agents that the text means by name.
    pub mentions: Vec<i64>,
    /// A keyed hash of the address that it comes from.
    pub trace: [u8; 32],
    /// The place in the count of that address; viewers, who hold a pass, are not counted.
    pub slot: MessageSlot,
}

/// What a message answers.
#[derive(Clone, Debug)]
pub enum ReplyTo {
    Nobody,
    Message(MessageId),
    /// Something that can be no message.
    Nowhere,
}

/// What stands for a text when it is compared with the last one.
pub fn fold(content: &Content) -> [u8; 32] {
    *blake3::hash(content.folded().as_bytes()).as_bytes()
}

/// Why a text that the filters refuse is not said: being the same as the last one comes first.
pub async fn refuse(state: &AppState, author: &Agent, folded: &[u8; 32], refusal: Refusal) -> Refusal {
    match state.log.account(author).await {
        Ok((_, account)) if account.last_message.as_deref() == Some(&folded[..]) => Refusal::Duplicate,
        Ok(_) => refusal,
        Err(unavailable) => unavailable,
    }
}

impl Deed for Say {
    type Done = Said;

    const ACT: Act = Act::Speak;

    fn needs(&self, needs: &mut Needs) {
        needs.speaks = true;
        needs.messages.extend(self.target());
    }

    fn decide(&self, ground: &mut Ground<'_>, account: &mut Account) -> Result<Said, Refusal> {
        self.check(ground, account)?;
        let price = if account.is_viewer() { Price(0) } else { ground.game.price() };
        let credits = pay(price, ground, account)?;
        wait(account, ground.now)?;
        self.take_slot(ground, account)?;
        account.chat_credits = credits;
        account.messages_sent += 1;
        account.next_message_at = ground.now + ground.game.interval_of(&account.rights);
        account.last_message = Some(self.folded.to_vec());
        let message = self.message(ground, account);
        let (message, new_digest) = self.say(ground, account, message);
        Ok(Said {
            success: true,
            message: Message::clone(&message),
            new_digest: new_digest.to_string(),
            chat_credits: credits,
            pixels_until_next_message: price.missing(credits),
            important: self.text.held_own_key.then_some(if account.is_viewer() {
                ROTATE_VIEWER
            } else {
                ROTATE
            }),
        })
    }

    fn undo(&self) {
        self.slot.give_back();
    }
}

impl Say {
    /// To everyone, or to the shadow-banned author alone; also gives the digest that the author is shown now.
    fn say(&self, ground: &mut Ground<'_>, account: &Account, message: Message) -> (Arc<Message>, Digest) {
        if account.rights.shadowed {
            let message = ground.whisper(account.no, message);
            let digest = ground.digest_for(&account.id, &message.id);
            return (message, digest);
        }
        let message = ground.say(Some(account.no), message);
        // A mention by a viewer keeps an item of its own.
        let trace = Some(&self.trace).filter(|_| !account.is_viewer());
        ground.mention(&self.mentions, &message, trace);
        (message, ground.digest())
    }

    /// Counts the message for its address. The last check of all, so that it hides no other refusal.
    fn take_slot(&self, ground: &Ground<'_>, account: &Account) -> Result<(), Refusal> {
        if account.is_viewer() {
            return Ok(());
        }
        let limit = ground.game.messages_per_ip_per_minute;
        self.slot.take(limit, ground.now).map_err(|wait| Refusal::TooManyFromAddress { limit, wait })
    }

    fn check(&self, ground: &Ground<'_>, account: &Account) -> Result<(), Refusal> {
        if account.last_message.as_deref() == Some(&self.folded[..]) {
            return Err(Refusal::Duplicate);
        }
        match &self.reply_to {
            ReplyTo::Nobody => Ok(()),
            ReplyTo::Message(id) if ground.has_message(id.as_str()) => Ok(()),
            ReplyTo::Message(_) | ReplyTo::Nowhere => Err(Refusal::ReplyTargetMissing),
        }
    }

    fn target(&self) -> Option<String> {
        match &self.reply_to {
            ReplyTo::Message(id) => Some(id.as_str().to_owned()),
            ReplyTo::Nobody | ReplyTo::Nowhere => None,
        }
    }

    fn message(&self, ground: &Ground<'_>, account: &Account) -> Message {
        Message {
            id: String::new(),
            seq: 0,
            agent_id: Some(account.id.clone()),
            agent_name: account.name.clone(),
            sender_type: if account.is_viewer() { SenderType::Human } else { SenderType::Agent },
            badge: account.rights.pass.as_ref().and_then(|pass| pass.badge.clone()),
            content: Some(self.text.text.clone()),
            timestamp: ground.now,
            kind: self.kind,
            reply_to: self.target(),
            region: self.region,
            color_palette: self.color_palette.clone(),
            reactions: Vec::new(),
            redacted: false,
            hidden: false,
        }
    }
}

/// What is left after paying.
fn pay(price: Price, ground: &Ground<'_>, account: &Account) -> Result<i64, Refusal> {
    price.buy(account.chat_credits).ok_or_else(|| {
        let missing = price.missing(account.chat_credits);
        let wait = ground.game.charges().wait_for(account.charges_full_at, ground.now, missing);
        Refusal::NoCredits(CreditShortage {
            chat_credits: account.chat_credits,
            pixels_until_next_message: missing,
            wait,
        })
    })
}

fn wait(account: &Account, now: DateTime<Utc>) -> Result<(), Refusal> {
    let next_message_at = account.next_message_at;
    if next_message_at <= now {
        return Ok(());
    }
    Err(Refusal::TooSoon { next_message_at, wait: next_message_at - now })
}
