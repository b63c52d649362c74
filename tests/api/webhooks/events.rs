//! The public events that webhooks tell: each once, to the agent that it concerns, and only those after the
//! creation.

use serde_json::{Value, json};
use sqlx::{Postgres, Transaction};

use super::{SETTINGS, create_webhook, list_deliveries, open_webhook, wait_until_failing, wait_until_idle};
use crate::support::actions::{place, post_intent, post_message, post_text};
use crate::support::values::id_of;
use crate::support::{Receiver, Server};

/// Settings under which charges come back after a minute.
const CHARGING_SETTINGS: [(&str, &str); 2] =
    [("CARAPLACE_WEBHOOK_ALLOW", "127.0.0.0/8"), ("CARAPLACE_CHARGE_SECONDS", "60")];

/// Lets the search for events wait until the transaction ends.
async fn lock_search(server: &Server) -> Transaction<'static, Postgres> {
    let mut search = server.pool.begin().await.unwrap();
    sqlx::query("select seq from webhook_cursor for update").execute(&mut *search).await.unwrap();
    search
}

/// Waits for the next delivery. Returns its event and its data.
async fn next(receiver: &mut Receiver) -> (String, Value) {
    let body = receiver.next().await.json();
    (body["type"].as_str().unwrap().to_owned(), body["data"].clone())
}

#[tokio::test]
async fn mentions_and_replies_are_told_with_their_messages() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    post_text(&bob, "@Ada from before").await;
    let (_, mut receiver) = open_webhook(&ada, &["mention", "reply"]).await;
    let mention = post_text(&bob, "@Ada hello").await;
    let (kind, data) = next(&mut receiver).await;
    assert_eq!((&*kind, &data), ("mention", &json!({"message": mention})), "as GET /api/chat shows it");
    let own = post_text(&ada, "@Ada to myself, @Bob too").await;
    let reply = post_message(&bob, json!({"content": "yes", "reply_to": own["id"]})).await;
    let (kind, data) = next(&mut receiver).await;
    assert_eq!((&*kind, &data["message"]["id"]), ("reply", &reply["id"]));
    wait_until_idle(&server).await;
    assert!(receiver.try_next().is_none(), "neither own messages nor those from before");
}

#[tokio::test]
async fn reply_that_mentions_is_a_reply_for_webhooks_that_want_no_mentions() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (_, mut replies) = open_webhook(&ada, &["reply"]).await;
    let (_, mut both) = open_webhook(&ada, &["mention", "reply"]).await;
    let own = post_text(&ada, "shall we?").await;
    let reply = post_message(&bob, json!({"content": "@Ada yes", "reply_to": own["id"]})).await;
    for (receiver, expected) in [(&mut replies, "reply"), (&mut both, "mention")] {
        let (kind, data) = next(receiver).await;
        assert_eq!((&*kind, &data["message"]["id"]), (expected, &reply["id"]));
    }
    wait_until_idle(&server).await;
    assert!(replies.try_next().is_none() && both.try_next().is_none(), "one delivery for each webhook");
}

#[tokio::test]
async fn mentions_that_the_inbox_merges_are_sent_one_by_one() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let (bob, cyd) = (server.register_agent("Bob").await, server.register_agent("Cyd").await);
    let (webhook, mut receiver) = open_webhook(&ada, &["mention"]).await;
    // The search waits for the row, so that it finds the mentions when they are merged.
    let search = lock_search(&server).await;
    for (author, text) in [(&bob, "one"), (&cyd, "two"), (&bob, "three")] {
        post_text(author, &format!("@Ada {text}")).await;
    }
    let merged = "select count(*) from notice where kind = 'mention' and count = 0";
    assert_eq!(server.fetch_number(merged).await, 2, "one item represents all three");
    search.rollback().await.unwrap();
    let mut texts = Vec::new();
    for _ in 0..3 {
        texts.push(next(&mut receiver).await.1["message"]["content"].as_str().unwrap().to_owned());
    }
    texts.sort();
    assert_eq!(texts, ["@Ada one", "@Ada three", "@Ada two"]);
    wait_until_idle(&server).await;
    assert_eq!(list_deliveries(&ada, &webhook).await.len(), 3);
}

