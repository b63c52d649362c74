//! The owner of a crew invites, removes, hands over, and cannot leave others without an owner.

use serde_json::json;

use super::{SETTINGS, act, act_on, change, crew_of, found, member_names, path_of};
use crate::direct::{block, set_contact, unblock};
use crate::support::Server;
use crate::support::actions::found_crew_of;

#[tokio::test]
async fn the_owner_hands_over_before_it_leaves() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found(&ada, "Roofers", "open").await;
    act_on(&ada, &crew, "hand_over", &bob).await.assert_refused(400, "invalid_field");
    assert_eq!(act(&bob, &crew, "join").await.status, 200);
    let refused = act(&ada, &crew, "leave").await;
    refused.assert_refused(409, "owner_must_hand_over");
    assert!(refused.body["hint"].as_str().unwrap().contains("/hand_over"), "{}", refused.body);
    let handed = crew_of(act_on(&ada, &crew, "hand_over", &bob).await, 200);
    assert_eq!((&handed["owner_id"], &handed["members"]), (&json!(bob.id), &json!(2)));
    assert_eq!(member_names(&ada, &crew).await, ["Bob", "Ada"]);
    change(&ada, &crew, json!({"note": "mine"})).await.assert_refused(403, "forbidden");
    assert_eq!(change(&bob, &crew, json!({"note": "mine"})).await.status, 200);
    assert_eq!(act(&ada, &crew, "leave").await.status, 200);
    assert_eq!(member_names(&ada, &crew).await, ["Bob"]);
}

#[tokio::test]
async fn only_the_owner_changes_members() {
    let server = Server::start_with(&SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let crew = found_crew_of(&ada, "Roofers", "open", &[&bob]).await;
    for agent in [&bob, &cyd] {
        for action in ["invite", "remove", "hand_over"] {
            act_on(agent, &crew, action, &ada).await.assert_refused(403, "forbidden");
        }
        change(agent, &crew, json!({"archived": true})).await.assert_refused(403, "forbidden");
    }
    for wrong in [ada.id.as_str(), "agent_00000000000000000000000000000000", "nobody", "agent_caraplace"] {
        for action in ["invite", "remove", "hand_over"] {
            let refused = ada.post(&format!("{}/{action}", path_of(&crew)), json!({"agent_id": wrong})).await;
            refused.assert_refused(400, "invalid_field");
            assert_eq!(refused.body["field"], "agent_id", "{wrong}");
        }
    }
    act_on(&ada, &crew, "remove", &cyd).await.assert_refused(400, "invalid_field");
}

#[tokio::test]
async fn a_removed_agent_is_a_stranger_until_it_is_invited_again() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found(&ada, "Roofers", "invite").await;
    ada.post(&format!("{}/invite", path_of(&crew)), json!({"agent_id": "bob"})).await.assert_status(200);
    assert_eq!(act_on(&ada, &crew, "invite", &bob).await.status, 200, "inviting again changes nothing");
    assert_eq!(crew_of(act(&bob, &crew, "join").await, 200)["members"], 2);
    assert_eq!(act_on(&ada, &crew, "invite", &bob).await.status, 200, "inviting a member changes nothing");
    assert_eq!(member_names(&bob, &crew).await, ["Ada", "Bob"]);
    assert_eq!(crew_of(act_on(&ada, &crew, "remove", &bob).await, 200)["members"], 1);
    bob.get(&path_of(&crew)).await.assert_refused(404, "not_found");
    act(&bob, &crew, "leave").await.assert_refused(404, "not_found");
    act(&bob, &crew, "join").await.assert_refused(403, "forbidden");
    assert_eq!(act_on(&ada, &crew, "invite", &bob).await.status, 200);
    assert_eq!(act(&bob, &crew, "join").await.status, 200);
}

#[tokio::test]
async fn an_invitation_can_be_withdrawn() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found(&ada, "Roofers", "invite").await;
    assert_eq!(act_on(&ada, &crew, "invite", &bob).await.status, 200);
    assert_eq!(act_on(&ada, &crew, "remove", &bob).await.status, 200);
    act(&bob, &crew, "join").await.assert_refused(403, "forbidden");
}

