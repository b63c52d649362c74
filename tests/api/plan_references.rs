//! Placements and messages that name a plan, and what readers learn of it.

use rules::credits::MessagePrice;
use serde_json::{Value, json};

use crate::support::actions::{self, FREE_CONSOLE_SETTINGS, FREE_SETTINGS, post_message, post_text};
use crate::support::values::id_of;
use crate::support::{Agent, Reply, Server};

/// Opens a plan with one row of colour 5, two pixels wide. Returns its id.
async fn open_plan(agent: &Agent<'_>, title: &str, (x, y): (i64, i64)) -> String {
    let body = json!({"title": title, "x": x, "y": y, "rows": ["55"]});
    id_of(&actions::open_plan(agent, body).await).to_owned()
}

async fn place(agent: &Agent<'_>, (x, y): (i64, i64), plan: Value) -> Reply {
    let body =
        json!({"x": x, "y": y, "color": 5, "chat_digest": agent.server.digest().await, "plan_id": plan});
    agent.post("/api/pixel", body).await
}

async fn pixel(agent: Option<&Agent<'_>>, server: &Server, (x, y): (i64, i64)) -> Value {
    let path = format!("/api/pixel?x={x}&y={y}");
    match agent {
        Some(agent) => agent.get(&path).await.body,
        None => server.get(&path).await.body,
    }
}

/// Returns the plan that a placement or a pixel names, with its title.
fn named(info: &Value) -> (Option<&str>, Option<&str>) {
    (info["plan_id"].as_str(), info["plan_title"].as_str())
}

async fn differences(server: &Server) -> String {
    let report = server.check_log(Some(MessagePrice(0))).await;
    if report.difference_count() == 0 { String::new() } else { report.to_string() }
}

#[tokio::test]
async fn pixels_show_the_plans_of_their_placements() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (roof, door) = (open_plan(&ada, "Roof", (3, 3)).await, open_plan(&bob, "Door", (9, 9)).await);
    for plan in [json!(roof), Value::Null, json!(door)] {
        assert_eq!(place(&bob, (3, 3), plan).await.status, 201);
    }
    let info = pixel(None, &server, (3, 3)).await;
    assert_eq!(named(&info), (Some(&*door), Some("Door")));
    let history: Vec<_> = info["history"].as_array().unwrap().iter().map(named).collect();
    let expected = [(Some(&*door), Some("Door")), (None, None), (Some(&*roof), Some("Roof"))];
    assert_eq!(history, expected, "{info}");
    let body = json!({"runs": [[20, 0, 3, 1]], "plan_id": roof, "chat_digest": server.digest().await});
    let result = server.mcp(Some(&ada.key)).call_tool_ok("place_pixels", body).await;
    assert_eq!(result.structured["pixels"].as_array().unwrap().len(), 3);
    for x in 20..23 {
        assert_eq!(named(&pixel(None, &server, (x, 0)).await), (Some(&*roof), Some("Roof")));
    }
    let text = server.mcp(None).call_tool_ok("pixel_info", json!({"x": 20, "y": 0})).await.text;
    assert!(text.contains(&format!("for the plan {roof}: Roof")), "{text}");
    assert_eq!(differences(&server).await, "");
}

#[tokio::test]
async fn ended_plans_may_be_named_and_hidden_ones_not() {
    let mut server = Server::start_with(&FREE_SETTINGS).await;
    let plan = {
        let ada = server.register_agent("Ada").await;
        let plan = open_plan(&ada, "Roof", (3, 3)).await;
        assert_eq!(ada.post(&format!("/api/plans/{plan}/close"), json!({})).await.status, 200);
        assert_eq!(place(&ada, (3, 3), json!(plan)).await.status, 201);
        assert_eq!(named(&pixel(None, &server, (3, 3)).await), (Some(&*plan), Some("Roof")));
        plan
    };
    server.execute("update plan set hidden = true").await;
    server.restart().await;
    let bob = server.register_agent("Bob").await;
    let info = pixel(None, &server, (3, 3)).await;
    assert_eq!((named(&info), named(&info["history"][0])), ((None, None), (None, None)), "{info}");
    place(&bob, (3, 3), json!(plan)).await.assert_refused(400, "invalid_field");
}

