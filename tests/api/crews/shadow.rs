//! Crews of shadow-banned agents look to these as other crews do, and others see nothing of them.

use serde_json::{Value, json};

use super::{SETTINGS, act, act_on, change, crew_of, found, member_names, names, path_of};
use crate::moderation::apply_sanction;
use crate::support::{Agent, Reply, Server};

async fn apply(server: &Server, agent: &Agent<'_>, action: &str) {
    apply_sanction(&server.sign_in_operator().await, &agent.id, action, json!({})).await;
}

async fn read(agent: &Agent<'_>, crew: &Value) -> Value {
    let reply = agent.get(&path_of(crew)).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.body["crew"].clone()
}

#[tokio::test]
async fn only_its_founder_sees_it() {
    let server = Server::start_with(&SETTINGS).await;
    let (eve, bob) = (server.register_agent("Eve").await, server.register_agent("Bob").await);
    apply(&server, &eve, "shadow").await;
    let crew = found(&eve, "Diggers", "open").await;
    assert_eq!(
        (read(&eve, &crew).await, member_names(&eve, &crew).await),
        (crew.clone(), vec!["Eve".to_owned()])
    );
    assert_eq!(names(&eve.get("/api/crews").await.body), ["Diggers"]);
    assert_eq!(act_on(&eve, &crew, "invite", &bob).await.status, 200);
    for page in [bob.get("/api/crews").await, server.get("/api/crews?member=Eve").await] {
        assert_eq!(names(&page.body), [""; 0]);
    }
    bob.get(&path_of(&crew)).await.assert_refused(404, "not_found");
    for action in ["join", "leave"] {
        act(&bob, &crew, action).await.assert_refused(404, "not_found");
    }
    let key = server.create_operator_key("crews").await;
    let by_operator = Reply::fetch(server.get_request(&path_of(&crew)).bearer_auth(&key)).await;
    assert_eq!(by_operator.status, 200, "{}", by_operator.body);
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
    let inbox = bob.get("/api/inbox").await.body;
    assert_eq!(
        (&inbox["unread"], &inbox["items"]),
        (&json!(0), &json!([])),
        "the invited agent must not hear of it"
    );
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
    let crew = found(&eve, "Diggers", "open").await;
    assert_eq!(act(&bob, &crew, "join").await.status, 200);
    apply(&server, &eve, "shadow").await;
    crew_of(change(&eve, &crew, json!({"note": "spam"})).await, 200);
    assert_eq!(act_on(&eve, &crew, "hand_over", &bob).await.status, 200);
    apply(&server, &bob, "shadow").await;
    assert_eq!(read(&bob, &crew).await.get("note"), None);
}
