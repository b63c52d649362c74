//! Reads the chat: pages of messages, and the digest that proves the reading.

use std::sync::Arc;

use bytes::Bytes;
use caraplace_live::event::Event;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_log::world::World;
use caraplace_messages::MessageRange;
use caraplace_messages::chat::Chat;
use caraplace_messages::reads::{messages_by_seqs, messages_in_range};
use caraplace_messages::shadow::reads::{shadow_messages_by_ids, shadow_view};
use chrono::{DateTime, SubsecRound, Utc};
use platform::cache::Cache;
use platform::content_coding::ContentCoding;
use platform::refusal::{InputError, InputErrorKind, Refusal, internal};
use platform::schema::MessageSchema;
use rules::ids::MessageId;
use rules::message::Message;
use rules::numbers::{AccountNo, Seq};
use serde::Serialize;
use utoipa::ToSchema;

use super::store;

/// The number of messages in a page by default.
pub const DEFAULT_LIMIT: usize = 50;
/// The maximum number of messages in a page.
pub const MAX_LIMIT: usize = 100;

/// A page of the chat, oldest message first.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChatPage {
    #[schema(value_type = Vec<MessageSchema>)]
    pub messages: Vec<Arc<Message>>,
    /// Digest of the whole chat, on every page.
    pub digest: String,
    /// Time at which the digest expires.
    pub digest_expires_at: DateTime<Utc>,
    /// Number of messages in this page.
    pub message_count: usize,
    /// The `before` of the next older page; null if there are no older messages.
    pub next_before: Option<String>,
}

/// The digest alone.
#[derive(Debug, Serialize, ToSchema)]
pub struct CurrentDigest {
    pub digest: String,
    /// Time at which the digest expires.
    pub expires_at: DateTime<Utc>,
    /// Number of messages that the digest covers.
    pub message_count: usize,
}

/// The past point up to which a page of the chat is read.
#[derive(Clone, Copy, Debug)]
pub struct PastChat {
    /// The newest event up to this point.
    pub seq: Seq,
    /// The event that opened its season.
    pub opening: Seq,
}

/// The selection of a page.
#[derive(Debug, Default)]
pub struct ChatQuery {
    pub limit: usize,
    /// Only messages older than this one.
    pub before: Option<MessageId>,
    /// Only messages up to this event.
    pub until: Option<PastChat>,
    /// Only messages after this event; [`Seq::ZERO`] for all.
    pub after: Seq,
    /// Only messages after this time. Messages of exactly this time are left out.
    pub since: Option<DateTime<Utc>>,
}

impl ChatQuery {
    /// Returns true if the page ends with the newest message and may begin with any.
    pub fn is_newest_page(&self) -> bool {
        self.before.is_none() && self.until.is_none() && self.after == Seq::ZERO && self.since.is_none()
    }
}

/// Returns the current digest.
pub(crate) fn current_digest(state: &AppState) -> CurrentDigest {
    state.read_world(|world| digest_at(world, state.clock.now()))
}

/// Returns the digest of a projection at a time.
pub(super) fn digest_at(world: &World, now: DateTime<Utc>) -> CurrentDigest {
    let mut digests = Chat::of(world).digests();
    CurrentDigest {
        digest: digests.current(now).to_string(),
        expires_at: (now + digests.grace_period()).trunc_subsecs(0),
        message_count: digests.covered_count(),
    }
}

/// A single message.
#[derive(Debug, Serialize, ToSchema)]
pub struct SingleMessage {
    #[schema(value_type = MessageSchema)]
    pub message: Message,
}

/// Returns a message of any season, or `None` if there is none that the caller may see. A hidden or deleted
/// message has no text, as in the event stream. A shadow message is found only by its author.
pub async fn find_message(
    state: &AppState,
    id: &MessageId,
    caller: Option<&Identity>,
) -> Result<Option<SingleMessage>, Refusal> {
    let own_view = caller.and_then(Identity::own_view);
    if let Some(seq) = store::find_seq(&state.pool, id).await? {
        let events = state.log.events_except_placements(seq.previous(), seq).await?;
        let found = events.into_iter().find_map(|(_, event)| match event {
            Event::Chat(message) => Some(message.public_view().into_owned()),
            _ => None,
        });
        return personal_view(state, found, own_view).await;
    }
    let Some(author) = own_view else { return Ok(None) };
    let found = shadow_messages_by_ids(state, &[id.as_str().to_owned()]).await?;
    let own = found.into_iter().find(|shadow| shadow.author == author);
    personal_view(state, own.map(|own| own.message.public_view().into_owned()), own_view).await
}

async fn personal_view(
    state: &AppState,
    message: Option<Message>,
    own_view: Option<AccountNo>,
) -> Result<Option<SingleMessage>, Refusal> {
    let view = shadow_view(state, own_view, message.iter().map(|message| message.id.as_str())).await?;
    Ok(message.map(|mut message| {
        view.apply(&mut message);
        SingleMessage { message }
    }))
}

/// Returns the first of these messages that are visible to everyone, in this order.
pub(super) async fn visible_messages(
    state: &AppState,
    seqs: &[Seq],
    max_count: usize,
) -> Result<Vec<Message>, Refusal> {
    let mut messages = messages_by_seqs(state, seqs).await?;
    messages.sort_by_key(|message| seqs.iter().position(|number| *number == message.seq));
    messages.truncate(max_count);
    Ok(messages)
}

