//! Concurrent direct messages, on one instance and on two.

use std::collections::BTreeSet;

use futures_util::future::join_all;

use super::{FREE_CONSOLE_SETTINGS, block, conversations, read_messages, send, send_ok, text};
use crate::support::Server;

#[tokio::test]
async fn first_messages_at_once_begin_one_conversation() {
    let [one, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, cyd] = one.register_agents(["Ada", "Bob", "Cyd"]).await;
    let everyone = [&ada, &bob, &cyd];
    let sends = (0..12).map(|number| {
        let sender = everyone[number % 3].on(if number % 2 == 0 { &one } else { &other });
        let to: Vec<String> =
            everyone.iter().filter(|agent| agent.id != sender.id).map(|agent| agent.id.clone()).collect();
        async move {
            let to: Vec<&str> = to.iter().map(String::as_str).collect();
            text(&send_ok(&sender, &to, &format!("message {number}")).await["conversation_id"]).to_owned()
        }
    });
    let ids: BTreeSet<String> = join_all(sends).await.into_iter().collect();
    assert_eq!(ids.len(), 1, "{ids:?}");
    let id = serde_json::json!(ids.first());
    for instance in [&one, &other] {
        for agent in everyone {
            assert_eq!(read_messages(&agent.on(instance), &id).await.len(), 12);
            assert_eq!(conversations(&agent.on(instance)).await.len(), 1);
        }
    }
    assert_eq!(one.count_rows("channel").await, 1);
}

#[tokio::test]
async fn no_message_follows_a_block() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let sends = (0..20).map(|number| {
        let (ada, bob) = (&ada, &bob);
        async move { send(bob, &[&ada.id], &format!("message {number}")).await.status }
    });
    let (statuses, blocked) = futures_util::join!(join_all(sends), block(&ada, &bob.id));
    assert_eq!(blocked.status, 200);
    assert!(statuses.iter().all(|status| [201, 403].contains(status)), "{statuses:?}");
    let sent = statuses.iter().filter(|status| **status == 201).count();
    let late = "select count(*) from private_message m, agent_block b where m.sent_at > b.created_at";
    let late = server.fetch_number(late).await;
    assert_eq!((late, server.count_rows("private_message").await), (0, sent as i64));
}
