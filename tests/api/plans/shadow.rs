//! Plans of shadow-banned authors look to their authors as public plans do.

use serde_json::{Value, json};

use super::{
    PLAN_SETTINGS, change, close, list_titles, new_plan, paint, path_of, progress, read_events, titles,
};
use crate::support::actions::{fetch_inbox, open_plan};
use crate::support::values::fields_of;
use crate::support::waiting::{wait_for_finished_plan, wait_for_plan_end};
use crate::support::{Agent, Server};

/// Shadow-bans an agent, or ends that.
async fn apply(server: &Server, agent: &Agent<'_>, action: &str) {
    server.sign_in_operator().await.apply_sanction(agent, action).await;
}

async fn read_own(author: &Agent<'_>, plan: &Value) -> Value {
    author.get(&path_of(plan)).await.assert_status(200)["plan"].clone()
}

async fn own_titles(author: &Agent<'_>) -> Vec<String> {
    titles(&author.get("/api/plans").await.body)
}

#[tokio::test]
async fn own_plans_stay_in_the_list_after_the_ban() {
    let mut server = Server::start_with(&PLAN_SETTINGS).await;
    let (id, key, plan) = {
        let eve = server.register_agent("Eve").await;
        apply(&server, &eve, "shadow").await;
        let plan = open_plan(&eve, new_plan("hidden door", 2, 1)).await;
        apply(&server, &eve, "unshadow").await;
        (eve.id.clone(), eve.key.clone(), plan)
    };
    server.restart().await;
    let eve = Agent { server: &server, id, key };
    assert_eq!(own_titles(&eve).await, ["hidden door"]);
    assert_eq!(list_titles(&server, "").await, [""; 0]);
    server.get(&path_of(&plan)).await.assert_refused(404, "not_found");
    change(&eve, &plan, json!({"expected_version": 1, "title": "secret door"})).await.assert_status(200);
    assert_eq!(own_titles(&eve).await, ["secret door"]);
    assert_eq!(list_titles(&server, "").await, [""; 0], "a change does not make it public");
}

#[tokio::test]
async fn damage_is_counted() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    apply(&server, &eve, "shadow").await;
    paint(&ada, &[(11, 20, 5)]).await;
    let plan = open_plan(&eve, new_plan("hidden door", 4, 1)).await;
    assert_eq!((&plan["progress"], &plan["helpers"]), (&progress(4, 1, 0), &json!([])));
    paint(&eve, &[(10, 20, 5), (12, 20, 6)]).await;
    paint(&ada, &[(10, 20, 6), (11, 20, 6)]).await;
    paint(&eve, &[(13, 20, 5)]).await;
    assert_eq!(read_own(&eve, &plan).await["progress"], progress(4, 1, 2));
    let list = eve.get("/api/plans").await.body;
    assert_eq!(list["plans"][0]["progress"], progress(4, 1, 2), "{list}");
    let renamed = change(&eve, &plan, json!({"expected_version": 1, "title": "secret door"})).await;
    assert_eq!(renamed.body["plan"]["progress"], progress(4, 1, 2), "{}", renamed.body);
    let moved = change(&eve, &plan, json!({"expected_version": 2, "x": 11})).await;
    assert_eq!(moved.body["plan"]["progress"], progress(4, 1, 0), "{}", moved.body);
    paint(&ada, &[(13, 20, 6)]).await;
    let closed = close(&eve, &plan).await;
    assert_eq!(closed.body["plan"]["progress"], progress(4, 0, 1), "{}", closed.body);
    assert_eq!(read_own(&eve, &plan).await["progress"], progress(4, 0, 1));
}

#[tokio::test]
async fn only_their_author_hears_that_they_are_finished() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    apply(&server, &eve, "shadow").await;
    let plan = open_plan(&eve, new_plan("hidden door", 2, 1)).await;
    paint(&eve, &[(10, 20, 5), (11, 20, 5)]).await;
    let head = server.head().await;
    wait_for_finished_plan(async || read_own(&eve, &plan).await).await;
    let inbox = fetch_inbox(&eve, "").await;
    let item = &inbox["items"][0];
    let expected = json!(["plan", plan["id"], "finished", false, head]);
    assert_eq!(fields_of(item, ["kind", "plan_id", "state", "read", "seq"]), expected, "{inbox}");
    assert_eq!(inbox["unread"], 1, "{inbox}");
    let read = eve.post("/api/inbox/read", json!({"ids": [item["id"]]})).await.assert_status(200);
    assert_eq!(read["unread"], 0, "{read}");
    assert_eq!(fetch_inbox(&ada, "").await["items"], json!([]));
    assert_eq!(eve.get("/api/chat").await.body["messages"], json!([]), "nothing is announced");
    assert_eq!(server.head().await, head, "it is no event");
}

