//! The visibility of crews: to strangers, members, invited and former ones, and operators.

use serde_json::json;

use super::private_plans::settings;
use super::{SETTINGS, act, act_on, change, crew_of, found, names, path_of};
use crate::support::Server;
use crate::support::actions::found_crew_of;
use crate::support::values::{id_of, texts_of};

#[tokio::test]
async fn a_crew_by_invitation_is_for_members_and_operators() {
    let server = Server::start_with(&SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let secret = found(&ada, "Secret", "invite").await;
    server.advance_clock(60);
    found(&ada, "Open", "open").await;
    assert_eq!(act_on(&ada, &secret, "invite", &bob).await.status, 200);
    assert_eq!(act(&bob, &secret, "join").await.status, 200);
    assert_eq!(act_on(&ada, &secret, "invite", &cyd).await.status, 200);
    let queries = ["", "?member=Ada", "?member=Bob"];
    let seen_by_members = [vec!["Open", "Secret"], vec!["Open", "Secret"], vec!["Secret"]];
    let seen_by_others = [vec!["Open"], vec!["Open"], vec![]];
    let program = server.client_with_key(&server.create_operator_key("crews").await);
    for (query, (all, public)) in queries.iter().zip(seen_by_members.iter().zip(&seen_by_others)) {
        let path = format!("/api/crews{query}");
        for member in [&ada, &bob, &program] {
            assert_eq!(names(&member.get(&path).await.body), *all, "{query}");
        }
        assert_eq!(names(&server.get(&path).await.body), *public, "{query}");
        assert_eq!(names(&cyd.get(&path).await.body), *public, "{query}: an invited agent is not a member");
    }
    let before = format!("/api/crews?before={}", secret["id"].as_str().unwrap());
    cyd.get(&before).await.assert_refused(400, "bad_cursor");
    assert_eq!(bob.get(&path_of(&secret)).await.status, 200);
    assert_eq!(program.get(&path_of(&secret)).await.status, 200);
    let operator = server.sign_in_operator().await;
    assert_eq!(operator.get(&path_of(&secret)).await.status, 200, "with a session, too");
    for refused in [server.get(&path_of(&secret)).await, cyd.get(&path_of(&secret)).await] {
        refused.assert_refused(404, "not_found");
        assert_eq!(refused.body["detail"], server.get(super::NOWHERE).await.body["detail"]);
    }
    for action in ["invite", "remove", "hand_over"] {
        act_on(&cyd, &secret, action, &bob).await.assert_refused(404, "not_found");
    }
    change(&cyd, &secret, json!({"note": "x"})).await.assert_refused(404, "not_found");
    act(&cyd, &secret, "leave").await.assert_refused(404, "not_found");
    let wrong = server.client_with_key(&format!("ca_{}", "0".repeat(64)));
    wrong.get("/api/crews").await.assert_refused(401, "key_invalid");
}

#[tokio::test]
async fn a_former_member_is_a_stranger() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found_crew_of(&ada, "Secret", "invite", &[&bob]).await;
    let left = crew_of(act(&bob, &crew, "leave").await, 200);
    assert_eq!(left["members"], 1, "the answer still has the crew");
    bob.get(&path_of(&crew)).await.assert_refused(404, "not_found");
    assert_eq!(names(&bob.get("/api/crews?member=Ada").await.body), [""; 0]);
    act(&bob, &crew, "join").await.assert_refused(403, "forbidden");
}

#[tokio::test]
async fn the_visibility_can_change() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found(&ada, "Roofers", "open").await;
    let changed = crew_of(change(&ada, &crew, json!({"visibility": "invite"})).await, 200);
    assert_eq!(changed["visibility"], "invite");
    bob.get(&path_of(&crew)).await.assert_refused(404, "not_found");
    act(&bob, &crew, "join").await.assert_refused(403, "forbidden");
    assert_eq!(change(&ada, &crew, json!({"visibility": "open"})).await.status, 200);
    assert_eq!(act(&bob, &crew, "join").await.status, 200);
}

#[tokio::test]
async fn a_crew_by_invitation_with_messages_stays_one() {
    let server = Server::start_with(&settings()).await;
    let ada = server.register_agent("Ada").await;
    let crew = found(&ada, "Secret", "invite").await;
    let messages = format!("{}/messages", path_of(&crew));
    ada.post(&messages, json!({"content": "among us"})).await.assert_status(201);
    let refused = change(&ada, &crew, json!({"visibility": "open", "note": "x"})).await;
    refused.assert_refused(409, "closed");
    assert!(refused.body["hint"].as_str().unwrap().contains("POST /api/crews"), "{}", refused.body);
    let seen = ada.get(&path_of(&crew)).await.body["crew"].clone();
    assert_eq!((&seen["visibility"], seen.get("note")), (&json!("invite"), None));
    server.get(&messages).await.assert_refused(404, "not_found");
    assert_eq!(change(&ada, &crew, json!({"visibility": "invite", "note": "x"})).await.status, 200);
}

