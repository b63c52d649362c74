//! `/api/inbox`: mentions and replies, overwritten pixels, overlapping intents, and what the agent has read of
//! them.

use serde_json::{Value, json};

use crate::support::actions::{
    FREE_CONSOLE_SETTINGS, FREE_SETTINGS, fetch_inbox, fetch_markdown, items, mark_read, paint, post_intent,
    post_message, post_text, react, read_pages,
};
use crate::support::{Agent, Server};

/// Returns kind, status and read state of each item, newest first.
fn item_summaries(inbox: &Value) -> Vec<(&str, &str, bool)> {
    items(inbox)
        .iter()
        .map(|item| {
            let field = |name: &str| item[name].as_str().unwrap();
            (field("kind"), field("importance"), item["read"] == true)
        })
        .collect()
}

#[tokio::test]
async fn mention_by_full_name_creates_an_item() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let [ada, lovelace, bob] = server.register_agents(["Ada", "Ada Lovelace", "Bob"]).await;
    let message = post_text(&bob, "@ada  lovelace: the roof is red").await;
    let page = fetch_inbox(&lovelace, "").await;
    let expected = json!({"items": [{
        "id": format!("item_{}", message["seq"]), "kind": "mention", "importance": "normal",
        "seq": message["seq"], "time": message["timestamp"], "read": false, "message": message,
    }], "unread": 1, "next_before": null});
    assert_eq!(page, expected);
    assert_eq!(fetch_inbox(&ada, "").await, json!({"items": [], "unread": 0, "next_before": null}));
    for content in ["@Adams, hello", "@Ada2 hello", "Ada, hello", "@Bob I am"] {
        post_text(&bob, content).await;
    }
    assert_eq!(items(&fetch_inbox(&ada, "").await).len(), 0);
    assert_eq!(items(&fetch_inbox(&bob, "").await).len(), 0, "not even by itself");
    post_text(&bob, "I saw @ADA, and @Ada again. @bob.").await;
    assert_eq!(item_summaries(&fetch_inbox(&ada, "").await), [("mention", "normal", false)]);
}

#[tokio::test]
async fn reply_creates_an_item_and_mention_takes_precedence() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let question = post_text(&ada, "Who takes the sky?").await;
    let answer = post_message(&bob, json!({"content": "I do", "reply_to": question["id"]})).await;
    post_message(&ada, json!({"content": "Good", "reply_to": question["id"]})).await;
    post_message(&bob, json!({"content": "@Ada, look", "reply_to": question["id"]})).await;
    let page = fetch_inbox(&ada, "").await;
    assert_eq!(item_summaries(&page), [("mention", "normal", false), ("reply", "normal", false)]);
    assert_eq!(page["items"][1]["message"], answer);
    assert_eq!(items(&fetch_inbox(&bob, "").await).len(), 0);
}

#[tokio::test]
async fn important_messages_are_important_items() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let question = post_text(&ada, "Who holds the wall?").await;
    let critical = post_message(&bob, json!({"content": "@Ada, it falls", "importance": "critical"})).await;
    let answer = json!({"content": "I do", "reply_to": question["id"], "importance": "high"});
    post_message(&bob, answer).await;
    post_text(&bob, "@Ada, it stands").await;
    let page = fetch_inbox(&ada, "").await;
    let expected = [("mention", "normal", false), ("reply", "high", false), ("mention", "high", false)];
    assert_eq!(item_summaries(&page), expected);
    assert_eq!(page["items"][2]["message"], critical);
    let text = server.mcp(Some(&ada.key)).call_tool_ok("inbox", json!({})).await.text;
    assert!(text.contains("), critical: @Ada, it falls"), "{text}");
    let markdown = fetch_markdown(&ada, "").await;
    assert!(markdown.contains("Bob, critical: @Ada, it falls"), "{markdown}");
    // An item of reactions is about these.
    react(&ada, &critical, "🔥").await;
    assert_eq!(item_summaries(&fetch_inbox(&bob, "").await), [("reaction", "normal", false)]);
}

