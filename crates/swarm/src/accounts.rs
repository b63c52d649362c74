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
        agents.truncate(self.world.args.check);
        verdict.accounts = agents.len();
        let looks = agents.into_iter().map(|agent| self.check_account(agent, bought.get(&agent).copied()));
        let faults: Vec<Vec<String>> = stream::iter(looks).buffer_unordered(LOOKS).collect().await;
        verdict.faults.extend(faults.into_iter().flatten());
    }

    async fn check_account(&self, agent: usize, bought: Option<Bought>) -> Vec<String> {
        let Some(account) = self.crowd.get(agent) else { return Vec::new() };
        let call = Call::new(Route::Me).key(&account.api_key);
        match self.world.client.patiently::<Me>(&call, &self.world.watching).await {
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
    for agent in repeats(acks) {
        bought.entry(agent).or_default().repeats += 1;
    }
    for spoken in said {
        bought.entry(spoken.agent).or_default().messages += 1;
    }
    for (agent, unsettled) in ledger.unsettled_by_agent() {
        bought.entry(agent).or_default().unsettled = unsettled;
    }
    bought
}

/// The agent of each placement that repeats the agent's own colour on its own pixel, in the order of their numbers.
fn repeats(acks: &[Ack]) -> Vec<usize> {
    let mut in_order: Vec<&Ack> = acks.iter().collect();
    in_order.sort_unstable_by_key(|ack| ack.seq);
    let mut newest: HashMap<(u32, u32), (usize, u8)> = HashMap::new();
    let is_repeat = |ack: &&Ack| {
        let painted = (ack.agent, ack.color);
        newest.insert((ack.x, ack.y), painted) == Some(painted)
    };
    in_order.into_iter().filter(is_repeat).map(|ack| ack.agent).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeat_is_the_same_agent_colour_and_pixel_again() {
        let ack = |seq, x, color, agent| Ack { seq, x, y: 0, color, agent };
        let acks = [
            ack(4, 1, 5, 0),
            ack(1, 1, 5, 0),
            ack(2, 2, 5, 0),
            ack(3, 1, 5, 1),
            ack(5, 1, 5, 0),
            ack(6, 1, 6, 0),
        ];
        assert_eq!(repeats(&acks), [0], "only number 5 follows its own like");
    }
}
