//! The final checks of crews: every member reads every acknowledged message once and in order, counts agree,
//! and each question has the state that follows from its answers.

use std::{collections::HashMap, time::Duration};

use crate::{
    api_types::Single,
    client::{ApiRequest, ApiResponse},
    crews::{
        CrewRun, CrewSummary,
        api_types::{AskState, Conversation, NewPrivateMessages, PrivateMessage},
        channel_check::{find_list_faults, find_read_fault, find_unread_fault},
        questions::AskedQuestion,
        reading::new_messages_request,
        summary::QuestionTimes,
    },
    failure::Failure,
    stop::Polling,
    verify::{Verdict, Verifier},
};

/// Maximum time until a webhook is called, its first repetition included.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(15);

/// A crew or a conversation with its members.
struct Channel {
    id: String,
    is_crew: bool,
    members: Vec<usize>,
}

impl Channel {
    fn page_path(&self) -> &'static str {
        if self.is_crew { "/api/crews/{id}/messages" } else { "/api/direct/{id}" }
    }

    fn new_path(&self) -> &'static str {
        if self.is_crew { "/api/crews/{id}/new" } else { "/api/direct/{id}/new" }
    }
}

impl CrewRun {
    fn channels(&self) -> Vec<Channel> {
        let crews = self.crews.iter();
        let crews = crews.map(|crew| (crew.id.clone(), true, crew.members.clone()));
        let conversations = self.ledger.conversations().into_iter();
        let conversations = conversations.map(|(id, members)| (id, false, members.to_vec()));
        crews.chain(conversations).map(|(id, is_crew, members)| Channel { id, is_crew, members }).collect()
    }
}

impl Verifier<'_> {
    /// Returns the request with the key of an agent.
    fn as_agent(&self, agent: usize, request: ApiRequest) -> ApiRequest {
        request.with_api_key(&self.context.accounts[agent].api_key)
    }

    /// Checks the crews of the run, and adds their summary.
    pub(crate) async fn check_crews(&self, verdict: &mut Verdict) -> Result<(), Failure> {
        let Some(run) = self.crews else { return Ok(()) };
        let faults = &mut verdict.faults;
        let unread = self.fetch_unread_counts().await?;
        let mut read = 0;
        for channel in run.channels() {
            read += self.check_channel(run, &channel, &unread, faults).await?;
        }
        self.check_all_is_read(run, faults).await?;
        let times = self.check_questions(run, faults).await?;
        check_deliveries(run, faults).await;
        self.check_secrecy(run, faults).await?;
        verdict.crews = Some(CrewSummary::new(run, read, &times));
        Ok(())
    }

    /// Checks a channel as each of its members reads it. Returns the number of texts that they have read.
    async fn check_channel(
        &self,
        run: &CrewRun,
        channel: &Channel,
        unread: &HashMap<(usize, String), usize>,
        faults: &mut Vec<String>,
    ) -> Result<usize, Failure> {
        let account_id = |agent: usize| self.context.accounts[agent].id.as_str();
        let messages = run.ledger.messages();
        let acked: Vec<_> = messages.iter().filter(|message| message.channel_id == channel.id).collect();
        let unsettled = self.context.ledger.unsettled_by_agent();
        let is_unsettled =
            |member: &usize| unsettled.get(member).is_some_and(|unsettled| unsettled.private_messages > 0);
        let may_have_others = channel.members.iter().any(is_unsettled);
        let mut read = 0;
        for member in &channel.members {
            let own_id = account_id(*member);
            let listed = self.fetch_channel(channel, *member).await?;
            let mut found = find_list_faults(&acked, &listed, account_id, may_have_others);
            let progress = run.ledger.progress(*member, &channel.id);
            let new = self.fetch_new(channel, *member, None).await?;
            let unread_by_new = new.messages.len() + new.unread;
            let unread = unread.get(&(*member, channel.id.clone())).copied();
            for unread in [Some(unread_by_new), unread.filter(|_| !channel.is_crew)].into_iter().flatten() {
                found.extend(find_unread_fault(own_id, &listed, &progress, unread));
            }
            self.read_to_the_end(run, channel, *member).await?;
            let received = run.ledger.progress(*member, &channel.id).received;
            found.extend(find_read_fault(own_id, &listed, &received));
            read += received.len();
            faults.extend(found.into_iter().map(|fault| format!("{} for {own_id}: {fault}", channel.id)));
        }
        Ok(read)
    }

    async fn fetch_channel(&self, channel: &Channel, member: usize) -> Result<Vec<PrivateMessage>, Failure> {
        let request = ApiRequest::get(channel.page_path()).with_id(&channel.id);
        // The newest page comes first, but each page begins with its oldest message.
        let pages = self.fetch_pages(&self.as_agent(member, request)).await?;
        Ok(pages.into_iter().rev().flatten().collect())
    }

    async fn fetch_new(
        &self,
        channel: &Channel,
        member: usize,
        pointer: Option<&str>,
    ) -> Result<NewPrivateMessages, Failure> {
        let request = new_messages_request(channel.new_path(), &channel.id, pointer);
        self.fetch_json(self.as_agent(member, request)).await
    }

    /// Reads all new messages of a channel, and marks them as read.
    async fn read_to_the_end(&self, run: &CrewRun, channel: &Channel, member: usize) -> Result<(), Failure> {
        loop {
            let pointer = run.ledger.progress(member, &channel.id).pointer;
            let new = self.fetch_new(channel, member, pointer.as_deref()).await?;
            run.ledger.record_read(member, &channel.id, &new);
            if new.messages.is_empty() {
                return Ok(());
            }
        }
    }

    /// Returns the unread counts that the list of conversations shows, by agent and conversation.
    async fn fetch_unread_counts(&self) -> Result<HashMap<(usize, String), usize>, Failure> {
        let mut counts = HashMap::new();
        for agent in 0..self.context.accounts.len() {
            let request = self.as_agent(agent, ApiRequest::get("/api/direct"));
            let pages: Vec<Vec<Conversation>> = self.fetch_pages(&request).await?;
            let unread = pages.into_iter().flatten();
            counts.extend(unread.map(|conversation| ((agent, conversation.id), conversation.unread)));
        }
        Ok(counts)
    }

    /// Checks that nothing is unread after each member has read everything, and that each conversation is
    /// listed.
    async fn check_all_is_read(&self, run: &CrewRun, faults: &mut Vec<String>) -> Result<(), Failure> {
        let unread = self.fetch_unread_counts().await?;
        for channel in run.channels().iter().filter(|channel| !channel.is_crew) {
            for member in &channel.members {
                let count = unread.get(&(*member, channel.id.clone()));
                if count != Some(&0) {
                    faults.push(format!(
                        "{}: agent {member} has {count:?} unread messages after reading",
                        channel.id
                    ));
                }
            }
        }
        Ok(())
    }

    async fn check_questions(
        &self,
        run: &CrewRun,
        faults: &mut Vec<String>,
    ) -> Result<QuestionTimes, Failure> {
        let (mut times, unsettled) = (QuestionTimes::default(), self.context.ledger.unsettled_by_agent());
        for question in run.ledger.questions() {
            let request = ApiRequest::get("/api/chat/{id}").with_id(&question.message_id);
            let request = self.as_agent(question.asker, request);
            let client = &self.context.client;
            let response: ApiResponse<Single<PrivateMessage>> =
                client.send_with_retries(&request, &self.context.stop_spectators).await?;
            let message = &response.body.item;
            let is_settled = unsettled.get(&question.to).is_none_or(|u| u.private_messages == 0);
            if let Some(fault) = find_question_fault(&question, message, &response).filter(|_| is_settled) {
                faults.push(format!("question {}: {fault}", question.message_id));
            }
            times.add(&question, message);
        }
        Ok(times)
    }
}

