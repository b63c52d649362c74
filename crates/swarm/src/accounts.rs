//! Asks each agent's account at the end, and checks its books.

use std::collections::{BTreeMap, HashMap};

use futures_util::{StreamExt, stream};

use crate::{
    books::{self, Bought},
    client::Call,
    ledger::{Ack, Ledger},
    route::Route,
    verify::{Examiner, LOOKS, Verdict},
    wire::Me,
};

impl Examiner<'_> {
    /// The agents that did something, as many of them as are looked up.
    pub(crate) async fn check_books(&self, verdict: &mut Verdict) {
        let bought = bought(&self.world.ledger).into_iter().take(self.world.args.check);
        let looks = bought.map(|(agent, bought)| self.check_account(agent, bought));
        let faults: Vec<Vec<String>> = stream::iter(looks).buffer_unordered(LOOKS).collect().await;
        verdict.accounts = faults.len();
        verdict.faults.extend(faults.into_iter().flatten());
    }

    async fn check_account(&self, agent: usize, bought: Bought) -> Vec<String> {
        let Some(account) = self.crowd.get(agent) else { return Vec::new() };
        let call = Call::new(Route::Me).key(&account.api_key);
        match self.world.client.patiently::<Me>(&call, &self.world.watching).await {
            Ok(me) => books::errors(&account.name, bought, &me.body, self.opened.elapsed()),
            Err(failure) => vec![format!("{}: the account cannot be read: {failure}", account.name)],
        }
    }
}

/// Returns the acknowledged writes of each agent that has any, with those that were left open.
fn bought(ledger: &Ledger) -> BTreeMap<usize, Bought> {
    let mut bought: BTreeMap<usize, Bought> = BTreeMap::new();
    let acks = ledger.acks();
    for ack in &acks {
        bought.entry(ack.agent).or_default().pixels += 1;
    }
    for agent in repeats(&acks) {
        bought.entry(agent).or_default().repeats += 1;
    }
    for spoken in ledger.messages() {
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