#[tokio::test]
async fn a_contact_policy_refuses_invitations_as_a_block_does() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (secret, open) = (found(&ada, "Secret", "invite").await, found(&bob, "Open", "open").await);
    let mut answers = Vec::new();
    for policy in ["acquainted", "closed"] {
        assert_eq!(set_contact(&bob, policy).await.status, 200);
        answers.push(act_on(&ada, &secret, "invite", &bob).await);
    }
    assert_eq!(set_contact(&bob, "open").await.status, 200);
    assert_eq!(block(&bob, &ada.id).await.status, 200);
    answers.push(act_on(&ada, &secret, "invite", &bob).await);
    for answer in &answers {
        answer.assert_refused(403, "blocked");
        assert_eq!(answer.body["message"], answers[0].body["message"]);
        assert_eq!(answer.body["hint"], answers[0].body["hint"]);
    }
    assert_eq!(unblock(&bob, &ada.id).await.status, 200);
    assert_eq!(set_contact(&bob, "acquainted").await.status, 200);
    assert_eq!(act(&ada, &open, "join").await.status, 200);
    server.execute("update crew set hidden = true where name = 'Open'").await;
    act_on(&ada, &secret, "invite", &bob).await.assert_refused(403, "blocked");
    server.execute("update crew set hidden = false").await;
    assert_eq!(act_on(&ada, &secret, "invite", &bob).await.status, 200, "they share a crew");
}

#[tokio::test]
async fn an_invitation_ends_when_its_author_is_blocked() {
    let server = Server::start_with(&SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let crew = found_crew_of(&ada, "Secret", "invite", &[&cyd]).await;
    assert_eq!(act_on(&ada, &crew, "invite", &bob).await.status, 200);
    let is_told = async || bob.get("/api/inbox").await.body.to_string().contains("Secret");
    assert!(is_told().await);
    assert_eq!(block(&bob, &ada.id).await.status, 200);
    assert!(!is_told().await);
    act(&bob, &crew, "join").await.assert_refused(403, "forbidden");
    act_on(&ada, &crew, "invite", &bob).await.assert_refused(403, "blocked");
    assert_eq!(act_on(&ada, &crew, "hand_over", &cyd).await.status, 200);
    assert_eq!(act_on(&cyd, &crew, "invite", &bob).await.status, 200, "another owner may invite it");
    assert!(is_told().await);
    assert_eq!(act(&bob, &crew, "join").await.status, 200);
}

#[tokio::test]
async fn requests_without_a_change_do_not_wait_for_writers() {
    let server = Server::start_with(&SETTINGS).await;
    let [ada, bob, cyd, dan] = server.register_agents(["Ada", "Bob", "Cyd", "Dan"]).await;
    let crew = found_crew_of(&ada, "Roofers", "open", &[&bob]).await;
    assert_eq!(act_on(&ada, &crew, "invite", &cyd).await.status, 200);
    assert_eq!(block(&dan, &ada.id).await.status, 200);
    let head_lock = server.lock_head().await;
    assert_eq!(act(&bob, &crew, "join").await.status, 200);
    for agent in [&bob, &cyd] {
        assert_eq!(act_on(&ada, &crew, "invite", agent).await.status, 200);
    }
    let same = json!({"description": "", "visibility": "open", "archived": false});
    change(&ada, &crew, same).await.assert_status(200);
    act_on(&ada, &crew, "invite", &dan).await.assert_refused(403, "blocked");
    for action in ["remove", "hand_over"] {
        act_on(&ada, &crew, action, &dan).await.assert_refused(400, "invalid_field");
    }
    act(&ada, &crew, "leave").await.assert_refused(409, "owner_must_hand_over");
    assert_eq!(block(&dan, &ada.id).await.status, 200);
    assert_eq!(unblock(&dan, &bob.id).await.status, 200);
    assert_eq!(set_contact(&dan, "open").await.status, 200);
    head_lock.release().await;
}

#[tokio::test]
async fn an_agent_that_has_blocked_the_owner_is_not_invited() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found(&ada, "Roofers", "open").await;
    let block = "insert into agent_block (account, blocked, created_at)
        select bob.no, ada.no, now() from agent bob, agent ada where bob.name = 'Bob' and ada.name = 'Ada'";
    server.execute(block).await;
    act_on(&ada, &crew, "invite", &bob).await.assert_refused(403, "blocked");
    assert_eq!(act(&bob, &crew, "join").await.status, 200, "it may join by itself");
}

#[tokio::test]
async fn invitations_wake_calls_that_wait() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found(&ada, "Roofers", "invite").await;
    let mut news = server.listen_to_private_news().await;
    for woken in [&["Bob"][..], &[]] {
        assert_eq!(act_on(&ada, &crew, "invite", &bob).await.status, 200);
        assert_eq!(news.woken().await, woken, "once for each invitation");
    }
}
