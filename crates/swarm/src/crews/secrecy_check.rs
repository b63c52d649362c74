//! The final checks of who reads private messages: strangers do not, and they stand nowhere in public.

use std::collections::HashSet;

use serde::de::IgnoredAny;
use serde_json::json;

use crate::{
    api_types::{Message, Page},
    client::ApiRequest,
    crews::{CrewRun, api_types::SearchResult, ledger::AckedPrivate},
    failure::Failure,
    verify::Verifier,
};

/// Maximum number of texts that are searched for, and of conversations that a stranger tries to read.
const SAMPLE_SIZE: usize = 10;

/// The ids and the texts of all private messages.
struct PrivateTexts<'a> {
    ids: HashSet<&'a str>,
    texts: HashSet<&'a str>,
}

impl<'a> PrivateTexts<'a> {
    fn new(messages: &'a [AckedPrivate]) -> Self {
        PrivateTexts {
            ids: messages.iter().map(|message| message.id.as_str()).collect(),
            texts: messages.iter().map(|message| message.content.as_str()).collect(),
        }
    }

    /// Returns true if a public message is one of them.
    fn contains(&self, id: &str, text: Option<&str>) -> bool {
        self.ids.contains(id) || text.is_some_and(|text| self.texts.contains(text))
    }
}

impl Verifier<'_> {
    /// Checks that private messages can be read by their members only.
    pub(super) async fn check_secrecy(&self, run: &CrewRun, faults: &mut Vec<String>) -> Result<(), Failure> {
        let messages = run.ledger.messages();
        let private = PrivateTexts::new(&messages);
        self.check_streams_are_public(&private, faults);
        self.check_chat_is_public(&private, faults).await?;
        self.check_search(&messages, faults).await?;
        self.check_conversations_are_closed(run, faults).await;
        self.check_crews_are_open(run, faults).await;
        Ok(())
    }

    fn check_streams_are_public(&self, private: &PrivateTexts<'_>, faults: &mut Vec<String>) {
        for spectator in self.spectators {
            let state = spectator.state();
            let Some(record) = &state.record else { continue };
            let ids = record.messages.values().filter(|id| private.contains(id, None));
            faults.extend(ids.map(|id| format!("the stream has the private message {id}")));
            let texts = record.texts.iter().filter(|text| private.contains("", Some(text)));
            faults.extend(texts.map(|text| format!("the stream has the private text {text:?}")));
        }
    }

    async fn check_chat_is_public(
        &self,
        private: &PrivateTexts<'_>,
        faults: &mut Vec<String>,
    ) -> Result<(), Failure> {
        let pages: Vec<Vec<Message>> = self.fetch_pages(&ApiRequest::get("/api/chat")).await?;
        let messages = pages.iter().flatten();
        let found = messages.filter(|m| private.contains(&m.id, m.content.as_deref()));
        faults.extend(found.map(|message| format!("the chat has the private message {}", message.id)));
        Ok(())
    }

    /// Searches for the word that only one message contains.
    async fn check_search(&self, messages: &[AckedPrivate], faults: &mut Vec<String>) -> Result<(), Failure> {
        for message in messages.iter().step_by(messages.len().div_ceil(SAMPLE_SIZE).max(1)) {
            let query = format!("?q={}&in=chat,agents,plans,crews,seasons", message.tag());
            let found: Page<SearchResult> =
                self.fetch_json(ApiRequest::get("/api/search").with_query(query)).await?;
            let leaks = found.items.iter();
            let leaks = leaks.filter(|result| result.id == message.id || result.text.contains(message.tag()));
            faults.extend(leaks.map(|result| format!("a search finds {}: {:?}", message.id, result.text)));
        }
        Ok(())
    }

    /// Checks that a stranger finds no conversation and no message in it, and that nobody reads one without a
    /// key.
    async fn check_conversations_are_closed(&self, run: &CrewRun, faults: &mut Vec<String>) {
        let conversations: Vec<String> = run.ledger.conversations().into_keys().take(SAMPLE_SIZE).collect();
        let mark = json!({"up_to": format!("msg_{}", "0".repeat(32))});
        for id in &conversations {
            let requests = [
                ApiRequest::get("/api/direct/{id}"),
                ApiRequest::get("/api/direct/{id}/new"),
                ApiRequest::post("/api/direct/{id}/read", &mark),
            ];
            for request in requests.map(|request| request.with_id(id)) {
                self.expect_status(request.clone(), 401, faults).await;
                self.expect_status(request.with_api_key(&run.stranger.api_key), 404, faults).await;
            }
        }
        let messages = run.ledger.messages();
        let direct = messages.iter().filter(|message| conversations.contains(&message.channel_id));
        for message in direct.take(SAMPLE_SIZE) {
            let request = ApiRequest::get("/api/chat/{id}").with_id(&message.id);
            self.expect_status(request.clone(), 404, faults).await;
            self.expect_status(request.with_api_key(&run.stranger.api_key), 404, faults).await;
        }
    }

    /// Checks that everyone reads the channel of an open crew, and that a stranger can neither post there nor
    /// read what is new for members.
    async fn check_crews_are_open(&self, run: &CrewRun, faults: &mut Vec<String>) {
        for crew in &run.crews {
            let new = ApiRequest::get("/api/crews/{id}/new").with_id(&crew.id);
            let path = "/api/crews/{id}/messages";
            let post = ApiRequest::post(path, &json!({"content": "let me in"})).with_id(&crew.id);
            self.expect_status(ApiRequest::get(path).with_id(&crew.id), 200, faults).await;
            self.expect_status(new.clone(), 401, faults).await;
            self.expect_status(new.with_api_key(&run.stranger.api_key), 403, faults).await;
            self.expect_status(post.with_api_key(&run.stranger.api_key), 403, faults).await;
        }
        self.expect_status(ApiRequest::post("/api/direct", &json!({})), 401, faults).await;
    }

    /// Records a fault unless the response has this status.
    async fn expect_status(&self, request: ApiRequest, expected: u16, faults: &mut Vec<String>) {
        let description = request.describe();
        let status = match &self.fetch_json::<IgnoredAny>(request).await {
            Ok(_) => 200,
            Err(Failure::Refused(refusal)) => refusal.status,
            Err(_) => 0,
        };
        if status != expected {
            faults.push(format!("{description} was answered {status} instead of {expected}"));
        }
    }
}
