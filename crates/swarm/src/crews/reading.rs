//! Agents read the new messages of their crew and their conversations, and mark them as read with the next
//! request.

use std::time::Duration;

use tokio::time::Instant;

use crate::{
    agent::Agent,
    api_types::{Page, WaitingQuestion},
    client::ApiRequest,
    crews::{
        CrewShare,
        api_types::{Conversation, NewPrivateMessages},
    },
    failure::Failure,
};

/// Maximum number of messages in a response.
const PAGE_LENGTH: usize = 100;

impl Agent {
    /// Reads what is due, and answers the questions to the agent.
    pub(crate) async fn take_part_in_crew(&mut self) -> Result<(), Failure> {
        // The share is taken out of the agent meanwhile, so that both can be changed.
        let Some(mut share) = self.crew.take() else { return Ok(()) };
        let result = self.read_and_answer(&mut share).await;
        self.crew = Some(share);
        result
    }

    async fn read_and_answer(&mut self, share: &mut CrewShare) -> Result<(), Failure> {
        let interval = Duration::from_millis(self.context.args.reread_ms);
        let is_due = |read_at: Option<Instant>| read_at.is_none_or(|at| at.elapsed() >= interval);
        if is_due(share.crew_read_at) {
            share.crew_read_at = Some(Instant::now());
            let id = share.run.crews[share.crew].id.clone();
            self.read_channel(share, "/api/crews/{id}/new", &id).await?;
        }
        if share.inbox.is_some() {
            self.handle_calls(share).await?;
        } else if is_due(share.direct_read_at) {
            share.direct_read_at = Some(Instant::now());
            self.read_conversations(share).await?;
        }
        self.end_questions(share).await
    }

    /// Handles the calls of the agent's webhook: notes questions, and reads the conversations of which it was
    /// told.
    async fn handle_calls(&mut self, share: &mut CrewShare) -> Result<(), Failure> {
        while let Some(message) = share.inbox.as_ref().and_then(|inbox| inbox.take()) {
            share.note_question(&self.account.id, &message);
            self.read_channel(share, "/api/direct/{id}/new", message.channel_id()).await?;
        }
        Ok(())
    }

    async fn read_conversations(&mut self, share: &mut CrewShare) -> Result<(), Failure> {
        let request = ApiRequest::get("/api/direct").with_query(format!("?limit={PAGE_LENGTH}"));
        let page = self.fetch::<Page<Conversation>>(request).await?.body;
        let unread = page.items.into_iter().filter(|conversation| conversation.unread > 0);
        for Conversation { id, .. } in unread {
            self.read_channel(share, "/api/direct/{id}/new", &id).await?;
        }
        Ok(())
    }

    /// Reads the new messages of a channel, after marking the last ones as read.
    async fn read_channel(&self, share: &mut CrewShare, path: &'static str, id: &str) -> Result<(), Failure> {
        let progress = share.run.ledger.progress(self.index, id);
        let request = new_messages_request(path, id, progress.pointer.as_deref());
        let new = self.fetch::<NewPrivateMessages>(request).await?.body;
        share.run.ledger.record_read(self.index, id, &new);
        for message in &new.messages {
            share.note_question(&self.account.id, message);
        }
        Ok(())
    }

    /// Reads direct messages in the next round if a response names a question that the agent has not seen.
    pub(crate) fn note_waiting_questions(&mut self, waiting: &[WaitingQuestion]) {
        if let Some(share) = &mut self.crew {
            let is_new = |question: &WaitingQuestion| !share.seen_questions.contains(&question.message_id);
            if waiting.iter().any(is_new) {
                share.direct_read_at = None;
            }
        }
    }
}

/// Returns the request of the new messages of a channel, which marks everything up to the pointer as read.
pub fn new_messages_request(path: &'static str, id: &str, pointer: Option<&str>) -> ApiRequest {
    let ack = pointer.map(|pointer| format!("&ack={pointer}")).unwrap_or_default();
    ApiRequest::get(path).with_id(id).with_query(format!("?limit={PAGE_LENGTH}{ack}"))
}
