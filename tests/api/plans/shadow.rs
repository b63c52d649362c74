//! Plans of shadow-banned authors look to their authors as public plans do.

use serde_json::json;

use super::{FREE_SETTINGS, change, list_titles, new_plan, open_plan, path_of, titles};
use crate::moderation::apply_sanction;
use crate::support::{Agent, Server};

/// Shadow-bans an agent, or ends that.
async fn apply(server: &Server, agent_id: &str, action: &str) {
    apply_sanction(&server.sign_in_operator().await, agent_id, action, json!({})).await;
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
