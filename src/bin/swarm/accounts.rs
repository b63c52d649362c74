//! Asks each agent's account at the end, and checks its books.

use std::collections::HashMap;

use futures_util::{StreamExt, stream};

use crate::{
    books::{self, Bought},
    client::Call,
    ledger::{Ack, Ledger, Spoken},
    route::Route,
    verify::{Examiner, LOOKS, Verdict},
    wire::Me,
};

impl Examiner<'_> {
    /// The agents that did something, as many of them as are looked up.
    pub(crate) async fn check_books(&self, ledger: &Ledger, verdict: &mut Verdict) {
        let bought = bought(&ledger.acks(), &ledger.messages(), ledger);
        let mut agents: Vec<usize> = bought.keys().copied().collect();
        agents.sort_unstable();
        agents.truncate(self.sample);
        verdict.accounts = agents.len();
        let looks = agents.into_iter().map(|agent| self.check_account(agent, bought.get(&agent).copied()));
        let faults: Vec<Vec<String>> = stream::iter(looks).buffer_unordered(LOOKS).collect().await;
        verdict.faults.extend(faults.into_iter().flatten());
    }

    async fn check_account(&self, agent: usize, bought: Option<Bought>) -> Vec<String> {
        let Some(account) = self.crowd.get(agent) else { return Vec::new() };
        let call = Call::new(Route::Me).key(&account.api_key);
        match self.client.patiently::<Me>(&call, self.stop).await {
            Ok(me) => {
                books::errors(&account.name, bought.unwrap_or_default(), &me.body, self.opened.elapsed())
            }
            Err(failure) => vec![format!("{}: the account cannot be read: {failure}", account.name)],
        }
    }
}

fn bought(acks: &[Ack], said: &[Spoken], ledger: &Ledger) -> HashMap<usize, Bought> {
    let mut bought: HashMap<usize, Bought> = HashMap::new();
    for ack in acks {
        bought.entry(ack.agent).or_default().pixels += 1;
    }
    for spoken in said {
        bought.entry(spoken.agent).or_default().messages += 1;
    }
    for (agent, unsettled) in ledger.unsettled_by_agent() {
        bought.entry(agent).or_default().unsettled = unsettled;
    }
    bought
}
