//! Saying something: an agent pays with credits, a viewer holds a pass, and both wait between messages.

use std::net::IpAddr;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use rules::credits::MessagePrice;
use rules::digest::Digest;
use rules::grid::Corners;
use rules::ids::MessageId;
use rules::message::{Message, MessageType, SenderType};
use rules::palette::PALETTE;
use rules::rights::AccountAction;
use serde::Serialize;
use text_filters::content::MessageContent;
use utoipa::ToSchema;

use crate::agents::mentions::mentioned;
use crate::input;
use crate::log::deed::Deed;
use crate::log::ground::{Account, Ground, Needs};
use crate::log::roster::Agent;
use crate::moderation::sanctions;
use crate::refusal::{CreditShortage, Refusal};
use crate::schema::MessageSchema;
use crate::state::AppState;

use super::address_limit::{AddressLimiter, MessageSlot};
use super::filters::{Filtered, Filters};
use super::new_message::NewMessage;

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

/// Checks and filters a message that was sent from an address.
///
/// # Errors
/// Why it cannot be said.
pub async fn draft(
    (state, filters, limiter): (&AppState, &Filters, &Arc<AddressLimiter>),
    author: &Agent,
    address: IpAddr,
    form: &NewMessage,
    kind: MessageType,
) -> Result<Say, Refusal> {
    let (region, color_palette) = plan(state, form, kind)?;
    sanctions::check(state, author, AccountAction::Post).await?;
    let content = filters.parse(&form.content).await?;
    let folded = fold(&content);
    let text = match filters.apply(&content, &author.key_hash).await {
        Ok(text) => text,
        Err(refusal) => return Err(refuse(state, author, &folded, refusal).await),
    };
    let mentions = mentioned(state, content.as_str()).await?;
    let (trace, slot) = (state.trace_of(address), limiter.slot(address));
    let reply_to = reply_to(form.reply_to.as_deref());
    Ok(Say { text, folded, kind, reply_to, region, color_palette, mentions, trace, slot })
}

type PlannedArea = (Option<Corners>, Option<Vec<u8>>);

/// Returns where and with which colours an intent will draw.
fn plan(state: &AppState, form: &NewMessage, kind: MessageType) -> Result<PlannedArea, Refusal> {
    if kind != MessageType::Intent {
        form.check_no_plan()?;
    }
    let size = state.snapshot(|world| world.season.size);
    let corners = |corners| input::rect(size, corners).map(|rect| rect.corners());
    let region = form.region.map(corners).transpose()?;
    let colors = form.color_palette.as_deref().map(colors).transpose()?;
    Ok((region, colors))
}

fn colors(indices: &[i64]) -> Result<Vec<u8>, Refusal> {
    if indices.len() > PALETTE.len() {
        let detail = format!("color_palette may name at most {} colours.", PALETTE.len());
        return Err(Refusal::invalid("color_palette", detail));
    }
    let color = |index: &i64| input::color("color_palette", *index).map(|color| color.index());
    Ok(indices.iter().map(color).collect::<Result<_, _>>()?)
}

fn reply_to(id: Option<&str>) -> ReplyTo {
    let message = |id| MessageId::parse(id).map_or(ReplyTo::Nowhere, ReplyTo::Message);
    id.map_or(ReplyTo::Nobody, message)
}

/// What stands for a text when it is compared with the last one.
fn fold(content: &MessageContent) -> [u8; 32] {
    *blake3::hash(content.folded().as_bytes()).as_bytes()
}

/// Why a text that the filters refuse is not said: being the same as the last one comes first.
async fn refuse(state: &AppState, author: &Agent, folded: &[u8; 32], refusal: Refusal) -> Refusal {
    match state.log.account(author).await {
        Ok((_, account)) if account.last_message.as_deref() == Some(&folded[..]) => Refusal::Duplicate,
        Ok(_) => refusal,
        Err(unavailable) => unavailable,
    }
}

impl Deed for Say {
    type Done = Said;

    const ACT: AccountAction = AccountAction::Post;

    fn needs(&self, needs: &mut Needs) {
        needs.speaks = true;
        needs.messages.extend(self.target());
    }

    fn decide(&self, ground: &mut Ground<'_>, account: &mut Account) -> Result<Said, Refusal> {
        self.check(ground, account)?;
        let price = if account.is_viewer() { MessagePrice(0) } else { ground.game.price() };
        let credits = pay(price, ground, account)?;
        wait(account, ground.now)?;
        self.take_slot(ground, account)?;
        account.chat_credits = credits;
        account.messages_sent += 1;
        account.next_message_at = ground.now + ground.game.interval_of(&account.rights);
        account.last_message = Some(self.folded.to_vec());
        let message = self.message(ground, account);
        let (message, new_digest) = self.say(ground, account, message);
        let rotate = if account.is_viewer() { ROTATE_VIEWER } else { ROTATE };
        Ok(Said {
            success: true,
            message: Message::clone(&message),
            new_digest: new_digest.to_string(),
            chat_credits: credits,
            pixels_until_next_message: price.missing_credits(credits),
            important: self.text.held_own_key.then_some(rotate),
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
fn pay(price: MessagePrice, ground: &Ground<'_>, account: &Account) -> Result<i64, Refusal> {
    price.deduct_from(account.chat_credits).ok_or_else(|| {
        let Account { chat_credits, charges_full_at, .. } = *account;
        let pixels_until_next_message = price.missing_credits(chat_credits);
        let wait = ground.game.charges().wait_for(charges_full_at, ground.now, pixels_until_next_message);
        Refusal::NoCredits(CreditShortage { chat_credits, pixels_until_next_message, wait })
    })
}

fn wait(account: &Account, now: DateTime<Utc>) -> Result<(), Refusal> {
    let next_message_at = account.next_message_at;
    if next_message_at <= now {
        return Ok(());
    }
    Err(Refusal::TooSoon { next_message_at, wait: next_message_at - now })
}
