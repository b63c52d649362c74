//! The life of a crew, from its founding to its archive.

use serde_json::json;

use super::{NOWHERE, SETTINGS, act, act_on, change, crew_of, found, member_names, names, path_of};
use crate::support::Server;
use crate::support::values::{assert_field_names, fields_of, texts_of};

#[tokio::test]
async fn a_crew_is_founded_joined_and_left() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let body = json!({"name": " The Roofers ", "description": "We paint roofs.", "visibility": "open"});
    let crew = crew_of(ada.post("/api/crews", body).await, 201);
    assert!(crew["id"].as_str().unwrap().starts_with("crew_"));
    assert_field_names(&crew, "created_at description id members name owner_id visibility");
    let expected = json!(["The Roofers", "We paint roofs.", ada.id, 1]);
    assert_eq!(fields_of(&crew, ["name", "description", "owner_id", "members"]), expected);
    let joined = crew_of(act(&bob, &crew, "join").await, 200);
    assert_eq!(joined["members"], 2);
    assert_eq!(crew_of(act(&bob, &crew, "join").await, 200), joined, "joining again changes nothing");
    let reply = server.get(&path_of(&crew)).await;
    assert_eq!(reply.body["crew"], joined);
    assert_eq!(texts_of(&reply.body["members"], "role"), ["owner", "member"]);
    assert_eq!(reply.body["members"][1]["agent_id"], bob.id);
    assert!(reply.body["members"][1]["joined_at"].as_str().unwrap().ends_with('Z'));
    let of_bob = server.get("/api/crews?member=bob").await.body;
    assert_eq!(names(&of_bob), ["The Roofers"], "{of_bob}");
    assert_eq!(crew_of(act(&bob, &crew, "leave").await, 200)["members"], 1);
    assert_eq!(member_names(&bob, &crew).await, ["Ada"]);
    assert_eq!(names(&server.get(&format!("/api/crews?member={}", bob.id)).await.body), [""; 0]);
    assert_eq!(names(&server.get("/api/crews?member=nobody").await.body), [""; 0]);
}

#[tokio::test]
async fn the_owner_changes_texts_and_archives() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found(&ada, "Roofers", "open").await;
    let body = json!({"note": "Red first. See evil.example.com", "description": "Roofs"});
    let changed = change(&ada, &crew, body).await;
    assert_eq!(changed.body["changed"], json!(["link"]), "{}", changed.body);
    assert_eq!(changed.body["crew"]["note"], "Red first. See [link removed]");
    let same = change(&ada, &crew, json!({"description": "Roofs"})).await;
    assert_eq!(same.body, json!({"success": true, "crew": changed.body["crew"]}));
    let cleared = crew_of(change(&ada, &crew, json!({"note": " ", "description": ""})).await, 200);
    assert_eq!((cleared.get("note"), &cleared["description"]), (None, &json!("")));
    let archived = crew_of(change(&ada, &crew, json!({"archived": true})).await, 200);
    assert!(archived["archived_at"].is_string());
    act(&bob, &crew, "join").await.assert_refused(409, "closed");
    act_on(&ada, &crew, "invite", &bob).await.assert_refused(409, "closed");
    assert_eq!(server.get(&path_of(&crew)).await.body["crew"], archived, "it stays readable");
    let reopened = crew_of(change(&ada, &crew, json!({"archived": false})).await, 200);
    assert_eq!(reopened.get("archived_at"), None);
    assert_eq!(act(&bob, &crew, "join").await.status, 200);
}

#[tokio::test]
async fn the_last_member_archives_its_crew_by_leaving() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found(&ada, "Roofers", "open").await;
    assert_eq!(act_on(&ada, &crew, "invite", &bob).await.status, 200);
    let left = crew_of(act(&ada, &crew, "leave").await, 200);
    assert_eq!((&left["members"], left["archived_at"].is_string()), (&json!(0), true), "{left}");
    change(&ada, &crew, json!({"archived": false})).await.assert_refused(403, "forbidden");
    act(&ada, &crew, "leave").await.assert_refused(403, "forbidden");
    act(&bob, &crew, "join").await.assert_refused(409, "closed");
}

#[tokio::test]
async fn pages_continue_where_the_one_before_ended() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    for name in ["One", "Two", "Three"] {
        found(&ada, name, "open").await;
        server.advance_clock(60);
    }
    let first = server.get("/api/crews?limit=2").await.body;
    assert_eq!(names(&first), ["Three", "Two"]);
    let before = first["next_before"].as_str().unwrap();
    let rest = server.get(&format!("/api/crews?limit=2&before={before}")).await.body;
    assert_eq!((names(&rest), &rest["next_before"]), (vec!["One"], &json!(null)));
    for wrong in ["crew_1", "crew_00000000000000000000000000000000"] {
        server.get(&format!("/api/crews?before={wrong}")).await.assert_refused(400, "bad_cursor");
    }
    server.get("/api/crews?owner=ada").await.assert_refused(400, "unknown_parameter");
}

#[tokio::test]
async fn wrong_requests_are_refused() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let long = json!({"name": "Roofers", "visibility": "open", "description": "d".repeat(281)});
    for (body, status, code, field) in [
        (json!({"visibility": "open"}), 400, "missing_field", "name"),
        (json!({"name": "Roofers"}), 400, "missing_field", "visibility"),
        (json!({"name": "Roofers", "visibility": "closed"}), 400, "invalid_field", "visibility"),
        (json!({"name": "R", "visibility": "open"}), 400, "invalid_field", "name"),
        (json!({"name": "Roofers!", "visibility": "open"}), 400, "invalid_field", "name"),
        (json!({"name": "Roofers", "visibility": "open", "note": "x"}), 400, "unknown_field", "note"),
        (long, 400, "invalid_field", "description"),
        (json!({"name": "Admins", "visibility": "open"}), 422, "name_not_allowed", "name"),
    ] {
        let refused = ada.post("/api/crews", body.clone()).await;
        refused.assert_refused(status, code);
        assert_eq!(refused.body["field"], field, "{body}: {}", refused.body);
    }
    let roofers = json!({"name": "Roofers", "visibility": "open"});
    server.post("/api/crews", roofers).await.assert_refused(401, "key_missing");
    let crew = found(&ada, "Roofers", "open").await;
    change(&ada, &crew, json!({})).await.assert_refused(400, "missing_field");
    change(&ada, &crew, json!({"name": "Others"})).await.assert_refused(400, "unknown_field");
    change(&ada, &crew, json!({"note": "n".repeat(281)})).await.assert_refused(400, "invalid_field");
    for action in ["join", "leave"] {
        ada.post(&format!("{NOWHERE}/{action}"), json!({})).await.assert_refused(404, "not_found");
        ada.post(&format!("/api/crews/agent_1/{action}"), json!({})).await.assert_refused(404, "not_found");
    }
    for action in ["invite", "remove", "hand_over"] {
        let agent = json!({"agent_id": ada.id});
        ada.post(&format!("{NOWHERE}/{action}"), agent).await.assert_refused(404, "not_found");
    }
    server.get(NOWHERE).await.assert_refused(404, "not_found");
}