#[tokio::test]
async fn reactions_to_a_message_share_one_item() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let first = post_text(&ada, "A roof").await;
    let other = post_text(&ada, "A door").await;
    react(&ada, &first, "👋").await;
    assert_eq!(items(&fetch_inbox(&ada, "").await).len(), 0, "one's own do not count");
    react(&bob, &first, "🔥").await;
    react(&bob, &other, "🔥").await;
    react(&cyd, &first, "🔥").await;
    let page = fetch_inbox(&ada, "").await;
    assert_eq!(item_summaries(&page), [("reaction", "normal", false), ("reaction", "normal", false)]);
    let item = &page["items"][0];
    assert_eq!(item["reactions"], json!([{"emoji": "👋", "count": 1}, {"emoji": "🔥", "count": 2}]));
    assert_eq!((&item["message"]["id"], item["seq"].as_i64()), (&first["id"], Some(server.head().await)));
    assert_eq!(mark_read(&ada, json!({"ids": [item["id"]]})).await, 1);
    react(&bob, &first, "👍").await;
    assert_eq!(fetch_inbox(&ada, "").await["unread"], 2, "a new one is news");
    for (agent, emoji) in [(&bob, "👍"), (&bob, "🔥"), (&cyd, "🔥")] {
        react(agent, &first, emoji).await;
    }
    let page = fetch_inbox(&ada, "").await;
    assert_eq!(items(&page).len(), 1, "what was taken back is gone");
    assert_eq!((&page["items"][0]["message"]["id"], &page["unread"]), (&other["id"], &json!(1)));
}

#[tokio::test]
async fn overpainted_pixels_share_one_item_with_painters() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    paint(&ada, (0..8).map(|x| (x, 0))).await;
    paint(&ada, [(100, 100)]).await;
    paint(&ada, [(7, 0)]).await;
    assert_eq!(items(&fetch_inbox(&ada, "").await).len(), 0, "over one's own");
    paint(&bob, (0..3).map(|x| (x, 0))).await;
    paint(&cyd, [(100, 100), (50, 50)]).await;
    let last = paint(&cyd, (3..5).map(|x| (x, 0))).await;
    let page = fetch_inbox(&ada, "").await;
    assert_eq!(item_summaries(&page), [("overwritten", "high", false), ("overwritten", "normal", false)]);
    let (item, other) = (&page["items"][0], &page["items"][1]);
    let by = json!([{"id": bob.id, "name": "Bob", "count": 3}, {"id": cyd.id, "name": "Cyd", "count": 2}]);
    assert_eq!(item["pixels"], json!({"count": 5, "x1": 0, "y1": 0, "x2": 4, "y2": 0, "by": by}));
    assert_eq!(item["seq"], last);
    assert!(item["time"].is_string() && item["message"].is_null());
    assert_eq!((&other["pixels"]["x1"], &other["pixels"]["count"]), (&json!(100), &json!(1)));
    assert_eq!(fetch_inbox(&bob, "").await["items"], json!([]), "nobody has touched what is Bob's");
    // A later placement starts a new item, and repaired pixels have none.
    server.advance_clock(601);
    paint(&bob, [(5, 0)]).await;
    assert_eq!(items(&fetch_inbox(&ada, "").await).len(), 3);
    paint(&ada, (0..8).map(|x| (x, 0))).await;
    assert_eq!(items(&fetch_inbox(&ada, "").await).len(), 1);
    assert_eq!(item_summaries(&fetch_inbox(&bob, "").await), [("overwritten", "normal", false)]);
}

#[tokio::test]
async fn intents_over_own_pixels_or_intents_create_items() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    post_intent(&bob, "Too early to know", [0, 0, 127, 127]).await;
    paint(&ada, (0..8).map(|x| (x, 0))).await;
    post_intent(&ada, "A tower", [20, 20, 29, 29]).await;
    post_intent(&ada, "Over my own", [0, 0, 30, 30]).await;
    let corner = post_intent(&bob, "A corner", [7, 0, 15, 15]).await;
    post_intent(&bob, "Elsewhere", [60, 60, 70, 70]).await;
    let wide_intent = post_intent(&bob, "Nearly all", [0, 0, 5, 0]).await;
    post_message(&bob, json!({"type": "intent", "content": "Nowhere in particular"})).await;
    let page = fetch_inbox(&ada, "").await;
    assert_eq!(item_summaries(&page), [("intent", "high", false), ("intent", "normal", false)]);
    assert_eq!((&page["items"][0]["message"], &page["items"][1]["message"]), (&wide_intent, &corner));
    assert_eq!(page["unread"], 2);
    let called = post_intent(&bob, "@Ada, may I?", [0, 0, 5, 0]).await;
    let page = fetch_inbox(&ada, "").await;
    assert_eq!((&page["items"][0]["kind"], &page["items"][0]["message"]), (&json!("mention"), &called));
    assert_eq!((items(&page).len(), &page["unread"]), (3, &json!(3)));
    assert_eq!(mark_read(&ada, json!({"up_to": wide_intent["seq"]})).await, 1);
}

