//! The tool `wait`: what ends it, what it costs, and its limits.

use caraplace_accounts::agents::accounts;
use caraplace_live::waits::{Wait, WaitInterest, WaitSignal};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::actions::open_plan;
use crate::support::values::fields_of;
use crate::support::waiting::{wait_for_finished_plan, wait_until};
use crate::support::{Agent, RawConnection, Server, ToolReply, WAIT_LIMIT, tool_call};

const QUIET: [(&str, &str); 4] = [
    ("CARAPLACE_SYSTEM_MESSAGES", "false"),
    ("CARAPLACE_MAX_CHARGES", "5"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
];

/// Completes when this number of calls wait on a server.
async fn wait_for_calls(server: &Server, count: usize) {
    let has_count = async || server.running().state.hub.waits.count() == count;
    wait_until(has_count, &format!("{count} calls never waited")).await;
}

/// Calls the tool, and does something while it waits.
async fn wait_while(agent: &Agent<'_>, arguments: Value, act: impl Future<Output = ()>) -> ToolReply {
    let mcp = agent.server.mcp(Some(&agent.key));
    let acted = async {
        wait_for_calls(agent.server, 1).await;
        act.await;
    };
    let both = async { tokio::join!(mcp.call_tool_ok("wait", arguments), acted) };
    let (reply, ()) = timeout(WAIT_LIMIT, both).await.expect("the call does not end");
    wait_for_calls(agent.server, 0).await;
    reply
}

/// Calls the tool, which must answer at once.
async fn wait_at_once(agent: &Agent<'_>, arguments: Value) -> Value {
    let mcp = agent.server.mcp(Some(&agent.key));
    let reply = timeout(WAIT_LIMIT, mcp.call_tool_ok("wait", arguments)).await;
    reply.expect("the call waits").structured
}

async fn spend_all_charges(agent: &Agent<'_>) {
    let pixels: Vec<_> = (0..5).map(|x| json!({"x": x, "y": 0, "color": 5})).collect();
    let body = json!({"pixels": pixels, "chat_digest": agent.server.digest().await});
    assert_eq!(agent.post("/api/pixels", body).await.status, 201);
}

#[tokio::test]
async fn charges_end_a_wait_when_enough_are_back() {
    let server = Server::start_with(&QUIET).await;
    let ada = server.register_agent("Ada").await;
    let full = wait_at_once(&ada, json!({"until": "charges", "charges": 5})).await;
    assert_eq!(fields_of(&full, ["end", "charges", "enough_at"]), json!(["met", 5, null]));
    spend_all_charges(&ada).await;
    let none = wait_while(&ada, json!({"until": "charges"}), async { server.advance_clock(51) }).await;
    let none = none.structured;
    assert_eq!((&none["end"], &none["charges"]), (&json!("timeout"), &json!(0)), "50 s come first");
    let one = wait_while(&ada, json!({"until": "charges"}), async { server.advance_clock(10) }).await;
    assert_eq!((&one.structured["end"], &one.structured["charges"]), (&json!("met"), &json!(1)));
    assert!(one.text.contains("1 of 5") && one.text.contains("place_pixels"), "{}", one.text);
    let act = async { server.advance_clock(50) };
    let three = wait_while(&ada, json!({"until": "charges", "charges": 3}), act).await;
    assert_eq!((&three.structured["end"], three.is_error), (&json!("timeout"), false));
    assert!(three.structured["enough_at"].is_string() && three.text.contains("again"), "{}", three.text);
}

#[tokio::test]
async fn news_end_a_wait_on_every_instance() {
    let [server, other] = Server::start_two_instances(&QUIET).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let bob_there = Agent { server: &other, id: bob.id.clone(), key: bob.key.clone() };
    let arguments = || json!({"until": "news"});
    let post = async { assert_eq!(bob_there.post_message("A roof?").await.status, 201) };
    let news = wait_while(&ada, arguments(), post).await;
    assert_eq!(news.structured["unread"], json!({"inbox": 0, "chat": 1, "crews": 0, "asks": 0}));
    assert!(news.text.contains("chat_get_new"), "{}", news.text);
    assert_eq!(wait_at_once(&ada, arguments()).await["end"], "met", "it is still unread");
    let unread = ada.get("/api/chat/new").await.body;
    ada.get(&format!("/api/chat/new?ack={}", unread["new_pointer"])).await;
    assert_eq!(ada.paint(9, 9, 3).await.status, 201);
    let paint_over = async { assert_eq!(bob.paint(9, 9, 4).await.status, 201) };
    let news = wait_while(&ada, arguments(), paint_over).await;
    assert_eq!(news.structured["unread"], json!({"inbox": 1, "chat": 0, "crews": 0, "asks": 0}));
    assert!(news.text.contains("inbox"), "{}", news.text);
}

#[tokio::test]
async fn only_a_message_to_the_agent_ends_a_wait_for_asks() {
    let server = Server::start_with(&QUIET).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let act = async {
        for text in ["A roof?", "@Cleo, a roof?"] {
            assert_eq!(bob.post_message(text).await.status, 201);
        }
        assert_eq!(server.running().state.hub.waits.count(), 1, "these are not for Ada");
        assert_eq!(bob.post_message("@Ada, a roof?").await.status, 201);
    };
    let asked = wait_while(&ada, json!({"until": "ask"}), act).await;
    assert_eq!((&asked.structured["end"], &asked.structured["asks"]), (&json!("met"), &json!(1)));
    for call in ["chat_post", "message_send", "settle"] {
        assert!(asked.structured["next"].as_str().unwrap().contains(call), "{}", asked.text);
    }
    let mine = ada.post_message("Yes, a red one.").await.body["message"]["id"].clone();
    let up_to = ada.get("/api/inbox").await.body["items"][0]["seq"].clone();
    ada.post("/api/inbox/read", json!({"up_to": up_to})).await;
    let reply = json!({"content": "Which red?", "reply_to": mine});
    let act = async { assert_eq!(bob.post("/api/chat", reply).await.status, 201) };
    assert_eq!(wait_while(&ada, json!({"until": "ask"}), act).await.structured["asks"], 1);
}

#[tokio::test]
async fn the_end_of_an_own_question_ends_a_wait_for_news() {
    let server = Server::start_with(&QUIET).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let by = server.running().state.clock.now() + chrono::TimeDelta::seconds(70);
    let ask = json!({"to": [bob.id], "content": "Red or blue?", "ask": {"to": bob.id, "by": by}});
    assert_eq!(ada.post("/api/direct", ask).await.status, 201);
    server.advance_clock(40);
    let act = async { server.advance_clock(31) };
    let waited = wait_while(&ada, json!({"until": "news"}), act).await;
    assert_eq!(waited.structured["end"], "met");
    assert_eq!(waited.structured["unread"]["inbox"], 1);
}

#[tokio::test]
async fn damage_of_an_own_finished_plan_ends_a_wait_for_news() {
    let server = Server::start_with(&QUIET).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let plan = json!({"title": "Dot", "x": 10, "y": 10, "rows": ["5"]});
    assert_eq!(ada.post("/api/plans", plan).await.status, 201);
    let paint = async |color| assert_eq!(bob.paint(10, 10, color).await.status, 201);
    let finished = wait_while(&ada, json!({"until": "news"}), paint(5)).await;
    assert_eq!(finished.structured["unread"]["inbox"], 1, "{}", finished.text);
    let up_to = ada.get("/api/inbox").await.body["items"][0]["seq"].clone();
    assert_eq!(ada.post("/api/inbox/read", json!({"up_to": up_to})).await.body["unread"], 0);
    // None of the painted pixels is hers, so only the plan concerns her.
    let damaged = wait_while(&ada, json!({"until": "news"}), paint(6)).await;
    assert_eq!(damaged.structured["end"], "met");
    assert_eq!(damaged.structured["unread"]["inbox"], 1);
}

/// Registers a call that waits for news and checks nothing: the first check of a call may come after what is
/// done once the call is registered, and then needs no signal.
async fn register_wait(agent: &Agent<'_>) -> Wait {
    let state = &agent.server.running().state;
    let account = accounts::find(state, &agent.id).await.unwrap().unwrap();
    state.hub.waits.register(account.no, &account.id, WaitInterest::News, 1).unwrap()
}

#[tokio::test]
async fn calls_of_an_author_are_woken_once_damage_or_its_repair_is_recorded() {
    let server = Server::start_with(&QUIET).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let plan = open_plan(&ada, json!({"title": "Dot", "x": 10, "y": 10, "rows": ["5"]})).await;
    let path = format!("/api/plans/{}", plan["id"].as_str().unwrap());
    assert_eq!(bob.paint(10, 10, 5).await.status, 201);
    // Its event wakes calls, too, so it comes first.
    wait_for_finished_plan(async || server.get(&path).await.body["plan"].clone()).await;
    for (color, is_damaged) in [(6, true), (5, false)] {
        let mut call = register_wait(&ada).await;
        assert_eq!(bob.paint(10, 10, color).await.status, 201);
        let signal = timeout(WAIT_LIMIT, call.next_signal()).await;
        assert_eq!(signal.expect("the call is never woken"), WaitSignal::News);
        assert_eq!(server.fetch_scalar::<bool>("select damaged from plan_damage").await, is_damaged);
    }
}

#[tokio::test]
async fn silence_ends_a_wait_with_a_plain_answer() {
    let server = Server::start_with(&QUIET).await;
    let ada = server.register_agent("Ada").await;
    for until in ["news", "ask"] {
        let arguments = json!({"until": until, "seconds": 7});
        let reply = wait_while(&ada, arguments, async { server.advance_clock(7) }).await;
        assert_eq!(reply.structured["end"], "timeout", "{}", reply.text);
        assert!(reply.structured["next"].as_str().unwrap().contains("wait"), "{}", reply.text);
    }
}

#[tokio::test]
async fn new_key_ends_the_waits_of_the_agent() {
    let server = Server::start_with(&QUIET).await;
    let ada = server.register_agent("Ada").await;
    let act = async { assert_eq!(ada.post("/api/agents/me/key", json!({})).await.status, 200) };
    assert_eq!(wait_while(&ada, json!({"until": "news"}), act).await.structured["end"], "ended");
}

#[tokio::test]
async fn waits_are_bounded_and_their_arguments_checked() {
    let server = Server::start_with(&QUIET).await;
    let ada = server.register_agent("Ada").await;
    let mcp = server.mcp(Some(&ada.key));
    for (arguments, field) in [
        (json!({"until": "news", "seconds": 51}), "seconds"),
        (json!({"until": "news", "seconds": 0}), "seconds"),
        (json!({"until": "news", "charges": 1}), "charges"),
        (json!({"until": "charges", "charges": 6}), "charges"),
        (json!({"until": "sunset"}), "until"),
    ] {
        let refused = mcp.call_tool("wait", arguments).await;
        refused.assert_refused("invalid_field");
        assert_eq!(refused.structured["field"], field);
    }
    let news = || mcp.call_tool("wait", json!({"until": "news"}));
    let (one, two, three, ()) = tokio::join!(news(), news(), news(), async {
        wait_for_calls(&server, 3).await;
        let fourth = news().await;
        fourth.assert_refused("too_many_requests");
        assert!(fourth.structured["detail"].as_str().unwrap().contains('3'), "{}", fourth.text);
        server.advance_clock(50);
    });
    assert!([one, two, three].iter().all(|reply| reply.structured["end"] == "timeout"));
}

#[tokio::test]
async fn large_message_may_not_wait() {
    let server = Server::start_with(&QUIET).await;
    let ada = server.register_agent("Ada").await;
    let padding = json!({"example.com/padding": "x".repeat(100_000)});
    let params = json!({"name": "wait", "arguments": {"until": "news"}, "_meta": padding});
    let answer = server.mcp(Some(&ada.key)).send_request("tools/call", params).await;
    assert_eq!(answer["result"]["structuredContent"]["code"], "invalid_field", "{answer}");
}

#[tokio::test]
async fn disabled_chat_leaves_the_other_conditions() {
    let server = Server::start_with(&[&QUIET[..], &[("CARAPLACE_CHAT_ENABLED", "false")]].concat()).await;
    let ada = server.register_agent("Ada").await;
    let mcp = server.mcp(Some(&ada.key));
    mcp.call_tool("wait", json!({"until": "ask"})).await.assert_refused("chat_disabled");
    assert_eq!(wait_at_once(&ada, json!({"until": "charges"})).await["end"], "met");
}

/// Sends a call that waits, on a connection of its own.
async fn open_waiting_connection(server: &Server, agent: &Agent<'_>) -> RawConnection {
    let body = tool_call("wait", &json!({"until": "news"})).to_string();
    let mut connection = RawConnection::connect(server.running().address).await;
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer {}\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n",
        agent.key,
        body.len()
    );
    assert!(connection.send(format!("{head}{body}")).await);
    wait_for_calls(server, 1).await;
    connection
}

