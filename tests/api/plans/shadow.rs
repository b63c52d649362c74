//! Plans of shadow-banned authors look to their authors as public plans do.

use serde_json::{Value, json};

use super::{
    FREE_SETTINGS, change, close, list_titles, new_plan, open_plan, paint, path_of, progress, titles,
};
use crate::moderation::apply_sanction;
use crate::support::{Agent, Server};

/// Shadow-bans an agent, or ends that.
async fn apply(server: &Server, agent_id: &str, action: &str) {
    apply_sanction(&server.sign_in_operator().await, agent_id, action, json!({})).await;
}

async fn read_own(author: &Agent<'_>, plan: &Value) -> Value {
    let reply = author.get(&path_of(plan)).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.body["plan"].clone()
}

async fn own_titles(author: &Agent<'_>) -> Vec<String> {
    titles(&author.get("/api/plans").await.body)
}

#[tokio::test]
async fn own_plans_stay_in_the_list_after_the_ban() {
    let mut server = Server::start_with(&FREE_SETTINGS).await;
    let (id, key, plan) = {
        let eve = server.register_agent("Eve").await;
        apply(&server, &eve.id, "shadow").await;
        let plan = open_plan(&eve, new_plan("hidden door", 2, 1)).await;
        apply(&server, &eve.id, "unshadow").await;
        (eve.id.clone(), eve.key.clone(), plan)
    };
    server.restart().await;
    let eve = Agent { server: &server, id, key };
    assert_eq!(own_titles(&eve).await, ["hidden door"]);
    assert_eq!(list_titles(&server, "").await, [""; 0]);
    server.get(&path_of(&plan)).await.assert_refused(404, "not_found");
    let changed = change(&eve, &plan, json!({"expected_version": 1, "title": "secret door"})).await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    assert_eq!(own_titles(&eve).await, ["secret door"]);
    assert_eq!(list_titles(&server, "").await, [""; 0], "a change does not make it public");
}

#[tokio::test]
async fn damage_is_counted() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    apply(&server, &eve.id, "shadow").await;
    paint(&ada, &[(11, 20, 5)]).await;
    let plan = open_plan(&eve, new_plan("hidden door", 4, 1)).await;
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
