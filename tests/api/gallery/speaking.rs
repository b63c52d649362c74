//! What viewers may do, and what they may not.

use serde_json::{Value, json};

use super::Shop;
use crate::support::Reply;

#[tokio::test]
async fn viewer_posts_every_five_minutes_under_the_common_rules() {
    let shop = Shop::open().await;
    let person = shop.holder("ada@example.com").await;
    let said = person.say("see https://example.com/a").await;
    assert_eq!(said.status, 201, "{}", said.body);
    assert_eq!(said.body["message"]["content"], "see [link removed]");
    assert_eq!((&said.body["chat_credits"], &said.body["pixels_until_next_message"]), (&json!(0), &json!(0)));
    assert!(said.header("ratelimit-policy").contains("\"messages\";q=1;w=300"), "{:?}", said.headers);
    let digest = shop.server.digest().await;
    assert_eq!(said.body["new_digest"], json!(digest));
    let soon = person.say("something else").await;
    soon.assert_refused(429, "too_many_messages");
    // A busy machine may have taken some of the five minutes.
    let wait: u64 = soon.header("retry-after").parse().unwrap();
    assert!((280..=300).contains(&wait), "{wait}");
    shop.server.wait(300);
    person.say("SEE  https://example.com/a").await.assert_refused(422, "duplicate_message");
    person.say("  ").await.assert_refused(422, "content_empty");
    assert_eq!(person.say("something else").await.status, 201);
    let page = shop.server.get("/api/chat").await.body;
    let message = &page["messages"][1];
    assert_eq!((&message["sender_type"], &message["badge"]), (&json!("human"), &json!("Gallery Pass")));
    let mut connection = shop.server.pool.acquire().await.unwrap();
    let price = Some(rules::credits::MessagePrice(5));
    let report = caraplace::log::check::check(&mut connection, price, |_, _| {}).await.unwrap();
    assert_eq!(report.differences(), 0, "{report}");
}

#[tokio::test]
async fn expired_pass_is_refused_after_fields_and_before_content() {
    let shop = Shop::open().await;
    let person = shop.holder("ada@example.com").await;
    shop.server.wait(31 * 86_400);
    person.say("  ").await.assert_refused(402, "gallery_pass_required");
    let post = |body: Value| {
        person
            .dress(shop.server.post_request("/api/chat"))
            .header("Sec-Fetch-Site", "same-origin")
            .json(&body)
    };
    Reply::of(post(json!({"content": "a", "colour": 1}))).await.assert_refused(400, "unknown_field");
    let region = json!({"content": "a", "region": {"x1": 0, "y1": 0, "x2": 1, "y2": 1}});
    Reply::of(post(region)).await.assert_refused(400, "invalid_field");
}

#[tokio::test]
async fn viewer_key_is_refused_on_agent_routes() {
    let shop = Shop::open().await;
    let person = shop.holder("ada@example.com").await;
    let key = person.key.clone().unwrap();
    let before = shop.server.head().await;
    let digest = shop.server.digest().await;
    let pixel = json!({"x": 1, "y": 1, "color": 1, "chat_digest": digest});
    let pixels = json!({"pixels": [{"x": 1, "y": 1, "color": 1}], "chat_digest": digest});
    for (path, body) in [
        ("/api/pixel", pixel.clone()),
        ("/api/pixels", pixels),
        ("/api/agents/me/key", json!({})),
        ("/api/inbox/read", json!({"up_to": 1})),
    ] {
        let reply = Reply::of(shop.server.post_request(path).bearer_auth(&key).json(&body)).await;
        reply.assert_refused(403, "forbidden");
    }
    for path in ["/api/agents/me", "/api/chat/new", "/api/inbox", "/api/home"] {
        Reply::of(shop.server.get_request(path).bearer_auth(&key)).await.assert_refused(403, "forbidden");
    }
    let ada = shop.server.agent("Ada").await;
    ada.earn_message().await;
    let message = ada.say("hello").await.body["message"]["id"].clone();
    let react = json!({"content": "🔥", "type": "reaction", "reply_to": message});
    let reaction = Reply::of(shop.server.post_request("/api/chat").bearer_auth(&key).json(&react)).await;
    reaction.assert_refused(403, "forbidden");
    Reply::of(ada.post_request("/api/viewers/me/name").json(&json!({"name": "Eve"})))
        .await
        .assert_refused(403, "forbidden");
    ada.get("/api/viewers/me").await.assert_refused(403, "forbidden");
    shop.server.mcp(Some(&key)).call("my_status", json!({})).await.assert_refused("forbidden");
    assert_eq!(shop.server.head().await, before + 6);
    let session =
        person.dress(shop.server.post_request("/api/pixel")).header("Sec-Fetch-Site", "same-origin");
    Reply::of(session.json(&pixel)).await.assert_refused(401, "key_missing");
}

#[tokio::test]
async fn names_are_shared_with_agents_and_change_once_a_day() {
    let shop = Shop::open().await;
    let person = shop.holder("ada@example.com").await;
    let key = person.key.clone().unwrap();
    let rename = async |name: &str| {
        let request = shop.server.post_request("/api/viewers/me/name").bearer_auth(&key);
        Reply::of(request.json(&json!({"name": name}))).await
    };
    shop.server.agent("PixelCrab").await;
    for taken in ["pixelcrab", "pixeIcrab", "Ріxelcrab"] {
        rename(taken).await.assert_refused(409, "name_taken");
    }
    rename("Moderator").await.assert_refused(422, "name_not_allowed");
    rename("x").await.assert_refused(400, "invalid_field");
    let renamed = rename("Grace H").await;
    assert_eq!(renamed.status, 200, "{}", renamed.body);
    assert_eq!(renamed.body["viewer"]["name"], "Grace H");
    let said = person.say("it is me").await;
    assert_eq!(said.body["message"]["agent_name"], "Grace H");
    let too_soon = rename("Grace M").await;
    too_soon.assert_refused(429, "too_many_requests");
    assert!(too_soon.header("retry-after").parse::<i64>().unwrap() > 86_000);
    let agent = shop.server.post("/api/agents/register", json!({"name": "GRACE H"})).await;
    agent.assert_refused(409, "name_taken");
    shop.server.wait(86_400);
    assert_eq!(rename("Grace M").await.status, 200);
}

#[tokio::test]
async fn viewers_are_not_counted_as_agents() {
    let shop = Shop::open().await;
    let person = shop.holder("ada@example.com").await;
    person.say("hello").await;
    let stats = shop.server.get("/api/stats").await.body;
    assert_eq!((&stats["agents"], &stats["messages"]), (&json!(0), &json!(1)));
    let board = shop.server.get("/api/leaderboard").await.body;
    assert_eq!(board["leaderboard"], json!([]));
}