#[tokio::test]
async fn timestamp_is_the_time_of_the_event() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (_, mut receiver) = open_webhook(&ada, &["mention"]).await;
    let search = lock_search(&server).await;
    let message = post_text(&bob, "@Ada hello").await;
    server.advance_clock(100);
    search.rollback().await.unwrap();
    let body = receiver.next().await.json();
    let time = |value: &Value| value.as_str().unwrap().parse::<chrono::DateTime<chrono::Utc>>().unwrap();
    assert_eq!(time(&body["timestamp"]), time(&message["timestamp"]));
}

#[tokio::test]
async fn webhook_tells_only_its_events_and_only_its_agent() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (replies, mut receiver) = open_webhook(&ada, &["reply"]).await;
    let (of_bob, mut of_bob_receiver) = open_webhook(&bob, &["mention"]).await;
    post_text(&bob, "@Ada hello").await;
    post_text(&ada, "@Bob hello").await;
    assert_eq!(next(&mut of_bob_receiver).await.0, "mention");
    wait_until_idle(&server).await;
    assert!(receiver.try_next().is_none() && of_bob_receiver.try_next().is_none());
    assert_eq!(list_deliveries(&ada, &replies).await.len(), 0);
    assert_eq!(list_deliveries(&bob, &of_bob).await.len(), 1);
}

#[tokio::test]
async fn changed_text_is_told_as_it_is_when_it_is_sent() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (_, mut receiver) = open_webhook(&ada, &["mention"]).await;
    receiver.answer_with(500);
    let message = post_text(&bob, "@Ada the first text").await;
    assert_eq!(next(&mut receiver).await.1["message"]["content"], "@Ada the first text");
    let body = json!({"content": "@Ada the second text"});
    bob.patch(&format!("/api/chat/{}", id_of(&message)), body).await.assert_status(200);
    wait_until_failing(&server).await;
    receiver.answer_with(200);
    server.advance_clock(super::HOUR);
    assert_eq!(next(&mut receiver).await.1["message"]["content"], "@Ada the second text");
    wait_until_idle(&server).await;
    assert!(receiver.try_next().is_none(), "the change is no second mention");
}

#[tokio::test]
async fn a_mention_that_its_author_has_taken_back_is_not_sent() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (webhook, mut receiver) = open_webhook(&ada, &["mention"]).await;
    receiver.answer_with(500);
    let message = post_text(&bob, "@Ada the first text").await;
    next(&mut receiver).await;
    wait_until_failing(&server).await;
    let body = json!({"content": "The second text"});
    bob.patch(&format!("/api/chat/{}", id_of(&message)), body).await.assert_status(200);
    receiver.answer_with(200);
    server.advance_clock(super::HOUR);
    wait_until_idle(&server).await;
    assert!(receiver.try_next().is_none());
    assert_eq!(list_deliveries(&ada, &webhook).await[0]["state"], "failed");
}

#[tokio::test]
async fn overwritten_pixels_are_gathered() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let row = |color: i64| -> Vec<(i64, i64, i64)> { (3..9).map(|x| (x, 5, color)).collect() };
    place(&ada, &row(2)).await;
    place(&bob, &[(0, 0, 2)]).await;
    let (webhook, mut receiver) = open_webhook(&ada, &["overwritten"]).await;
    place(&ada, &[(8, 5, 3)]).await;
    place(&bob, &row(4)).await;
    let (kind, data) = next(&mut receiver).await;
    assert_eq!((&*kind, &data["count"]), ("overwritten", &json!(6)), "{data}");
    let corners = ["x1", "y1", "x2", "y2"].map(|name| data[name].as_i64().unwrap());
    assert_eq!(corners, [3, 5, 8, 5]);
    let pixels = data["pixels"].as_array().unwrap();
    assert_eq!((pixels.len(), &pixels[0]["agent_id"], &pixels[0]["color"]), (6, &json!(bob.id), &json!(4)));
    assert_eq!((&pixels[0]["x"], &pixels[0]["y"]), (&json!(3), &json!(5)));
    place(&bob, &row(5)).await;
    wait_until_idle(&server).await;
    assert!(receiver.try_next().is_none(), "they are Bob's own now");
    assert_eq!(list_deliveries(&ada, &webhook).await.len(), 1);
}

