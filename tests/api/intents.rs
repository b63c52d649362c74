//! `/api/intents`, and the intents that agents post: regions, lifetimes, the free one, changes and lists.

use rules::charges::REACTIONS_PER_MINUTE;
use serde_json::{Value, json};

use crate::support::actions::{FREE_SETTINGS, read_pages};
use crate::support::values::{fields_of, texts_of};
use crate::support::{Agent, Reply, Server};

fn region(x1: i64, y1: i64, x2: i64, y2: i64) -> Value {
    json!({"x1": x1, "y1": y1, "x2": x2, "y2": y2})
}

/// Posts an intent with these fields. Returns its message.
async fn post_intent(agent: &Agent<'_>, content: &str, fields: Value) -> Value {
    try_post_intent(agent, content, fields).await.assert_status(201)["message"].clone()
}

async fn try_post_intent(agent: &Agent<'_>, content: &str, fields: Value) -> Reply {
    let mut body = json!({"type": "intent", "content": content});
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    agent.post("/api/chat", body).await
}

async fn change(agent: &Agent<'_>, intent: &Value, body: Value) -> Reply {
    agent.post(&format!("/api/intents/{}", intent["id"].as_str().unwrap()), body).await
}

/// Returns the texts of the listed intents.
async fn list(server: &Server, query: &str) -> Vec<String> {
    contents(&server.get(&format!("/api/intents?{query}")).await.assert_status(200))
}

fn contents(page: &Value) -> Vec<String> {
    texts_of(&page["intents"], "content").into_iter().map(str::to_owned).collect()
}

fn time(value: &Value) -> chrono::DateTime<chrono::Utc> {
    value.as_str().unwrap().parse().unwrap()
}

#[tokio::test]
async fn the_first_intent_of_an_agent_is_free_once() {
    let server = Server::start_with(&[("CARAPLACE_MESSAGE_SECONDS", "0")]).await;
    let agent = server.register_agent("Ada").await;
    assert_eq!(agent.me().await["free_intents"], 1);
    agent.post_message("A plain message is not free").await.assert_refused(429, "no_chat_credits");
    let reply = try_post_intent(&agent, "A roof", json!({})).await.assert_status(201);
    assert_eq!(fields_of(&reply, ["chat_credits", "pixels_until_next_message"]), json!([0, 5]));
    assert_eq!(agent.me().await["free_intents"], 0);
    try_post_intent(&agent, "A wall", json!({})).await.assert_refused(429, "no_chat_credits");
    agent.earn_message_credits().await;
    let reply = try_post_intent(&agent, "A wall", json!({})).await;
    assert_eq!((reply.status, &reply.body["chat_credits"]), (201, &json!(0)));
}

#[tokio::test]
async fn a_refused_intent_keeps_the_free_one() {
    let server = Server::start().await;
    let agent = server.register_agent("Ada").await;
    try_post_intent(&agent, "", json!({})).await.assert_refused(422, "content_empty");
    let lost = json!({"reply_to": "msg_nobody"});
    try_post_intent(&agent, "A roof", lost).await.assert_refused(422, "reply_target_missing");
    assert_eq!(agent.me().await["free_intents"], 1);
    post_intent(&agent, "A roof", json!({})).await;
    let restarted = server.start_instance(&[]).await;
    let agent = Agent { server: &restarted, ..agent };
    assert_eq!(agent.me().await["free_intents"], 0, "it is stored with the agent");
}

#[tokio::test]
async fn an_intent_has_up_to_four_regions_and_a_lifetime() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    let regions: Vec<Value> = (0..4).map(|x| region(x * 10, 0, x * 10 + 4, 4)).collect();
    let intent = post_intent(&agent, "Four towers", json!({"regions": regions, "expires_in": 600})).await;
    assert_eq!((&intent["region"], &intent["regions"]), (&regions[0], &json!(regions)));
    assert_eq!(intent["state"], "open");
    assert_eq!((time(&intent["expires_at"]) - time(&intent["timestamp"])).num_seconds(), 600);
    let one = post_intent(&agent, "A tower", json!({"region": regions[1]})).await;
    assert_eq!((&one["region"], &one["regions"]), (&regions[1], &json!([regions[1]])));
    assert_eq!((time(&one["expires_at"]) - time(&one["timestamp"])).num_hours(), 2);
    let plain = agent.post_message("No intent").await.body["message"].clone();
    assert!(plain.get("state").is_none() && plain.get("expires_at").is_none());
    assert_eq!(server.get("/api/chat?limit=3").await.body["messages"], json!([intent, one, plain]));
}

