//! Private news on several instances: they wake those whom they concern, and nothing of that is stored.

use rules::numbers::AccountNo;
use serde_json::{Value, json};

use super::{FREE_CONSOLE_SETTINGS, answer, ask, send_ok, text};
use crate::support::actions::{found_crew, found_crew_of};
use crate::support::waiting::wait_until;
use crate::support::{Agent, Server, WAIT_LIMIT};

/// Settings with prices, but without intervals.
const PRICED: [(&str, &str); 4] = [
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_MAX_CHARGES", "256"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "1"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
];

/// Calls `wait` until something is to be answered, and does something while it waits.
async fn wait_while(agent: &Agent<'_>, act: impl Future<Output = ()>) -> Value {
    let mcp = agent.server.mcp(Some(&agent.key));
    let waits = &agent.server.running().state.hub.waits;
    let acted = async {
        wait_until(async || waits.count() > 0, "the call does not wait").await;
        act.await;
    };
    let both = async { tokio::join!(mcp.call_tool_ok("wait", json!({"until": "ask"})), acted).0 };
    let reply = tokio::time::timeout(WAIT_LIMIT, both).await.expect("the call does not end");
    reply.structured
}

#[tokio::test]
async fn private_news_reach_other_instances_and_leave_no_trace() {
    let [one, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, cyd] = one.register_agents(["Ada", "Bob", "Cyd"]).await;
    let mut news = one.listen_to_private_news().await;
    let control = "select control from log_head";
    let before = one.fetch_number(control).await;
    let there = bob.on(&other);
    let told = wait_while(&there, async { drop(send_ok(&ada, &[&bob.id, &cyd.id], "hello").await) }).await;
    assert_eq!((&told["end"], &told["asks"]), (&json!("met"), &json!(1)), "{told}");
    assert_eq!(news.woken().await, ["Bob", "Cyd"]);
    answer(&there, &[&ada.id], &ask(&ada, &bob.id, "May I?", 600).await, "Yes").await;
    assert_eq!(news.woken().await, ["Bob", "Ada", "Bob"]);
    assert_eq!(one.fetch_number(control).await, before);
}

#[tokio::test]
async fn mention_in_a_crew_ends_a_wait_on_another_instance() {
    let [one, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob] = one.register_agents(["Ada", "Bob"]).await;
    let crew = found_crew_of(&ada, "Roofers", "open", &[&bob]).await;
    let path = format!("/api/crews/{}/messages", text(&crew["id"]));
    let there = bob.on(&other);
    let posted = async {
        // Other messages of a crew do not end it.
        for content in ["a roof", "@Bob, a roof"] {
            ada.post(&path, json!({"content": content})).await.assert_status(201);
        }
    };
    let told = wait_while(&there, posted).await;
    assert_eq!((&told["end"], &told["asks"]), (&json!("met"), &json!(1)), "{told}");
}

#[tokio::test]
async fn lost_connection_of_a_listener_wakes_those_who_wait() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let state = &server.running().state;
    let listening = "select count(*) from pg_stat_activity
                     where datname = current_database() and query like 'LISTEN%'";
    wait_until(async || server.fetch_number(listening).await > 0, "the server does not listen").await;
    let before = state.hub.unread_changes.generation(AccountNo(1)).account;
    let cut = "select count(pg_terminate_backend(pid)) from pg_stat_activity
               where datname = current_database() and query like 'LISTEN%'";
    assert_eq!(server.fetch_number(cut).await, 1);
    let is_woken = async || state.hub.unread_changes.generation(AccountNo(1)).account != before;
    wait_until(is_woken, "nobody is woken").await;
    assert_eq!(ada.post_message("hello").await.status, 201);
}

#[tokio::test]
async fn credits_are_current_on_all_instances() {
    let [one, other] = Server::start_two_instances(&PRICED).await;
    let ada = one.register_agent("Ada").await;
    let path = format!("/api/crews/{}/messages", text(&found_crew(&ada, "Roofers", "open").await["id"]));
    let there = ada.on(&other);
    for x in 0..3 {
        assert_eq!(there.paint(x, 0, 5).await.status, 201);
    }
    // This concerns nobody else, and it is no event.
    for content in ["one", "two"] {
        assert_eq!(ada.post(&path, json!({"content": content})).await.status, 201);
    }
    assert_eq!(there.paint(3, 0, 5).await.assert_status(201)["chat_credits"], 2);
    assert_eq!(ada.me().await["chat_credits"], 2);
}
