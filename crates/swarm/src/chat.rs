//! Chat behaviour: agents announce, ask, answer and react within the server's rules.
//!
//! Other agents' messages decide whom an agent answers and in what tone, never what it paints.

use std::time::Duration;

use rand::{RngExt, rngs::StdRng, seq::IndexedRandom};
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{
    agent::Agent,
    api_types::{Me, Message, Rect},
    client::ApiRequest,
    failure::Failure,
    phrases::{self, PhraseContext, Topic},
    request_stats::REACTION_LABEL,
};

/// Number of placements that an intent announces, and after which the next one is due.
const ANNOUNCED_PIXELS: usize = 40;
/// Minimum time between two checks of an agent's credits.
const CREDIT_CHECK_INTERVAL: Duration = Duration::from_secs(3);
/// Minimum time between two reactions: longer than a minute divided by the server's `REACTIONS_PER_MINUTE`.
const REACTION_INTERVAL: Duration = Duration::from_secs(7);
const MAX_REMEMBERED_REACTIONS: usize = 64;
/// Percentage of a crew member's messages that are private.
const PRIVATE_PERCENT: u8 = 70;
/// Number of answers for which a crew member keeps its credits.
const RESERVED_ANSWERS: u64 = 2;

impl Agent {
    pub(crate) async fn read_chat_if_due(&mut self) -> Result<(), Failure> {
        let interval = Duration::from_millis(self.context.args.reread_ms);
        if !self.chat.is_refresh_due(Instant::now(), interval) {
            return Ok(());
        }
        match self.fetch(ApiRequest::get("/api/chat").with_query("?limit=20")).await {
            Ok(chat) => self.chat.apply_chat(chat),
            Err(failure) if failure.code() == "chat_disabled" => self.chat.disable(),
            Err(failure) => return Err(failure),
        }
        Ok(())
    }

    /// Fetches only the digest, after the server refused the old one.
    pub(crate) async fn refresh_digest(&mut self) -> Result<(), Failure> {
        self.chat.digest = None;
        let response = self.fetch(ApiRequest::get("/api/chat/digest")).await?;
        self.chat.apply_digest(response);
        Ok(())
    }

    pub(crate) async fn take_part_in_chat(&mut self) -> Result<(), Failure> {
        if self.chat.is_disabled {
            return Ok(());
        }
        let chatty = self.context.args.chatty;
        if self.random_percent(chatty / 2) {
            self.post_reaction().await?;
        }
        let reserved_messages = if self.crew.is_some() { RESERVED_ANSWERS } else { 0 };
        let has_credits = self.credits >= self.message_price * (1 + reserved_messages);
        let may_have_quota = has_credits && self.can_afford_message();
        if may_have_quota && self.random_percent(chatty) && self.can_post_message().await? {
            if self.crew.is_some() && self.random_percent(PRIVATE_PERCENT) {
                return self.post_private().await;
            }
            self.post_message().await?;
        }
        Ok(())
    }

    /// Returns true if the agent has the credits for a message and need not wait, as far as it knows.
    pub(crate) fn can_afford_message(&self) -> bool {
        self.credits >= self.message_price && Instant::now() >= self.no_message_until
    }

    async fn post_reaction(&mut self) -> Result<(), Failure> {
        let Some(target) = self.pick_message_of_others(|agent, m| !agent.reacted_message_ids.contains(&m.id))
        else {
            return Ok(());
        };
        if Instant::now() < self.no_reaction_until {
            return Ok(());
        }
        self.no_reaction_until = Instant::now() + REACTION_INTERVAL;
        self.remember_reaction(target.id.clone());
        let content = phrases::random_emoji(&mut self.rng);
        let body = json!({"content": content, "type": "reaction", "reply_to": target.id});
        let request = ApiRequest { label: REACTION_LABEL.to_owned(), ..self.chat_request(&body) };
        match self.context.client.send_with_retries::<IgnoredAny>(&request, &self.context.stop_retries).await
        {
            Err(failure) => self.back_off(failure, Instant::now() + REACTION_INTERVAL),
            Ok(_) => Ok(()),
        }
    }

    /// Remembers a reaction, because the same reaction again would remove it.
    fn remember_reaction(&mut self, id: String) {
        self.reacted_message_ids.push_back(id);
        if self.reacted_message_ids.len() > MAX_REMEMBERED_REACTIONS {
            self.reacted_message_ids.pop_front();
        }
    }

    /// Asks the server if the agent may post: it counts credits and the time since the last message.
    async fn can_post_message(&mut self) -> Result<bool, Failure> {
        let me = self.fetch::<Me>(ApiRequest::get("/api/agents/me")).await?;
        self.server_clock = me.server_now().zip(Some(me.received_at));
        let wait = me.body.next_message_at.map_or(Duration::ZERO, |at| me.time_until(at));
        let has_credits = me.body.messages_available.is_none_or(|messages| messages > 0);
        self.no_message_until =
            me.received_at + if has_credits { wait } else { wait.max(CREDIT_CHECK_INTERVAL) };
        Ok(has_credits && wait.is_zero())
    }