#[tokio::test]
async fn unknown_plans_are_refused_and_nothing_is_spent() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let plan = open_plan(&ada, "Roof", (3, 3)).await;
    server.sign_in_operator().await.open_season(1, 32, 32).await;
    let head = server.head().await;
    let unknown = format!("plan_{}", "0".repeat(32));
    for id in [plan.as_str(), unknown.as_str(), "plan_x", "", "nonsense\u{0}"] {
        let digest = server.digest().await;
        for (path, body) in [
            ("/api/pixel", json!({"x": 1, "y": 1, "color": 5, "chat_digest": digest, "plan_id": id})),
            ("/api/pixels", json!({"runs": [[1, 1, 2, 5]], "chat_digest": digest, "plan_id": id})),
            (
                "/api/pixels",
                json!({"runs": [[1, 1, 2, 5]], "chat_digest": digest, "plan_id": id, "dry_run": true}),
            ),
            ("/api/chat", json!({"content": "Hello", "plan_id": id})),
            ("/api/chat", json!({"type": "intent", "content": "Hello", "plan_id": id})),
        ] {
            ada.post(path, body).await.assert_field_refused(400, "invalid_field", "plan_id");
        }
    }
    assert_eq!(server.head().await, head);
}

#[tokio::test]
async fn messages_and_intents_carry_their_plan() {
    let mut server = Server::start_with(&FREE_SETTINGS).await;
    let (plan, ids) = {
        let ada = server.register_agent("Ada").await;
        let plan = open_plan(&ada, "Roof", (3, 3)).await;
        let mut stream = server.events(None).await;
        stream.next().await.unwrap();
        let message = post_message(&ada, json!({"content": "Almost there", "plan_id": plan})).await;
        let intent =
            post_message(&ada, json!({"type": "intent", "content": "The left half", "plan_id": plan})).await;
        let plain = post_text(&ada, "Good morning").await;
        assert_eq!((&message["plan_id"], &intent["plan_id"]), (&json!(plan), &json!(plan)));
        assert_eq!(plain.get("plan_id"), None);
        let streamed = loop {
            let event = stream.next_with_id().await;
            if event.name == "chat" {
                break event.data;
            }
        };
        assert_eq!(streamed, message);
        let path = format!("/api/chat/{}", message["id"].as_str().unwrap());
        let edited = ada.patch(&path, json!({"content": "There"})).await.assert_status(200);
        assert_eq!(edited["message"]["plan_id"], json!(plan));
        let reaction = json!({"type": "reaction", "content": "🔥", "reply_to": plain["id"], "plan_id": plan});
        ada.post("/api/chat", reaction).await.assert_field_refused(400, "invalid_field", "plan_id");
        let by_tool = json!({"content": "By tool", "plan_id": plan});
        let by_tool = server.mcp(Some(&ada.key)).call_tool_ok("chat_post", by_tool).await;
        assert_eq!(by_tool.structured["message"]["plan_id"], json!(plan));
        (plan, [message["id"].clone(), intent["id"].clone(), plain["id"].clone()])
    };
    for _ in 0..2 {
        let chat = server.get("/api/chat").await.body;
        let plan_of = |id: &Value| {
            let messages = chat["messages"].as_array().unwrap();
            messages.iter().find(|message| message["id"] == *id).unwrap().get("plan_id").cloned()
        };
        assert_eq!(ids.each_ref().map(plan_of), [Some(json!(plan)), Some(json!(plan)), None]);
        assert_eq!(server.get("/api/intents?open=true").await.body["intents"][0]["plan_id"], json!(plan));
        let one = server.get(&format!("/api/chat/{}", ids[0].as_str().unwrap())).await.body;
        assert_eq!(one["message"]["plan_id"], json!(plan));
        server.restart().await;
    }
    assert_eq!(differences(&server).await, "");
}

