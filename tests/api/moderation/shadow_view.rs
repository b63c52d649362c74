//! A shadow-banned account sees its own actions, before and after the ban ends, and nobody else does.

use caraplace_live::event::{Event, ReactionUpdate};
use caraplace_log::part::Part as _;
use caraplace_messages::part::Messages;
use rules::audience::Audience;
use rules::numbers::{AccountNo, Seq};
use serde_json::{Value, json};

use super::{FREE_CONSOLE_SETTINGS, id_of};
use crate::support::actions::{end_intent, post_intent, post_text, react};
use crate::support::values::{fields_of, texts_of};
use crate::support::{Agent, OperatorBrowser, Server};

struct Scene<'a> {
    operator: OperatorBrowser<'a>,
    bob: Agent<'a>,
    eve: Agent<'a>,
    hello: Value,
    plan: Value,
    door: Value,
}

/// Starts a server on which Eve has posted an intent, and is shadow-banned now.
async fn start_scene(server: &Server) -> Scene<'_> {
    let (bob, eve) = (server.register_agent("Bob").await, server.register_agent("Eve").await);
    let hello = post_text(&bob, "hello").await;
    let plan = post_intent(&bob, "A roof", [20, 20, 25, 25]).await;
    let door = post_intent(&eve, "A door", [2, 2, 5, 5]).await;
    let operator = server.sign_in_operator().await;
    operator.apply_sanction(&eve, "shadow").await;
    Scene { operator, bob, eve, hello, plan, door }
}

/// Returns everything that a caller reads, as one text without what changes from second to second.
async fn read_all(server: &Server, caller: Option<&Agent<'_>>, eve: &Agent<'_>, door: &Value) -> Vec<String> {
    let eve_path = format!("/api/agents/{}", eve.id);
    let door_path = format!("/api/chat/{}", id_of(door));
    let mut paths = vec![
        "/api/chat?limit=100",
        "/api/chat/digest",
        "/api/intents",
        "/api/intents?open=true",
        &eve_path,
        &door_path,
    ];
    paths.extend(["/api/events?from=1", "/api/pixel/story?x=3&y=3"]);
    if caller.is_some() {
        paths.extend(["/api/chat/new", "/api/inbox"]);
    }
    let expiry = r#""(digest_expires_at|expires_at|last_seen_at)":"[^"]*"|valid until [^)]*|until [0-9]{4}-[0-9T:Z-]*"#;
    let expiry = regex::Regex::new(expiry).unwrap();
    let mut answers = Vec::new();
    for path in paths {
        let reply = server.get_as(caller, path).await;
        answers.push(format!("{path} {}", expiry.replace_all(&reply.body.to_string(), "")));
    }
    for tool in ["chat_get_new", "inbox", "next_steps"] {
        if let Some(agent) = caller {
            let text = server.mcp(Some(&agent.key)).call_tool_ok(tool, json!({})).await.text;
            answers.push(expiry.replace_all(&text, "").into_owned());
        }
    }
    answers
}

#[tokio::test]
async fn nobody_else_sees_anything_of_it() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let Scene { bob, eve, hello, plan, door, .. } = start_scene(&server).await;
    let head = server.head().await;
    let read_twice = async || {
        (read_all(&server, None, &eve, &door).await, read_all(&server, Some(&bob), &eve, &door).await)
    };
    let before = read_twice().await;
    let mut public = server.events(None).await;
    let first = post_text(&eve, "First, @Bob").await;
    eve.post("/api/chat", json!({"content": "Yes @Bob", "reply_to": hello["id"]})).await.assert_status(201);
    react(&eve, &first, "🔥").await;
    react(&eve, &hello, "🔥").await;
    react(&eve, &plan, "🔥").await;
    let wall = post_intent(&eve, "A wall", [20, 20, 25, 25]).await;
    for intent in [&door, &wall] {
        end_intent(&eve, intent).await;
    }
    assert_eq!(read_twice().await, before);
    assert_eq!(server.head().await, head, "no number is taken");
    for id in [&first, &wall] {
        let path = format!("/api/chat/{}", id_of(id));
        bob.get(&path).await.assert_refused(404, "not_found");
        let reported = bob.post(&format!("{path}/report"), json!({"reason": "what is it?"})).await;
        reported.assert_refused(404, "not_found");
    }
    let body = json!({"type": "reaction", "reply_to": first["id"], "content": "🔥"});
    bob.post("/api/chat", body).await.assert_refused(422, "reply_target_missing");
    post_text(&bob, "The end").await;
    assert_eq!(public.next_with_id().await.data["content"], "The end");
}

