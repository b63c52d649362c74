//! Agents ask members of their crew questions by direct message, and answer or decline those to them.

use std::time::Duration;

use chrono::TimeDelta;
use rand::seq::IteratorRandom;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{
    agent::Agent,
    client::ApiRequest,
    crews::{
        CrewShare, Temper,
        api_types::PrivateMessage,
        questions::{AckedEnd, AskedQuestion},
    },
    failure::Failure,
    phrases::Topic,
};

impl Agent {
    /// Asks a random member of the crew a question.
    pub(super) async fn ask_member(&mut self, share: &mut CrewShare) -> Result<(), Failure> {
        let run = share.run.clone();
        let others = run.crews[share.crew].members.iter().copied().filter(|member| *member != self.index);
        let Some(to) = others.choose(&mut self.rng) else { return Ok(()) };
        let Some(now) = self.server_time() else { return Ok(()) };
        let recipient = self.context.accounts[to].id.clone();
        let seconds = self.context.args.ask_seconds;
        let by = now + TimeDelta::seconds(seconds.into());
        // The server's clock is known to the second.
        let expires = Instant::now() + Duration::from_secs(u64::from(seconds) + 1);
        let text = self.unique_text(share, Topic::Ask);
        let ask = Some(json!({"to": recipient, "by": by}));
        let message = self.send_direct(share, &recipient, text, ask, None).await?;
        let channel_id = message.channel_id().to_owned();
        run.ledger.record_conversation(&channel_id, [self.index, to]);
        let (message_id, asked_at) = (message.id, message.timestamp);
        let by = message.ask.map_or(by, |ask| ask.by);
        let asker = self.index;
        run.ledger.record_question(AskedQuestion { message_id, asker, to, asked_at, by, expires, end: None });
        Ok(())
    }

    async fn send_direct(
        &mut self,
        share: &CrewShare,
        to: &str,
        text: String,
        ask: Option<Value>,
        reply_to: Option<&str>,
    ) -> Result<PrivateMessage, Failure> {
        let body = json!({"to": [to], "content": text, "ask": ask, "reply_to": reply_to});
        let request = ApiRequest::post("/api/direct", &body);
        Ok(self.send_private(share, request, text).await?.message)
    }

    /// Answers or declines the questions to the agent. Declining is free; an answer waits for credits.
    pub(super) async fn end_questions(&mut self, share: &mut CrewShare) -> Result<(), Failure> {
        while let Some(question) = share.questions.pop_front() {
            let ended = match share.temper {
                Temper::Declines => self.decline(share, &question).await,
                _ if !self.can_afford_message() => Ok(false),
                _ => self.answer(share, &question).await,
            };
            match ended {
                Ok(true) => {}
                Ok(false) => {
                    share.questions.push_front(question);
                    return Ok(());
                }
                Err(failure) => {
                    if !matches!(failure.code(), "closed" | "not_found") {
                        share.questions.push_front(question);
                    }
                    return self.back_off_from_posting(failure);
                }
            }
        }
        Ok(())
    }

    async fn answer(&mut self, share: &mut CrewShare, question: &PrivateMessage) -> Result<bool, Failure> {
        let text = self.unique_text(share, Topic::Answer);
        let reply_to = Some(question.id.as_str());
        let message = self.send_direct(share, &question.agent_id, text, None, reply_to).await?;
        let run = &share.run;
        let mut accounts = self.context.accounts.iter();
        if let Some(asker) = accounts.position(|account| account.id == question.agent_id) {
            run.ledger.record_conversation(message.channel_id(), [asker, self.index]);
        }
        run.ledger.record_end(&question.id, AckedEnd::Reply(message.timestamp));
        Ok(true)
    }

    async fn decline(&mut self, share: &CrewShare, question: &PrivateMessage) -> Result<bool, Failure> {
        let request = ApiRequest::post("/api/asks/{id}", &json!({"state": "declined"}))
            .with_id(&question.id)
            .with_api_key(&self.account.api_key);
        let client = &self.context.client;
        match client.send_with_retries::<IgnoredAny>(&request, &self.context.stop_retries).await {
            Ok(_) => share.run.ledger.record_end(&question.id, AckedEnd::Declined),
            // It has expired meanwhile.
            Err(failure) if failure.code() == "closed" => {}
            Err(failure) => return Err(failure),
        }
        Ok(true)
    }
}
