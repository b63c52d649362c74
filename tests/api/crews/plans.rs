//! Plans of open crews: everyone can see them, and the members change them.

use serde_json::{Value, json};

use super::{SETTINGS, act, act_on, change, found, path_of};
use crate::support::actions::{self, found_crew_of};
use crate::support::values::{fields_of, texts_of};
use crate::support::{Agent, Reply, Server};

/// Returns a new plan's body with a row of two pixels.
pub(super) fn new_plan(title: &str, crew: &Value) -> Value {
    json!({"title": title, "x": 10, "y": 20, "rows": ["55"], "crew_id": crew["id"]})
}

/// Opens a plan, and returns it.
pub(super) async fn open_plan(agent: &Agent<'_>, title: &str, crew: &Value) -> Value {
    let plan = actions::open_plan(agent, new_plan(title, crew)).await;
    assert_eq!(plan["crew_id"], crew["id"]);
    plan
}

pub(super) fn plan_path(plan: &Value) -> String {
    format!("/api/plans/{}", plan["id"].as_str().unwrap())
}

/// Sends a change of a plan.
pub(super) async fn change_plan(agent: &Agent<'_>, plan: &Value, body: Value) -> Reply {
    agent.put(&plan_path(plan), body).await
}

pub(super) async fn close_plan(agent: &Agent<'_>, plan: &Value) -> Reply {
    agent.post(&format!("{}/close", plan_path(plan)), json!({})).await
}

/// Returns the titles of the plans in a page.
pub(super) fn titles(reply: &Reply) -> Vec<&str> {
    assert_eq!(reply.status, 200, "{}", reply.body);
    texts_of(&reply.body["plans"], "title")
}

#[tokio::test]
async fn members_change_and_close_a_plan_of_their_crew() {
    let server = Server::start_with(&SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let crew = found_crew_of(&ada, "Roofers", "open", &[&bob]).await;
    let plan = open_plan(&ada, "A roof", &crew).await;
    let body = json!({"expected_version": 1, "title": "Mine"});
    change_plan(&cyd, &plan, body).await.assert_refused(403, "forbidden");
    let body = json!({"expected_version": 1, "title": "A red roof"});
    let changed = change_plan(&bob, &plan, body).await.assert_status(200);
    assert_eq!(fields_of(&changed["plan"], ["agent_name", "crew_id"]), json!(["Ada", crew["id"]]));
    let seen = server.get(&plan_path(&plan)).await;
    assert_eq!(fields_of(&seen.body["plan"], ["title", "crew_id"]), json!(["A red roof", crew["id"]]));
    assert_eq!(act(&bob, &crew, "leave").await.status, 200);
    let body = json!({"expected_version": 2, "title": "Mine"});
    change_plan(&bob, &plan, body).await.assert_refused(403, "forbidden");
    close_plan(&bob, &plan).await.assert_refused(403, "forbidden");
    assert_eq!(act(&cyd, &crew, "join").await.status, 200);
    let closed = close_plan(&cyd, &plan).await;
    assert_eq!((closed.status, &closed.body["plan"]["state"]), (200, &json!("closed")), "{}", closed.body);
}

#[tokio::test]
async fn only_members_open_plans_of_a_crew() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (open, secret) = (found(&ada, "Roofers", "open").await, found(&bob, "Secret", "invite").await);
    bob.post("/api/plans", new_plan("A roof", &open)).await.assert_refused(403, "forbidden");
    let nowhere = json!({"id": "crew_00000000000000000000000000000000"});
    for crew in [&secret, &nowhere, &json!({"id": "crew_1"})] {
        let refused = ada.post("/api/plans", new_plan("A roof", crew)).await;
        refused.assert_field_refused(400, "invalid_field", "crew_id");
    }
    assert_eq!(change(&ada, &open, json!({"archived": true})).await.status, 200);
    ada.post("/api/plans", new_plan("A roof", &open)).await.assert_refused(409, "closed");
    assert_eq!(titles(&server.get("/api/plans").await), [""; 0], "nothing was opened");
}

#[tokio::test]
async fn plans_are_listed_by_crew() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (roofers, others) = (found(&ada, "Roofers", "open").await, found(&bob, "Others", "open").await);
    open_plan(&ada, "A roof", &roofers).await;
    assert_eq!(close_plan(&bob, &open_plan(&bob, "A wall", &others).await).await.status, 200);
    let without = server.register_agent("Cyd").await;
    let body = json!({"title": "A path", "x": 10, "y": 20, "rows": ["5"]});
    assert_eq!(actions::open_plan(&without, body).await.get("crew_id"), None);
    for (crew, expected) in [(&roofers, "A roof"), (&others, "A wall")] {
        let path = format!("/api/plans?crew={}", crew["id"].as_str().unwrap());
        assert_eq!(titles(&server.get(&path).await), [expected]);
        assert_eq!(titles(&server.get(&format!("{path}&near=0,0")).await), [expected]);
        assert_eq!(titles(&ada.get(&path).await), [expected]);
    }
    assert_eq!(titles(&server.get("/api/plans?crew=crew_00000000000000000000000000000000").await), [""; 0]);
    server.get("/api/plans?crew=Roofers").await.assert_refused(400, "invalid_field");
}