#[tokio::test]
async fn plans_of_shadow_banned_authors_are_named_to_themselves_only() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (bob, eve) = (server.register_agent("Bob").await, server.register_agent("Eve").await);
    let operator = server.sign_in_operator().await;
    operator.apply_sanction(&eve, "shadow").await;
    let plan = open_plan(&eve, "Mine", (3, 3)).await;
    place(&bob, (3, 3), json!(plan)).await.assert_refused(400, "invalid_field");
    assert_eq!(place(&eve, (3, 3), json!(plan)).await.status, 201);
    assert_eq!(named(&pixel(Some(&eve), &server, (3, 3)).await), (Some(&*plan), Some("Mine")));
    for reader in [None, Some(&bob)] {
        let info = pixel(reader, &server, (3, 3)).await;
        assert!(!info.to_string().contains("plan"), "{info}");
    }
    let message = post_message(&eve, json!({"content": "For my plan", "plan_id": plan})).await;
    assert_eq!(message["plan_id"], json!(plan));
    operator.apply_sanction(&eve, "unshadow").await;
    let public = post_message(&eve, json!({"content": "Still for my plan", "plan_id": plan})).await;
    assert_eq!(public.get("plan_id"), None, "everyone would learn of it");
    let chat = bob.get("/api/chat").await.body;
    assert!(chat.to_string().contains("Still for my plan") && !chat.to_string().contains(&plan), "{chat}");
    assert_eq!(differences(&server).await, "");
}

#[tokio::test]
async fn dry_runs_tell_which_plans_gain_and_lose() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let roof = open_plan(&ada, "Roof", (3, 3)).await;
    let wall = open_plan(&bob, "Wall", (4, 3)).await;
    let pixels = json!([
        {"x": 3, "y": 3, "color": 5}, {"x": 4, "y": 3, "color": 5}, {"x": 5, "y": 3, "color": 7},
        {"x": 30, "y": 30, "color": 5},
    ]);
    let body =
        json!({"pixels": pixels, "chat_digest": server.digest().await, "dry_run": true, "plan_id": roof});
    let dry = ada.post("/api/pixels", body).await;
    let expected = json!([
        {"plan_id": roof, "title": "Roof", "right": 2, "wrong": 0},
        {"plan_id": wall, "title": "Wall", "right": 1, "wrong": 1},
    ]);
    assert_eq!((dry.status, &dry.body["plans"]), (200, &expected), "{}", dry.body);
    let arguments = json!({"runs": [[3, 3, 1, 5]], "chat_digest": server.digest().await, "dry_run": true});
    let result = server.mcp(Some(&bob.key)).call_tool_ok("place_pixels", arguments).await;
    assert!(result.text.contains("Roof: right for it 1, wrong 0"), "{}", result.text);
    assert!(result.structured["untrusted"].is_string());
}

#[tokio::test]
async fn the_system_names_the_finished_plan() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let plan = open_plan(&ada, "Roof", (3, 3)).await;
    let mut stream = server.events(None).await;
    for x in [3, 4] {
        assert_eq!(place(&ada, (x, 3), json!(plan)).await.status, 201);
    }
    let message = loop {
        let event = stream.next().await.unwrap();
        if event.name == "chat" {
            break event.data;
        }
    };
    assert_eq!((&message["sender_type"], &message["plan_id"]), (&json!("system"), &json!(plan)), "{message}");
}

#[tokio::test]
async fn the_check_finds_wrong_references() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let plan = open_plan(&ada, "Roof", (3, 3)).await;
    assert_eq!(place(&ada, (3, 3), json!(plan)).await.status, 201);
    assert_eq!(differences(&server).await, "");
    for (damage, repair, fault) in [
        (
            "update placement set plan = 99",
            "update placement set plan = 2",
            "plan number 99, number 3: a placement names it outside its season",
        ),
        (
            "update plan set season = 0",
            "update plan set season = 1",
            "a placement names it outside its season",
        ),
        (
            "update plan set season = 0",
            "update plan set season = 1",
            "it was opened without an event, or outside its season",
        ),
        (
            "update plan_event set seq = 3 where seq = 2",
            "update plan_event set seq = 2 where seq = 3",
            "a change of it has no event",
        ),
        (
            "update event set id = 'plan_x' where seq = 2",
            "",
            "its event does not belong to a change of a plan",
        ),
    ] {
        server.execute(damage).await;
        let found = differences(&server).await;
        assert!(found.contains(fault), "{damage}: {found}");
        server.execute(repair).await;
    }
}
