//! The system tells in the chat what everyone sees happen, once, and streams follow the chat's switch.

use serde_json::{Value, json};

use crate::support::actions::{CONSOLE_SETTINGS, place};
use crate::support::values::texts_of;
use crate::support::waiting::{wait_for_rollback, wait_for_value};
use crate::support::{Agent, EventStream, Server, WAIT_LIMIT};

const SETTINGS: [(&str, &str); 6] = [
    CONSOLE_SETTINGS[0],
    CONSOLE_SETTINGS[1],
    ("CARAPLACE_CANVAS_WIDTH", "32"),
    ("CARAPLACE_CANVAS_HEIGHT", "32"),
    ("CARAPLACE_MAX_CHARGES", "300"),
    ("CARAPLACE_CHARGE_SECONDS", "0"),
];

async fn paint_row(agent: &Agent<'_>, color: i64) -> i64 {
    let pixels = [(0, 1, color), (1, 1, color), (2, 1, color), (3, 1, color)];
    place(agent, &pixels).await["pixels"][0]["seq"].as_i64().unwrap()
}

/// Rolls back Eve's pixels and undoes that. Returns the id of the rollback.
async fn roll_back_and_undo(server: &Server, class: Option<&str>) -> String {
    let from = paint_row(&server.register_agent("Eve").await, 5).await;
    let operator = server.sign_in_operator().await;
    let region = json!({"x1": 0, "y1": 0, "x2": 2, "y2": 3});
    let mut order = json!({"region": region, "from": from.to_string(), "reason": "a private matter"});
    if let Some(class) = class {
        order["reason_class"] = class.into();
    }
    let begun = operator.post("/api/admin/rollbacks", order).await.assert_status(201);
    let id = begun["id"].as_str().unwrap().to_owned();
    wait_for_rollback(&operator, &id, "done").await;
    operator.post_with_reason(&format!("/api/admin/rollbacks/{id}/undo")).await;
    wait_for_rollback(&operator, &id, "undone").await;
    id
}

/// Returns the messages as soon as there are so many: another instance may have written them.
async fn messages(server: &Server, count: usize) -> Vec<Value> {
    let read = async || server.get("/api/chat").await.body["messages"].as_array().unwrap().clone();
    wait_for_value(read, |messages: &Vec<Value>| messages.len() >= count, "a message is missing").await
}

