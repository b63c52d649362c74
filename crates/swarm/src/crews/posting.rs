//! Agents post in the channel of their crew. Each text contains a word of its own, so that it can be
//! recognised.

use rand::RngExt;
use serde_json::json;
use tokio::time::Instant;

use crate::{
    agent::Agent,
    client::ApiRequest,
    crews::{CrewShare, api_types::PrivateMessageResponse, ledger::AckedPrivate},
    failure::Failure,
    phrases::Topic,
};

/// The threads of a crew's channel.
const THREADS: [&str; 3] = ["sky", "ground", "details"];

impl Agent {
    /// Posts in the channel of the agent's crew, or asks a member a question.
    pub(crate) async fn post_private(&mut self) -> Result<(), Failure> {
        let Some(mut share) = self.crew.take() else { return Ok(()) };
        let may_ask =
            !self.is_picture_finished() && !share.run.ledger.has_open_question(self.index, Instant::now());
        let result = if may_ask && self.random_percent(50) {
            self.ask_member(&mut share).await
        } else {
            self.post_to_crew(&mut share).await
        };
        self.crew = Some(share);
        match result {
            Err(failure) => self.back_off_from_posting(failure),
            Ok(()) => Ok(()),
        }
    }

    async fn post_to_crew(&mut self, share: &mut CrewShare) -> Result<(), Failure> {
        let run = share.run.clone();
        let crew = &run.crews[share.crew];
        let topic = if self.random_percent(50) { Topic::Progress } else { Topic::SmallTalk };
        let text = self.unique_text(share, topic);
        let thread = THREADS.get(self.rng.random_range(0..=THREADS.len())).copied();
        let newest = run.ledger.progress(self.index, &crew.id).received.pop();
        let reply_to = newest.filter(|_| self.random_percent(30));
        let body = json!({"content": text, "thread": thread, "reply_to": reply_to});
        let request = ApiRequest::post("/api/crews/{id}/messages", &body).with_id(&crew.id);
        self.send_private(share, request, text).await?;
        Ok(())
    }

    /// Sends a private message until its outcome is known, and records it.
    pub(super) async fn send_private(
        &mut self,
        share: &CrewShare,
        request: ApiRequest,
        content: String,
    ) -> Result<PrivateMessageResponse, Failure> {
        let request =
            request.with_api_key(&self.account.api_key).with_idempotency_key(self.next_idempotency_key());
        let sent_at = Instant::now();
        let response = self.context.post_private(self.index, &request).await?;
        let message = &response.body.message;
        let id = message.id.clone();
        let channel_id = message.channel_id().to_owned();
        let agent = self.index;
        let acked_at = response.received_at;
        share.run.ledger.record(AckedPrivate { id, channel_id, agent, content, sent_at, acked_at });
        self.credits = response.body.chat_credits;
        let is_same = |repeated: &PrivateMessageResponse| repeated.message.id == response.body.message.id;
        self.maybe_send_again(&request, is_same).await?;
        Ok(response.body)
    }

    /// Returns a text that ends with a word that no other message contains.
    pub(super) fn unique_text(&mut self, share: &mut CrewShare, topic: Topic) -> String {
        share.text_count += 1;
        let phrase = self.generate_phrase(topic);
        let seed = self.context.seed % 1_000_000;
        format!("{phrase} mark{seed}x{}y{}", self.index, share.text_count)
    }
}