    async fn post_message(&mut self) -> Result<(), Failure> {
        let target = self.pick_message_of_others(|_, _| true);
        let topic = self.choose_topic(target.as_ref());
        let next_area = self.assignment.next_region_and_colors(ANNOUNCED_PIXELS);
        let phrase_context = self.build_phrase_context(next_area.as_ref(), target.as_ref());
        let content = self.phrases.generate(topic, &phrase_context, &mut self.rng);
        let body = match (topic, &target, &next_area) {
            (Topic::Intent, _, Some((region, colors))) => {
                self.pixels_since_intent = 0;
                json!({"content": content, "type": "intent", "region": region, "color_palette": colors})
            }
            (Topic::Welcome | Topic::Answer | Topic::Agree | Topic::Thanks, Some(message), _) => {
                json!({"content": content, "reply_to": message.id})
            }
            _ => json!({"content": content}),
        };
        let request = self.chat_request(&body);
        match self.context.post_message(self.index, &request).await {
            Err(failure) => self.back_off(failure, Instant::now() + CREDIT_CHECK_INTERVAL),
            Ok(response) => {
                self.credits = response.chat_credits;
                self.chat.digest = Some(response.new_digest);
                Ok(())
            }
        }
    }

    fn chat_request(&mut self, body: &Value) -> ApiRequest {
        ApiRequest::post("/api/chat", body)
            .with_api_key(&self.account.api_key)
            .with_idempotency_key(self.next_idempotency_key())
    }

    /// Returns a phrase about this topic and the agent's work.
    pub(crate) fn generate_phrase(&mut self, topic: Topic) -> String {
        let next_area = self.assignment.next_region_and_colors(ANNOUNCED_PIXELS);
        let phrase_context = self.build_phrase_context(next_area.as_ref(), None);
        self.phrases.generate(topic, &phrase_context, &mut self.rng)
    }

    /// Handles a refused private message: the agent does not post for as long as the server says.
    pub(crate) fn back_off_from_posting(&mut self, failure: Failure) -> Result<(), Failure> {
        self.back_off(failure, Instant::now())
    }

    /// Handles a refused message: the agent continues painting and does not post for a while.
    fn back_off(&mut self, failure: Failure, until: Instant) -> Result<(), Failure> {
        if failure.is_final() {
            return Err(failure);
        }
        let until = until.max(Instant::now() + failure.retry_delay());
        self.no_message_until = self.no_message_until.max(until);
        self.no_reaction_until = self.no_reaction_until.max(until);
        Ok(())
    }

    /// Returns a recent message of another account to respond to; newer ones are more likely.
    fn pick_message_of_others(&mut self, is_suitable: impl Fn(&Agent, &Message) -> bool) -> Option<Message> {
        let own_id = Some(&self.account.id);
        let messages = self.chat.messages.iter().rev();
        let messages =
            messages.filter(|m| m.agent_id.is_some() && m.agent_id.as_ref() != own_id && m.content.is_some());
        let recent: Vec<Message> = messages.filter(|m| is_suitable(self, m)).take(8).cloned().collect();
        let [a, b] = [0, 1].map(|_| self.rng.random_range(0..recent.len().max(1)));
        recent.get(a.min(b)).cloned()
    }

    fn choose_topic(&mut self, target: Option<&Message>) -> Topic {
        if self.pixels_since_intent >= ANNOUNCED_PIXELS && !self.assignment.is_done() {
            return Topic::Intent;
        }
        match target {
            Some(message) if self.rng.random_bool(0.55) => reply_topic(message, &mut self.rng),
            _ => *[Topic::Ask, Topic::Progress, Topic::Progress, Topic::SmallTalk]
                .choose(&mut self.rng)
                .unwrap_or(&Topic::Progress),
        }
    }

    fn build_phrase_context(
        &mut self,
        next_area: Option<&(Rect, Vec<u8>)>,
        target: Option<&Message>,
    ) -> PhraseContext {
        let context = self.context.clone();
        let region = next_area.map(|(region, _)| *region).or(self.assignment.region());
        let next = self.assignment.next_pixels(1);
        let colors: Vec<&str> = next_area
            .iter()
            .flat_map(|(_, colors)| colors)
            .filter_map(|index| context.color_name(*index))
            .collect();
        let mut random_color = || colors.choose(&mut self.rng).copied().unwrap_or("last colour").to_owned();
        let (color, mut other_color) = (random_color(), random_color());
        if other_color == color {
            other_color = context.other_color_name(&color, &mut self.rng);
        }
        PhraseContext {
            region_name: region.map_or("the canvas", |r| {
                phrases::region_name(r, context.canvas.width, context.canvas.height)
            }),
            color,
            other_color,
            next_pixel: next.first().map(|d| (d.x, d.y)).or(region.map(|r| (r.x2, r.y2))).unwrap_or_default(),
            percent: self.assignment.percent(),
            remaining_count: self.assignment.remaining_count(),
            agent_name: target.and_then(|m| m.agent_name.clone()),
        }
    }
}

fn reply_topic(message: &Message, rng: &mut StdRng) -> Topic {
    let is_question = message.content.as_deref().is_some_and(|content| content.contains('?'));
    match message.kind.as_str() {
        _ if is_question => Topic::Answer,
        "intent" => Topic::Welcome,
        _ if rng.random_bool(0.4) => Topic::Thanks,
        _ => Topic::Agree,
    }
}
