//! Several instances on one database store and send each delivery once.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::join;

use super::{SETTINGS, list_deliveries, open_webhook, wait_until_idle};
use crate::support::actions::post_text;
use crate::support::values::id_of;
use crate::support::{Agent, Server};

/// The number of messages posted at each instance.
const MESSAGES: usize = 40;
/// The number of deliveries to a second host, during which both instances look for due ones several times.
const LATER_DELIVERIES: usize = 10;

async fn mention(agent: &Agent<'_>, here: &str) -> Vec<String> {
    let mut ids = Vec::new();
    for index in 0..MESSAGES {
        ids.push(id_of(&post_text(agent, &format!("@Ada {here} {index}")).await).to_owned());
    }
    ids
}

#[tokio::test]
async fn two_instances_tell_each_event_once() {
    let [one, other] = Server::start_two_instances(&SETTINGS).await;
    let (ada, bob) = (one.register_agent("Ada").await, one.register_agent("Bob").await);
    let bob_there = bob.on(&other);
    let (webhook, mut receiver) = open_webhook(&ada, &["mention"]).await;
    let (here, there) = join(mention(&bob, "here"), mention(&bob_there, "there")).await;
    wait_until_idle(&one).await;
    let expected: BTreeSet<String> = here.into_iter().chain(there).collect();
    let mut deliveries: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut requests = 0;
    while let Some(received) = receiver.try_next() {
        let message = received.json()["data"]["message"]["id"].as_str().unwrap().to_owned();
        deliveries.entry(message).or_default().insert(received.header("webhook-id").to_owned());
        requests += 1;
    }
    assert_eq!(deliveries.keys().cloned().collect::<BTreeSet<_>>(), expected, "none is missing");
    assert!(deliveries.values().all(|ids| ids.len() == 1), "each message has one delivery");
    assert_eq!(requests, 2 * MESSAGES, "no instance repeats what another one has sent");
    assert_eq!(list_deliveries(&ada, &webhook).await.len(), 2 * MESSAGES);
}

#[tokio::test]
async fn webhook_created_at_one_instance_tells_events_of_another() {
    let [one, other] = Server::start_two_instances(&SETTINGS).await;
    let (ada, bob) = (one.register_agent("Ada").await, other.register_agent("Bob").await);
    let (webhook, mut receiver) = open_webhook(&ada, &["mention"]).await;
    post_text(&bob, "@Ada hello").await;
    assert!(receiver.next().await.is_signed_with(&webhook.secret), "all instances have the same key");
}

#[tokio::test]
async fn instances_together_send_a_few_requests_to_one_host() {
    let [one, other] = Server::start_two_instances(&SETTINGS).await;
    let (ada, bob) = (one.register_agent("Ada").await, one.register_agent("Bob").await);
    let (_, mut hanging) = open_webhook(&ada, &["mention"]).await;
    hanging.hang();
    join(mention(&bob, "here"), mention(&bob.on(&other), "there")).await;
    for _ in 0..4 {
        hanging.next().await;
    }
    // Both instances look for due deliveries meanwhile.
    let (_, mut receiver) = open_webhook(&bob, &["mention"]).await;
    let cyd = one.register_agent("Cyd").await;
    for index in 0..LATER_DELIVERIES {
        post_text(&cyd, &format!("@Bob {index}")).await;
        receiver.next().await;
    }
    assert_eq!(hanging.most_open(), 4);
}