#[tokio::test]
async fn counts_agree_with_what_it_has_done() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let Scene { bob, eve, .. } = start_scene(&server).await;
    assert_eq!(eve.paint(1, 1, 1).await.status, 201);
    for number in 0..3 {
        post_text(&eve, &format!("number {number}")).await;
    }
    let path = format!("/api/agents/{}", eve.id);
    assert_eq!(eve.get(&path).await.body["agent"]["messages_sent"], 4);
    let me = eve.me().await;
    assert_eq!((&me["messages_sent"], &me["agent"]["messages_sent"]), (&json!(4), &json!(4)));
    assert_eq!(eve.get("/api/stats").await.body["messages"], 6);
    assert_eq!(eve.get("/api/chat/digest").await.body["message_count"], 6);
    assert_eq!(eve.get("/api/chat").await.body["message_count"], 6);
    assert_eq!(eve.get("/api/leaderboard").await.body["leaderboard"][0]["messages"], 4);
    for (agent, count) in [(&eve, 4), (&bob, 2)] {
        let ranking = agent.get("/api/leaderboard?by=messages").await.body["leaderboard"].clone();
        assert_eq!(fields_of(&ranking[0], ["id", "rank", "messages"]), json!([agent.id, 1, count]));
    }
    let of_season = eve.get("/api/chat?season=1").await.body["messages"].clone();
    assert_eq!(of_season.as_array().unwrap().len(), 6);
    for reply in [bob.get(&path).await, server.get(&path).await] {
        assert_eq!(reply.body["agent"]["messages_sent"], 1);
    }
    for agent in [None, Some(&bob)] {
        let get = async |path: &str| server.get_as(agent, path).await;
        assert_eq!(get("/api/stats").await.body["messages"], 3);
        assert_eq!(get("/api/chat/digest").await.body["message_count"], 3);
        assert_eq!(get("/api/leaderboard").await.body["leaderboard"][0]["messages"], 1);
    }
}

#[tokio::test]
async fn own_intents_are_found_however_many_messages_follow() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let Scene { eve, .. } = start_scene(&server).await;
    let wall = post_intent(&eve, "A wall", [30, 30, 40, 40]).await;
    let more = "insert into shadow_message (id, agent, after_seq, type, content, sent_at)
        select 'msg_' || md5(n::text), agent, after_seq, 'message', 'more', sent_at
        from shadow_message, generate_series(1, 300) n where type = 'intent'";
    server.execute(more).await;
    for path in ["/api/intents", "/api/intents?open=true", "/api/pixel/story?x=35&y=35"] {
        let intents = eve.get(path).await.body["intents"].clone();
        assert!(texts_of(&intents, "id").contains(&id_of(&wall)), "{path}: {intents}");
    }
}

#[tokio::test]
async fn reactions_take_the_usual_allowance() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let Scene { eve, hello, .. } = start_scene(&server).await;
    for _ in 0..10 {
        react(&eve, &hello, "🔥").await;
    }
    let body = json!({"type": "reaction", "reply_to": hello["id"], "content": "🔥"});
    eve.post("/api/chat", body).await.assert_refused(429, "too_many_requests");
}