#[tokio::test]
async fn refuses_wrong_regions_and_lifetimes() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    let intent = post_intent(&agent, "A roof", json!({})).await;
    let five: Vec<Value> = (0..5).map(|x| region(x, 0, x, 0)).collect();
    for (fields, field) in [
        (json!({"region": region(0, 0, 1, 1), "regions": [region(0, 0, 1, 1)]}), "regions"),
        (json!({"regions": five}), "regions"),
        (json!({"regions": []}), "regions"),
        (json!({"regions": [region(0, 0, 1, 1), region(2, 0, 1, 1)]}), "x2"),
        (json!({"regions": [[0, 0, 1, 1]]}), "regions[0]"),
        (json!({"expires_in": 59}), "expires_in"),
        (json!({"expires_in": 86_401}), "expires_in"),
        (json!({"expires_in": 61.5}), "expires_in"),
    ] {
        for reply in [
            try_post_intent(&agent, "A wall", fields.clone()).await,
            change(&agent, &intent, fields.clone()).await,
        ] {
            reply.assert_refused(400, "invalid_field");
            assert_eq!(reply.body["field"], field, "{fields}");
        }
    }
    let outside = json!({"regions": [region(0, 0, 1, 1), region(0, 0, 128, 0)]});
    let reply = try_post_intent(&agent, "A wall", outside).await;
    reply.assert_refused(400, "out_of_bounds");
    assert_eq!(reply.body["index"], 1);
    let mut message = json!({"content": "No intent", "expires_in": 60});
    agent.post("/api/chat", message.clone()).await.assert_refused(400, "invalid_field");
    message["expires_in"] = Value::Null;
    assert_eq!(agent.post("/api/chat", message).await.status, 201);
}

#[tokio::test]
async fn its_author_changes_and_ends_an_intent_by_events() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    let intent = post_intent(&agent, "A roof", json!({"region": region(0, 0, 4, 4)})).await;
    let (digest, head) = (server.digest().await, server.head().await);
    let mut stream = server.events(None).await;
    let regions = json!([region(5, 5, 9, 9), region(20, 20, 22, 22)]);
    let reply = change(&agent, &intent, json!({"regions": regions, "expires_in": 3_600})).await;
    assert_eq!((reply.status, &reply.body["success"]), (200, &json!(true)), "{}", reply.body);
    let changed = &reply.body["message"];
    assert_eq!((&changed["regions"], &changed["content"]), (&regions, &intent["content"]));
    let event = stream.next_with_id().await;
    assert_eq!((event.name.as_str(), event.id), ("intent", Some(head + 1)));
    let expected = json!({
        "seq": head + 1, "message_id": intent["id"], "state": "open", "regions": regions,
        "expires_at": changed["expires_at"],
    });
    assert_eq!(event.data, expected);
    let reply = change(&agent, &intent, json!({"state": "done"})).await;
    assert_eq!(reply.body["message"]["state"], "done");
    assert_eq!(stream.next_with_id().await.data["state"], "done");
    assert_eq!(server.digest().await, digest, "neither text nor digest changes");
    assert_eq!(server.get("/api/chat").await.body["messages"], json!([reply.body["message"]]));
    let mut resumed = server.events(Some(head)).await;
    assert_eq!(resumed.next_with_id().await.name, "intent");
    assert_eq!(resumed.next_with_id().await.data["state"], "done");
}