/// Creates ten items of all kinds for Ada.
async fn create_ten_items(server: &Server) -> (Agent<'_>, Agent<'_>) {
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    paint(&ada, [(0, 0), (100, 0)]).await;
    let question = post_text(&ada, "A question").await;
    for round in 0..3 {
        post_text(&bob, &format!("@Ada {round}")).await;
        post_message(&bob, json!({"content": format!("So {round}"), "reply_to": question["id"]})).await;
    }
    paint(&bob, [(0, 0)]).await;
    react(&bob, &question, "🔥").await;
    post_intent(&bob, "Here", [90, 0, 110, 0]).await;
    post_intent(&bob, "And here", [90, 0, 111, 0]).await;
    (ada, bob)
}

#[tokio::test]
async fn pages_hold_every_item_once_on_every_instance() {
    let mut server = Server::start_with(&FREE_SETTINGS).await;
    let key = create_ten_items(&server).await.0.key;
    let other = server.start_instance(&FREE_SETTINGS).await;
    let whole = fetch_inbox(&server.client_with_key(&key), "limit=100").await;
    let numbers: Vec<_> = items(&whole).iter().map(|item| item["seq"].as_i64().unwrap()).collect();
    assert!(numbers.len() == 10 && numbers.is_sorted_by(|one, next| one > next), "{numbers:?}");
    assert_eq!((&whole["unread"], &whole["next_before"]), (&json!(10), &Value::Null));
    for limit in [1, 3, 9, 10] {
        let path = format!("/api/inbox?limit={limit}");
        let pages = read_pages(&path, async |path| other.client_with_key(&key).get(path).await).await;
        let found: Vec<_> = pages.iter().flat_map(items).collect();
        assert_eq!(json!(found), whole["items"], "{limit} a page");
    }
    server.restart().await;
    assert_eq!(fetch_inbox(&server.client_with_key(&key), "limit=100").await, whole);
}

#[tokio::test]
async fn read_items_stay_read_on_every_instance() {
    let [server, other] = Server::start_two_instances(&FREE_SETTINGS).await;
    let (ada, _bob) = create_ten_items(&server).await;
    let there = ada.on(&other);
    let whole = fetch_inbox(&ada, "").await;
    let id = |place: usize| whole["items"][place]["id"].clone();
    let seq = |place: usize| whole["items"][place]["seq"].clone();
    assert_eq!(mark_read(&ada, json!({"up_to": seq(6)})).await, 6);
    assert_eq!(mark_read(&there, json!({"up_to": seq(8)})).await, 6, "never backwards");
    assert_eq!(mark_read(&there, json!({"ids": [id(1), id(4), id(9), id(1)]})).await, 4);
    let read = |page: &Value| items(page).iter().map(|item| item["read"] == true).collect::<Vec<_>>();
    let expected = [false, true, false, false, true, false, true, true, true, true];
    for agent in [&ada, &there] {
        let page = fetch_inbox(agent, "").await;
        assert_eq!((read(&page), &page["unread"]), (expected.to_vec(), &json!(4)));
        let unread = fetch_inbox(agent, "unread=true&limit=3").await;
        let numbers: Vec<_> = items(&unread).iter().map(|item| &item["seq"]).collect();
        assert_eq!(numbers, [&seq(0), &seq(2), &seq(3)]);
        let rest = fetch_inbox(agent, &format!("unread=true&limit=3&before={}", unread["next_before"])).await;
        assert_eq!((&rest["items"][0]["seq"], &rest["next_before"]), (&seq(5), &Value::Null));
    }
    assert_eq!(mark_read(&ada, json!({"up_to": seq(3), "ids": [id(0)]})).await, 1);
    let beyond: Vec<i64> = server.fetch_scalar("select beyond from inbox_read").await;
    assert_eq!(json!(beyond), json!([seq(0), seq(1)]), "only what is beyond is remembered singly");
}

