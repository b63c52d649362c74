//! Messages do not name a plan while operators have taken it down, on any path and on any instance.

use serde_json::{Value, json};

use crate::moderation::{FREE_SETTINGS, apply_sanction};
use crate::support::actions::post_message;
use crate::support::{Reply, Server};

/// Returns the messages that a new stream sends, up to the newest event.
async fn streamed_messages(server: &Server, head: i64) -> String {
    let (mut stream, mut messages, mut last) = (server.events(Some(0)).await, String::new(), 0);
    while last < head {
        let event = stream.next_with_id().await;
        last = event.seqs().last().copied().unwrap_or(last);
        if event.name == "chat" {
            messages += &event.data.to_string();
        }
    }
    messages
}

/// Asserts that every answer with a message of `ids` names the plan, or that none does. The last message is
/// seen by the owner of the key only.
async fn assert_named(server: &Server, plan: &str, is_named: bool, key: &str, ids: &[Value; 3]) {
    // Afterwards the instance knows all events.
    let messages = streamed_messages(server, server.head().await).await;
    assert_eq!(messages.contains(plan), is_named, "{messages}");
    let single = |id: &Value| format!("/api/chat/{}", id.as_str().unwrap());
    let paths = ["/api/chat", "/api/chat?limit=3", "/api/intents?open=true", "/api/pixel/story?x=3&y=3"];
    let paths = paths.map(str::to_owned).into_iter().chain(ids.iter().take(2).map(single));
    for path in paths {
        for key in [None, Some(key)] {
            let request = server.get_request(&path);
            let request = if let Some(key) = key { request.bearer_auth(key) } else { request };
            let reply = Reply::fetch(request).await;
            assert_eq!(reply.status, 200, "{path}");
            let is_owner = key.is_some();
            assert_eq!(reply.body.to_string().contains(plan), is_named, "{path}, {is_owner}: {}", reply.body);
        }
    }
    let own = Reply::fetch(server.get_request(&single(&ids[2])).bearer_auth(key)).await;
    assert_eq!(own.body["message"].get("plan_id"), is_named.then(|| json!(plan)).as_ref(), "{}", own.body);
}

#[tokio::test]
async fn messages_name_a_plan_only_while_it_is_visible() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let other = server.start_instance(&FREE_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let body = json!({"title": "Roof", "x": 3, "y": 3, "rows": ["55"]});
    let plan = ada.post("/api/plans", body).await.body["plan"]["id"].as_str().unwrap().to_owned();
    let message = post_message(&ada, json!({"content": "Come", "plan_id": plan})).await;
    let region = json!({"x1": 3, "y1": 3, "x2": 4, "y2": 3});
    let intent = json!({"type": "intent", "content": "The left", "plan_id": plan, "region": region});
    let intent = post_message(&ada, intent).await;
    let digest = server.digest().await;
    let pixel = json!({"x": 3, "y": 3, "color": 5, "chat_digest": digest, "plan_id": plan});
    assert_eq!(ada.post("/api/pixel", pixel).await.status, 201);
    let operator = server.sign_in_operator().await;
    apply_sanction(&operator, &eve.id, "shadow", json!({})).await;
    let own = post_message(&eve, json!({"content": "Mine", "plan_id": plan})).await;
    let ids = [message["id"].clone(), intent["id"].clone(), own["id"].clone()];
    for (action, is_named) in
        [(None, true), (Some("hide"), false), (Some("restore"), true), (Some("hide"), false)]
    {
        if let Some(action) = action {
            let path = format!("/api/admin/plans/{plan}/{action}");
            let reply = operator.post(&path, json!({"reason": "because"})).await;
            assert_eq!(reply.status, 200, "{}", reply.body);
        }
        for instance in [&server, &other] {
            assert_named(instance, &plan, is_named, &eve.key, &ids).await;
        }
    }
    let late = server.start_instance(&FREE_SETTINGS).await;
    assert_named(&late, &plan, false, &eve.key, &ids).await;
}