#[tokio::test]
async fn a_change_without_effect_is_no_event() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    let intent = post_intent(&agent, "A roof", json!({"region": region(0, 0, 4, 4)})).await;
    let head = server.head().await;
    let reply = change(&agent, &intent, json!({"region": region(0, 0, 4, 4)})).await;
    assert_eq!((reply.status, &reply.body["message"]), (200, &intent));
    assert_eq!(server.head().await, head);
    change(&agent, &intent, json!({})).await.assert_refused(400, "missing_field");
    change(&agent, &intent, json!({"state": "open"})).await.assert_refused(400, "invalid_field");
    change(&agent, &intent, json!({"content": "Another"})).await.assert_refused(400, "unknown_field");
}

#[tokio::test]
async fn only_its_author_changes_a_live_intent() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let intent = post_intent(&ada, "A roof", json!({"expires_in": 60})).await;
    let message = ada.post_message("No intent").await.body["message"].clone();
    change(&bob, &intent, json!({"state": "done"})).await.assert_refused(403, "forbidden");
    change(&ada, &message, json!({"state": "done"})).await.assert_refused(404, "not_found");
    for id in ["msg_nobody", "msg_00000000000000000000000000000000"] {
        change(&ada, &json!({"id": id}), json!({"state": "done"})).await.assert_refused(404, "not_found");
    }
    let done = post_intent(&ada, "A wall", json!({})).await;
    assert_eq!(change(&ada, &done, json!({"state": "done"})).await.status, 200);
    change(&ada, &done, json!({"state": "withdrawn"})).await.assert_refused(409, "closed");
    server.advance_clock(61);
    change(&ada, &intent, json!({"expires_in": 600})).await.assert_refused(409, "closed");
    let path = format!("/api/intents/{}", intent["id"].as_str().unwrap());
    server.post(&path, json!({"state": "done"})).await.assert_refused(401, "key_missing");
}

#[tokio::test]
async fn changes_of_intents_are_limited_like_reactions() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    let intent = post_intent(&agent, "A roof", json!({})).await;
    for x in 0..i64::from(REACTIONS_PER_MINUTE) {
        change(&agent, &intent, json!({"region": region(x, 0, x, 0)})).await.assert_status(200);
    }
    let more = json!({"region": region(99, 0, 99, 0)});
    change(&agent, &intent, more).await.assert_refused(429, "too_many_requests");
    server.advance_clock(60);
    assert_eq!(change(&agent, &intent, json!({"state": "withdrawn"})).await.status, 200);
}

#[tokio::test]
async fn the_list_has_the_newest_first_and_live_ones_on_request() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    post_intent(&agent, "Short", json!({"expires_in": 60})).await;
    let done = post_intent(&agent, "Done", json!({})).await;
    post_intent(&agent, "Long", json!({"expires_in": 600})).await;
    agent.post_message("No intent").await;
    assert_eq!(change(&agent, &done, json!({"state": "done"})).await.status, 200);
    assert_eq!(list(&server, "").await, ["Long", "Done", "Short"]);
    assert_eq!(list(&server, "open=true").await, ["Long", "Short"]);
    server.advance_clock(60);
    assert_eq!(list(&server, "open=true").await, ["Long"]);
    let first = server.get("/api/intents?limit=2").await.body;
    assert_eq!(contents(&first), ["Long", "Done"]);
    let before = first["next_before"].as_str().unwrap();
    let second = server.get(&format!("/api/intents?limit=2&before={before}")).await.body;
    assert_eq!((contents(&second), &second["next_before"]), (vec!["Short".to_owned()], &Value::Null));
    server.get("/api/intents?before=msg_nobody").await.assert_refused(400, "bad_cursor");
}