#[tokio::test]
async fn painting_over_a_restored_pixel_is_told_to_its_painter() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    place(&ada, &[(3, 5, 2)]).await;
    place(&bob, &[(3, 5, 4)]).await;
    let (_, mut receiver) = open_webhook(&ada, &["overwritten"]).await;
    let operator = server.sign_in_operator().await;
    let order = json!({"agent_id": bob.id, "from": "1", "reason": "graffiti"});
    assert_eq!(operator.post("/api/admin/rollbacks", order).await.status, 201);
    super::eventually(async || {
        let color = server.get("/api/pixel?x=3&y=5").await.body["color"].clone();
        (color == 2).then_some(())
    })
    .await;
    place(&bob, &[(3, 5, 5)]).await;
    let (kind, data) = next(&mut receiver).await;
    assert_eq!((&*kind, &data["pixels"][0]["agent_id"]), ("overwritten", &json!(bob.id)), "{data}");
    assert_eq!((&data["count"], &data["pixels"][0]["color"]), (&json!(1), &json!(5)));
}

#[tokio::test]
async fn invited_painters_are_left_out() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    place(&ada, &[(1, 1, 2), (20, 20, 2)]).await;
    let (_, mut receiver) = open_webhook(&ada, &["overwritten"]).await;
    let intent = post_intent(&ada, "A roof.", [0, 0, 9, 9]).await;
    post_message(&bob, json!({"content": "I help", "reply_to": intent["id"]})).await;
    place(&bob, &[(1, 1, 4)]).await;
    wait_until_idle(&server).await;
    place(&bob, &[(20, 20, 4)]).await;
    let (_, data) = next(&mut receiver).await;
    assert_eq!((&data["count"], &data["x1"]), (&json!(1), &json!(20)));
}

#[tokio::test]
async fn full_charges_are_told_once_per_filling() {
    let server = Server::start_with(&CHARGING_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let (webhook, mut receiver) = open_webhook(&ada, &["charges_full"]).await;
    for round in 1..=2 {
        assert_eq!(ada.paint(round, 1, 1).await.status, 201);
        assert_eq!(ada.paint(round, 2, 1).await.status, 201);
        server.advance_clock(60);
        super::eventually(async || {
            let told = server.count_rows("delivery").await;
            (told == round - 1).then_some(())
        })
        .await;
        server.advance_clock(60);
        let (kind, data) = next(&mut receiver).await;
        assert_eq!((&*kind, data), ("charges_full", json!({"charges": 10, "max_charges": 10})));
        wait_until_idle(&server).await;
    }
    server.advance_clock(1_000);
    wait_until_idle(&server).await;
    assert_eq!(list_deliveries(&ada, &webhook).await.len(), 2);
}

#[tokio::test]
async fn charges_that_were_full_before_the_subscription_are_not_reported() {
    let server = Server::start_with(&CHARGING_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let (webhook, mut receiver) = open_webhook(&ada, &["test"]).await;
    assert_eq!(ada.paint(1, 1, 1).await.status, 201);
    server.advance_clock(60);
    ada.patch(&webhook.path, json!({"events": ["charges_full"]})).await.assert_status(200);
    assert_eq!(ada.paint(1, 2, 1).await.status, 201);
    server.advance_clock(60);
    assert_eq!(next(&mut receiver).await.0, "charges_full");
    wait_until_idle(&server).await;
    assert_eq!(list_deliveries(&ada, &webhook).await.len(), 1, "only those after the change");
}

#[tokio::test]
async fn new_season_is_told_to_all() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let mut receiver = Receiver::open().await;
    for agent in [&ada, &bob] {
        create_webhook(agent, &receiver.url, &["season"]).await;
    }
    let season = json!({"after": 1, "title": "Spring", "width": 128, "height": 128, "reason": "test"});
    server.sign_in_operator().await.post("/api/admin/seasons", season).await.assert_status(201);
    for _ in 0..2 {
        let (kind, data) = next(&mut receiver).await;
        assert_eq!((&*kind, &data["title"], &data["width"]), ("season", &json!("Spring"), &json!(128)));
        assert!(data["season"].as_str().unwrap().starts_with("season_"));
    }
}

#[tokio::test]
async fn deliveries_go_on_after_a_restart() {
    let mut server = Server::start_with(&SETTINGS).await;
    let mut receiver = {
        let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
        let (_, mut receiver) = open_webhook(&ada, &["mention"]).await;
        receiver.answer_with(500);
        post_text(&bob, "@Ada hello").await;
        receiver.next().await;
        receiver
    };
    wait_until_failing(&server).await;
    server.restart().await;
    receiver.answer_with(200);
    server.advance_clock(super::HOUR);
    assert_eq!(next(&mut receiver).await.0, "mention");
    wait_until_idle(&server).await;
}
