//! Marks what was told as read, each kind of it, whichever answer has told it.

use chrono::TimeDelta;
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{ask, attention, items, kinds, mark, numbers};
use crate::support::actions::{FREE_SETTINGS, fetch_home, fetch_markdown, found_crew};
use crate::support::values::id_of;
use crate::support::{Agent, Server};

/// Disables a webhook of an agent, as its receiver would by answering 410.
async fn disable_webhook(agent: &Agent<'_>) {
    let insert = "insert into webhook (id, agent, url, host, events, secret, state, after_seq, charges_reported_at,
                                       retry_at, disabled_at, disabled_reason, created_at)
                  select 'hook_' || md5(id), no, 'https://a.example', 'a.example', '{ask}', '', 'disabled', 0, $2, $2,
                         $2, 'gone', $2 from agent where id = $1";
    let now = agent.server.running().state.clock.now();
    sqlx::query(insert).bind(&agent.id).bind(now).execute(&agent.server.pool).await.unwrap();
}

/// Returns the inbox items of a home response in one of its forms, and its `up_to`.
async fn shown_by(agent: &Agent<'_>, form: &str) -> (String, Value) {
    let up_to = json!(agent.server.head().await);
    match form {
        "json" => (fetch_home(agent, "max_tokens=4096").await["inbox"].to_string(), up_to),
        "markdown" => (fetch_markdown(agent, "max_tokens=4096").await, up_to),
        _ => {
            let mcp = agent.server.mcp(Some(&agent.key));
            (mcp.call_tool_ok("next_steps", json!({"max_tokens": 4096})).await.text, up_to)
        }
    }
}

#[tokio::test]
async fn home_alone_marks_every_kind_of_notice() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let crew = found_crew(&ada, "Roofers", "invite").await;
    let invite = format!("/api/crews/{}/invite", id_of(&crew));
    for (form, name) in [("json", "Bob"), ("markdown", "Bea"), ("tool", "Ben")] {
        let bob = server.register_agent(name).await;
        ada.post(&invite, json!({"agent_id": bob.id})).await.assert_status(200);
        let question = ask(&bob, &eve, &format!("By {form}?")).await;
        let path = format!("/api/asks/{}", id_of(&question));
        assert_eq!(eve.post(&path, json!({"state": "declined"})).await.status, 200);
        disable_webhook(&bob).await;
        let (shown, up_to) = shown_by(&bob, form).await;
        for subject in [id_of(&question), id_of(&crew), "hook_"] {
            assert!(shown.contains(subject), "{form}: {shown}");
        }
        let read = bob.post("/api/home/read", json!({"up_to": up_to})).await.body;
        assert_eq!(read["unread"], numbers(0, 0, 0, 0), "{form}: {read}");
        assert!(items(&bob).await.is_empty(), "{form}");
    }
}

#[tokio::test]
async fn home_marks_no_notice_that_it_has_cut() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found_crew(&ada, "Roofers", "invite").await;
    ada.post(&format!("/api/crews/{}/invite", id_of(&crew)), json!({"agent_id": bob.id})).await;
    assert!(fetch_home(&bob, "max_tokens=64").await["inbox"].is_null());
    let read = bob.post("/api/home/read", json!({"up_to": server.head().await})).await.body;
    assert_eq!(read["unread"], numbers(1, 0, 0, 0), "{read}");
}

#[tokio::test]
async fn every_outcome_that_is_counted_is_listed_and_marked() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    for number in 0..55 {
        ask(&ada, &bob, &format!("Question {number}?")).await;
    }
    server.advance_clock(3_601);
    let mut told = 0;
    loop {
        let page = ada.get("/api/inbox").await.body;
        let listed = page["items"].as_array().unwrap().len();
        told += listed;
        if page["unread"] == 0 {
            assert_eq!((listed, told), (0, 55));
            return;
        }
        assert!(listed > 0, "counted, but not listed: {page}");
        ada.post("/api/inbox/read", json!({"up_to": server.head().await})).await;
    }
}

#[tokio::test]
async fn outcomes_are_not_counted_while_the_chat_is_off() {
    let mut server = Server::start_with(&FREE_SETTINGS).await;
    let [ada, bob] = server.register_agents(["Ada", "Bob"]).await;
    ask(&ada, &bob, "Red or blue?").await;
    let (id, key) = (ada.id.clone(), ada.key.clone());
    server.advance_clock(3_601);
    server.restart_with("CARAPLACE_CHAT_ENABLED", "false").await;
    let ada = Agent { server: &server, id, key };
    assert!(items(&ada).await.is_empty(), "the count agrees");
    assert_eq!(ada.post("/api/home/read", json!({"up_to": 0})).await.body["unread"], numbers(0, 0, 0, 0));
}

#[tokio::test]
async fn marking_a_question_tells_its_author_and_leaves_it_waiting() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let first = ask(&ada, &bob, "Red or blue?").await;
    let second = ask(&ada, &bob, "Round or square?").await;
    let conversation = format!("/api/direct/{}", first["conversation_id"].as_str().unwrap());
    let read_at = async |message: &Value| {
        let page = ada.get(&conversation).await.body;
        let found = page["messages"].as_array().unwrap().iter().find(|found| found["id"] == message["id"]);
        found.unwrap()["receipts"][0]["read_at"].clone()
    };
    let item = |message: &Value| format!("item_{}", message["id"].as_str().unwrap());
    assert_eq!(kinds(&items(&bob).await), ["ask", "ask", "direct"]);
    let marked = mark(&bob, json!({"ids": [item(&first)]})).await;
    assert!(read_at(&first).await.is_string() && read_at(&second).await.is_null());
    assert_eq!(marked["unread"], 3, "reading is not answering");
    assert_eq!(items(&bob).await[2]["count"], 1, "the other message");
    mark(&bob, json!({"ids": [item(&first), item(&second)]})).await;
    assert!(read_at(&second).await.is_string());
    assert_eq!(kinds(&items(&bob).await), ["ask", "ask"]);
}

#[tokio::test]
async fn answers_tell_older_numbers_if_new_ones_do_not_come_in_time() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    ask(&ada, &bob, "Red or blue?").await;
    let known = attention(&bob, 1).await;
    assert_eq!(known.0, numbers(2, 0, 0, 1));
    let mut blocked = server.pool.begin().await.unwrap();
    sqlx::query("lock table crew_invite in access exclusive mode").execute(&mut *blocked).await.unwrap();
    server.advance_clock(TimeDelta::minutes(1).num_seconds());
    assert_eq!(attention(&bob, 2).await, known);
    blocked.rollback().await.unwrap();
}

#[tokio::test]
async fn answers_leave_out_numbers_that_do_not_come_in_time() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let agents = server.register_agents(["Ada", "Bob", "Cyd", "Dan"]).await;
    let mut blocked = server.pool.begin().await.unwrap();
    sqlx::query("lock table crew_invite in access exclusive mode").execute(&mut *blocked).await.unwrap();
    // Two first look-ups wait for the table, the others for their turn.
    let late = join_all((0..).zip(&agents).map(|(x, agent)| attention(agent, x))).await;
    assert!(late.iter().all(|(unread, waiting)| unread.is_null() && waiting.is_null()), "{late:?}");
    blocked.rollback().await.unwrap();
    for (x, agent) in (10..).zip(&agents) {
        assert_eq!(attention(agent, x).await, (numbers(0, 0, 0, 0), json!([])));
    }
}