#[tokio::test]
async fn the_list_near_a_point_has_the_nearest_first() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    post_intent(&agent, "Nowhere", json!({})).await;
    post_intent(&agent, "Far", json!({"region": region(60, 60, 70, 70)})).await;
    post_intent(&agent, "Near", json!({"regions": [region(100, 100, 110, 110), region(12, 10, 14, 14)]}))
        .await;
    post_intent(&agent, "Here", json!({"region": region(0, 0, 20, 20)})).await;
    post_intent(&agent, "Here, too", json!({"region": region(10, 10, 10, 10)})).await;
    let expected = ["Here, too", "Here", "Near", "Far", "Nowhere"];
    assert_eq!(list(&server, "near=10,10").await, expected);
    let pages = read_pages("/api/intents?near=10,10&limit=2", async |path| server.get(path).await).await;
    let listed: Vec<_> = pages.iter().flat_map(contents).collect();
    assert_eq!(listed, expected, "each once, over all pages");
    for (near, code) in
        [("10", "invalid_field"), ("a,b", "invalid_field"), ("128,0", "out_of_bounds"), ("", "invalid_field")]
    {
        server.get(&format!("/api/intents?near={near}")).await.assert_refused(400, code);
    }
}

#[tokio::test]
async fn a_hidden_intent_is_not_live_until_it_is_restored() {
    let server = Server::start_with_console().await;
    let operator = server.sign_in_operator().await;
    let agent = server.register_agent("Ada").await;
    let intent = post_intent(&agent, "A roof", json!({"region": region(0, 0, 4, 4)})).await;
    operator.hide_message(&intent).await;
    assert!(list(&server, "open=true").await.is_empty());
    change(&agent, &intent, json!({"state": "done"})).await.assert_refused(404, "not_found");
    operator.restore_message(&intent).await;
    assert_eq!(list(&server, "open=true").await, ["A roof"]);
    assert_eq!(change(&agent, &intent, json!({"state": "done"})).await.status, 200);
}

#[tokio::test]
async fn a_shadow_banned_author_sees_and_changes_its_intents_alone() {
    let server = Server::start_with_console().await;
    let operator = server.sign_in_operator().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    operator.apply_sanction(&ada, "shadow").await;
    let head = server.head().await;
    let intent = post_intent(&ada, "A roof", json!({"region": region(0, 0, 4, 4)})).await;
    assert_eq!(contents(&ada.get("/api/intents?open=true").await.body), ["A roof"]);
    assert!(list(&server, "").await.is_empty());
    change(&bob, &intent, json!({"state": "done"})).await.assert_refused(404, "not_found");
    let reply = change(&ada, &intent, json!({"state": "done"})).await;
    assert_eq!((reply.status, &reply.body["message"]["state"]), (200, &json!("done")), "{}", reply.body);
    assert!(contents(&ada.get("/api/intents?open=true").await.body).is_empty());
    // Ended ones are listed like others.
    assert_eq!(contents(&ada.get("/api/intents").await.body), ["A roof"]);
    assert_eq!(server.head().await, head, "none of it is an event");
    // Its intents stand where they would stand if they were public.
    post_intent(&bob, "Near", json!({"region": region(60, 60, 61, 61)})).await;
    assert_eq!(contents(&ada.get("/api/intents").await.body), ["Near", "A roof"]);
    assert_eq!(contents(&ada.get("/api/intents?near=0,0").await.body), ["A roof", "Near"]);
    let first = ada.get("/api/intents?limit=1&near=0,0").await.body;
    assert_eq!(contents(&first), ["A roof"]);
    let before = first["next_before"].as_str().unwrap();
    let second = ada.get(&format!("/api/intents?limit=1&near=0,0&before={before}")).await.body;
    assert_eq!((contents(&second), &second["next_before"]), (vec!["Near".to_owned()], &Value::Null));
}

#[tokio::test]
async fn both_instances_know_the_changes_of_an_intent() {
    let [server, other] = Server::start_two_instances(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    let intent = post_intent(&agent, "A roof", json!({"region": region(0, 0, 4, 4)})).await;
    let head = server.head().await;
    assert_eq!(change(&agent.on(&other), &intent, json!({"state": "withdrawn"})).await.status, 200);
    let mut stream = server.events(Some(head)).await;
    assert_eq!(stream.next_with_id().await.data["state"], "withdrawn");
    assert_eq!(server.get("/api/chat").await.body["messages"][0]["state"], "withdrawn");
    change(&agent, &intent, json!({"state": "done"})).await.assert_refused(409, "closed");
}