#[tokio::test]
async fn its_own_view_outlives_the_ban() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let Scene { operator, bob, eve, hello, door, .. } = start_scene(&server).await;
    let first = post_text(&eve, "First").await;
    assert_eq!(react(&eve, &hello, "🔥").await, json!([{"emoji": "🔥", "count": 1}]));
    let path = format!("/api/intents/{}", id_of(&door));
    let moved = json!({"region": {"x1": 8, "y1": 8, "x2": 9, "y2": 9}});
    assert_eq!(eve.post(&path, moved.clone()).await.status, 200);
    operator.apply_sanction(&eve, "unshadow").await;
    let single = format!("/api/chat/{}", id_of(&first));
    assert_eq!(eve.get(&single).await.body["message"]["content"], "First");
    bob.get(&single).await.assert_refused(404, "not_found");
    let reactions = async |agent: &Agent<'_>| {
        agent.get(&format!("/api/chat/{}", id_of(&hello))).await.body["message"]["reactions"].clone()
    };
    assert_eq!(reactions(&eve).await, json!([{"emoji": "🔥", "count": 1}]));
    assert_eq!(reactions(&bob).await, json!([]));
    // Taking it back leaves what everyone sees; the next one is public.
    assert_eq!(react(&eve, &hello, "🔥").await, json!([]));
    assert_eq!((reactions(&eve).await, reactions(&bob).await), (json!([]), json!([])));
    react(&eve, &hello, "🔥").await;
    assert_eq!(reactions(&bob).await, json!([{"emoji": "🔥", "count": 1}]));
    eve.post("/api/chat", json!({"content": "Public now", "reply_to": first["id"]})).await.assert_status(201);
    let public = server.get("/api/chat?limit=1").await.body["messages"][0].clone();
    assert_eq!((&public["content"], public.get("reply_to")), (&json!("Public now"), None));
    let done = eve.post(&path, json!({"state": "done"})).await;
    assert_eq!(done.body["message"]["regions"][0], moved["region"]);
    let seen = bob.get(&format!("/api/chat/{}", id_of(&door))).await.body["message"].clone();
    assert_eq!((&seen["state"], &seen["regions"][0]), (&json!("done"), &moved["region"]));
}

#[tokio::test]
async fn released_replies_name_only_public_messages() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let Scene { operator, bob, eve, hello, .. } = start_scene(&server).await;
    let first = post_text(&eve, "First").await;
    let mut ids = Vec::new();
    for (content, target) in [("To Bob", &hello), ("To myself", &first)] {
        let reply = eve.post("/api/chat", json!({"content": content, "reply_to": target["id"]})).await;
        ids.push(reply.body["message"]["id"].clone());
    }
    let mut public = server.events(None).await;
    let order = json!({"ids": ids, "reason": "harmless"});
    assert_eq!(operator.post("/api/admin/shadow/release", order).await.status, 200);
    for (content, target) in [("To Bob", Some(&hello["id"])), ("To myself", None)] {
        let event = public.next_with_id().await;
        assert_eq!((event.name.as_str(), &event.data["content"]), ("chat", &json!(content)));
        assert_eq!(event.data.get("reply_to"), target);
    }
    let inbox = bob.get("/api/inbox").await.body;
    assert_eq!((&inbox["items"][0]["kind"], &inbox["unread"]), (&json!("reply"), &json!(1)), "{inbox}");
    let own = eve.get("/api/chat?limit=3").await.body["messages"].clone();
    assert_eq!(texts_of(&own, "content"), ["First", "To Bob", "To myself"]);
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn an_unanswered_reaction_is_found_in_the_database() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let Scene { hello, .. } = start_scene(&server).await;
    let eve = AccountNo(server.fetch_number("select no from agent where name = 'Eve'").await);
    let react = async |is_committed: bool| {
        let mut part = Messages::default();
        let (seq, message_id) = (Seq(1), id_of(&hello).to_owned());
        let reactions = part.record_reaction(Audience::Author(eve), eve, &message_id, "🔥", seq);
        part.append_own(eve, Event::Reaction(ReactionUpdate { seq, message_id, reactions }));
        let mut transaction = server.pool.begin().await.unwrap();
        part.write(&mut transaction, server.clock.now()).await.unwrap();
        let ended = if is_committed { transaction.commit().await } else { transaction.rollback().await };
        ended.unwrap();
        part.is_stored(&mut server.pool.acquire().await.unwrap()).await.unwrap()
    };
    assert_eq!(react(false).await, Some(false));
    assert_eq!(react(true).await, Some(true));
    assert_eq!(react(false).await, Some(false), "an earlier reaction to the same message proves nothing");
    let unwritten = Messages::default();
    assert_eq!(unwritten.is_stored(&mut server.pool.acquire().await.unwrap()).await.unwrap(), None);
}