#[tokio::test]
async fn another_picture_is_not_finished() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let eve = server.register_agent("Eve").await;
    apply(&server, &eve, "shadow").await;
    paint(&eve, &[(10, 20, 5), (11, 20, 5)]).await;
    let plan = open_plan(&eve, new_plan("hidden door", 2, 1)).await;
    assert_eq!(plan["state"], "finished", "it was there before the plan");
    assert_eq!(fetch_inbox(&eve, "").await["items"][0]["state"], "finished");
    // Nothing was placed meanwhile, so both pictures have the number of the same event.
    let changed = change(&eve, &plan, json!({"expected_version": 1, "rows": ["66"]})).await;
    assert_eq!(changed.body["plan"]["state"], "open", "{}", changed.body);
    assert_eq!(fetch_inbox(&eve, "").await["items"], json!([]));
}

#[tokio::test]
async fn time_and_seasons_end_them() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    apply(&server, &eve, "shadow").await;
    let mut body = new_plan("hidden door", 2, 1);
    body["expires_in"] = json!(600);
    let plan = open_plan(&eve, body).await;
    paint(&eve, &[(10, 20, 5)]).await;
    paint(&ada, &[(10, 20, 6)]).await;
    paint(&eve, &[(11, 20, 5)]).await;
    let head = server.head().await;
    server.advance_clock(601);
    let ended = wait_for_plan_end(async || read_own(&eve, &plan).await).await;
    assert_eq!((&ended["state"], &ended["progress"]), (&json!("expired"), &progress(2, 1, 1)), "{ended}");
    assert_eq!(ended["helpers"][0]["agent_name"], "Eve");
    paint(&eve, &[(10, 20, 5)]).await;
    assert_eq!(read_own(&eve, &plan).await, ended);
    let open = open_plan(&eve, new_plan("hidden wall", 2, 1)).await;
    assert_eq!(open["state"], "finished");
    paint(&ada, &[(10, 20, 6)]).await;
    server.sign_in_operator().await.open_season(1, 16, 16).await;
    let ended = read_own(&eve, &open).await;
    assert_eq!((&ended["state"], &ended["progress"]), (&json!("finished"), &progress(2, 1, 1)), "{ended}");
    assert!(ended["ended_at"].is_string(), "{ended}");
    let events = read_events(&server, head).await.to_string();
    assert!(!events.contains("plan_"), "{events}");
}

#[tokio::test]
async fn dry_runs_name_them() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let wall = open_plan(&ada, new_plan("wall", 2, 1)).await;
    apply(&server, &eve, "shadow").await;
    let door = open_plan(&eve, new_plan("hidden door", 1, 1)).await;
    let dry_run = async |agent: &Agent<'_>| {
        let pixels = json!([{"x": 10, "y": 20, "color": 5}, {"x": 11, "y": 20, "color": 6}]);
        let body = json!({"pixels": pixels, "chat_digest": server.digest().await, "dry_run": true});
        agent.post("/api/pixels", body).await.body["plans"].clone()
    };
    let in_wall = json!({"plan_id": wall["id"], "title": "wall", "right": 1, "wrong": 1});
    let in_door = json!({"plan_id": door["id"], "title": "hidden door", "right": 1, "wrong": 0});
    assert_eq!(dry_run(&eve).await, json!([in_wall, in_door]));
    assert_eq!(dry_run(&ada).await, json!([in_wall]));
    assert_eq!(close(&eve, &door).await.status, 200);
    assert_eq!(dry_run(&eve).await, json!([in_wall]));
}

#[tokio::test]
async fn home_names_them() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    open_plan(&ada, new_plan("wall", 2, 1)).await;
    apply(&server, &eve, "shadow").await;
    let plan = open_plan(&eve, new_plan("hidden door", 3, 1)).await;
    let home_plans = async |agent: &Agent<'_>| {
        let plans = agent.get("/api/home").await.body["plans"].as_array().unwrap().clone();
        plans.iter().map(|plan| json!([plan["title"], plan["left"], plan["you_help"]])).collect::<Vec<_>>()
    };
    let expected = [json!(["hidden door", 3, false]), json!(["wall", 2, false])];
    assert_eq!(home_plans(&eve).await, expected);
    assert_eq!(home_plans(&ada).await, expected[1..]);
    paint(&eve, &[(12, 20, 5)]).await;
    assert_eq!(home_plans(&eve).await[0], json!(["hidden door", 2, true]));
    close(&eve, &plan).await;
    assert_eq!(home_plans(&eve).await, expected[1..]);
}
