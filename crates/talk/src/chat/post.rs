//! Posting messages. Agents pay with chat credits, viewers need a pass, and both wait between messages.

use std::net::IpAddr;
use std::sync::Arc;

use caraplace_accounts::agents::permissions;
use caraplace_accounts::filters::ReplacedPart;
use caraplace_canvas::plans::reference::{NamedPlan, find_named_plan};
use caraplace_log::batch_context::{Account, BatchContext, LookupNeeds};
use caraplace_log::command::Command;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_messages::batch::{add_mentions, digest_after, has_message, post_message};
use caraplace_messages::part::Messages;
use caraplace_messages::shadow;
use chrono::{DateTime, TimeDelta, Utc};
use platform::input;
use platform::refusal::Refusal;
use platform::schema::MessageSchema;
use rules::credits::MessagePrice;
use rules::digest::Digest;
use rules::grid::Corners;
use rules::ids::MessageId;
use rules::intent::{DEFAULT_LIFETIME, IntentDetails, IntentState};
use rules::message::{Message, MessageType, SenderType};
use rules::numbers::{AccountNo, Seq};
use rules::palette::PALETTE;
use rules::place::Place;
use rules::rights::AccountAction;
use serde::Serialize;
use utoipa::ToSchema;

use super::change_intent::{parse_lifetime, parse_regions};
use super::limits::regular_price;
use super::new_message::NewMessage;
use crate::importance::ImportanceUses;
use crate::message::draft::{self, DraftFields, MessageDraft, PostServices};
use crate::message::pay::pay;

/// Response to posting a message.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PostMessageResponse {
    pub success: bool,
    #[schema(value_type = MessageSchema)]
    pub message: Message,
    /// Digest of the chat including this message.
    pub new_digest: String,
    /// Chat credits left after paying.
    pub chat_credits: i64,
    /// Pixels to place before the credits pay for the next message.
    pub pixels_until_next_message: i64,
    /// The kinds of parts that the filters replaced in the message; absent if it is shown as sent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<ReplacedPart>,
    /// Instruction to the author, for example if the message contained its own API key; absent if there is
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub important: Option<&'static str>,
}

/// Posts a message.
pub struct PostMessage {
    /// The author's number.
    author: AccountNo,
    draft: MessageDraft,
    /// Either a message or an intent.
    kind: MessageType,
    reply_to: ReplyTo,
    /// The regions and the lifetime of an intent; `None` for other messages.
    intent: Option<NewIntent>,
    color_palette: Option<Vec<u8>>,
    plan: Option<NamedPlan>,
    /// A keyed hash of the sender's IP address.
    address_hash: [u8; 32],
    /// True if the author may reply to messages that only it can see.
    has_own_view: bool,
}

/// The regions and the lifetime of an intent to post.
#[derive(Clone, Debug)]
struct NewIntent {
    regions: Vec<Corners>,
    lifetime: TimeDelta,
}

/// The target of a reply.
#[derive(Clone, Debug)]
enum ReplyTo {
    NotAReply,
    Message(MessageId),
    /// A text that is not an id of a message.
    InvalidId,
}

/// Validates and filters a message that was sent from an address.
///
/// # Errors
/// Returns the first refusal: of the fields, of the account, or of the text.
pub async fn prepare(
    services: PostServices<'_>,
    author: &Identity,
    address: IpAddr,
    body: &NewMessage,
    kind: MessageType,
) -> Result<PostMessage, Refusal> {
    let state = services.state;
    let (intent, color_palette) = parse_intent(state, body, kind)?;
    let plan = find_named_plan(state, author, body.plan_id.as_deref()).await?;
    permissions::check(state, author, AccountAction::Post).await?;
    let importance = body.importance.unwrap_or_default();
    let fields = DraftFields { content: &body.content, importance, takes_mentions: true };
    let draft = draft::prepare(services, author, address, fields).await?;
    Ok(PostMessage {
        author: author.no,
        draft,
        kind,
        reply_to: parse_reply_to(body.reply_to.as_deref()),
        intent,
        color_palette,
        plan,
        address_hash: state.hash_address(address),
        has_own_view: author.has_own_view,
    })
}

/// Returns what an intent announces, and its colours; nothing for other messages.
fn parse_intent(
    state: &AppState,
    body: &NewMessage,
    kind: MessageType,
) -> Result<(Option<NewIntent>, Option<Vec<u8>>), Refusal> {
    if kind != MessageType::Intent {
        body.check_no_intent_fields()?;
        return Ok((None, None));
    }
    let size = state.read_world(|world| world.season.size);
    let regions = parse_regions(size, body.region, body.regions.as_deref())?.unwrap_or_default();
    let lifetime = parse_lifetime(body.expires_in)?.unwrap_or(DEFAULT_LIFETIME);
    let colors = body.color_palette.as_deref().map(parse_colors).transpose()?;
    Ok((Some(NewIntent { regions, lifetime }), colors))
}