#[tokio::test]
async fn changes_of_a_shadow_banned_member_are_seen_by_nobody_else() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let plan = open_plan(&ada, "A roof", &found_crew_of(&ada, "Roofers", "open", &[&eve]).await).await;
    let operator = server.sign_in_operator().await;
    operator.apply_sanction(&eve, "shadow").await;
    let head = server.head().await;
    let changed = change_plan(&eve, &plan, json!({"expected_version": 1, "title": "Spam"})).await;
    assert_eq!((changed.status, &changed.body["plan"]["title"]), (200, &json!("Spam")), "{}", changed.body);
    let body = json!({"expected_version": 2, "note": "More spam"});
    let own = change_plan(&eve, &plan, body).await.assert_status(200)["plan"].clone();
    assert_eq!(fields_of(&own, ["version", "title", "note"]), json!([3, "Spam", "More spam"]));
    assert_eq!(eve.get(&plan_path(&plan)).await.body["plan"], own);
    for (agent, title) in [(&eve, "Spam"), (&ada, "A roof")] {
        assert_eq!(titles(&agent.get("/api/plans").await), [title]);
        assert_eq!(agent.get("/api/home").await.body["plans"][0]["title"], title);
    }
    assert_eq!(server.head().await, head);
    assert_eq!(ada.get(&plan_path(&plan)).await.body["plan"]["title"], "A roof");
    operator.apply_sanction(&eve, "unshadow").await;
    assert_eq!(eve.get(&plan_path(&plan)).await.body["plan"]["title"], "A roof");
}

#[tokio::test]
async fn each_shadow_banned_member_sees_its_own_changes() {
    let server = Server::start_with(&SETTINGS).await;
    let [ada, bob, eve, mia] = server.register_agents(["Ada", "Bob", "Eve", "Mia"]).await;
    let crew = found_crew_of(&ada, "Roofers", "open", &[&bob, &eve, &mia]).await;
    let plan = open_plan(&ada, "Old roof", &crew).await;
    let operator = server.sign_in_operator().await;
    for agent in [&ada, &eve, &mia] {
        operator.apply_sanction(agent, "shadow").await;
    }
    for (agent, title) in [(&ada, "Spires"), (&eve, "Spam"), (&mia, "Ruins")] {
        let body = json!({"expected_version": 1, "title": title});
        assert_eq!(change_plan(agent, &plan, body).await.assert_status(200)["plan"]["title"], title);
    }
    for (agent, title) in [(&ada, "Spires"), (&eve, "Spam"), (&mia, "Ruins"), (&bob, "Old roof")] {
        assert_plan_seen(agent, &plan, title).await;
    }
    assert_eq!(server.count_rows("shadow_plan_change").await, 2);
    // As a change for everyone would, it stays when the member leaves.
    assert_eq!(act(&mia, &crew, "leave").await.status, 200);
    assert_plan_seen(&mia, &plan, "Ruins").await;
    // A version for everyone ends what others see otherwise, also if a server of an earlier version wrote it.
    let body = json!({"expected_version": 1, "title": "Red roof"});
    change_plan(&bob, &plan, body).await.assert_status(200);
    assert_eq!(server.count_rows("shadow_plan_change").await, 2);
    for agent in [&ada, &bob, &eve, &mia] {
        assert_plan_seen(agent, &plan, "Red roof").await;
    }
    let body = json!({"expected_version": 2, "title": "Spam again"});
    change_plan(&eve, &plan, body).await.assert_status(200);
    assert_plan_seen(&eve, &plan, "Spam again").await;
    for agent in [&eve, &mia] {
        operator.apply_sanction(agent, "unshadow").await;
    }
    assert_plan_seen(&eve, &plan, "Red roof").await;
    assert_eq!(server.count_rows("shadow_plan_change").await, 0);
    server.assert_log_is_sound().await;
}

/// Asserts that an agent sees this title of the only plan wherever it reads it.
async fn assert_plan_seen(agent: &Agent<'_>, plan: &Value, title: &str) {
    assert_eq!(agent.get(&plan_path(plan)).await.body["plan"]["title"], title);
    assert_eq!(titles(&agent.get("/api/plans").await), [title]);
    assert_eq!(agent.get("/api/home").await.body["plans"][0]["title"], title);
    let found = agent.get(&format!("/api/search?in=plans&q={}", title.replace(' ', "+"))).await.body;
    assert_eq!(texts_of(&found["results"], "text"), [title]);
}

#[tokio::test]
async fn plans_stay_as_visible_as_they_are() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let crew = found(&ada, "Roofers", "open").await;
    assert_eq!(act_on(&ada, &crew, "invite", &bob).await.status, 200);
    let public = open_plan(&ada, "A roof", &crew).await;
    let refused = change(&ada, &crew, json!({"visibility": "invite", "note": "x"})).await;
    refused.assert_refused(409, "closed");
    assert!(refused.body["hint"].as_str().unwrap().contains("/close"), "{}", refused.body);
    let seen = server.get(&path_of(&crew)).await.body["crew"].clone();
    assert_eq!((&seen["visibility"], seen.get("note")), (&json!("open"), None), "nothing has changed");
    assert_eq!(close_plan(&ada, &public).await.status, 200);
    assert_eq!(change(&ada, &crew, json!({"visibility": "invite"})).await.status, 200);
    assert_eq!(act(&bob, &crew, "join").await.status, 200);
    server.advance_clock(60);
    let private = open_plan(&ada, "A vault", &crew).await;
    assert_eq!(titles(&server.get("/api/plans").await), ["A roof"]);
    assert_eq!(change(&ada, &crew, json!({"visibility": "open"})).await.status, 200);
    assert_eq!(titles(&server.get("/api/plans").await), ["A roof"]);
    assert_eq!(titles(&bob.get("/api/plans").await), ["A vault", "A roof"]);
    server.get(&plan_path(&private)).await.assert_refused(404, "not_found");
    assert_eq!(server.get(&plan_path(&public)).await.status, 200);
}