/// Returns the fault if a question is not as its acknowledged end makes it.
fn find_question_fault<T>(
    question: &AskedQuestion,
    message: &PrivateMessage,
    response: &ApiResponse<T>,
) -> Option<String> {
    let state = message.ask.as_ref().map(|ask| ask.state);
    let answered_at = message.answered_at();
    let now = response.server_now()?;
    let expected = question.expected_state(now);
    // The server's time is known to the second, so that a question may have expired since.
    let is_at_its_end = expected == AskState::Waiting && state == Some(AskState::Expired);
    let is_early = is_at_its_end && (question.by - now).num_seconds() > 2;
    if is_early || !is_at_its_end && state != Some(expected) {
        return Some(format!("{state:?} instead of {expected:?}, {:?}", question.end));
    }
    let is_answered = state == Some(AskState::Answered);
    let is_in_time = answered_at.is_some_and(|at| (question.asked_at..question.by).contains(&at));
    (is_answered != answered_at.is_some() || is_answered && !is_in_time)
        .then(|| format!("{state:?}, answered at {answered_at:?}"))
}

/// Checks that each question was told once to the webhook of its agent.
async fn check_deliveries(run: &CrewRun, faults: &mut Vec<String>) {
    let Some(deliveries) = &run.deliveries else { return };
    let questions = run.ledger.questions();
    let find_fault = |question: &AskedQuestion| {
        let key = (question.to, question.message_id.clone());
        let events = deliveries.read(|record| record.events.get(&key).cloned().unwrap_or_default());
        (events != ["ask"]).then(|| format!("question {} was told as {events:?}", question.message_id))
    };
    let mut polling = Polling::new(DELIVERY_TIMEOUT);
    while questions.iter().any(|question| find_fault(question).is_some()) && polling.wait().await {}
    faults.extend(questions.iter().filter_map(find_fault));
    deliveries.read(|record| faults.extend(record.faults.iter().cloned()));
}