#[tokio::test]
async fn refuses_marking_unknown_items() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, _bob) = create_ten_items(&server).await;
    let beyond = server.head().await + 1;
    let id = format!("item_{beyond}");
    let many = vec!["item_1"; 101];
    for (body, code) in [
        (json!({}), "missing_field"),
        (json!({"up_to": null}), "missing_field"),
        (json!({"up_to": beyond}), "bad_cursor"),
        (json!({"ids": [id]}), "bad_cursor"),
        (json!({"up_to": -1}), "invalid_field"),
        (json!({"up_to": "1"}), "invalid_field"),
        (json!({"ids": ["msg_1"]}), "invalid_field"),
        (json!({"ids": ["item_"]}), "invalid_field"),
        (json!({"ids": ["item_-1"]}), "invalid_field"),
        (json!({"ids": ["item_99999999999999999999"]}), "invalid_field"),
        (json!({"ids": many}), "invalid_field"),
        (json!({"all": true}), "unknown_field"),
    ] {
        ada.post("/api/inbox/read", body).await.assert_refused(400, code);
    }
    for query in ["before=x", "before=-1", "unread=yes"] {
        ada.get(&format!("/api/inbox?{query}")).await.assert_refused(400, "invalid_field");
    }
    server.get("/api/inbox").await.assert_refused(401, "key_missing");
    server.post("/api/inbox/read", json!({"up_to": 1})).await.assert_refused(401, "key_missing");
    assert_eq!(fetch_inbox(&ada, "").await["unread"], 10);
}

#[tokio::test]
async fn deleted_texts_leave_only_paint_items() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = create_ten_items(&server).await;
    sqlx::query("delete from chat_message").execute(&server.pool).await.unwrap();
    let page = fetch_inbox(&ada, "").await;
    assert_eq!((item_summaries(&page), &page["unread"]), (vec![("overwritten", "normal", false)], &json!(1)));
    let lost = server.get("/api/chat?limit=1").await.body["messages"][0]["id"].clone();
    post_message(&bob, json!({"content": "To what is gone", "reply_to": lost})).await;
    react(&bob, &json!({"id": lost}), "🔥").await;
    post_text(&bob, "@Ada still hears").await;
    assert_eq!(fetch_inbox(&ada, "").await["unread"], 2);
}

#[tokio::test]
async fn paint_items_remain_without_chat() {
    let mut settings = FREE_SETTINGS.to_vec();
    let server = Server::start_with(&settings).await;
    let (ada, _bob) = create_ten_items(&server).await;
    settings.push(("CARAPLACE_CHAT_ENABLED", "false"));
    let silent = server.start_instance(&settings).await;
    let there = ada.on(&silent);
    let page = fetch_inbox(&there, "").await;
    assert_eq!((item_summaries(&page), &page["unread"]), (vec![("overwritten", "normal", false)], &json!(1)));
    assert_eq!(mark_read(&there, json!({"up_to": page["items"][0]["seq"]})).await, 0);
}

#[tokio::test]
async fn hidden_messages_are_not_counted_and_hide_no_older_items() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    paint(&ada, (0..5).map(|x| (x, 1))).await;
    let intent = post_intent(&bob, "Mine now", [0, 1, 4, 1]).await;
    let mut last = post_text(&bob, "@Ada, number 0").await;
    operator.hide_message(&intent).await;
    for number in 1..5 {
        last = post_text(&bob, &format!("@Ada, number {number}")).await;
    }
    operator.hide_message(&last).await;
    let page = fetch_inbox(&ada, "limit=2").await;
    assert_eq!((items(&page).len(), &page["unread"]), (2, &json!(4)));
    let rest = fetch_inbox(&ada, &format!("limit=2&before={}", page["next_before"])).await;
    assert_eq!((items(&rest).len(), &rest["next_before"]), (2, &Value::Null));
    let is_mention = |(kind, ..): &(&str, &str, bool)| *kind == "mention";
    assert!(item_summaries(&rest).iter().all(is_mention), "nor does a plan that is gone");
}

#[tokio::test]
async fn overpainting_notifies_only_the_last_painter() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    for agent in [&ada, &bob, &cyd] {
        paint(agent, [(5, 5)]).await;
    }
    for (agent, by) in [(&ada, "Bob"), (&bob, "Cyd")] {
        let page = fetch_inbox(agent, "").await;
        assert_eq!((items(&page).len(), &items(&page)[0]["pixels"]["by"][0]["name"]), (1, &json!(by)));
        assert_eq!(mark_read(agent, json!({"up_to": server.head().await})).await, 0);
    }
    paint(&cyd, [(5, 5)]).await;
    paint(&bob, [(5, 5)]).await;
    assert_eq!(fetch_inbox(&ada, "").await["unread"], 0, "it was Bob's, then Cyd's");
    assert_eq!(fetch_inbox(&cyd, "").await["unread"], 1);
    paint(&ada, [(5, 5)]).await;
    assert_eq!(fetch_inbox(&bob, "").await["unread"], 1);
}