/// Returns a page of messages, or `None` if there is no message `before`. The newest page is read from
/// memory.
pub async fn page(state: &AppState, query: &ChatQuery) -> Result<Option<ChatPage>, Refusal> {
    if query.is_newest_page() {
        return Ok(Some(newest_page(state, query.limit)));
    }
    let before = match &query.before {
        Some(id) => store::find_seq(&state.pool, id).await?,
        None => Some(Seq::MAX),
    };
    let Some(before) = before else { return Ok(None) };
    older_page(state, query, before).await.map(Some)
}

/// Returns the refusal of a cursor.
pub fn bad_cursor() -> Refusal {
    let detail = "There is no message with the id in before.";
    InputError::for_field(InputErrorKind::BadCursor, "before", detail).into()
}

async fn older_page(state: &AppState, query: &ChatQuery, before: Seq) -> Result<ChatPage, Refusal> {
    let opening =
        query.until.map_or_else(|| state.read_world(|world| world.season.seq), |until| until.opening);
    let after = opening.max(query.after);
    let before = query.until.map_or(before, |until| before.min(until.seq.next()));
    let limit = query.limit as i64 + 1;
    let range =
        MessageRange { author: None, after, before, since: query.since, limit, include_hidden: false };
    let mut messages: Vec<_> = messages_in_range(state, &range).await?.into_iter().map(Arc::new).collect();
    let has_older = messages.len() > query.limit;
    if has_older {
        messages.remove(0);
    }
    Ok(build_page(messages, has_older, current_digest(state)))
}

fn newest_page(state: &AppState, limit: usize) -> ChatPage {
    newest_page_of(&state.world.read(), limit, state.clock.now())
}

fn newest_page_of(world: &World, limit: usize, now: DateTime<Utc>) -> ChatPage {
    let cached = Chat::of(world).messages();
    let skipped = cached.len().saturating_sub(limit);
    let messages = cached.iter().skip(skipped).cloned().collect();
    build_page(messages, skipped > 0 || Chat::of(world).has_older_messages, digest_at(world, now))
}

/// The newest messages, and the state of the canvas to which they belong.
#[derive(Debug)]
pub struct NewestChat {
    /// The number of the newest event. Its successors are what a reader has not seen.
    pub head: Seq,
    /// The number of the newest event that has changed the canvas.
    pub version: Seq,
    pub page: ChatPage,
}

/// Returns the newest messages, at most `limit`, from memory.
pub fn newest_messages(state: &AppState, limit: usize) -> NewestChat {
    let world = state.world.read();
    let page = newest_page_of(&world, limit, state.clock.now());
    NewestChat { head: world.head, version: world.version, page }
}

/// Builds a page. `has_older` is true if there are older messages.
pub(super) fn build_page(messages: Vec<Arc<Message>>, has_older: bool, digest: CurrentDigest) -> ChatPage {
    ChatPage {
        digest: digest.digest,
        digest_expires_at: digest.expires_at,
        message_count: messages.len(),
        next_before: messages.first().filter(|_| has_older).map(|message| message.id.clone()),
        messages,
    }
}

const MAX_CACHE_BYTES: u32 = 4 << 20;

/// The newest page, rendered once per change, second and encoding.
pub struct NewestPageCache(Cache<NewestPagePart, Arc<RenderedPart>>);

/// A part of the front page.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum NewestPagePart {
    Messages(ContentCoding),
    Digest,
}

/// The versions of the chat, and the second of the digest's expiry.
type NewestPageState = (Seq, u64, i64);

struct RenderedPart {
    state: NewestPageState,
    body: Bytes,
}

impl Default for NewestPageCache {
    fn default() -> Self {
        Self(Cache::new("front_page", MAX_CACHE_BYTES, None, |rendered| rendered.body.len()))
    }
}

impl NewestPageCache {
    /// Returns the newest messages and the digest as JSON.
    ///
    /// # Errors
    /// Returns `Internal` if the JSON cannot be encoded.
    pub async fn json(&self, state: &AppState, coding: ContentCoding) -> Result<Bytes, Refusal> {
        let render = || coding.encode(serde_json::to_vec(&newest_page(state, DEFAULT_LIMIT))?);
        self.get(state, NewestPagePart::Messages(coding), render).await
    }

    /// Returns the digest as JSON.
    ///
    /// # Errors
    /// Returns `Internal` if the JSON cannot be encoded.
    pub async fn digest_json(&self, state: &AppState) -> Result<Bytes, Refusal> {
        self.get(state, NewestPagePart::Digest, || Ok(serde_json::to_vec(&current_digest(state))?)).await
    }

    async fn get(
        &self,
        state: &AppState,
        part: NewestPagePart,
        render: impl FnOnce() -> std::io::Result<Vec<u8>> + Send,
    ) -> Result<Bytes, Refusal> {
        let (version, edition) =
            state.read_world(|world| (Chat::of(world).version, Chat::of(world).revision));
        let state = (version, edition, state.clock.now().timestamp());
        let is_current = |rendered: &Arc<RenderedPart>| rendered.state == state;
        let compute = async {
            let body = render().map_err(internal("rendering the chat"))?.into();
            Ok(Arc::new(RenderedPart { state, body }))
        };
        self.0.get_or_compute(part, is_current, compute).await.map(|rendered| rendered.body.clone())
    }
}