#[tokio::test]
async fn members_are_woken_when_a_message_is_hidden_or_restored() {
    let server = Server::start_with(&settings()).await;
    let operator = server.sign_in_operator().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    server.register_agent("Cyd").await;
    let crew = found_crew_of(&ada, "Roofers", "open", &[&bob]).await;
    let posted = ada.post(&format!("{}/messages", path_of(&crew)), json!({"content": "rude"})).await;
    let mut news = server.listen_to_private_news().await;
    for (action, names) in
        [("hide", &["Ada", "Bob"][..]), ("hide", &[]), ("restore", &["Ada", "Bob"]), ("restore", &[])]
    {
        let path = format!("/api/admin/messages/{}/{action}", id_of(&posted.body["message"]));
        assert_eq!(operator.post(&path, json!({"reason": "test"})).await.status, 200);
        assert_eq!(news.woken().await, names, "{action}");
    }
}

#[tokio::test]
async fn operators_without_the_scope_of_moderation_see_crews_like_anyone() {
    let server =
        Server::start_with(&[&SETTINGS[..], &[("CARAPLACE_PIXELS_PER_MESSAGE", "0")]].concat()).await;
    let ada = server.register_agent("Ada").await;
    let secret = found(&ada, "Secret", "invite").await;
    let messages = format!("{}/messages", path_of(&secret));
    ada.post(&messages, json!({"content": "psst"})).await.assert_status(201);
    let owner = server.sign_in_operator().await;
    for (name, scopes, status) in
        [("reader", json!(["read", "manage"]), 404), ("moderator", json!(["read", "moderate"]), 200)]
    {
        let made = owner.post("/api/admin/keys", json!({"name": name, "scopes": scopes})).await;
        let program = server.client_with_key(made.assert_status(201)["api_key"].as_str().unwrap());
        for path in [&path_of(&secret), &messages] {
            assert_eq!(program.get(path).await.status, status, "{name} {path}");
        }
    }
    let (status, page) =
        server.invite_operator("read_only", "Grace").await.page(&format!("/crews/{}", id_of(&secret))).await;
    assert!(status == 404 && !page.contains("psst"), "{page}");
}

#[tokio::test]
async fn a_crew_that_was_taken_down_is_for_operators() {
    let server = Server::start_with(&SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found(&ada, "Roofers", "open").await;
    let path = format!("/api/admin/crews/{}", id_of(&crew));
    for _ in 0..2 {
        let hidden = operator.post(&format!("{path}/hide"), json!({"reason": "rude"})).await;
        assert_eq!(hidden.body, json!({"success": true, "crew_id": crew["id"], "hidden": true}));
    }
    for agent in [&ada, &bob] {
        agent.get(&path_of(&crew)).await.assert_refused(404, "not_found");
        assert_eq!(names(&agent.get("/api/crews").await.body), [""; 0]);
        act(agent, &crew, "join").await.assert_refused(404, "not_found");
        change(agent, &crew, json!({"note": "x"})).await.assert_refused(404, "not_found");
    }
    act(&bob, &crew, "leave").await.assert_refused(404, "not_found");
    let key = server.create_operator_key("crews").await;
    assert_eq!(names(&server.client_with_key(&key).get("/api/crews").await.body), ["Roofers"]);
    let restored = operator.post(&format!("{path}/restore"), json!({"reason": "not rude"})).await;
    assert_eq!((restored.status, &restored.body["hidden"]), (200, &json!(false)), "{}", restored.body);
    assert_eq!(bob.get(&path_of(&crew)).await.status, 200);
    let audit = operator.get(&format!("/api/admin/audit?subject={}", id_of(&crew))).await.body;
    assert_eq!(texts_of(&audit["acts"], "act"), ["restore crew", "hide crew"]);
    operator.post(&format!("{path}/hide"), json!({"reason": " "})).await.assert_refused(400, "invalid_field");
    let unknown = "/api/admin/crews/crew_00000000000000000000000000000000/hide";
    operator.post(unknown, json!({"reason": "rude"})).await.assert_refused(404, "not_found");
    ada.post(&format!("{path}/hide"), json!({"reason": "rude"})).await.assert_refused(403, "forbidden");
}
