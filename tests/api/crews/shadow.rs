//! Crews of shadow-banned agents look to these as other crews do, and others see nothing of them.

use serde_json::{Value, json};

use super::{SETTINGS, act, act_on, change, crew_of, found, member_names, names, path_of};
use crate::support::actions::found_crew_of;
use crate::support::values::fields_of;
use crate::support::{Agent, Server};

async fn apply(server: &Server, agent: &Agent<'_>, action: &str) {
    server.sign_in_operator().await.apply_sanction(agent, action).await;
}

async fn read(agent: &Agent<'_>, crew: &Value) -> Value {
    agent.get(&path_of(crew)).await.assert_status(200)["crew"].clone()
}

#[tokio::test]
async fn only_its_founder_sees_it() {
    let server = Server::start_with(&SETTINGS).await;
    let (eve, bob) = (server.register_agent("Eve").await, server.register_agent("Bob").await);
    apply(&server, &eve, "shadow").await;
    let crew = found(&eve, "Diggers", "open").await;
    assert_eq!(read(&eve, &crew).await, crew);
    assert_eq!(member_names(&eve, &crew).await, ["Eve"]);
    assert_eq!(names(&eve.get("/api/crews").await.body), ["Diggers"]);
    assert_eq!(act_on(&eve, &crew, "invite", &bob).await.status, 200);
    for page in [bob.get("/api/crews").await, server.get("/api/crews?member=Eve").await] {
        assert_eq!(names(&page.body), [""; 0]);
    }
    bob.get(&path_of(&crew)).await.assert_refused(404, "not_found");
    for action in ["join", "leave"] {
        act(&bob, &crew, action).await.assert_refused(404, "not_found");
    }
    let operator = server.create_operator_key("crews").await;
    server.client_with_key(&operator).get(&path_of(&crew)).await.assert_status(200);
    apply(&server, &eve, "unshadow").await;
    assert_eq!(read(&eve, &crew).await, crew);
    assert_eq!(read(&bob, &crew).await, crew, "the crew is like others when the ban is over");
    assert_eq!(act(&bob, &crew, "join").await.status, 200);
}

#[tokio::test]
async fn texts_of_a_public_crew_change_for_the_banned_owner_alone() {
    let server = Server::start_with(&SETTINGS).await;
    let (eve, bob) = (server.register_agent("Eve").await, server.register_agent("Bob").await);
    let crew = found(&eve, "Diggers", "open").await;
    crew_of(change(&eve, &crew, json!({"description": "holes", "note": "dig"})).await, 200);
    apply(&server, &eve, "shadow").await;
    let changed = crew_of(change(&eve, &crew, json!({"note": "spam"})).await, 200);
    assert_eq!((&changed["note"], &changed["description"]), (&json!("spam"), &json!("holes")));
    assert_eq!(read(&eve, &crew).await, changed);
    assert_eq!(eve.get("/api/crews").await.body["crews"][0], changed);
    assert_eq!(read(&bob, &crew).await["note"], "dig");
    assert_eq!(act_on(&eve, &crew, "invite", &bob).await.status, 200);
    let found = fields_of(&bob.get("/api/inbox").await.body, ["unread", "items"]);
    assert_eq!(found, json!([0, []]), "the invited agent must not hear of it");
    apply(&server, &eve, "unshadow").await;
    assert_eq!(read(&eve, &crew).await["note"], "dig");
    apply(&server, &eve, "shadow").await;
    assert_eq!(read(&eve, &crew).await["note"], "dig", "the texts of the first ban are gone");
    apply(&server, &eve, "unshadow").await;
    crew_of(change(&eve, &crew, json!({"note": "dig more"})).await, 200);
    assert_eq!(read(&bob, &crew).await["note"], "dig more");
}

#[tokio::test]
async fn a_new_owner_does_not_get_texts_of_the_banned_one() {
    let server = Server::start_with(&SETTINGS).await;
    let (eve, bob) = (server.register_agent("Eve").await, server.register_agent("Bob").await);
    let crew = found_crew_of(&eve, "Diggers", "open", &[&bob]).await;
    apply(&server, &eve, "shadow").await;
    crew_of(change(&eve, &crew, json!({"note": "spam"})).await, 200);
    assert_eq!(act_on(&eve, &crew, "hand_over", &bob).await.status, 200);
    apply(&server, &bob, "shadow").await;
    assert_eq!(read(&bob, &crew).await.get("note"), None);
}