#[tokio::test]
async fn wait_ends_with_its_connection() {
    let server = Server::start_with(&QUIET).await;
    drop(open_waiting_connection(&server, &server.register_agent("Ada").await).await);
    wait_for_calls(&server, 0).await;
}

#[tokio::test]
async fn stopping_server_does_not_wait_for_waits() {
    let mut server = Server::start_with(&QUIET).await;
    let mut connection = open_waiting_connection(&server, &server.register_agent("Ada").await).await;
    timeout(WAIT_LIMIT, server.restart()).await.expect("the server waits for the call");
    let answer = connection.read_until("\"end\":\"ended\"").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[tokio::test]
async fn hundred_waits_do_not_hold_up_a_placement() {
    let server = Server::start_with(&QUIET).await;
    let (ada, mut painters) = (server.register_agent("Ada").await, Vec::new());
    for number in 0..50 {
        painters.push(server.register_agent(&format!("Painter {number}")).await);
    }
    let clients: Vec<_> = painters.iter().map(|agent| server.mcp(Some(&agent.key))).collect();
    let calls = clients
        .iter()
        .flat_map(|mcp| ["news", "ask"].map(|until| mcp.call_tool_ok("wait", json!({"until": until}))));
    let acted = async {
        wait_for_calls(&server, 100).await;
        for x in 0..5 {
            assert_eq!(ada.paint(x, 0, 3).await.status, 201);
        }
        assert_eq!(server.running().state.hub.waits.count(), 100, "placements elsewhere wake no call");
        server.advance_clock(50);
    };
    let (replies, ()) = tokio::join!(futures_util::future::join_all(calls), acted);
    assert!(replies.iter().all(|reply| reply.structured["end"] == "timeout"));
}
