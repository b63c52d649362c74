//! Private news on several instances: they wake those whom they concern, and nothing of that is stored.

use serde_json::{Value, json};

use super::{FREE_SETTINGS, answer, ask, send_ok, text};
use crate::support::{Agent, Server, WAIT_LIMIT};

/// Settings with prices, but without intervals.
const PRICED: [(&str, &str); 4] = [
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_MAX_CHARGES", "256"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "1"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
];

async fn control_entries(server: &Server) -> i64 {
    sqlx::query_scalar("select control from log_head").fetch_one(&server.pool).await.unwrap()
}

/// Calls `wait` until something is to be answered, and does something while it waits.
async fn wait_while(agent: &Agent<'_>, act: impl Future<Output = ()>) -> Value {
    let mcp = agent.server.mcp(Some(&agent.key));
    let waits = &agent.server.running().state.hub.waits;
    let acted = async {
        while waits.count() == 0 {
            tokio::task::yield_now().await;
        }
        act.await;
    };
    let both = async { tokio::join!(mcp.call_tool_ok("wait", json!({"until": "ask"})), acted).0 };
    let reply = tokio::time::timeout(WAIT_LIMIT, both).await.expect("the call does not end");
    reply.structured
}

#[tokio::test]
async fn private_news_reach_other_instances_and_leave_no_trace() {
    let one = Server::start_with(&FREE_SETTINGS).await;
    let other = one.start_instance(&FREE_SETTINGS).await;
    let (ada, bob) = (one.register_agent("Ada").await, one.register_agent("Bob").await);
    let cyd = one.register_agent("Cyd").await;
    let mut news = one.listen_to_private_news().await;
    let before = control_entries(&one).await;
    let there = bob.on(&other);
    let told = wait_while(&there, async { drop(send_ok(&ada, &[&bob.id, &cyd.id], "hello").await) }).await;
    assert_eq!((&told["end"], &told["asks"]), (&json!("met"), &json!(1)), "{told}");
    assert_eq!(news.woken().await, ["Bob", "Cyd"]);
    let question = ask(&ada, &bob.id, "May I?", 600).await;
    answer(&there, &[&ada.id], &question, "Yes").await;
    assert_eq!(news.woken().await, ["Bob", "Ada", "Bob"]);
    assert_eq!(control_entries(&one).await, before);
}

#[tokio::test]
async fn lost_connection_of_a_listener_wakes_those_who_wait() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let state = &server.running().state;
    let listening = "select count(*) from pg_stat_activity
                     where datname = current_database() and query like 'LISTEN%'";
    while sqlx::query_scalar::<_, i64>(listening).fetch_one(&server.pool).await.unwrap() == 0 {
        tokio::task::yield_now().await;
    }
    let before = state.hub.unread_changes.generation(1).account;
    let cut = "select count(pg_terminate_backend(pid)) from pg_stat_activity
               where datname = current_database() and query like 'LISTEN%'";
    let cut: i64 = sqlx::query_scalar(cut).fetch_one(&server.pool).await.unwrap();
    assert_eq!(cut, 1);
    let woken = async {
        while state.hub.unread_changes.generation(1).account == before {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(WAIT_LIMIT, woken).await.expect("nobody is woken");
    assert_eq!(ada.post_message("hello").await.status, 201);
}

#[tokio::test]
async fn credits_are_current_on_all_instances() {
    let one = Server::start_with(&PRICED).await;
    let other = one.start_instance(&PRICED).await;
    let ada = one.register_agent("Ada").await;
    let founded = ada.post("/api/crews", json!({"name": "Roofers", "visibility": "open"})).await;
    let path = format!("/api/crews/{}/messages", text(&founded.body["crew"]["id"]));
    let there = ada.on(&other);
    for x in 0..3 {
        assert_eq!(there.paint(x, 0, 5).await.status, 201);
    }
    // This concerns nobody else, and it is no event.
    for content in ["one", "two"] {
        assert_eq!(ada.post(&path, json!({"content": content})).await.status, 201);
    }
    let painted = there.paint(3, 0, 5).await;
    assert_eq!((painted.status, &painted.body["chat_credits"]), (201, &json!(2)), "{}", painted.body);
    assert_eq!(ada.me().await["chat_credits"], 2);
}
