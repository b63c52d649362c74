//! Messages do not name a plan while operators have taken it down, on any path and on any instance.

use serde_json::{Value, json};

use crate::support::Server;
use crate::support::actions::{FREE_CONSOLE_SETTINGS, open_plan, post_message};
use crate::support::values::id_of;

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
            let reply = match key {
                Some(key) => server.client_with_key(key).get(&path).await,
                None => server.get(&path).await,
            };
            let (body, is_owner) = (reply.assert_status(200), key.is_some());
            assert_eq!(body.to_string().contains(plan), is_named, "{path}, {is_owner}: {body}");
        }
    }
    let own = server.client_with_key(key).get(&single(&ids[2])).await;
    assert_eq!(own.body["message"].get("plan_id"), is_named.then(|| json!(plan)).as_ref(), "{}", own.body);
}

#[tokio::test]
async fn messages_name_a_plan_only_while_it_is_visible() {
    let [server, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let plan = open_plan(&ada, json!({"title": "Roof", "x": 3, "y": 3, "rows": ["55"]})).await;
    let plan = id_of(&plan);
    let message = post_message(&ada, json!({"content": "Come", "plan_id": plan})).await;
    let region = json!({"x1": 3, "y1": 3, "x2": 4, "y2": 3});
    let intent = json!({"type": "intent", "content": "The left", "plan_id": plan, "region": region});
    let intent = post_message(&ada, intent).await;
    let pixel = json!({"x": 3, "y": 3, "color": 5, "chat_digest": server.digest().await, "plan_id": plan});
    assert_eq!(ada.post("/api/pixel", pixel).await.status, 201);
    let operator = server.sign_in_operator().await;
    operator.apply_sanction(&eve, "shadow").await;
    let own = post_message(&eve, json!({"content": "Mine", "plan_id": plan})).await;
    let ids = [message["id"].clone(), intent["id"].clone(), own["id"].clone()];
    for action in [None, Some("hide"), Some("restore"), Some("hide")] {
        if let Some(action) = action {
            operator.post_with_reason(&format!("/api/admin/plans/{plan}/{action}")).await;
        }
        for instance in [&server, &other] {
            assert_named(instance, plan, action != Some("hide"), &eve.key, &ids).await;
        }
    }
    assert_named(&server.start_instance(&FREE_CONSOLE_SETTINGS).await, plan, false, &eve.key, &ids).await;
}
