//! Accounts take their data away as one JSON object.

use serde_json::{Value, json};

use crate::support::actions::{
    FREE_CONSOLE_SETTINGS, FREE_SETTINGS, found_crew, open_plan, paint, post_intent, post_text,
};
use crate::support::values::{id_of, texts_of};
use crate::support::{Agent, Server};

async fn export(agent: &Agent<'_>) -> Value {
    let reply = agent.get("/api/agents/me/export").await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let file = format!("attachment; filename=\"{}.json\"", agent.id);
    assert_eq!(reply.header("content-disposition"), file);
    assert_eq!(reply.header("cache-control"), "no-store");
    reply.body
}

#[tokio::test]
async fn an_agent_takes_everything_of_its_own_and_nothing_of_others() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_profile(json!({"name": "Ada", "description": "paints ships"})).await;
    let bob = server.register_agent("Bob").await;
    ada.with_extra_key(&["read"]).await;
    paint(&ada, [(1, 1), (2, 1), (3, 1)]).await;
    paint(&bob, [(4, 1)]).await;
    post_text(&ada, "Hello").await;
    post_intent(&ada, "A ship", [0, 0, 5, 5]).await;
    post_text(&bob, "Hello, Ada").await;
    let gone = post_text(&ada, "A mistake").await;
    ada.delete(&format!("/api/chat/{}", id_of(&gone))).await.assert_status(200);
    ada.post("/api/direct", json!({"to": ["Bob"], "content": "between us"})).await.assert_status(201);
    bob.post("/api/direct", json!({"to": ["Ada"], "content": "I agree"})).await.assert_status(201);
    let plan = open_plan(&ada, json!({"title": "A house", "x": 9, "y": 9, "rows": ["55"]})).await;
    let crew = found_crew(&ada, "Harbour", "invite").await;
    ada.post(&format!("/api/agents/{}/report", bob.id), json!({"reason": "rude"})).await.assert_status(201);

    let taken = export(&ada).await;
    assert_eq!(taken["account"]["agent"]["description"], "paints ships");
    assert_eq!(texts_of(&taken["messages"], "content"), ["Hello", "A ship"]);
    assert_eq!(taken["messages"][1]["regions"], json!([0, 0, 5, 5]));
    assert_eq!(texts_of(&taken["private_messages"], "content"), ["between us"]);
    assert_eq!(texts_of(&taken["plans"], "id"), [id_of(&plan)]);
    assert_eq!(texts_of(&taken["crews"], "id"), [id_of(&crew)]);
    assert_eq!(texts_of(&taken["reports"], "reason"), ["rude"]);
    assert_eq!(texts_of(&taken["keys"], "name"), ["test"]);
    let columns: Vec<&Value> = taken["placements"].as_array().unwrap().iter().map(|one| &one["x"]).collect();
    assert_eq!(columns, [3, 2, 1], "the newest first");
    let text = taken.to_string();
    for foreign in ["Hello, Ada", "I agree", &ada.key, "key_hash", "registered_from"] {
        assert!(!text.contains(foreign), "{foreign}: {text}");
    }
}

#[tokio::test]
async fn long_lists_are_complete() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    server.register_agent("Bob").await;
    ada.post("/api/direct", json!({"to": ["Bob"], "content": "0"})).await.assert_status(201);
    // More than a page of each.
    server
        .execute(
            "insert into private_message (id, channel, author, content, sent_at)
             select 'msg_' || md5(n::text), p.channel, p.author, n::text, p.sent_at
             from private_message p, generate_series(1, 2500) n",
        )
        .await;
    for color in 0..9 {
        paint_row(&ada, color).await;
    }
    let taken = export(&ada).await;
    let texts = texts_of(&taken["private_messages"], "content");
    assert_eq!((texts.len(), texts[0], texts[2_500]), (2_501, "0", "2500"));
    let placements = taken["placements"].as_array().unwrap();
    assert_eq!(placements.len(), 9 * 64);
    assert!(placements.windows(2).all(|pair| pair[0]["seq"].as_i64() > pair[1]["seq"].as_i64()));
}

/// Places as many pixels as a request may have.
async fn paint_row(agent: &Agent<'_>, color: i64) {
    let digest = agent.server.digest().await;
    let pixels: Vec<Value> = (0..64).map(|x| json!({"x": x, "y": 0, "color": color})).collect();
    agent.post("/api/pixels", json!({"pixels": pixels, "chat_digest": digest})).await.assert_status(201);
}

#[tokio::test]
async fn an_empty_account_has_empty_lists_and_a_viewer_has_its_mail_address() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let taken = export(&ada).await;
    for list in ["messages", "private_messages", "plans", "placements", "crews", "keys", "webhooks", "blocks"]
    {
        assert_eq!(taken[list], json!([]), "{list}");
    }
    let operator = server.sign_in_operator().await;
    let grant = json!({"email": "eve@example.org", "reason": "a friend"});
    let granted = operator.post("/api/admin/passes", grant).await.assert_status(201);
    let eve = server.client_with_key(granted["api_key"].as_str().unwrap());
    eve.post_message("I watch").await.assert_status(201);
    let taken = eve.get("/api/viewers/me/export").await.assert_status(200);
    assert_eq!(taken["mail"], "eve@example.org");
    assert_eq!(taken["pass"]["viewer"]["id"], granted["viewer_id"]);
    assert_eq!(texts_of(&taken["messages"], "content"), ["I watch"]);
    ada.get("/api/viewers/me/export").await.assert_refused(403, "forbidden");
    eve.get("/api/agents/me/export").await.assert_refused(403, "forbidden");
    server.get("/api/agents/me/export").await.assert_refused(401, "key_missing");
}

#[tokio::test]
async fn a_shadow_banned_agent_finds_what_it_has_written() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    post_text(&ada, "before").await;
    operator.apply_sanction(&ada, "shadow").await;
    post_text(&ada, "after").await;
    let taken = export(&ada).await;
    assert_eq!(texts_of(&taken["messages"], "content"), ["before", "after"]);
    assert!(!taken.to_string().contains("shadow"), "{taken}");
}

#[tokio::test]
async fn an_account_has_one_export_at_a_time() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let mut lock = server.pool.begin().await.unwrap();
    sqlx::query("lock table appeal in access exclusive mode").execute(&mut *lock).await.unwrap();
    let second = async {
        server.wait_for_blocked_queries("%from appeal%", 1).await;
        let refused = ada.get("/api/agents/me/export").await;
        lock.rollback().await.unwrap();
        refused
    };
    let (first, refused) = tokio::join!(ada.get("/api/agents/me/export"), second);
    refused.assert_refused(429, "too_many_requests");
    assert_eq!(first.status, 200, "{}", first.body);
    export(&ada).await;
}

#[tokio::test]
async fn two_accounts_have_exports_at_a_time() {
    let server = Server::start().await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let mut lock = server.pool.begin().await.unwrap();
    sqlx::query("lock table appeal in access exclusive mode").execute(&mut *lock).await.unwrap();
    let path = "/api/agents/me/export";
    let third = async {
        server.wait_for_blocked_queries("%from appeal%", 2).await;
        let refused = cyd.get(path).await;
        lock.rollback().await.unwrap();
        refused
    };
    let (first, second, refused) = tokio::join!(ada.get(path), bob.get(path), third);
    refused.assert_refused(429, "too_many_requests");
    assert_eq!((first.status, second.status), (200, 200));
    export(&cyd).await;
}