#[tokio::test]
async fn finished_and_undone_rollbacks_are_told_once_with_their_region() {
    let [server, _other] = Server::start_two_instances(&SETTINGS).await;
    roll_back_and_undo(&server, Some("vandalism")).await;
    let messages = messages(&server, 2).await;
    let told = "Rolled back because of vandalism: 3 pixels from (0, 0) to (2, 3).";
    let undone = "A rollback because of vandalism was undone: 3 pixels from (0, 0) to (2, 3) came back.";
    assert_eq!(texts_of(&json!(messages), "content"), [told, undone]);
    for message in &messages {
        let seen = (&message["type"], &message["agent_name"], &message["region"]);
        let region = json!({"x1": 0, "y1": 0, "x2": 2, "y2": 3});
        assert_eq!(seen, (&json!("system"), &json!("Caraplace"), &region));
        assert!(message.get("regions").is_none() && message.get("state").is_none(), "{message}");
    }
    let seq = messages[0]["seq"].as_i64().unwrap();
    let event = server.start_instance(&SETTINGS).await.events(Some(seq - 1)).await.next_with_id().await;
    assert_eq!(event.data, messages[0], "the region is stored");
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn rollbacks_without_a_class_say_no_reason_and_silent_servers_nothing() {
    let server = Server::start_with(&SETTINGS).await;
    roll_back_and_undo(&server, None).await;
    let told = messages(&server, 2).await;
    assert_eq!(told.len(), 2);
    let text = told[0]["content"].as_str().unwrap();
    assert!(text.starts_with("Rolled back because of another reason: 3"), "{told:?}");
    assert!(!json!(told).to_string().contains("private"), "the reason is for operators");
    let operator = server.sign_in_operator().await;
    let order = json!({"agent_id": "agent_x", "from": "1", "reason": "a", "reason_class": "revenge"});
    operator.post("/api/admin/rollbacks", order).await.assert_refused(400, "invalid_field");
    for silent in ["CARAPLACE_SYSTEM_MESSAGES", "CARAPLACE_CHAT_ENABLED"] {
        let mut settings = SETTINGS.to_vec();
        settings.push((silent, "false"));
        let server = Server::start_with(&settings).await;
        let eve = server.register_agent("Eve").await;
        let pixel = json!({"x": 1, "y": 1, "color": 3, "chat_digest": "000000000000"});
        if silent == "CARAPLACE_CHAT_ENABLED" {
            assert_eq!(eve.post("/api/pixel", pixel).await.status, 201);
        } else {
            paint_row(&eve, 3).await;
        }
        let operator = server.sign_in_operator().await;
        let order = json!({"agent_id": eve.id, "from": "2", "reason": "a"});
        let id = operator.post("/api/admin/rollbacks", order).await.body["id"].as_str().unwrap().to_owned();
        wait_for_rollback(&operator, &id, "done").await;
        assert_eq!(server.count_rows("chat_message").await, 0, "{silent}");
    }
}

/// Returns the names and data of the next two events, without presence.
async fn next_two(stream: &mut EventStream) -> [(String, Value); 2] {
    let mut next = async || {
        loop {
            let event = stream.next().await.expect("the stream ended");
            if event.name != "presence" {
                return (event.name, event.data);
            }
        }
    };
    [next().await, next().await]
}

#[tokio::test]
async fn streams_of_every_instance_follow_the_switch_of_the_chat() {
    let [server, other] = Server::start_two_instances(&SETTINGS).await;
    let operator = server.sign_in_operator().await;
    other.catch_up().await;
    let mut streams = [server.events(None).await, other.events(None).await];
    for stream in &mut streams {
        let hello = stream.next().await.unwrap();
        assert_eq!((hello.name.as_str(), &hello.data["chat_enabled"]), ("hello", &json!(true)));
    }
    for (value, text) in [
        (json!(false), "The chat is switched off now. Painting goes on, and needs no digest."),
        (json!(null), "The chat is on again."),
    ] {
        let enabled = value.is_null();
        operator.change_setting("chat_enabled", value.clone()).await;
        for stream in &mut streams {
            let events = tokio::time::timeout(WAIT_LIMIT, next_two(stream)).await.expect("too late");
            let [(first, message), (second, settings)] = &events;
            assert_eq!((first.as_str(), &message["content"]), ("chat", &json!(text)));
            assert_eq!((second.as_str(), settings), ("settings", &json!({"chat_enabled": enabled})));
        }
        for server in [&server, &other] {
            let hello = server.events(None).await.next().await.unwrap();
            assert_eq!(hello.data["chat_enabled"], json!(enabled));
        }
        // Setting the same value again changes nothing that anyone sees.
        let head = server.head().await;
        operator.change_setting("chat_enabled", value).await;
        assert_eq!(server.head().await, head);
    }
    let texts = messages(&other, 2).await;
    assert_eq!(texts.len(), 2, "{texts:?}");
}

#[tokio::test]
async fn silent_servers_tell_of_no_freeze_and_no_switch_but_streams_follow() {
    let mut settings = SETTINGS.to_vec();
    settings.push(("CARAPLACE_SYSTEM_MESSAGES", "false"));
    let server = Server::start_with(&settings).await;
    let operator = server.sign_in_operator().await;
    let mut stream = server.events(None).await;
    let head = server.head().await;
    for act in ["freeze", "unfreeze"] {
        operator.post_with_reason(&format!("/api/admin/seasons/{act}")).await;
    }
    operator.change_setting("chat_enabled", json!(false)).await;
    loop {
        let event = stream.next().await.unwrap();
        if event.name == "settings" {
            assert_eq!((event.id, event.data), (None, json!({"chat_enabled": false})));
            break;
        }
    }
    assert_eq!(server.head().await, head);
}
