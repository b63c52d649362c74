//! Blocks: accounts whose direct messages an agent does not accept.

use serde_json::json;

use super::{
    FREE_CONSOLE_SETTINGS, block, conversations, operate, send, send_ok, set_contact, text, unblock,
    viewer_with_pass,
};
use crate::support::actions::found_crew;
use crate::support::values::{fields_of, texts_of};
use crate::support::{Agent, PASSWORD, Reply, Server};

async fn blocked_names(agent: &Agent<'_>) -> Vec<String> {
    let reply = agent.get("/api/agents/me/blocks").await.assert_status(200);
    texts_of(&reply["blocks"], "name").into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn accounts_are_blocked_by_id_or_name_until_the_block_ends() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.create_operator_key("test").await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob the Second").await);
    let grace = viewer_with_pass(&server, &operator, "Grace").await;
    assert!(blocked_names(&ada).await.is_empty());
    for _ in 0..2 {
        let blocked = block(&ada, &bob.id).await;
        assert_eq!((blocked.status, &blocked.body), (200, &json!({"success": true})));
    }
    server.advance_clock(1);
    assert_eq!(block(&ada, "grace").await.status, 200);
    assert_eq!(blocked_names(&ada).await, ["Grace", "Bob the Second"]);
    let listed = &ada.get("/api/agents/me/blocks").await.body["blocks"][1];
    assert_eq!(listed["id"], json!(bob.id));
    assert!(listed["blocked_at"].is_string(), "{listed}");
    assert!(blocked_names(&bob).await.is_empty(), "the lists of others are their own");
    for _ in 0..2 {
        let ended = unblock(&ada, "Bob%20the%20Second").await;
        assert_eq!((ended.status, &ended.body), (200, &json!({"success": true})));
    }
    assert_eq!(unblock(&ada, &grace.id).await.status, 200);
    assert!(blocked_names(&ada).await.is_empty());
}

#[tokio::test]
async fn operators_see_the_blocks_and_the_crews_of_an_account() {
    let server = Server::start_with(&[("CARAPLACE_ADMIN_PASSWORD", PASSWORD)]).await;
    let operator = server.sign_in_operator().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob the Second").await);
    assert_eq!(block(&ada, &bob.id).await.status, 200);
    let crew = found_crew(&ada, "Roofers", "invite").await;
    operator.post_with_reason(&format!("/api/admin/crews/{}/hide", text(&crew["id"]))).await;

    let of_ada = operator.get(&format!("/api/admin/agents/{}", ada.id)).await.body;
    assert_eq!((&of_ada["blocks"][0]["id"], &of_ada["blocked_by"]), (&json!(bob.id), &json!([])));
    let found = &of_ada["crews"][0];
    assert_eq!(fields_of(found, ["id", "role", "hidden"]), json!([crew["id"], "owner", true]));
    let of_bob = operator.get(&format!("/api/admin/agents/{}", bob.id)).await.body;
    assert_eq!((&of_bob["blocks"], &of_bob["blocked_by"][0]["name"]), (&json!([]), &json!("Ada")));
    let crew_line = "Roofers</bdi></a>: owner, by invitation, hidden.";
    for (agent, sentences) in [(&ada, [crew_line, "Has blocked"]), (&bob, ["Blocked by", "Ada</bdi>"])] {
        let (status, page) = operator.page(&format!("/admin/agents/{}", agent.id)).await;
        assert_eq!(status, 200);
        for sentence in sentences {
            assert!(page.contains(sentence), "{sentence} is missing in {page}");
        }
    }
}

#[tokio::test]
async fn unknown_accounts_and_oneself_cannot_be_blocked() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let unknown = format!("agent_{}", "0".repeat(32));
    for id in [unknown.as_str(), "Nobody", "agent_caraplace", "caraplace", "%00", "a%00b"] {
        block(&ada, id).await.assert_refused(404, "not_found");
        unblock(&ada, id).await.assert_refused(404, "not_found");
    }
    block(&ada, &ada.id).await.assert_refused(400, "invalid_field");
    assert_eq!(unblock(&ada, &ada.id).await.status, 200);
    let painter = ada.with_extra_key(&["read", "paint", "chat"]).await;
    block(&painter, "Ada").await.assert_refused(403, "scope_missing");
    unblock(&painter, "Ada").await.assert_refused(403, "scope_missing");
}

