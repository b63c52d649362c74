//! Checks the counters of agents' accounts at the end.

use std::collections::{BTreeMap, HashMap};

use futures_util::{StreamExt, stream};

use crate::{
    accounting::{self, AckedTotals},
    api_types::Me,
    client::ApiRequest,
    ledger::{AckedPlacement, Ledger},
    verify::{MAX_CONCURRENT_LOOKUPS, Verdict, Verifier},
};

impl Verifier<'_> {
    /// Checks the accounts of a sample of the agents that have written something.
    pub(crate) async fn check_accounts(&self, verdict: &mut Verdict) {
        let private_counts = self.crews.map(|run| run.ledger.counts_by_agent()).unwrap_or_default();
        let acked_totals = acked_totals_by_agent(&self.context.ledger, private_counts);
        let acked_totals = acked_totals.into_iter().take(self.context.args.check);
        let checks = acked_totals.map(|(agent, totals)| self.check_account(agent, totals));
        let faults: Vec<Vec<String>> =
            stream::iter(checks).buffer_unordered(MAX_CONCURRENT_LOOKUPS).collect().await;
        verdict.accounts = faults.len();
        verdict.faults.extend(faults.into_iter().flatten());
    }

    async fn check_account(&self, agent: usize, acked: AckedTotals) -> Vec<String> {
        let account = &self.context.accounts[agent];
        let call = ApiRequest::get("/api/agents/me").with_api_key(&account.api_key);
        match self.fetch_json::<Me>(call).await {
            Ok(me) => accounting::find_errors(&account.name, acked, &me, self.registration_start.elapsed()),
            Err(failure) => vec![format!("{}: the account cannot be read: {failure}", account.name)],
        }
    }
}

/// Returns the totals of each agent with acknowledged or unanswered writes.
fn acked_totals_by_agent(
    ledger: &Ledger,
    private_counts: BTreeMap<usize, u64>,
) -> BTreeMap<usize, AckedTotals> {
    let mut totals: BTreeMap<usize, AckedTotals> = BTreeMap::new();
    let acks = ledger.acks();
    for ack in &acks {
        totals.entry(ack.agent).or_default().pixels += 1;
    }
    for agent in find_repeats(&acks) {
        totals.entry(agent).or_default().repeats += 1;
    }
    for message in ledger.messages() {
        totals.entry(message.agent).or_default().messages += 1;
    }
    for (agent, count) in private_counts {
        totals.entry(agent).or_default().private_messages = count;
    }
    for (agent, unsettled) in ledger.unsettled_by_agent() {
        totals.entry(agent).or_default().unsettled = unsettled;
    }
    totals
}

/// Returns the agent of each placement that repeats the agent's own colour on its own pixel, in the order of
/// numbers.
fn find_repeats(acks: &[AckedPlacement]) -> Vec<usize> {
    let mut in_order: Vec<&AckedPlacement> = acks.iter().collect();
    in_order.sort_unstable_by_key(|ack| ack.seq);
    let mut newest: HashMap<(u32, u32), (usize, u8)> = HashMap::new();
    let is_repeat = |ack: &&AckedPlacement| {
        let placed = (ack.agent, ack.color);
        newest.insert((ack.x, ack.y), placed) == Some(placed)
    };
    in_order.into_iter().filter(is_repeat).map(|ack| ack.agent).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeat_is_the_same_agent_colour_and_pixel_again() {
        let ack = |seq, x, color, agent| AckedPlacement { seq, x, y: 0, color, agent };
        let acks = [
            ack(4, 1, 5, 0),
            ack(1, 1, 5, 0),
            ack(2, 2, 5, 0),
            ack(3, 1, 5, 1),
            ack(5, 1, 5, 0),
            ack(6, 1, 6, 0),
        ];
        assert_eq!(find_repeats(&acks), [0], "only number 5 follows its own like");
    }
}
