//! The permissions of viewers.

use reqwest::Method;
use rules::credits::MessagePrice;
use serde_json::json;

use super::Shop;
use crate::support::values::fields_of;

#[tokio::test]
async fn viewer_posts_every_five_minutes_under_the_common_rules() {
    let shop = Shop::start().await;
    let person = shop.viewer_with_pass("ada@example.com").await;
    let posted = person.post_message("see https://example.com/a").await;
    assert!(posted.header("ratelimit-policy").contains("\"messages\";q=1;w=300"), "{:?}", posted.headers);
    let posted = posted.assert_status(201);
    assert_eq!(posted["message"]["content"], "see [link removed]");
    assert_eq!(fields_of(&posted, ["chat_credits", "pixels_until_next_message"]), json!([0, 0]));
    assert_eq!(posted["new_digest"], shop.server.digest().await);
    let soon = person.post_message("something else").await;
    soon.assert_refused(429, "too_many_messages");
    // A busy machine may have used some of the five minutes.
    let wait: u64 = soon.header("retry-after").parse().unwrap();
    assert!((280..=300).contains(&wait), "{wait}");
    shop.server.advance_clock(300);
    person.post_message("SEE  https://example.com/a").await.assert_refused(422, "duplicate_message");
    person.post_message("  ").await.assert_refused(422, "content_empty");
    assert_eq!(person.post_message("something else").await.status, 201);
    let page = shop.server.get("/api/chat").await.body;
    let message = &page["messages"][1];
    assert_eq!((&message["sender_type"], &message["badge"]), (&json!("human"), &json!("Gallery Pass")));
    let report = shop.server.check_log(Some(MessagePrice(5))).await;
    assert_eq!(report.difference_count(), 0, "{report}");
}

#[tokio::test]
async fn tools_tell_models_that_a_viewer_is_human() {
    let shop = Shop::start().await;
    let agent = shop.server.register_agent("Ada").await;
    let person = shop.viewer_with_pass("ada@example.com").await;
    let posted = person.post_message("@Ada, a roof?").await.assert_status(201);
    let sender = format!("human {}", posted["message"]["agent_name"].as_str().unwrap());
    let mcp = shop.server.mcp(Some(&agent.key));
    for tool in ["chat_get_new", "inbox", "next_steps"] {
        let text = mcp.call_tool_ok(tool, json!({})).await.text;
        assert!(text.contains(&sender), "{tool}: {text}");
    }
}

#[tokio::test]
async fn expired_pass_is_refused_after_fields_and_before_content() {
    let shop = Shop::start().await;
    let person = shop.viewer_with_pass("ada@example.com").await;
    shop.server.advance_clock(34 * 86_400);
    person.post_message("  ").await.assert_refused(402, "gallery_pass_required");
    let unknown = json!({"content": "a", "colour": 1});
    person.send(Method::POST, "/api/chat", &unknown).await.assert_refused(400, "unknown_field");
    let region = json!({"content": "a", "region": {"x1": 0, "y1": 0, "x2": 1, "y2": 1}});
    person.send(Method::POST, "/api/chat", &region).await.assert_refused(400, "invalid_field");
}

#[tokio::test]
async fn viewer_key_is_refused_on_agent_routes() {
    let shop = Shop::start().await;
    let person = shop.viewer_with_pass("ada@example.com").await;
    let key = person.key.clone().unwrap();
    let by_key = shop.server.client_with_key(&key);
    let (before, digest) = (shop.server.head().await, shop.server.digest().await);
    let pixel = json!({"x": 1, "y": 1, "color": 1, "chat_digest": digest});
    let pixels = json!({"pixels": [{"x": 1, "y": 1, "color": 1}], "chat_digest": digest});
    for (path, body) in
        [("/api/pixel", pixel.clone()), ("/api/pixels", pixels), ("/api/agents/me/key", json!({}))]
    {
        by_key.post(path, body).await.assert_refused(403, "forbidden");
    }
    for path in ["/api/agents/me", "/api/home"] {
        by_key.get(path).await.assert_refused(403, "forbidden");
    }
    let ada = shop.server.register_agent("Ada").await;
    ada.post("/api/viewers/me/name", json!({"name": "Eve"})).await.assert_refused(403, "forbidden");
    ada.get("/api/viewers/me").await.assert_refused(403, "forbidden");
    shop.server.mcp(Some(&key)).call_tool("my_status", json!({})).await.assert_refused("forbidden");
    assert_eq!(shop.server.head().await, before);
    person.send(Method::POST, "/api/pixel", &pixel).await.assert_refused(401, "key_missing");
}

#[tokio::test]
async fn names_are_shared_with_agents_and_change_once_a_day() {
    let shop = Shop::start().await;
    let person = shop.viewer_with_pass("ada@example.com").await;
    let by_key = shop.server.client_with_key(&person.key.clone().unwrap());
    let rename = async |name: &str| by_key.post("/api/viewers/me/name", json!({"name": name})).await;
    shop.server.register_agent("PixelCrab").await;
    for taken_name in ["pixelcrab", "pixeIcrab", "Ріxelcrab"] {
        rename(taken_name).await.assert_refused(409, "name_taken");
    }
    rename("Moderator").await.assert_refused(422, "name_not_allowed");
    rename("x").await.assert_refused(400, "invalid_field");
    assert_eq!(rename("Grace H").await.assert_status(200)["viewer"]["name"], "Grace H");
    assert_eq!(person.post_message("it is me").await.body["message"]["agent_name"], "Grace H");
    let too_soon = rename("Grace M").await;
    too_soon.assert_refused(429, "too_many_requests");
    assert!(too_soon.header("retry-after").parse::<i64>().unwrap() > 86_000);
    let agent = json!({"name": "GRACE H"});
    shop.server.post("/api/agents/register", agent).await.assert_refused(409, "name_taken");
    shop.server.advance_clock(86_400);
    assert_eq!(rename("Grace M").await.status, 200);
}

#[tokio::test]
async fn viewers_are_not_counted_as_agents() {
    let shop = Shop::start().await;
    shop.viewer_with_pass("ada@example.com").await.post_message("hello").await;
    let stats = shop.server.get("/api/stats").await.body;
    assert_eq!((&stats["agents"], &stats["messages"]), (&json!(0), &json!(1)));
    assert_eq!(shop.server.get("/api/leaderboard").await.body["leaderboard"], json!([]));
}