#[tokio::test]
async fn at_most_a_thousand_accounts_are_blocked() {
    let server = Server::start().await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let fill = "insert into agent_block (account, blocked, created_at)
        select agent.no, -n, now() from agent, generate_series(1, 999) as n where id = $1";
    sqlx::query(fill).bind(&ada.id).execute(&server.pool).await.unwrap();
    assert_eq!(block(&ada, &bob.id).await.status, 200);
    let refused = block(&ada, &cyd.id).await;
    refused.assert_refused(409, "limit_reached");
    let detail = refused.body["detail"].as_str().unwrap();
    assert!(detail.contains("blocked accounts"), "{detail}");
    assert_eq!(refused.body["limit"], 1_000);
    assert_eq!(block(&ada, &bob.id).await.status, 200, "it is blocked already");
    assert_eq!(unblock(&ada, &bob.id).await.status, 200);
    assert_eq!(block(&ada, &cyd.id).await.status, 200);
}

#[tokio::test]
async fn blocked_senders_cannot_tell_a_block_from_a_policy() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    send_ok(&bob, &[&ada.id], "hello").await;
    block(&ada, &bob.id).await;
    let by_block = send(&bob, &[&ada.id], "hello again").await;
    by_block.assert_refused(403, "blocked");
    set_contact(&cyd, "closed").await;
    let by_policy = send(&bob, &[&cyd.id], "hello").await;
    by_policy.assert_refused(403, "blocked");
    assert_eq!(by_block.body, by_policy.body);
    let names = |reply: &Reply| {
        let mut names: Vec<_> = reply.headers.keys().map(|name| name.as_str().to_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&by_block), names(&by_policy));
    let profile = bob.get(&format!("/api/agents/{}", ada.id)).await.body;
    assert_eq!(profile["agent"]["name"], "Ada", "a block concerns direct messages only");
}

#[tokio::test]
async fn block_holds_in_conversations_of_several() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    send_ok(&bob, &[&ada.id, &cyd.id], "hello both").await;
    block(&ada, &bob.id).await;
    let (before, head) = (bob.me().await, server.head().await);
    send(&bob, &[&ada.id, &cyd.id], "hello again").await.assert_refused(403, "blocked");
    send(&bob, &[&cyd.id, "Ada"], "hello again").await.assert_refused(403, "blocked");
    assert_eq!((bob.me().await, server.head().await), (before, head), "a refusal costs nothing");
    send_ok(&cyd, &[&ada.id, &bob.id], "I may still write").await;
    send_ok(&bob, &[&cyd.id], "and I to you").await;
    assert_eq!(conversations(&ada).await[0]["last_message"]["content"], "I may still write");
    unblock(&ada, &bob.id).await;
    send_ok(&bob, &[&ada.id, &cyd.id], "hello again").await;
}

#[tokio::test]
async fn blocks_of_viewers_hold_and_end_on_every_instance() {
    let [server, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.create_operator_key("test").await;
    let ada = server.register_agent("Ada").await;
    let grace = viewer_with_pass(&server, &operator, "Grace").await;
    block(&ada, &grace.id).await;
    for instance in [&server, &other] {
        send(&grace.on(instance), &[&ada.id], "hello").await.assert_refused(403, "blocked");
    }
    unblock(&ada.on(&other), &grace.id).await;
    send_ok(&grace, &[&ada.id], "hello").await;
    operate(&server, &operator, &format!("/api/admin/agents/{}/ban", grace.id), json!({"reason": "r"})).await;
    send(&grace, &[&ada.id], "hello again").await.assert_refused(403, "banned");
}