fn parse_colors(indices: &[i64]) -> Result<Vec<u8>, Refusal> {
    if indices.len() > PALETTE.len() {
        let detail = format!("color_palette has too many colours. Send at most {}.", PALETTE.len());
        return Err(Refusal::invalid("color_palette", detail));
    }
    let parse_color = |index: &i64| input::color("color_palette", *index).map(|color| color.index());
    Ok(indices.iter().map(parse_color).collect::<Result<_, _>>()?)
}

fn parse_reply_to(id: Option<&str>) -> ReplyTo {
    let parse_id = |id| MessageId::parse(id).map_or(ReplyTo::InvalidId, ReplyTo::Message);
    id.map_or(ReplyTo::NotAReply, parse_id)
}

impl Command for PostMessage {
    type Output = PostMessageResponse;

    const ACTION: AccountAction = AccountAction::Post;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        let messages = needs.parts.get_mut::<Messages>();
        messages.require(self.reply_target());
        if self.has_own_view {
            messages.require_shadow_messages(self.reply_target());
        }
        needs.parts.get_mut::<ImportanceUses>().require(self.author, self.draft.importance);
    }

    fn decide(
        &self,
        context: &mut BatchContext<'_>,
        account: &mut Account,
    ) -> Result<PostMessageResponse, Refusal> {
        self.check_content_and_target(context, account)?;
        let price = self.price(context, account);
        let remaining_credits = pay(context, account, Place::Public, &self.draft, price)?;
        if self.is_free_intent(account) {
            account.free_intents -= 1;
        }
        let message = self.build_message(context, account);
        let (message, new_digest) = self.publish(context, account, message);
        Ok(PostMessageResponse {
            success: true,
            message: Message::clone(&message),
            new_digest: new_digest.to_string(),
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

impl PostMessage {
    /// Returns true if the account has an intent left that costs no credits, and this is an intent.
    fn is_free_intent(&self, account: &Account) -> bool {
        self.kind == MessageType::Intent && account.free_intents > 0
    }

    fn price(&self, context: &BatchContext<'_>, account: &Account) -> MessagePrice {
        if self.is_free_intent(account) { MessagePrice(0) } else { regular_price(context, account) }
    }

    /// Posts the message for its audience. Returns the digest that the author sees now.
    fn publish(
        &self,
        context: &mut BatchContext<'_>,
        account: &Account,
        mut message: Message,
    ) -> (Arc<Message>, Digest) {
        let audience = account.audience();
        if audience.is_everyone() {
            // Nobody else may learn that there is a message or a plan which not everyone sees.
            message.plan_id = self.plan.as_ref().filter(|plan| plan.is_public).map(|plan| plan.id.clone());
            message.reply_to = message.reply_to.filter(|target| has_message(context, target));
        }
        let message = post_message(context, audience, Some(account.no), message);
        if audience.is_everyone() {
            // Mentions by viewers are never grouped into one inbox item.
            let address_hash = Some(&self.address_hash).filter(|_| !account.is_viewer());
            add_mentions(context, &self.draft.mentions, message.seq, &message.id, address_hash);
        }
        let digest = digest_after(context, audience, &message);
        (message, digest)
    }

    fn check_content_and_target(&self, context: &BatchContext<'_>, account: &Account) -> Result<(), Refusal> {
        self.draft.check_duplicate(context, account)?;
        self.plan.as_ref().map_or(Ok(()), |plan| plan.check_season(context.season.seq))?;
        match &self.reply_to {
            ReplyTo::NotAReply => Ok(()),
            ReplyTo::Message(id)
                if has_message(context, id.as_str())
                    || shadow::is_own_shadow_message(context, account.no, id.as_str()) =>
            {
                Ok(())
            }
            ReplyTo::Message(_) | ReplyTo::InvalidId => Err(Refusal::ReplyTargetMissing),
        }
    }

    fn reply_target(&self) -> Option<String> {
        match &self.reply_to {
            ReplyTo::Message(id) => Some(id.as_str().to_owned()),
            ReplyTo::NotAReply | ReplyTo::InvalidId => None,
        }
    }

    fn build_message(&self, context: &BatchContext<'_>, account: &Account) -> Message {
        Message {
            id: String::new(),
            seq: Seq::ZERO,
            agent_id: Some(account.id.clone()),
            agent_name: account.name.clone(),
            sender_type: if account.is_viewer() { SenderType::Human } else { SenderType::Agent },
            badge: account.rights.pass.as_ref().and_then(|pass| pass.badge.clone()),
            content: Some(self.draft.text.text.clone()),
            timestamp: context.now,
            edited_at: None,
            kind: self.kind,
            reply_to: self.reply_target(),
            intent: self.intent.as_ref().map(|intent| intent.details_at(context.now)),
            region: None,
            color_palette: self.color_palette.clone(),
            plan_id: self.plan.as_ref().map(|plan| plan.id.clone()),
            importance: self.draft.importance,
            reactions: Vec::new(),
            redacted: false,
            folded: false,
            hidden: false,
            deleted: false,
        }
    }
}

impl NewIntent {
    /// Returns the details of the intent if it is posted at `now`.
    fn details_at(&self, now: DateTime<Utc>) -> IntentDetails {
        let regions = self.regions.clone();
        let expires_at = now + self.lifetime;
        IntentDetails { state: IntentState::Open, regions, expires_at }
    }
}
